//! Threshold dynamics: walk a few steps, decide, and again until nothing changes.

mod partition;
mod walk;

pub use partition::Partition;

use crate::problem::fill_islands;
use crate::{Harmonic, HarmonicError, boundary_of};
use gaussfield_core::{Budget, Facts, OverBudget, Progress, SizeMismatch, check};
use gaussfield_graph::Graph;
use gaussfield_labels::{
    ClassPrior, Islands, Labels, NodeScores, Scores, Transductive, balance_counts,
    class_mass_normalise,
};
use gaussfield_laplacian::{SolverOptions, unreachable};
use ndarray::{Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};
use walk::Walk;

/// Threshold dynamics: classes decided by a field are walked over the graph for a few steps and
/// decided again, until nothing changes.
///
/// With few labels a harmonic function is nearly flat, and the classes that it gives are too large
/// or too small. Deciding sharpens it, a short walk smooths the border between classes, and the two
/// in turn move the border to where the graph is thin (Merriman, Bence and Osher's scheme, with
/// random-walk steps). Labelled nodes go back to their label at every decision. With an even number
/// of steps the energy Σ d_i u_i·(Pˢu)_i cannot fall, so that the dynamics end without balance; with
/// it, or with an odd number, they may circle, and [`Dynamics::max_rounds`] ends them.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::Dynamics;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// // Two squares, joined by a weak edge; the second is labelled at its joint only.
/// let square = |a: usize| [(a, a + 1, 1.0), (a + 1, a + 2, 1.0), (a + 2, a + 3, 1.0), (a, a + 3, 1.0)];
/// let edges = square(0).into_iter().chain(square(4)).chain([(2, 4, 0.1)]);
/// let graph = Graph::from_edges(8, edges)?;
/// let mut of = [None; 8];
/// (of[0], of[4]) = (Some("left"), Some("right"));
/// let found = Dynamics::default().fit(&graph, &Labels::from_names(of))?;
/// assert_eq!(found.predictions(&Decision::Argmax)?.classes(), [0, 0, 0, 1, 1, 1]);
/// assert!(found.settled());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dynamics {
    /// What is known about the sizes of the classes, and how it is used.
    pub balance: Balance,
    /// Steps of the random walk between two decisions, at least 1. Default 4.
    pub steps: usize,
    /// Most rounds of walking and deciding, at least 1. Default 8.
    pub max_rounds: usize,
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Which solver of the harmonic function at the start, how exact.
    pub solver: SolverOptions,
}

/// How threshold dynamics keep the classes from growing or starving.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Balance {
    /// The masses of the field at the start are normalised to the uniform prior, once; the dynamics
    /// are free. Safe where the sizes of the classes are not known.
    #[default]
    UniformOnce,
    /// No prior at all.
    Free,
    /// Every decision gives the classes exactly these shares of the unlabelled nodes
    /// ([`balance_counts`]). Best where they are true; a wrong prior costs more than it can gain.
    Counts(ClassPrior),
}

impl Balance {
    /// The prior as facts tell it.
    fn told(&self) -> String {
        match self {
            Self::UniformOnce => "uniform, once by mass".into(),
            Self::Free => "none".into(),
            Self::Counts(prior) => format!("given, in every round by counts: {prior}"),
        }
    }
}

impl Default for Dynamics {
    fn default() -> Self {
        let (islands, solver) = Default::default();
        Self { balance: Balance::UniformOnce, steps: 4, max_rounds: 8, islands, solver }
    }
}

impl Dynamics {
    /// The dynamics from the harmonic function.
    ///
    /// # Errors
    /// As [`Harmonic::fit`]; no step, no round; a prior of another number of classes.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Partition, HarmonicError> {
        self.check(labels)?;
        let budget = self.walks(graph, labels)?;
        let solver = SolverOptions { budget, ..self.solver };
        let start = Harmonic { islands: self.islands.clone(), solver };
        self.fit_from(graph, labels, &start.fit(graph, labels)?)
    }

    /// The dynamics from the scores of any method on the same nodes and classes.
    ///
    /// # Errors
    /// Graph, labels and scores of different size, parts without a label (unless
    /// [`Islands::Prior`]); no step, no round; a prior of another number of classes.
    pub fn fit_from(
        &self,
        graph: &Graph,
        labels: &Labels,
        start: &dyn Transductive,
    ) -> Result<Partition, HarmonicError> {
        self.check(labels)?;
        let boundary = boundary_of(graph, labels)?;
        let (nodes, classes) = (graph.nodes(), labels.classes());
        SizeMismatch::check("rows of the scores to start from", nodes, start.scores().nodes())?;
        SizeMismatch::check(
            "classes of the scores to start from",
            classes,
            start.scores().classes(),
        )?;
        self.walks(graph, labels)?;
        let islands = unreachable(graph, &boundary);
        let fill = fill_islands(&self.islands, labels.classes(), &islands)?;
        let moving: Vec<usize> = boundary
            .interior()
            .iter()
            .copied()
            .filter(|node| islands.binary_search(node).is_err())
            .collect();
        let mut run = Run { dynamics: self, labels, moving, walk: Walk::new(graph) };
        let (scores, rounds, settled) = run.until_settled(start.scores())?;

        let mut values = labels.one_hot();
        for (row, &node) in scores.values().outer_iter().zip(&run.moving) {
            values.row_mut(node).assign(&row);
        }
        for &node in &islands {
            values.row_mut(node).assign(&ArrayView1::from(&fill));
        }
        let facts = self.facts(start.facts(), rounds, settled, islands.len());
        let answer = NodeScores::new(labels, Scores::new(values)?, facts)?.on_islands(islands);
        Ok(Partition { answer, rounds, settled })
    }

    /// What the walks leave of the budget: decisions, two ends of a step, and what balancing by counts
    /// keeps of them.
    pub(crate) fn walks(&self, graph: &Graph, labels: &Labels) -> Result<Budget, OverBudget> {
        let columns = 4 * labels.classes();
        self.solver.budget.matrix("the walks of threshold dynamics", graph.nodes(), columns)
    }

    fn check(&self, labels: &Labels) -> Result<(), HarmonicError> {
        check::at_least("the number of steps between decisions", self.steps, 1)?;
        check::at_least("the number of rounds allowed", self.max_rounds, 1)?;
        if let Balance::Counts(prior) = &self.balance {
            prior.check_classes(labels.classes())?;
        }
        Ok(())
    }

    fn facts(&self, start: Facts, rounds: usize, settled: bool, islands: usize) -> Facts {
        let mut facts = Facts::default()
            .with("method", "threshold dynamics")
            .with("class prior of the dynamics", self.balance.told())
            .with("steps of each walk", self.steps)
            .with("rounds", rounds)
            .with("settled", if settled { "yes" } else { "no" })
            .with("nodes on islands", islands);
        for fact in start.iter() {
            let name = if fact.name == "method" { "start".into() } else { fact.name.clone() };
            facts.add(name, fact.value.clone());
        }
        facts
    }
}

/// One run of the dynamics.
struct Run<'a> {
    dynamics: &'a Dynamics,
    labels: &'a Labels,
    /// Unlabelled nodes that a label reaches, increasing: who is decided about.
    moving: Vec<usize>,
    walk: Walk<'a>,
}

impl Run<'_> {
    /// The scores of the moving nodes after the last walk, how many there were, and whether its
    /// decision was the one before.
    fn until_settled(&mut self, start: &Scores) -> Result<(Scores, usize, bool), HarmonicError> {
        let mut scores = start.select(&self.moving)?;
        if self.dynamics.balance == Balance::UniformOnce {
            let prior = ClassPrior::uniform(self.labels.classes())?;
            scores = class_mass_normalise(&scores, &prior)?.scores;
        }
        let mut decided = self.balanced(scores)?.argmax();
        let most = self.dynamics.max_rounds;
        let stage = Progress::stage("threshold dynamics", Some(most as u64));
        let mut round = 0;
        loop {
            round += 1;
            stage.step()?;
            let walked = self.walk.steps(self.placed(&decided), self.dynamics.steps);
            let scores = self.balanced(Scores::new(walked.select(Axis(0), &self.moving))?)?;
            let now = scores.argmax();
            let settled = now == decided;
            if settled || round == most {
                return Ok((scores, round, settled));
            }
            decided = now;
        }
    }

    /// Scores whose largest entries are the decision.
    fn balanced(&self, scores: Scores) -> Result<Scores, HarmonicError> {
        Ok(match &self.dynamics.balance {
            Balance::Counts(prior) => balance_counts(&scores, prior)?.scores,
            Balance::UniformOnce | Balance::Free => scores,
        })
    }

    /// One at the class of each node that has one; islands, which meet nobody else, stay at zero.
    fn placed(&self, decided: &[usize]) -> Array2<f64> {
        let mut values = self.labels.one_hot();
        for (&node, &class) in self.moving.iter().zip(decided) {
            values[[node, class]] = 1.0;
        }
        values
    }
}
