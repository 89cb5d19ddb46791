//! The bound that EM climbs for labels that may be flipped.

use crate::normal;
use crate::{Block, BlockFit, EpFit, Flip, GpError, LabelNoise as _, Posterior, Prior};
use ndarray::{Array1, Array2};

/// The lower bound of the evidence that the EM algorithm of Kapoor et al. 2005 climbs,
///
/// F(q) = ∫ q(y) log \[p(y) p(t_L|y)/q(y)\] dy ≤ log p(t_L),
///
/// at the q of expectation propagation, with everything that learning ε needs of it. (The paper
/// writes p for log p.)
#[derive(Debug, Clone, PartialEq)]
pub struct FlipBound {
    epsilon: f64,
    /// KL(q ‖ p(y)).
    divergence: f64,
    /// q(t y < 0) of every label.
    wrong: Array1<f64>,
    /// Labels whose posterior mean has the other sign.
    against_mean: usize,
    /// ε(1−Φ(z))/(ε + (1−2ε)Φ(z)) of every label, z of its cavity.
    flipped: Array1<f64>,
}

impl FlipBound {
    /// F(q). Minus infinity for ε = 0, where the step has no logarithm on the wrong side.
    pub fn value(&self) -> f64 {
        let agree: f64 = self.wrong.iter().map(|wrong| 1.0 - wrong).sum();
        let against: f64 = self.wrong.sum();
        let expected = agree * (-self.epsilon).ln_1p() + against * self.epsilon.ln();
        expected - self.divergence
    }

    /// KL(q ‖ p(y)), of the divergence of the labelled block alone: given the labelled nodes, q
    /// and the prior agree on all others.
    pub fn divergence(&self) -> f64 {
        self.divergence
    }

    /// ∂F/∂ε = Σ q(ty<0)/ε − q(ty>0)/(1−ε).
    pub fn epsilon_gradient(&self) -> f64 {
        let (agree, against) = (1.0 - self.epsilon, self.epsilon);
        self.wrong.iter().map(|wrong| wrong / against - (1.0 - wrong) / agree).sum()
    }

    /// The paper's approximation of ∂F/∂ε, with the step at the mean: Σ (1−2Θ)/(ε + (1−2ε)Θ),
    /// Θ = \[t·ȳ > 0\].
    pub fn epsilon_gradient_as_published(&self) -> f64 {
        let against = self.against_mean as f64;
        let agree = self.wrong.len() as f64 - against;
        against / self.epsilon - agree / (1.0 - self.epsilon)
    }

    /// Where [`FlipBound::epsilon_gradient_as_published`] vanishes: k/l, the share of labels that
    /// their posterior mean contradicts. Not an optimum of the evidence.
    pub fn epsilon_as_published(&self) -> f64 {
        self.against_mean as f64 / self.wrong.len() as f64
    }

    /// Where [`FlipBound::epsilon_gradient`] vanishes: the mean of q(ty < 0). Maximises F, but q is
    /// a Gaussian that no label cuts off, so that it is too large and can drift to ½.
    pub fn epsilon_of_bound(&self) -> f64 {
        mean(&self.wrong)
    }

    /// The mean probability of a flip under the tilted distributions. Its fixed points are the
    /// stationary points of the evidence of expectation propagation.
    pub fn epsilon_tilted(&self) -> f64 {
        mean(&self.flipped)
    }
}

fn mean(values: &Array1<f64>) -> f64 {
    values.sum() / values.len() as f64
}

impl<P: Prior> Posterior<P, Flip, EpFit> {
    /// The EM bound at this posterior. O(l³).
    pub fn bound(&self) -> FlipBound {
        FlipBound::new(&self.block(), &self.fit)
    }

    /// The second moments E\[(y−μ)(y−μ)ᵀ\] of all nodes under the posterior, which is what the
    /// M-step for the prior needs: n × n numbers, n columns of the covariance.
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn second_moments(&self) -> Result<Array2<f64>, GpError> {
        let all: Vec<usize> = (0..self.latent.len()).collect();
        let mut moments = self.covariance(&all)?;
        let mean = self.columns.values.dot(&self.dual());
        for (mut row, &own) in moments.rows_mut().into_iter().zip(&mean) {
            row.scaled_add(own, &mean);
        }
        Ok(moments)
    }
}

impl FlipBound {
    fn new(block: &Block<'_, Flip>, fit: &EpFit) -> Self {
        let likelihood = block.likelihood;
        let latent = BlockFit::<Flip>::latent(fit);
        let labels = || block.targets.iter().zip(latent).zip(fit.variances());
        let wrong = labels()
            .map(|((&target, &mean), &variance)| normal::cdf(-target * mean / variance.sqrt()))
            .collect();
        let against_mean = labels().filter(|((target, mean), _)| **target * **mean < 0.0).count();
        let flipped = block
            .targets
            .iter()
            .zip(fit.cavities())
            .map(|(&target, cavity)| {
                likelihood.flip_probability(target, cavity.mean, cavity.variance)
            })
            .collect();
        Self {
            epsilon: likelihood.epsilon,
            divergence: fit.divergence(),
            wrong,
            against_mean,
            flipped,
        }
    }
}
