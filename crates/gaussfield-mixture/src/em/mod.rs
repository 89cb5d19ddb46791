//! Expectation maximisation with some labels.

mod pass;
mod start;

use crate::components::{Context, log_probability_rows};
use crate::error::{check_clusters, check_count};
use crate::rows::dense_row;
use crate::{Components, Family, Mixture, MixtureError};
use gaussfield_core::{Budget, Facts, Progress, SizeMismatch, check};
use gaussfield_labels::{Labels, LabelsError, Named as _};
use gaussfield_points::Points;
use ndarray::Array2;
use pass::{Pass, pass};
use serde::{Deserialize, Serialize};

/// Why an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The last step changed less than the tolerance.
    Converged,
    /// The number of steps allowed was reached.
    IterationLimit,
}

/// What happens to a component that has lost its points: a mass N_m below
/// [`Em::EMPTY`] points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EmptyComponents {
    /// It moves to the point that the mixture explains worst, with the average shape of all
    /// components, at most twice. This step may lower the likelihood. The default.
    #[default]
    Reseed,
    /// It stays as it is, with a weight close to zero: plain EM.
    Keep,
}

/// EM for a mixture with partially labelled points.
///
/// Maximises the log likelihood [zhu2005 (1)],
///
/// l(θ) = Σ_{i∈L} ln Σ_m γ_m λ_{m y_i} p(x_i|m) + Σ_{i∈U} ln Σ_m γ_m p(x_i|m).
///
/// Labelled points have responsibilities p(m|x,y) ∝ γ_m λ_my p(x|m), the others p(m|x). The
/// memberships λ_m = p(y|m) are re-estimated from the labelled ones only, since λ does not occur
/// in the unlabelled part. All in the log domain. O(nMd) a step (O(nMd²) for full covariances),
/// parallel over fixed blocks of rows: the result does not depend on the number of threads.
///
/// `reg` and `smooth` of the [`Family`] make a step maximise a slightly penalised likelihood;
/// without them (`reg` = 0) no step lowers l(θ).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Em {
    /// The kind of components.
    pub family: Family,
    /// The number of components M, from 1 to the number of points.
    pub components: usize,
    /// Most steps. Default 200.
    #[serde(default = "max_iterations")]
    pub max_iterations: usize,
    /// Stop once a step changes the log likelihood by less than this for each point, ≥ 0; zero
    /// never stops early. Default 10⁻⁶.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// What happens to empty components. Default: they are moved.
    #[serde(default)]
    pub empty: EmptyComponents,
    /// Seed of the k-means++ start. Default 0.
    #[serde(default)]
    pub seed: u64,
    /// Memory for covariances, their factors and sums. Default: 4 GiB.
    #[serde(default)]
    pub budget: Budget,
}

fn max_iterations() -> usize {
    200
}

fn tolerance() -> f64 {
    1e-6
}

/// A component that was moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Repair {
    /// The step after which it was moved, from 1.
    pub iteration: usize,
    /// The component.
    pub component: usize,
    /// The mass it had left, in points.
    pub mass: f64,
    /// The row it was moved to.
    pub row: usize,
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmFacts {
    /// Steps made.
    pub iterations: usize,
    /// Why it ended.
    pub stop: Stop,
    /// The log likelihood of the start and after each step.
    pub log_likelihoods: Vec<f64>,
    /// Components that were moved.
    pub repairs: Vec<Repair>,
}

/// What a person should know of them: steps, why they ended, components that were moved.
impl From<&EmFacts> for Facts {
    fn from(facts: &EmFacts) -> Self {
        let ended = match facts.stop {
            Stop::Converged => "the likelihood hardly changes any more",
            Stop::IterationLimit => "it had made all the steps it may",
        };
        Self::default()
            .with("EM steps", facts.iterations)
            .with("EM ended because", ended)
            .with("components moved", facts.repairs.len())
    }
}

/// A fitted mixture, and how it was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct EmFit {
    /// The mixture.
    pub mixture: Mixture,
    /// How the fit went.
    pub facts: EmFacts,
}

impl Em {
    /// A component with less mass than this, in points, is empty.
    pub const EMPTY: f64 = 1e-3;

    /// How often one component is moved at most.
    const MOST_REPAIRS: usize = 2;

    /// M components of a family, the other settings at their defaults.
    pub fn new(family: Family, components: usize) -> Self {
        Self {
            family,
            components,
            max_iterations: max_iterations(),
            tolerance: tolerance(),
            empty: EmptyComponents::default(),
            seed: 0,
            budget: Budget::default(),
        }
    }

    /// A mixture from a k-means++ start.
    ///
    /// # Errors
    /// M = 0 or M > n, settings out of range, labels of another number of points or without
    /// classes, densities over the budget, counts that are no counts, a component that collapses although `reg` is added,
    /// features too large for their squares, a request to stop.
    pub fn fit(&self, points: &Points, labels: &Labels) -> Result<EmFit, MixtureError> {
        self.run(points, labels, self.start(points, labels)?)
    }

    /// The k-means start: [`Em::start_from`] the clusters of k-means++ and a few rounds of
    /// k-means. Documents are clustered by the cosine of their tf-idf vectors: clusters of plain
    /// counts are clusters of frequent words.
    ///
    /// # Errors
    /// As [`Em::fit`].
    pub fn start(&self, points: &Points, labels: &Labels) -> Result<Mixture, MixtureError> {
        self.check(points, labels)?;
        start::from_clusters(self, points, labels, &start::clusters(self, points)?)
    }

    /// A start from given clusters: `assignment` has a number below M for each point. γ and
    /// densities are those of the clusters (each covariance blended with the pooled variance as if
    /// by one more point, so that a cluster of one point is no spike), λ is even. O(nMd).
    ///
    /// # Errors
    /// As [`Em::fit`], and an assignment of another length or past the last component.
    pub fn start_from(
        &self,
        points: &Points,
        labels: &Labels,
        assignment: &[usize],
    ) -> Result<Mixture, MixtureError> {
        self.check(points, labels)?;
        SizeMismatch::check("clusters, one for each point", points.len(), assignment.len())?;
        check_clusters(assignment, self.components)?;
        start::from_clusters(self, points, labels, assignment)
    }

    /// EM from a given mixture. [`Progress`] hears of each pass over the points.
    ///
    /// # Errors
    /// As [`Em::fit`], and a start of other components, classes or dimension.
    pub fn run(
        &self,
        points: &Points,
        labels: &Labels,
        start: Mixture,
    ) -> Result<EmFit, MixtureError> {
        self.check(points, labels)?;
        self.check_start(&start, points, labels)?;
        let context = Context::new(points, self.family);
        let mut mixture = start;
        let mut facts = EmFacts {
            iterations: 0,
            stop: Stop::IterationLimit,
            log_likelihoods: Vec::new(),
            repairs: Vec::new(),
        };
        let stage = Progress::stage("EM", Some(self.max_iterations as u64 + 1));
        loop {
            let prepared = mixture.components().prepare(mixture.gamma(), context.centre.view())?;
            let last = facts.iterations == self.max_iterations;
            let log_lambda = log_probability_rows(mixture.lambda());
            let found = pass(points, labels, &prepared, log_lambda.view(), !last)?;
            let before = facts.log_likelihoods.last().copied();
            let change = before.map_or(f64::INFINITY, |before| found.log_likelihood - before);
            facts.log_likelihoods.push(found.log_likelihood);
            let moved = facts.repairs.last().is_some_and(|r| r.iteration == facts.iterations);
            stage.step()?;
            if self.tolerance > 0.0
                && !moved
                && change.abs() <= self.tolerance * points.len() as f64
            {
                facts.stop = Stop::Converged;
                break;
            }
            let Some(statistics) = &found.statistics else { break };
            let components = statistics.estimate(mixture.components(), &prepared, &context)?;
            facts.iterations += 1;
            let next = maximise(&mixture, components, statistics.masses(), &found, points.len());
            mixture = self.repair(next, points, &found, &mut facts);
        }
        Ok(EmFit { mixture, facts })
    }

    fn check(&self, points: &Points, labels: &Labels) -> Result<(), MixtureError> {
        check_count(self.components, points.len())?;
        check::at_least("the number of features", points.dim(), 1)?;
        SizeMismatch::check("labels, one for each point", points.len(), labels.len())?;
        if labels.classes() == 0 {
            return Err(LabelsError::NoClasses.into());
        }
        check::not_negative("the tolerance", self.tolerance)?;
        self.family.check()?;
        let bytes = self.family.bytes(self.components, points);
        self.budget.take("the densities of all components and their sums", bytes)?;
        self.family.check_points(points)
    }

    fn check_start(
        &self,
        start: &Mixture,
        points: &Points,
        labels: &Labels,
    ) -> Result<(), MixtureError> {
        SizeMismatch::check("components of the start", self.components, start.len())?;
        SizeMismatch::check("classes of the start", labels.classes(), start.lambda().ncols())?;
        crate::error::check_dimension(points.dim(), start.components().dim())?;
        let same = match (self.family, start.components()) {
            (Family::Gaussian { covariance, .. }, Components::Gaussian(gaussian)) => {
                gaussian.covariances().shape() == covariance
            }
            (Family::Multinomial { .. }, Components::Multinomial(_)) => true,
            _ => false,
        };
        if same { Ok(()) } else { Err(MixtureError::OtherFamily) }
    }

    /// Moves empty components to the points explained worst.
    fn repair(
        &self,
        mut mixture: Mixture,
        points: &Points,
        found: &Pass,
        facts: &mut EmFacts,
    ) -> Mixture {
        if self.empty == EmptyComponents::Keep {
            return mixture;
        }
        let mut worst = found.worst.iter();
        for component in 0..mixture.len() {
            let mass = mixture.gamma()[component] * points.len() as f64;
            let before = facts.repairs.iter().filter(|r| r.component == component).count();
            if mass >= Self::EMPTY || before >= Self::MOST_REPAIRS {
                continue;
            }
            let Some(&(_, row)) = worst.next() else { break };
            let point = dense_row(points, row);
            mixture.reseed(component, point.view(), self.family, 1.0 / points.len() as f64);
            let iteration = facts.iterations;
            facts.repairs.push(Repair { iteration, component, mass, row });
        }
        mixture
    }
}

/// The next γ = N/n, and λ from the labelled responsibilities; a component that no labelled point
/// has anything to do with keeps its λ.
fn maximise(
    old: &Mixture,
    components: Components,
    masses: ndarray::Array1<f64>,
    found: &Pass,
    n: usize,
) -> Mixture {
    let gamma = masses / n as f64;
    let mut lambda: Array2<f64> = old.lambda().to_owned();
    for (mut row, mass) in lambda.rows_mut().into_iter().zip(found.class_masses.rows()) {
        let top = mass.fold(0.0_f64, |top, &x| top.max(x));
        if top > 0.0 {
            // By the largest first: masses may be as small as 10⁻³⁰⁰.
            row.assign(&mass.mapv(|x| x / top));
            let sum = row.sum();
            row /= sum;
        }
    }
    Mixture::trusted(gamma, components, lambda, old.class_names().to_vec())
}
