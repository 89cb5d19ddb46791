//! Expectation propagation.

mod gaussian;
mod moving;
mod newton;
mod sweep;

use super::{Block, BlockFit, Inference, Sensitivity, Shrinkage};
use crate::{GpError, TiltedLikelihood};
use gaussfield_core::{Budget, Facts, SizeMismatch, check};
use gaussian::BlockGaussian;
pub(crate) use gaussian::lower_root;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use sweep::{FixedPoint, Search};

/// Rounding of the log evidence of labels that are certain.
const CERTAIN: f64 = 1e-6;

/// In which order the sites are brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Schedule {
    /// One after the other, the posterior brought up to date after each by a rank-one change:
    /// O(l²) a site. Fewest sweeps.
    #[default]
    Sequential,
    /// All at once, then one O(l³) update of the posterior.
    Parallel,
}

/// Expectation propagation (Minka 2001; Kapoor et al. 2005): every likelihood term is replaced by
/// a Gaussian *site*, chosen so that with the other sites around it, it has the mean and variance
/// of the term itself.
///
/// Works for likelihoods that are not log-concave, such as labels that flip: a site's precision
/// may be negative, and no formula here takes its root. Where plain sweeps go round in circles,
/// because labels contradict each other, Newton's method and a double loop (Heskes and Zoeter 2002)
/// take over: O(l³) a step, as a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExpectationPropagation {
    /// Default: [`Schedule::Sequential`].
    pub schedule: Schedule,
    /// The share of each proposed change that a plain sweep makes, in (0, 1]. Default 1.
    pub damping: f64,
    /// The largest change of a site, in units of the posterior of its node, at which the search
    /// ends. Default 1e-10.
    pub tolerance: f64,
    /// Most sweeps. Default 200; a few dozen are enough unless many labels contradict each other.
    pub max_sweeps: usize,
    /// How much work Newton's method and the double loop may be, beside what is usual: positive.
    /// Default 1, which is about a second for 200 labels and ten for 1000 (the work allowed grows with
    /// l², so that a search without an end is given up in reasonable time).
    pub effort: f64,
    /// The memory for matrices of the labelled points. Default: 4 GiB.
    pub budget: Budget,
}

impl Default for ExpectationPropagation {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            damping: 1.0,
            tolerance: 1e-10,
            max_sweeps: 200,
            effort: 1.0,
            budget: Budget::default(),
        }
    }
}

/// Gaussian sites exp(νz − τz²/2), z = y − μ, one for each observed node.
#[derive(Debug, Clone, PartialEq)]
pub struct Sites {
    /// τ, which may be negative.
    pub precision: Array1<f64>,
    /// ν.
    pub shift: Array1<f64>,
}

impl Sites {
    /// Flat sites.
    fn flat(size: usize) -> Self {
        Self { precision: Array1::zeros(size), shift: Array1::zeros(size) }
    }

    /// Whether there is one for each of so many observed nodes.
    pub(crate) fn check(&self, size: usize) -> Result<(), GpError> {
        for part in [&self.precision, &self.shift] {
            SizeMismatch::check("sites to start from", size, part.len())?;
        }
        Ok(())
    }

    /// A share of the way to others.
    fn towards(&self, others: &Self, share: f64) -> Self {
        Self {
            precision: &self.precision + &((&others.precision - &self.precision) * share),
            shift: &self.shift + &((&others.shift - &self.shift) * share),
        }
    }
}

/// What all other sites say about one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cavity {
    /// Mean of y.
    pub mean: f64,
    /// Variance of y.
    pub variance: f64,
}

/// A fixed point of expectation propagation.
#[derive(Debug)]
pub struct EpFit {
    sites: Sites,
    cavities: Vec<Cavity>,
    latent: Array1<f64>,
    variances: Array1<f64>,
    dual: Array1<f64>,
    shrinkage: Shrinkage,
    log_evidence: f64,
    divergence: f64,
    sweeps: usize,
    change: f64,
}

impl EpFit {
    /// The sites, in the order of the observed nodes.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The cavities, in the order of the observed nodes.
    pub fn cavities(&self) -> &[Cavity] {
        &self.cavities
    }

    /// The posterior variances of the observed nodes.
    pub fn variances(&self) -> ArrayView1<'_, f64> {
        self.variances.view()
    }

    /// KL(q ‖ prior) of the Gaussian found: ½(ln|I + TK| + aᵀ(m − μ) − tr TΣ). On the observed
    /// nodes or on all, it is the same.
    pub fn divergence(&self) -> f64 {
        self.divergence
    }

    /// Sweeps made.
    pub fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// The largest change that another sweep would make, in units of the posterior.
    pub fn change(&self) -> f64 {
        self.change
    }
}

impl<L: TiltedLikelihood> Inference<L> for ExpectationPropagation {
    type Fit = EpFit;

    /// From the sites given; without, from flat ones.
    fn run(&self, block: &Block<'_, L>, start: Option<&Sites>) -> Result<EpFit, GpError> {
        check::positive("the tolerance of expectation propagation", self.tolerance)?;
        let inside = self.damping > 0.0 && self.damping <= 1.0;
        let name = "the damping of expectation propagation";
        check::range(name, self.damping, inside, "above 0 and at most 1")?;
        check::positive("the effort of expectation propagation", self.effort)?;
        let size = block.targets.len();
        start.map_or(Ok(()), |sites| sites.check(size))?;
        let start = start.cloned().unwrap_or_else(|| Sites::flat(size));
        Search::new(self, block, start)?.run()?.finish(block)
    }

    fn budget(&self) -> Budget {
        self.budget
    }
}

impl FixedPoint {
    /// The evidence: ∫ N(z; 0, K) Π sites, times what each term differs from its site.
    fn finish<L: TiltedLikelihood>(self, block: &Block<'_, L>) -> Result<EpFit, GpError> {
        let Self { posterior, cavities, tilted, sweeps, change } = self;
        let (sites, covariance, mean, log_det) = posterior.into_parts();
        let Sites { precision, shift } = &sites;
        let from_roots = precision
            .iter()
            .all(|&tau| tau >= 0.0)
            .then(|| Shrinkage::from_roots(block.gram, precision.mapv(f64::sqrt)))
            .flatten();
        let (shrinkage, dual) = match from_roots {
            Some(shrinkage) => {
                let dual = shift - &shrinkage.apply(&block.gram.dot(shift));
                (shrinkage, dual)
            }
            None => {
                // R = T − TΣT and a = ν − Tm hold for precisions of any sign.
                let matrix = Array2::from_shape_fn(covariance.dim(), |(i, j)| {
                    let own = if i == j { precision[i] } else { 0.0 };
                    own - precision[i] * covariance[[i, j]] * precision[j]
                });
                (Shrinkage::plain(matrix), shift - &(precision * &mean))
            }
        };
        let log_det = shrinkage.log_det().unwrap_or(log_det);
        let offset = block.gram.dot(&dual);
        let mut log_evidence = 0.5 * (shift.dot(&offset) - log_det);
        for (i, (cavity, tilted)) in cavities.iter().zip(&tilted).enumerate() {
            let (c, v) = (cavity.mean - block.mean[i], cavity.variance);
            let (tau, nu) = (precision[i], shift[i]);
            let wider = 1.0 + tau * v;
            log_evidence += tilted.log_mass + 0.5 * wider.ln()
                - 0.5 * (2.0 * c * nu + nu * nu * v - tau * c * c) / wider;
        }
        // Where the labels are all but impossible under the prior there are fixed points that
        // approximate nothing.
        if block.likelihood.is_probability() && log_evidence > CERTAIN {
            return Err(GpError::ImpossibleEvidence { log_evidence });
        }
        let latent = &block.mean + &offset;
        let variances = covariance.diag().to_owned();
        let divergence = 0.5 * (log_det + dual.dot(&offset) - precision.dot(&variances));
        Ok(EpFit {
            sites,
            cavities,
            latent,
            variances,
            dual,
            shrinkage,
            log_evidence,
            divergence,
            sweeps,
            change,
        })
    }
}

impl<L: TiltedLikelihood> BlockFit<L> for EpFit {
    fn dual(&self) -> ArrayView1<'_, f64> {
        self.dual.view()
    }

    fn latent(&self) -> ArrayView1<'_, f64> {
        self.latent.view()
    }

    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    fn shrinkage(&self) -> &Shrinkage {
        &self.shrinkage
    }

    /// At a fixed point the evidence is stationary in the sites, so that only what is explicit
    /// counts: M = ½(aaᵀ − R), and the terms' own slopes at their cavities. Exact for the
    /// evidence of expectation propagation.
    fn sensitivity(&self, block: &Block<'_, L>) -> Sensitivity {
        let inverse = self.shrinkage.matrix();
        let dual = &self.dual;
        let gram = Array2::from_shape_fn(inverse.dim(), |(i, j)| {
            0.5 * (dual[i] * dual[j] - inverse[[i, j]])
        });
        let mut likelihood = vec![0.0; block.likelihood.parameters().len()];
        for (&target, cavity) in block.targets.iter().zip(&self.cavities) {
            let slopes = block.likelihood.tilted_slopes(target, cavity.mean, cavity.variance);
            for (sum, slope) in likelihood.iter_mut().zip(slopes) {
                *sum += slope;
            }
        }
        Sensitivity { gram, mean: dual.clone(), likelihood }
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("inference", "expectation propagation")
            .with("sweeps", self.sweeps)
            .with("largest change of a site", self.change)
            .with("log evidence", self.log_evidence)
    }

    fn resume(&self) -> Option<&Sites> {
        Some(&self.sites)
    }
}
