//! Who runs against whom, on what.

use std::fmt;
use std::str::FromStr;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Ten neighbours of every point.
    Neighbours,
    /// The harmonic function of ten classes with ten labels each, on a graph that is there.
    Solve,
    /// Accuracy over the splits.
    Labels,
}

impl Stage {
    pub(crate) const ALL: [Self; 3] = [Self::Neighbours, Self::Solve, Self::Labels];

    /// Whether times are compared.
    pub(crate) fn timed(self) -> bool {
        self != Self::Labels
    }

    pub(crate) fn sets(self, quick: bool) -> &'static [&'static str] {
        match (self, quick) {
            (Self::Neighbours, true) | (Self::Solve, true) => &["digits", "sheets-10k"],
            (Self::Labels, true) => &["digits"],
            (Self::Neighbours, false) => &["usps", "mnist", "sheets-50k", "sheets-200k"],
            (Self::Solve, false) => &["usps", "sheets-10k", "sheets-50k", "sheets-200k"],
            (Self::Labels, false) => &["usps", "digits", "mnist"],
        }
    }

    pub(crate) fn contestants(self) -> &'static [Contestant] {
        match self {
            Self::Neighbours => NEIGHBOURS,
            Self::Solve => SOLVE,
            Self::Labels => LABELS,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Neighbours => "neighbours",
            Self::Solve => "solve",
            Self::Labels => "labels",
        })
    }
}

impl FromStr for Stage {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> anyhow::Result<Self> {
        let known = Self::ALL.into_iter().find(|stage| stage.to_string() == word);
        known.ok_or_else(|| anyhow::anyhow!("no stage `{word}`: neighbours, solve or labels"))
    }
}

/// Somebody who takes part.
#[derive(Debug)]
pub(crate) struct Contestant {
    /// The word by which its program knows it.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    /// The contestant of ours that does the same work, for a peer.
    pub(crate) against: Option<&'static str>,
    /// What it is told about the sizes of the classes.
    pub(crate) prior: &'static str,
    /// Why it can be ahead, to be said beside each row in which it is.
    pub(crate) why: &'static str,
}

impl Contestant {
    const fn because(self, why: &'static str) -> Self {
        Self { why, ..self }
    }
}

const fn ours(key: &'static str, name: &'static str, prior: &'static str) -> Contestant {
    Contestant { key, name, against: None, prior, why: "" }
}

const fn peer(
    key: &'static str,
    name: &'static str,
    against: &'static str,
    prior: &'static str,
) -> Contestant {
    Contestant { key, name, against: Some(against), prior, why: "" }
}

const HALF_AS_WIDE: &str = "it holds the points as the file does, in 32 bits; gaussfield holds them in \
     64, on which all later stages compute, beside the copy in 32 that is searched";

const NEIGHBOURS: &[Contestant] = &[
    ours("exact", "gaussfield, exact", ""),
    peer("faiss-flat", "faiss flat", "exact", "").because(HALF_AS_WIDE),
    peer("sklearn-brute", "scikit-learn brute", "exact", "").because(HALF_AS_WIDE),
    ours("cells", "gaussfield, cells", ""),
    ours("few-cells", "gaussfield, cells, 4 probes", ""),
    peer("pynndescent-warm", "PyNNDescent, compiled before", "few-cells", "").because(
        "it compares a point with neighbours of neighbours only, in a form compiled for the \
         features at hand, and stops at a lower recall",
    ),
    peer("pynndescent-cold", "PyNNDescent, first use", "few-cells", ""),
];

const SOLVE: &[Contestant] = &[
    ours("harmonic", "gaussfield", ""),
    peer("graphlearning", "GraphLearning", "harmonic", ""),
    peer("scipy-jacobi", "SciPy CG, Jacobi", "harmonic", "").because(
        "it holds the matrix and the vectors of one class at a time, where gaussfield holds an \
         approximate factor beside the matrix and all classes at once",
    ),
    peer("pyamg", "PyAMG, CG", "harmonic", ""),
];

const BOUNDARY: &str = "it takes labels as boundary values, which say more than sources where there are \
     many: see the dynamics without a prior that begin at boundary values too";

const LABELS: &[Contestant] = &[
    peer("graphlearning-laplace", "GraphLearning Laplace", "poisson-dynamics", "none")
        .because(BOUNDARY),
    peer(
        "graphlearning-laplace-poisson",
        "GraphLearning Laplace, Poisson-reweighted",
        "poisson-dynamics",
        "none",
    )
    .because(BOUNDARY),
    peer(
        "graphlearning-laplace-properly",
        "GraphLearning Laplace, properly weighted",
        "poisson-dynamics",
        "none",
    )
    .because(BOUNDARY),
    peer("graphlearning-poisson", "GraphLearning Poisson", "poisson-dynamics", "none"),
    peer("sklearn-propagation", "scikit-learn LabelPropagation", "poisson-dynamics", "none"),
    peer("sklearn-spreading", "scikit-learn LabelSpreading", "poisson-dynamics", "none"),
    ours("harmonic", "gaussfield harmonic, same graph", "none"),
    ours("poisson", "gaussfield Poisson, same graph", "none"),
    ours("poisson-reweighted", "gaussfield Poisson-reweighted, same graph", "none"),
    ours("properly-weighted", "gaussfield properly weighted, same graph", "none"),
    ours("poisson-cosine", "gaussfield Poisson, self-tuning graph", "none"),
    ours("dynamics-free", "gaussfield dynamics", "none"),
    ours("poisson-dynamics", "gaussfield dynamics from Poisson", "none"),
    ours("reweighted-dynamics", "gaussfield dynamics from Poisson-reweighted", "none"),
    ours("harmonic-mass", "gaussfield harmonic, same graph, class mass", "uniform"),
    ours("dynamics", "gaussfield dynamics, default", "uniform, once"),
    ours("automatic", "gaussfield, what it chooses by itself", "uniform, once"),
    peer("graphlearning-poisson-mbo", "GraphLearning Poisson-MBO", "dynamics-given", "true"),
    ours("dynamics-given", "gaussfield dynamics, counts", "true"),
    ours("gradients-dynamics", "gaussfield dynamics on HOG", "uniform, once"),
    ours("gradients-given", "gaussfield dynamics on HOG, counts", "true"),
];

/// A race: a stage on a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) stage: Stage,
    pub(crate) set: &'static str,
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stage, self.set)
    }
}

/// The races that words name, `STAGE` or `STAGE/SET`; all without words.
pub(crate) fn races(words: &[String], quick: bool) -> anyhow::Result<Vec<Race>> {
    let of = |stage: Stage| stage.sets(quick).iter().map(move |set| Race { stage, set });
    if words.is_empty() {
        return Ok(Stage::ALL.into_iter().flat_map(of).collect());
    }
    let mut chosen = Vec::new();
    for word in words {
        match word.split_once('/') {
            None => chosen.extend(of(word.parse()?)),
            Some((stage, set)) => {
                let stage: Stage = stage.parse()?;
                let known = of(stage).find(|race| race.set == set);
                let sets = || stage.sets(quick).join(", ");
                chosen
                    .push(known.ok_or_else(|| {
                        anyhow::anyhow!("no set `{set}` for {stage}: {}", sets())
                    })?);
            }
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_by_name() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(races(&[], false).unwrap().len(), 11);
        let chosen = races(&words("solve/usps labels"), false).unwrap();
        assert_eq!(chosen[0], Race { stage: Stage::Solve, set: "usps" });
        assert_eq!(chosen.len(), 4);
        let error = |line: &str| races(&words(line), false).unwrap_err().to_string();
        assert!(error("sovle").contains("neighbours, solve or labels"));
        assert!(error("solve/iris").contains("sheets-200k"));
    }

    #[test]
    fn every_peer_has_a_counterpart_of_ours() {
        for stage in Stage::ALL {
            let all = stage.contestants();
            for peer in all.iter().filter_map(|contestant| contestant.against) {
                assert!(all.iter().any(|other| other.against.is_none() && other.key == peer));
            }
        }
    }
}
