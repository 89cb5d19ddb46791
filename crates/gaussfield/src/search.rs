//! A search over descriptions, judged by labels that are not shown.

use crate::description::{
    Description, DescriptionError, EntropyChoice, Method, ObjectiveChoice, Tuning,
};
use crate::{Error, Plan, Validated, Validation};
use gaussfield_core::Progress;
use gaussfield_graph::{FamilyChoice, PatternChoice, SelfTuning};
use gaussfield_harmonic::{Consistency, Harmonic};
use gaussfield_labels::{ClassPrior, Decision, HoldOut, Islands, Labels, LabelsError};
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};

/// Tries graphs, weights and methods, all on the same held-out labels.
///
/// For every number of neighbours and every way of weighing edges a graph is made once; length scales
/// are learned by label entropy, which is the continuous part of the search. On each graph every
/// method is run again with half of the labels hidden. The least mean log loss on the hidden labels
/// wins, so that an answer must be right and know how sure it may be; of equal ones the first.
///
/// ```
/// use gaussfield::SearchDescriptions;
/// use gaussfield::data::generate::TwoMoons;
///
/// let moons = TwoMoons { n: 80, noise: 0.05 }.generate(1)?;
/// let labels = moons.labels.keep(&[0, 10, 20, 30, 50, 60, 70, 79])?;
/// let search = SearchDescriptions { neighbours: vec![5, 8], ..Default::default() };
/// let found = search.run(&moons.points, &labels)?;
/// println!("{}", found.best().description.to_toml()?);
/// assert_eq!(found.tried.len(), 2 * 3 * 4);
/// # Ok::<(), gaussfield::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SearchDescriptions {
    /// Numbers of neighbours. Default 5, 10, 20; what the points are too few for is left out.
    pub neighbours: Vec<usize>,
    /// How candidates are judged. Default: half of the labels held out, five times.
    pub validation: Validation,
}

impl Default for SearchDescriptions {
    fn default() -> Self {
        let hold_out = HoldOut { repeats: 5, ..HoldOut::default() };
        let validation = Validation { hold_out, ..Validation::default() };
        Self { neighbours: vec![5, 10, 20], validation }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundDescription {
    /// All candidates, in the order they were tried.
    pub tried: Vec<Tried>,
    /// The place of the best one.
    pub best: usize,
}

impl FoundDescription {
    /// The best candidate.
    ///
    /// # Panics
    /// Never: a search that tried nothing is an error.
    pub fn best(&self) -> &Tried {
        &self.tried[self.best]
    }
}

/// A candidate, and how it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// Neighbours of each point; none on a graph that was given.
    pub neighbours: Option<usize>,
    /// How edges weigh, in words.
    pub weights: &'static str,
    /// The method and its decision, in words.
    pub method: &'static str,
    /// How it did on the labels held out.
    pub validated: Validated,
    /// The whole description, with learned scales in their place.
    pub description: Description,
}

impl SearchDescriptions {
    /// Runs the search on points.
    ///
    /// # Errors
    /// Labels too few to hold one out; no number of neighbours below the number of points; what the
    /// parts say.
    pub fn run(&self, points: &Points, labels: &Labels) -> Result<FoundDescription, Error> {
        let Plan { description: plan, .. } = Description::automatic(points, labels)?;
        // Whether any label can be spared is known before the work.
        self.validation.hold_out.draw(labels)?;
        let ks: Vec<usize> =
            self.neighbours.iter().copied().filter(|&k| k > 0 && k < points.len()).collect();
        let methods = methods(&plan, labels)?;
        let stage = Progress::stage("descriptions", Some((ks.len() * 3 * methods.len()) as u64));
        let mut tried = Vec::new();
        for k in ks {
            for (words, weights, tuning) in weights(k) {
                let (symmetry, metric, search) = Default::default();
                let graph = Some(PatternChoice::Knn { k, symmetry, metric, search });
                let harmonic = methods[1].1.clone();
                let base = Description { graph, weights, tuning, ..plan.clone() };
                let base = Description { method: harmonic, ..base }.fit(points, labels)?;
                let Some(graph) = base.graph() else { continue };
                for (name, method, decision) in &methods {
                    stage.step().map_err(LabelsError::from)?;
                    let on_graph = Description {
                        decision: decision.clone(),
                        ..Description::from(method.clone())
                    };
                    let fitted = on_graph.fit_graph(graph.clone(), labels)?;
                    let validated = self.validation.run(&fitted, labels)?;
                    let description = Description {
                        method: method.clone(),
                        decision: decision.clone(),
                        ..base.description().clone()
                    };
                    tried.push(Tried {
                        neighbours: Some(k),
                        weights: words,
                        method: name,
                        validated,
                        description,
                    });
                }
            }
        }
        let loss = |at: &usize| tried[*at].validated.log_loss.mean;
        let best = (0..tried.len()).min_by(|a, b| loss(a).total_cmp(&loss(b)));
        match best {
            Some(best) => Ok(FoundDescription { tried, best }),
            None => Err(LabelsError::EmptyGrid.into()),
        }
    }
}

/// How edges may weigh: in words, where to start, and what is learned.
fn weights(k: usize) -> [(&'static str, Option<FamilyChoice>, Option<Tuning>); 3] {
    let own = FamilyChoice::SelfTuning(SelfTuning { neighbour: k, ..SelfTuning::default() });
    let learned = Tuning::from(ObjectiveChoice::Entropy(EntropyChoice::default()));
    [
        ("self-tuning", Some(own), None),
        ("exponential, mean edge", None, None),
        ("exponential, learned", None, Some(learned)),
    ]
}

/// The methods: in words, with their decisions.
fn methods(
    plan: &Description,
    labels: &Labels,
) -> Result<[(&'static str, Method, Decision); 4], DescriptionError> {
    let prior = ClassPrior::add_one(labels)?;
    let islands = Islands::Prior(prior.clone());
    let mass = Decision::ClassMass(prior);
    let harmonic = Method::Harmonic(Harmonic { islands: islands.clone(), ..Harmonic::default() });
    let consistency = |alpha| {
        Method::Consistency(Consistency { alpha, islands: islands.clone(), ..Default::default() })
    };
    Ok([
        ("tempered dynamics", plan.method.clone(), Decision::Argmax),
        ("harmonic, class masses", harmonic, mass),
        ("consistency 0.9", consistency(0.9), Decision::Argmax),
        ("consistency 0.99", consistency(0.99), Decision::Argmax),
    ])
}
