//! The Laplace approximation.

use super::precise::Precise;
use super::{Block, BlockFit, Inference, Sensitivity, Shrinkage, Sites};
use crate::{GpError, LogDensity, SmoothLikelihood};
use gaussfield_core::{Budget, Facts, NotConverged, Progress, Stage, check};
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// The Laplace approximation: a Gaussian at the mode of the posterior (Zhu, Lafferty and Ghahramani
/// 2003, appendix A), found by Newton's method.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Laplace {
    /// Most Newton steps. Default 100.
    pub max_iterations: usize,
    /// The largest change of a latent value beside the largest distance from the mean, and of the
    /// log posterior beside itself, at which the mode counts as found. Since the method converges
    /// quadratically, the last step then ends far closer. Default 1e-9.
    pub tolerance: f64,
    /// The memory for matrices of the labelled points. Default: 4 GiB.
    pub budget: Budget,
}

impl Default for Laplace {
    fn default() -> Self {
        Self { max_iterations: 100, tolerance: 1e-9, budget: Budget::default() }
    }
}

impl Laplace {
    /// Newton's method ended without the mode: by how much it last moved, and might have.
    pub(crate) fn stuck(iterations: usize, step: f64, tolerance: f64) -> GpError {
        let remedy = "allow more steps, or choose a less extreme prior (β, σ) or noise (γ)";
        let (method, measure) = ("the search for the mode", "the last Newton step");
        NotConverged { method, iterations, measure, reached: step, tolerance, remedy }.into()
    }
}

/// The mode on the labelled nodes, and the curvature there.
#[derive(Debug)]
pub struct LaplaceFit {
    /// a = K_LL⁻¹(ŷ_L − μ_L), Newton's own.
    dual: Array1<f64>,
    latent: Array1<f64>,
    densities: Vec<LogDensity>,
    shrinkage: Shrinkage,
    /// W and W(ŷ − μ) + ∇log p: the mode is that of these sites.
    sites: Sites,
    /// ln |B|.
    log_det: f64,
    /// log p(t_L|ŷ_L) − ½ aᵀ(ŷ_L − μ_L), [zhu2003gp (27)] at the mode.
    objective: f64,
    iterations: usize,
}

impl LaplaceFit {
    /// −∂² log p(t|y)/∂y² at the mode of each observed node: the diagonal of P in [zhu2003gp (31)].
    pub fn curvature(&self) -> Array1<f64> {
        self.densities.iter().map(|density| -density.second).collect()
    }

    /// log p(t_L|ŷ_L).
    pub fn log_likelihood(&self) -> f64 {
        self.densities.iter().map(|density| density.value).sum()
    }

    /// Steps Newton's method took.
    pub fn iterations(&self) -> usize {
        self.iterations
    }
}

/// A place on the way: y = μ + K a.
#[derive(Clone)]
struct Place {
    dual: Array1<f64>,
    /// K a.
    offset: Array1<f64>,
    densities: Vec<LogDensity>,
    objective: f64,
}

impl Place {
    fn new<L: SmoothLikelihood>(
        block: &Block<'_, L>,
        dual: Array1<f64>,
        offset: Array1<f64>,
    ) -> Self {
        let at = |i: usize| block.likelihood.at(block.targets[i], block.mean[i] + offset[i]);
        let densities: Vec<LogDensity> = (0..dual.len()).map(at).collect();
        let log_likelihood: f64 = densities.iter().map(|density| density.value).sum();
        let objective = log_likelihood - 0.5 * dual.dot(&offset);
        Self { dual, offset, densities, objective }
    }

    /// The mode of Gaussian sites; `None` where they have none.
    fn of_sites<L: SmoothLikelihood>(block: &Block<'_, L>, sites: &Sites) -> Option<Self> {
        let Sites { precision, shift } = sites;
        let sound = precision.iter().all(|&tau| tau >= 0.0);
        let roots = sound.then(|| precision.mapv(f64::sqrt))?;
        let shrinkage = Shrinkage::from_roots(block.gram, roots)?;
        let dual = shift - &shrinkage.apply(&block.gram.dot(shift));
        let offset = block.gram.dot(&dual);
        Some(Self::new(block, dual, offset))
    }

    /// W(y − μ) + ∇log p: the likelihood's part of the gradient [zhu2003gp (28)], and what a Newton
    /// step starts with.
    fn pull(&self, root: &Array1<f64>) -> Array1<f64> {
        let one = |i: usize| root[i] * root[i] * self.offset[i] + self.densities[i].first;
        (0..root.len()).map(one).collect()
    }

    /// B = I + W½ K W½ here, factorised, with W½.
    fn curvature(&self, gram: &Array2<f64>) -> Result<(Array1<f64>, Shrinkage), GpError> {
        let root: Array1<f64> =
            self.densities.iter().map(|d| (-d.second).max(0.0).sqrt()).collect();
        let size = root.len();
        let shrinkage =
            Shrinkage::from_roots(gram, root.clone()).ok_or(GpError::Factorisation { size })?;
        Ok((root, shrinkage))
    }
}

impl<L: SmoothLikelihood> Inference<L> for Laplace {
    type Fit = LaplaceFit;

    /// Newton's method in the dual variable a (Rasmussen and Williams 2006, section 3.4).
    ///
    /// A step [zhu2003gp (29)] solves (K⁻¹ + W)(y − μ) = b with b = W(y − μ) + ∇log p, that is
    /// a = b − W½ B⁻¹ W½ K b, and y = μ + K a. To recompute a from the likelihood's gradient and
    /// multiply it by K would lose all digits where K has an eigenvalue of 10⁷: this a is used as
    /// it is. A step that leads down is halved.
    ///
    /// From y = μ, or from the mode of the sites given where that is more probable: those of the
    /// last fit have its mode, so that this is Newton's step from there under the new prior.
    fn run(&self, block: &Block<'_, L>, start: Option<&Sites>) -> Result<LaplaceFit, GpError> {
        check::positive("the tolerance of Newton's method", self.tolerance)?;
        let stage = Progress::shares("Newton's method for the mode");
        let size = block.targets.len();
        let largest = block.gram.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
        start.map_or(Ok(()), |sites| sites.check(size))?;
        let mut here = Place::new(block, Array1::zeros(size), Array1::zeros(size));
        let known = start.and_then(|sites| Place::of_sites(block, sites));
        if let Some(known) = known.filter(|known| known.objective > here.objective) {
            here = known;
        }
        let (mut step, mut tolerance, mut first) = (f64::INFINITY, 0.0, None);
        for iterations in 1..=self.max_iterations {
            stage.reach(first.map_or(0.0, |first| Stage::way(first, step, tolerance)))?;
            let (root, shrinkage) = here.curvature(block.gram)?;
            let pull = here.pull(&root);
            let solved = shrinkage.apply(&block.gram.dot(&pull));
            let dual = pull - &solved;
            let slack = self.tolerance * (1.0 + here.objective.abs());
            let Some((next, full)) = uphill(block, &here, &dual, slack) else {
                return Err(Self::stuck(iterations, step, tolerance));
            };
            step = greatest(&(&next.offset - &here.offset));
            let change = next.objective - here.objective;
            // No step can be told from rounding below what K makes of the last digit of a.
            let rounding =
                64.0 * f64::EPSILON * largest * next.dual.iter().map(|a| a.abs()).sum::<f64>();
            tolerance = self.tolerance * greatest(&next.offset) + rounding;
            first.get_or_insert(step);
            here = next;
            if full && step <= tolerance && change.abs() <= slack + rounding {
                let (root, shrinkage) = here.curvature(block.gram)?;
                let sites = Sites { shift: here.pull(&root), precision: &root * &root };
                let Place { dual, offset, densities, objective } = here;
                let latent = &block.mean + &offset;
                let log_det = shrinkage.log_det().ok_or(GpError::Factorisation { size })?;
                return Ok(LaplaceFit {
                    dual,
                    latent,
                    densities,
                    shrinkage,
                    sites,
                    log_det,
                    objective,
                    iterations,
                });
            }
        }
        Err(Self::stuck(self.max_iterations, step, tolerance))
    }

    fn budget(&self) -> Budget {
        self.budget
    }
}

/// The longest of the steps 1, ½, ¼ … towards `dual` that does not lead down, and whether it is
/// the full one.
fn uphill<L: SmoothLikelihood>(
    block: &Block<'_, L>,
    here: &Place,
    dual: &Array1<f64>,
    slack: f64,
) -> Option<(Place, bool)> {
    const HALVINGS: i32 = 40;
    let target = Place::new(block, dual.clone(), block.gram.dot(dual));
    if target.objective >= here.objective - slack {
        return Some((target, true));
    }
    (1..=HALVINGS).find_map(|halving| {
        let share = 0.5_f64.powi(halving);
        let between = |from: &Array1<f64>, to: &Array1<f64>| from + &((to - from) * share);
        let dual = between(&here.dual, &target.dual);
        let place = Place::new(block, dual, between(&here.offset, &target.offset));
        (place.objective >= here.objective).then_some((place, false))
    })
}

fn greatest(values: &Array1<f64>) -> f64 {
    values.iter().fold(0.0, |most, value| f64::max(most, value.abs()))
}

impl<L: SmoothLikelihood> BlockFit<L> for LaplaceFit {
    fn dual(&self) -> ArrayView1<'_, f64> {
        self.dual.view()
    }

    fn latent(&self) -> ArrayView1<'_, f64> {
        self.latent.view()
    }

    /// [zhu2003gp (45)].
    ///
    /// The approximation is poor for wide priors (one label, prior variance 10⁵: −1.22 where the
    /// truth is ln ½): compare graphs by it, do not read it as a probability.
    fn log_evidence(&self) -> f64 {
        self.objective - 0.5 * self.log_det
    }

    fn shrinkage(&self) -> &Shrinkage {
        &self.shrinkage
    }

    /// [zhu2003gp (54)]. With R = W½B⁻¹W½, the evidence has the explicit derivative ½(aaᵀ − R) in K_LL. The mode
    /// moves too: log p − ½aᵀ(y−μ) is stationary there, but −½ log|B| has the slope
    /// sᵢ = ½ Σᵢᵢ ∂³ log p in ŷᵢ, and dŷ = (I + KW)⁻¹ dK a. Together, with c = (I + WK)⁻¹ s,
    /// M = ½(aaᵀ − R + caᵀ + acᵀ).
    fn sensitivity(&self, block: &Block<'_, L>) -> Sensitivity {
        let inverse = self.shrinkage.matrix();
        let precise = Precise::new(block.gram, &self.sites.precision);
        let variances = match &precise {
            Some(precise) => precise.variances(),
            None => &block.gram.diag() - &self.shrinkage.explained(block.gram),
        };
        let by_mode: Array1<f64> = self
            .densities
            .iter()
            .zip(&variances)
            .map(|(density, variance)| 0.5 * variance * density.third)
            .collect();
        let (pulled, moved) = match &precise {
            Some(precise) => (precise.pulled(&by_mode), precise.times(&by_mode)),
            None => {
                let pulled = &by_mode - &inverse.dot(&block.gram.dot(&by_mode));
                let moved = block.gram.dot(&pulled);
                (pulled, moved)
            }
        };
        let dual = &self.dual;
        let gram = Array2::from_shape_fn(inverse.dim(), |(i, j)| {
            let direct = dual[i] * dual[j] - inverse[[i, j]];
            0.5 * (direct + pulled[i] * dual[j] + dual[i] * pulled[j])
        });
        // ∂ log p at ŷ, the change of W in log|B|, and the mode that moves by
        // (I + KW)⁻¹ K ∂(∇log p) = Σ ∂(∇log p).
        let mut likelihood = vec![0.0; block.likelihood.parameters().len()];
        for (i, &latent) in self.latent.iter().enumerate() {
            let slopes = block.likelihood.slopes(block.targets[i], latent);
            for (sum, slope) in likelihood.iter_mut().zip(slopes) {
                *sum += slope.value + 0.5 * variances[i] * slope.second + moved[i] * slope.first;
            }
        }
        Sensitivity { gram, mean: dual + &pulled, likelihood }
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("inference", "Laplace")
            .with("Newton steps", self.iterations)
            .with("log evidence", BlockFit::<L>::log_evidence(self))
    }

    fn resume(&self) -> Option<&Sites> {
        Some(&self.sites)
    }
}
