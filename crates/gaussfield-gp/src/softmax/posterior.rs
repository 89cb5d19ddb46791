//! The posterior of several classes.

use super::{Curvature, Place, shares, softmax};
use crate::inductive::in_batches;
use crate::{Columns, EvidenceGradient, Fitted, GpError, InductivePrior, Prior};
use gaussfield_core::dense::Spd;
use gaussfield_core::{Facts, NoSuchNode, check};
use gaussfield_labels::{Inductive, Named, Scores, Transductive};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How class probabilities are averaged over the posterior: by seeded draws, since the softmax of
/// a Gaussian has no closed form. The error is at most about 1/(2√samples).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draws {
    /// How many for each node. Default 1000.
    pub samples: usize,
    /// Same seed, same probabilities. Default 0.
    pub seed: u64,
}

impl Default for Draws {
    fn default() -> Self {
        Self { samples: 1000, seed: 0 }
    }
}

impl Draws {
    /// The softmax of a Gaussian, averaged. A stream of numbers for each node: the answer does not
    /// depend on which others are asked.
    fn average(
        self,
        stream: usize,
        mean: ArrayView1<'_, f64>,
        covariance: Array2<f64>,
    ) -> Array1<f64> {
        let root = root(covariance);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(stream as u64);
        let mut sum = Array1::zeros(mean.len());
        for _ in 0..self.samples {
            let normal: Array1<f64> =
                (0..sum.len()).map(|_| StandardNormal.sample(&mut rng)).collect();
            sum += &softmax((&mean + &root.dot(&normal)).view());
        }
        sum / self.samples as f64
    }
}

/// The posterior of a [`Softmax`](super::Softmax) process.
///
/// As a [`Transductive`] answer it says of every node how probable each class is, the latent values
/// taken to be their mode: that costs nothing. Averages over the posterior take the variances of all
/// nodes and random draws, and are asked for by name ([`SoftmaxPosterior::averaged`]).
#[derive(Debug)]
pub struct SoftmaxPosterior<P> {
    pub(super) prior: P,
    pub(super) nodes: Vec<usize>,
    /// K[:, L].
    pub(super) columns: Columns,
    pub(super) gram: Array2<f64>,
    pub(super) latent: Array2<f64>,
    pub(super) place: Place,
    pub(super) curvature: Curvature,
    pub(super) iterations: usize,
    pub(super) names: Vec<String>,
    pub(super) interior: Vec<usize>,
    pub(super) scores: Scores,
    /// By which draws the scores are averaged, if they are.
    pub(super) averaged: Option<Draws>,
}

impl<P: Prior> SoftmaxPosterior<P> {
    /// The prior.
    pub fn prior(&self) -> &P {
        &self.prior
    }

    /// The modes on all nodes, n × C. The largest of a row is the class.
    pub fn latent(&self) -> ArrayView2<'_, f64> {
        self.latent.view()
    }

    /// a = K_LL⁻¹ f_L for every class, l × C: the mode is K\[:, L\] a.
    pub fn dual(&self) -> ArrayView2<'_, f64> {
        self.place.dual.view()
    }

    /// The labelled nodes, in the order of the rows of [`SoftmaxPosterior::dual`].
    pub fn labelled(&self) -> &[usize] {
        &self.nodes
    }

    /// Steps Newton's method took.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The log evidence in Laplace's approximation.
    pub fn log_evidence(&self) -> f64 {
        self.place.objective - 0.5 * self.curvature.log_det()
    }

    /// The gradient of the log evidence in the parameters of the prior and the weights of its
    /// graph. No solve beyond those of the fit: O(C l³ + n l²).
    ///
    /// As for two classes: ½(Σ aₖaₖᵀ − Σ Rₖₖ) is explicit; through the moving mode
    /// −½ log|B| has the slope s = −½ tr(Σ ∂W/∂f), and with c = (I + WK)⁻¹ s = s − R K s the
    /// rest is ½ Σ (cₖaₖᵀ + aₖcₖᵀ).
    ///
    /// # Errors
    /// As [`Prior::pullback`].
    pub fn gradient(&self) -> Result<EvidenceGradient, GpError> {
        let slopes = self.slopes();
        let pulled = &slopes - &self.curvature.apply(&self.gram.dot(&slopes));
        let dual = &self.place.dual;
        let mut by_gram = dual.dot(&dual.t()) - self.curvature.trace();
        let cross = pulled.dot(&dual.t());
        by_gram += &cross;
        by_gram += &cross.t();
        by_gram *= 0.5;
        let prior = self.prior.pullback(&self.nodes, &self.columns, &by_gram)?;
        // Raising all latent values of a node together changes no share.
        let (mean, likelihood) = (0.0, Vec::new());
        Ok(EvidenceGradient { prior: prior.parameters, mean, likelihood, edges: prior.edges })
    }

    /// −½ ∂ log|B|/∂f on the labelled nodes, l × C. With Wₖⱼ = πₖδₖⱼ − πₖπⱼ at one node,
    /// tr(Σ dW) = Σₖ uₖ dπₖ, uₖ = Σₖₖ − 2(Σπ)ₖ, and dπₖ/df_c = πₖ(δₖ_c − π_c).
    fn slopes(&self) -> Array2<f64> {
        let mut slopes = Array2::zeros(self.place.shares.dim());
        for (at, mut row) in slopes.rows_mut().into_iter().enumerate() {
            let covariance = self.curvature.covariance(self.gram[[at, at]], self.gram.row(at));
            let shares = self.place.shares.row(at);
            let direct = &covariance.diag() - &(covariance.dot(&shares) * 2.0);
            let average = direct.dot(&shares);
            row.assign(&((direct - average) * shares * -0.5));
        }
        slopes
    }

    /// The C × C posterior covariance of the latent values of one node. One column of the prior.
    ///
    /// # Errors
    /// A node past the end, a solver that failed.
    pub fn covariance(&self, node: usize) -> Result<Array2<f64>, GpError> {
        let variance = self.prior.variances(&[node])?[0];
        Ok(self.curvature.covariance(variance, self.columns.values.row(node)))
    }

    /// Class probabilities of chosen nodes, k × C, averaged over the posterior by draws. Cost:
    /// the prior's variances, and O(C² + C l²) and the draws for each node.
    ///
    /// # Errors
    /// A node past the end, no draws, a solver that failed.
    pub fn probabilities(&self, nodes: &[usize], draws: Draws) -> Result<Array2<f64>, GpError> {
        NoSuchNode::check(nodes, self.prior.nodes())?;
        check::at_least("the number of draws", draws.samples, 1)?;
        let variances = self.prior.variances(nodes)?;
        let (curvature, columns, latent) = (&self.curvature, &self.columns.values, &self.latent);
        let rows: Vec<Array1<f64>> = nodes
            .par_iter()
            .enumerate()
            .map(|(at, &node)| {
                let covariance = curvature.covariance(variances[at], columns.row(node));
                draws.average(node, latent.row(node), covariance)
            })
            .collect();
        Ok(stacked(rows, latent.ncols()))
    }

    /// With probabilities that are averaged over the posterior, also those of new points. The prior
    /// variances of all nodes, and [`SoftmaxPosterior::probabilities`] of all.
    ///
    /// # Errors
    /// As [`SoftmaxPosterior::probabilities`].
    pub fn averaged(mut self, draws: Draws) -> Result<Self, GpError> {
        let all: Vec<usize> = (0..self.latent.nrows()).collect();
        self.scores = Scores::new(self.probabilities(&all, draws)?)?;
        self.averaged = Some(draws);
        Ok(self)
    }
}

impl<P: Prior> Fitted for SoftmaxPosterior<P> {
    fn log_evidence(&self) -> f64 {
        self.log_evidence()
    }

    fn gradient(&self) -> Result<EvidenceGradient, GpError> {
        self.gradient()
    }

    fn averaged(self, draws: Draws) -> Result<Self, GpError> {
        self.averaged(draws)
    }
}

impl<P: Prior> Named for SoftmaxPosterior<P> {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl<P: Prior> Transductive for SoftmaxPosterior<P> {
    fn scores(&self) -> &Scores {
        &self.scores
    }

    fn interior(&self) -> &[usize] {
        &self.interior
    }

    fn facts(&self) -> Facts {
        let mut facts = self.columns.facts.clone();
        facts.add("inference", "Laplace, softmax");
        facts.add("Newton steps", self.iterations);
        facts.add("log evidence", self.log_evidence());
        match self.averaged {
            Some(draws) => facts.with("draws averaged over the posterior", draws.samples),
            None => facts.with("probabilities", "at the mode of the latent values"),
        }
    }
}

/// At the mode of each new point or, where the scores are [averaged](SoftmaxPosterior::averaged),
/// averaged by as many draws. In batches of 512.
impl<P: InductivePrior> Inductive<Points> for SoftmaxPosterior<P> {
    type Error = GpError;

    fn predict(&self, points: &Points) -> Result<Scores, GpError> {
        let extension = self.prior.extension(&self.nodes, &self.columns)?;
        let batches = in_batches(&self.prior, points, |from, ready| {
            let rows = ready.covariances(&extension)?;
            let mean = rows.dot(&self.place.dual);
            let Some(draws) = self.averaged else { return Ok(shares(mean.view())) };
            let average = |at: usize| {
                let covariance = self.curvature.covariance(ready.variances()[at], rows.row(at));
                draws.average(from + at, mean.row(at), covariance)
            };
            let rows: Vec<Array1<f64>> = (0..rows.nrows()).into_par_iter().map(average).collect();
            Ok(stacked(rows, self.names.len()))
        })?;
        let views: Vec<ArrayView2<'_, f64>> = batches.iter().map(|batch| batch.view()).collect();
        let none = Array2::zeros((0, self.names.len()));
        Ok(Scores::new(ndarray::concatenate(Axis(0), &views).unwrap_or(none))?)
    }
}

/// One row below the other.
fn stacked(rows: Vec<Array1<f64>>, width: usize) -> Array2<f64> {
    let mut matrix = Array2::zeros((rows.len(), width));
    for (mut to, row) in matrix.axis_iter_mut(Axis(0)).zip(rows) {
        to.assign(&row);
    }
    matrix
}

/// A matrix whose square is the covariance; rounding is met by a touch on the diagonal.
fn root(mut covariance: Array2<f64>) -> Array2<f64> {
    let touch = 1e-12 * covariance.diag().sum().max(f64::MIN_POSITIVE);
    covariance.diag_mut().mapv_inplace(|entry| entry + touch);
    let deviations = covariance.diag().mapv(f64::sqrt);
    Spd::factorise(covariance)
        .map_or_else(|_| Array2::from_diag(&deviations), |factor| factor.lower().to_owned())
}
