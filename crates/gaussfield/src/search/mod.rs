//! A search over descriptions, judged by labels that are not shown.

mod grid;

pub use grid::{TriedDecision, TriedMethod, TriedWeights};

use crate::description::{Description, Method};
use crate::{Error, Plan, Validated, Validation};
use gaussfield_core::Progress;
use gaussfield_graph::PatternChoice;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, HoldOut, Islands, Labels, LabelsError};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use grid::{Candidate, Grid};
use serde::{Deserialize, Serialize};

/// Tries graphs, weights and methods, all on the same held-out labels.
///
/// For every number of neighbours and every way of weighing edges a graph is made once; length scales
/// are learned by label entropy, which is the continuous part of the search. On each graph every
/// method, with every option and decision to try, is run again with half of the labels hidden. The least mean log loss on the hidden labels
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
///
/// // Other methods, on one graph: two Laplacians by two decisions.
/// use gaussfield::{TriedDecision, TriedMethod, TriedWeights};
/// let search = SearchDescriptions {
///     neighbours: vec![5],
///     weights: vec![TriedWeights::SelfTuning],
///     methods: vec![TriedMethod::GaussianProcess],
///     decisions: vec![TriedDecision::Largest, TriedDecision::EqualMass],
///     ..Default::default()
/// };
/// assert_eq!(search.run(&moons.points, &labels)?.tried.len(), 4);
/// # Ok::<(), gaussfield::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SearchDescriptions {
    /// Numbers of neighbours. Default 5, 10, 20; what the points are too few for is left out.
    pub neighbours: Vec<usize>,
    /// How edges may weigh. Default: all three ways.
    pub weights: Vec<TriedWeights>,
    /// Methods. Default: tempered, harmonic, consistency.
    pub methods: Vec<TriedMethod>,
    /// How far labels spread under [`TriedMethod::Consistency`]. Default 0.9, 0.99.
    pub alphas: Vec<f64>,
    /// Which Laplacians are the precision under [`TriedMethod::GaussianProcess`]. Default: the
    /// combinatorial and the symmetric one.
    pub laplacians: Vec<Laplacian>,
    /// Decisions. Default: the usual one of each method.
    pub decisions: Vec<TriedDecision>,
    /// How candidates are judged. Default: half of the labels held out, five times.
    pub validation: Validation,
}

impl Default for SearchDescriptions {
    fn default() -> Self {
        let hold_out = HoldOut { repeats: 5, ..HoldOut::default() };
        let validation = Validation { hold_out, ..Validation::default() };
        Self {
            neighbours: vec![5, 10, 20],
            weights: vec![TriedWeights::SelfTuning, TriedWeights::MeanEdge, TriedWeights::Learned],
            methods: vec![TriedMethod::Tempered, TriedMethod::Harmonic, TriedMethod::Consistency],
            alphas: vec![0.9, 0.99],
            laplacians: vec![Laplacian::Combinatorial, Laplacian::Symmetric],
            decisions: vec![TriedDecision::Usual],
            validation,
        }
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
    pub method: String,
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
        let islands = Islands::Prior(ClassPrior::add_one(labels)?);
        let plain = Method::Harmonic(Harmonic { islands, ..Harmonic::default() });
        let grid = Grid {
            methods: &self.methods,
            alphas: &self.alphas,
            laplacians: &self.laplacians,
            decisions: &self.decisions,
            automatic: &plan.method,
        };
        let count = ks.len() * self.weights.len() * grid.len();
        let stage = Progress::stage("descriptions", Some(count as u64));
        let mut tried = Vec::new();
        for k in ks {
            for tried_weights in &self.weights {
                let (weights, tuning) = tried_weights.choice(k);
                let (symmetry, metric, search) = Default::default();
                let graph = Some(PatternChoice::Knn { k, symmetry, metric, search });
                let base = Description { graph, weights, tuning, ..plan.clone() };
                let base = Description { method: plain.clone(), ..base }.fit(points, labels)?;
                let Some(graph) = base.graph() else { continue };
                for Candidate { words, method, decision } in grid.on(graph, labels)? {
                    stage.step().map_err(LabelsError::from)?;
                    let on_graph = Description {
                        decision: decision.clone(),
                        ..Description::from(method.clone())
                    };
                    let fitted = on_graph.fit_graph(graph.clone(), labels)?;
                    let validated = self.validation.run(&fitted, labels)?;
                    let description =
                        Description { method, decision, ..base.description().clone() };
                    tried.push(Tried {
                        neighbours: Some(k),
                        weights: tried_weights.words(),
                        method: words,
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
