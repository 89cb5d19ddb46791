use crate::error::check_positive;
use crate::factor::{Factor, newton_matrix};
use crate::{GpError, Likelihood, LogDensity};
use ndarray::{Array1, Array2, ArrayView1};

/// When Newton's method ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newton {
    /// Most steps. Default 100.
    pub max_iterations: usize,
    /// The largest change of a latent value beside the largest distance from the mean, and of the
    /// log posterior beside itself, at which the mode counts as found. Since the method converges
    /// quadratically, the last step then ends far closer. Default 1e-9.
    pub tolerance: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { max_iterations: 100, tolerance: 1e-9 }
    }
}

/// The mode on the labelled nodes, and the curvature there.
#[derive(Debug)]
pub(crate) struct LabelledMode {
    /// a = G_LL⁻¹(ŷ_L − μ_L), Newton's own.
    pub(crate) dual: Array1<f64>,
    /// ŷ_L.
    pub(crate) latent: Array1<f64>,
    /// log p(t|ŷ) and derivatives.
    pub(crate) densities: Vec<LogDensity>,
    /// W½.
    pub(crate) root: Array1<f64>,
    /// Of B = I + W½ G_LL W½.
    pub(crate) factor: Factor,
    /// log p(t_L|ŷ_L) − ½ aᵀ(ŷ_L − μ_L).
    pub(crate) objective: f64,
    /// Steps made.
    pub(crate) iterations: usize,
}

/// A place on the way: y = μ + G a.
#[derive(Clone)]
struct Place {
    dual: Array1<f64>,
    /// G a.
    offset: Array1<f64>,
    densities: Vec<LogDensity>,
    objective: f64,
}

/// The problem on the labelled block.
pub(crate) struct Block<'a, L> {
    pub(crate) gram: &'a Array2<f64>,
    pub(crate) mean: ArrayView1<'a, f64>,
    pub(crate) targets: ArrayView1<'a, f64>,
    pub(crate) likelihood: &'a L,
}

impl<L: Likelihood> Block<'_, L> {
    fn place(&self, dual: Array1<f64>, offset: Array1<f64>) -> Place {
        let at = |i: usize| self.likelihood.at(self.targets[i], self.mean[i] + offset[i]);
        let densities: Vec<LogDensity> = (0..dual.len()).map(at).collect();
        let log_likelihood: f64 = densities.iter().map(|density| density.value).sum();
        let objective = log_likelihood - 0.5 * dual.dot(&offset);
        Place { dual, offset, densities, objective }
    }

    /// B = I + W½ G W½ at a place, factorised.
    fn curvature(&self, place: &Place) -> Result<(Array1<f64>, Factor), GpError> {
        let root: Array1<f64> =
            place.densities.iter().map(|d| (-d.second).max(0.0).sqrt()).collect();
        let factor = Factor::new(&newton_matrix(self.gram.view(), root.view()))
            .ok_or(GpError::Factorisation { size: root.len() })?;
        Ok((root, factor))
    }

    /// Newton's method in the dual variable a (Rasmussen and Williams 2006, section 3.4).
    ///
    /// A step solves (G⁻¹ + W)(y − μ) = b with b = W(y − μ) + ∇log p, that is
    /// a = b − W½ B⁻¹ W½ G b, and y = μ + G a. To recompute a from the likelihood's gradient and
    /// multiply it by G would lose all digits where G has an eigenvalue of 10⁷: this a is used as
    /// it is. A step that leads down is halved.
    pub(crate) fn mode(&self, newton: &Newton) -> Result<LabelledMode, GpError> {
        check_positive("the tolerance of Newton's method", newton.tolerance)?;
        let size = self.targets.len();
        let largest = self.gram.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
        let mut here = self.place(Array1::zeros(size), Array1::zeros(size));
        let (mut step, mut change, mut tolerance) = (f64::INFINITY, f64::INFINITY, 0.0);
        for iterations in 1..=newton.max_iterations {
            let (root, factor) = self.curvature(&here)?;
            let pull: Array1<f64> = (0..size)
                .map(|i| root[i] * root[i] * here.offset[i] + here.densities[i].first)
                .collect();
            let solved = factor.solve(&root * &self.gram.dot(&pull));
            let dual = pull - &root * &solved;
            let slack = newton.tolerance * (1.0 + here.objective.abs());
            let Some((next, full)) = self.uphill(&here, &dual, slack) else {
                return Err(GpError::NotConverged { iterations, step, change, tolerance });
            };
            step = greatest(&(&next.offset - &here.offset));
            change = next.objective - here.objective;
            // No step can be told from rounding below what G makes of the last digit of a.
            let rounding =
                64.0 * f64::EPSILON * largest * next.dual.iter().map(|a| a.abs()).sum::<f64>();
            tolerance = newton.tolerance * greatest(&next.offset) + rounding;
            here = next;
            if full && step <= tolerance && change.abs() <= slack + rounding {
                let (root, factor) = self.curvature(&here)?;
                let Place { dual, offset, densities, objective } = here;
                let latent = &self.mean + &offset;
                return Ok(LabelledMode {
                    dual,
                    latent,
                    densities,
                    root,
                    factor,
                    objective,
                    iterations,
                });
            }
        }
        Err(GpError::NotConverged { iterations: newton.max_iterations, step, change, tolerance })
    }

    /// The longest of the steps 1, ½, ¼ … towards `dual` that does not lead down, and whether it
    /// is the full one.
    fn uphill(&self, here: &Place, dual: &Array1<f64>, slack: f64) -> Option<(Place, bool)> {
        const HALVINGS: i32 = 40;
        let target = self.place(dual.clone(), self.gram.dot(dual));
        if target.objective >= here.objective - slack {
            return Some((target, true));
        }
        (1..=HALVINGS).find_map(|halving| {
            let share = 0.5_f64.powi(halving);
            let between = |from: &Array1<f64>, to: &Array1<f64>| from + &((to - from) * share);
            let place = self
                .place(between(&here.dual, &target.dual), between(&here.offset, &target.offset));
            (place.objective >= here.objective).then_some((place, false))
        })
    }
}

fn greatest(values: &Array1<f64>) -> f64 {
    values.iter().fold(0.0, |most, value| f64::max(most, value.abs()))
}
