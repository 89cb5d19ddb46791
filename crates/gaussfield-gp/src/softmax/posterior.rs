//! The posterior of several classes.

use super::{Curvature, Place, softmax};
use crate::error::check_nodes;
use crate::{Columns, GpError, Prior, PriorGradient};
use gaussfield_core::dense::Spd;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// How class probabilities are averaged over the posterior: by seeded draws, since the softmax of
/// a Gaussian has no closed form. The error is at most about 1/(2√samples).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The posterior of a [`Softmax`](super::Softmax) process.
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
    pub fn gradient(&self) -> Result<PriorGradient, GpError> {
        let slopes = self.slopes();
        let pulled = &slopes - &self.curvature.apply(&self.gram.dot(&slopes));
        let dual = &self.place.dual;
        let mut by_gram = dual.dot(&dual.t()) - self.curvature.trace();
        let cross = pulled.dot(&dual.t());
        by_gram += &cross;
        by_gram += &cross.t();
        by_gram *= 0.5;
        self.prior.pullback(&self.nodes, &self.columns, &by_gram)
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
        check_nodes(nodes, self.prior.nodes())?;
        if draws.samples == 0 {
            let (name, value) = ("the number of draws", 0.0);
            return Err(GpError::BadParameter { name, value, range: "at least 1" });
        }
        let variances = self.prior.variances(nodes)?;
        let (curvature, columns, latent) = (&self.curvature, &self.columns.values, &self.latent);
        let rows: Vec<Array1<f64>> = nodes
            .par_iter()
            .enumerate()
            .map(|(at, &node)| {
                let covariance = curvature.covariance(variances[at], columns.row(node));
                let root = root(covariance);
                // A stream for each node: the answer does not depend on which others are asked.
                let mut rng = ChaCha8Rng::seed_from_u64(draws.seed);
                rng.set_stream(node as u64);
                let mut sum = Array1::zeros(latent.ncols());
                for _ in 0..draws.samples {
                    let normal: Array1<f64> =
                        (0..sum.len()).map(|_| StandardNormal.sample(&mut rng)).collect();
                    sum += &softmax((&latent.row(node) + &root.dot(&normal)).view());
                }
                sum / draws.samples as f64
            })
            .collect();
        let mut probabilities = Array2::zeros((nodes.len(), latent.ncols()));
        for (mut to, row) in probabilities.axis_iter_mut(Axis(0)).zip(rows) {
            to.assign(&row);
        }
        Ok(probabilities)
    }
}

/// A matrix whose square is the covariance; rounding is met by a touch on the diagonal.
fn root(mut covariance: Array2<f64>) -> Array2<f64> {
    let touch = 1e-12 * covariance.diag().sum().max(f64::MIN_POSITIVE);
    covariance.diag_mut().mapv_inplace(|entry| entry + touch);
    let deviations = covariance.diag().mapv(f64::sqrt);
    Spd::factorise(covariance)
        .map_or_else(|_| Array2::from_diag(&deviations), |factor| factor.lower().to_owned())
}
