//! Which labels are suspect.

use crate::{EpFit, LabelNoise, OneAgainstRestPosterior, Posterior, Prior};
use gaussfield_labels::Named as _;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rate of flips below this says that no label can be wrong, one above the other that none says
/// anything.
const LEAST: f64 = 1e-6;
const MOST: f64 = 0.49;

/// A label and how likely it is to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// The node that carries the label.
    pub node: usize,
    /// The class it is labelled with.
    pub class: usize,
    /// The class that all other labels make most probable among the rest.
    pub instead: usize,
    /// The posterior probability that the label was flipped.
    pub probability: f64,
}

/// Every label with the probability that it is wrong, the most suspect first (ties by node).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// All labels.
    pub suspects: Vec<Suspect>,
    /// The class names, by class number.
    pub class_names: Vec<String>,
    /// Why the probabilities say nothing, if they do not.
    pub warning: Option<Warning>,
}

/// Why an audit says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Warning {
    /// The rate of flips is all but zero, given or learned.
    NoNoise {
        /// ε.
        epsilon: f64,
    },
    /// The rate of flips is all but ½.
    OnlyNoise {
        /// ε.
        epsilon: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNoise { epsilon } => write!(
                f,
                "the rate of wrong labels is {epsilon:.1e}, so that none can count as wrong: if it \
                 was learned, these labels agree with the prior too well, or are too few, to tell; \
                 give a rate, or more labels"
            ),
            Self::OnlyNoise { epsilon } => write!(
                f,
                "the rate of wrong labels is {epsilon:.3}, so that labels say next to nothing: if \
                 it was learned, they contradict the prior; choose another graph or give a rate"
            ),
        }
    }
}

impl fmt::Display for Audit {
    /// The warning, then one line a label.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(warning) = &self.warning {
            writeln!(f, "{warning}")?;
        }
        let name = |class: usize| self.class_names.get(class).map_or("?", String::as_str);
        self.suspects.iter().try_for_each(|suspect| {
            let Suspect { node, class, instead, probability } = *suspect;
            writeln!(f, "{node}: {} or {} ({probability:.2})", name(class), name(instead))
        })
    }
}

impl Audit {
    fn new(mut suspects: Vec<Suspect>, class_names: &[String], epsilon: f64) -> Self {
        suspects.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.node.cmp(&b.node)));
        let warning = match epsilon {
            least if least < LEAST => Some(Warning::NoNoise { epsilon }),
            most if most > MOST => Some(Warning::OnlyNoise { epsilon }),
            _ => None,
        };
        Self { suspects, class_names: class_names.to_vec(), warning }
    }
}

impl<P: Prior, L: LabelNoise> Posterior<P, L, EpFit> {
    /// Every observed label with the posterior probability that it was flipped.
    ///
    /// The probability is ε(1 − Φ(z))/(ε + (1−2ε)Φ(z)) at the cavity, z = t·m/s: what all *other*
    /// labels say about the node, met with its own label. The label itself has no vote in m and s,
    /// so that one that pulled the posterior over to its side is still found out. O(l log l).
    ///
    /// With ε = 0 nothing is ever flipped and every probability is 0, which the audit's warning
    /// says: learn ε first, or give one.
    ///
    /// ```
    /// use gaussfield_gp::{Flip, GaussianProcess, GraphPrior, Warning};
    /// use gaussfield_graph::Graph;
    /// use gaussfield_labels::Labels;
    ///
    /// // A ring of eight alike nodes; the label of node 4 is at odds with the others.
    /// let graph = Graph::from_edges(8, (0..8).map(|i| (i, (i + 1) % 8, 1.0)))?;
    /// let prior = GraphPrior::normalised(0.01).on(&graph)?;
    /// let seen = ["good", "", "good", "good", "bad", "good", "", "good"];
    /// let labels = Labels::from_names(seen.map(|name| Some(name).filter(|name| !name.is_empty())));
    /// let audit = GaussianProcess::ep(Flip { epsilon: 0.1 }).fit(&prior, &labels)?.audit();
    /// assert!(audit.to_string().starts_with("4: bad or good (0."));
    /// assert!(audit.suspects[0].probability > 0.5 && audit.suspects[1].probability < 0.1);
    /// assert_eq!(audit.warning, None);
    ///
    /// let certain = GaussianProcess::ep(Flip { epsilon: 0.0 }).fit(&prior, &labels)?.audit();
    /// assert_eq!(certain.warning, Some(Warning::NoNoise { epsilon: 0.0 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn audit(&self) -> Audit {
        let observed = self.observed.nodes().iter().zip(self.observed.targets());
        let suspects = observed
            .zip(self.fit.cavities())
            .map(|((&node, &target), cavity)| {
                let probability =
                    self.likelihood.flip_probability(target, cavity.mean, cavity.variance);
                let class = usize::from(target > 0.0);
                Suspect { node, class, instead: 1 - class, probability }
            })
            .collect();
        Audit::new(suspects, self.observed.class_names(), self.likelihood.epsilon())
    }
}

impl<P: Prior, L: LabelNoise> OneAgainstRestPosterior<P, L, EpFit> {
    /// Every label with the posterior probability that it is wrong, for any number of classes.
    ///
    /// The cavities of a node say how probable each class c is by all *other* labels, Φ(m_c/s_c);
    /// divided by their sum these are π_c. With a label that is wrong at the rate ε, and then any of
    /// the other C − 1 classes alike, class c was flipped with the probability
    ///
    /// ```math
    /// \frac{\epsilon(1-\pi_c)}{\epsilon(1-\pi_c) + (C-1)(1-\epsilon)\pi_c} .
    /// ```
    ///
    /// For two classes that is [`Posterior::audit`]. O(C l log l).
    pub fn audit(&self) -> Audit {
        let processes = self.processes();
        let names = self.class_names();
        let Some(first) = processes.first() else { return Audit::new(Vec::new(), names, 0.0) };
        let epsilon = first.likelihood.epsilon();
        let suspects = first.observed.nodes().iter().enumerate().map(|(at, &node)| {
            let own = |class: usize| processes[class].observed.targets()[at] > 0.0;
            let class = (0..processes.len()).find(|&class| own(class)).unwrap_or(0);
            let told: Vec<f64> = processes
                .iter()
                .map(|process| {
                    let cavity = process.fit.cavities()[at];
                    let told = process.likelihood.unflipped(cavity.mean, cavity.variance);
                    told.max(f64::MIN_POSITIVE)
                })
                .collect();
            let sum: f64 = told.iter().sum();
            let others = (0..told.len()).filter(|&other| other != class);
            let wrong = epsilon * others.clone().map(|other| told[other]).sum::<f64>() / sum;
            let right = (told.len() - 1) as f64 * (1.0 - epsilon) * told[class] / sum;
            let instead = others.max_by(|&a, &b| told[a].total_cmp(&told[b]).then(b.cmp(&a)));
            let probability = if wrong > 0.0 { wrong / (wrong + right) } else { 0.0 };
            Suspect { node, class, instead: instead.unwrap_or(class), probability }
        });
        Audit::new(suspects.collect(), names, epsilon)
    }
}
