//! Class memberships of the components: the convex problem of the harmonic mixture.

mod face;
mod interior;
mod objective;
mod sigmoid;
mod simplex;
mod start;
mod steps;

pub(crate) use objective::Objective;

use crate::{Backbone, ClosedForm, MixtureError, Undetermined};
use gaussfield_core::dense::Spd;
use gaussfield_core::{NotConverged, OutOfRange, Progress, Stage, check};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use simplex::project_rows;
use steps::{Point, gradient_step, newton_step};

/// How the memberships λ are found: the minimiser of −α·l + (1 − α)·E over distributions.
///
/// For α = 0 this is the harmonic mixture: the closed form (5) if it lies within the bounds, else a
/// quadratic programme started from the clipped closed form. For α > 0 the search starts at the
/// best point between EM's λ and the harmonic one, as in section 3.4 of the paper. Either way,
/// projected gradient steps find which memberships are zero, and Newton's method solves for the
/// others: exactly for two classes, by preconditioned conjugate gradients for more. Should the zeros
/// not settle soon for two classes, an interior point finds them. The problem is convex, so that
/// [`Kkt::gap`] bounds how far the objective is above its minimum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MembershipSearch {
    /// Weight of the log likelihood against the graph energy, in [0, 1]. Default 0.
    pub alpha: f64,
    /// Largest [`Kkt::residual`] allowed, in (0, 1). Default 10⁻⁸.
    pub tolerance: f64,
    /// Most steps, each of which factorises an M × M matrix at least once. Default 500.
    pub max_iterations: usize,
    /// What happens to components that graph and labels do not determine. Default: an error if
    /// predictions depend on them. For α = 1 nothing is asked of the graph, and components that
    /// no label determines keep the λ of the start.
    pub undetermined: Undetermined,
    /// Whether the memberships of two classes are sought as sigmoids λ_m = σ(β_m) of free numbers, the
    /// other way that section 3.4 names: no bounds, but a problem that is not convex in β, whose solution
    /// runs off where a membership is 0 or 1. It ends at the same minimum and is there to compare with.
    /// Default: no.
    pub sigmoid: bool,
}

impl Default for MembershipSearch {
    fn default() -> Self {
        Self {
            alpha: 0.0,
            tolerance: 1e-8,
            max_iterations: 500,
            undetermined: Undetermined::default(),
            sigmoid: false,
        }
    }
}

/// The certificate of a minimum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kkt {
    /// max |λ − Π(λ − ∇O/h)|, with Π the projection on distributions and h the second derivative
    /// of each component: how far a projected gradient step would still move. Zero exactly where
    /// the Karush–Kuhn–Tucker conditions hold. What rounding may have added to ∇O counts as zero:
    /// a component with a share of 10⁻⁸ of every point has no more digits.
    ///
    /// A small residual alone does not make a small error: a pair of components tied to each other
    /// and held by links a billion times weaker moves little in one step wherever it is. The gap
    /// below tells.
    pub residual: f64,
    /// Σ_m (∇O_m·λ_m − min_y ∇O_my): the objective is at most this above its minimum, because it
    /// is convex (Frank and Wolfe 1956). In units of the objective; beside it, a relative error.
    /// It cannot be smaller than the rounding of ∇O, about 10⁻¹⁶ of the graph's weights: where the
    /// objective is as small as that, the gap says that it is not known better.
    pub gap: f64,
    /// max |Σ_y λ_my − 1|.
    pub feasibility: f64,
    /// Memberships at zero.
    pub active: usize,
}

/// Memberships found, and how well.
#[derive(Debug, Clone, PartialEq)]
pub struct Memberships {
    /// λ_my = p(y | m), M × C.
    pub lambda: Array2<f64>,
    /// −α·l + (1 − α)·E, without the constant Σ_i ln p(x_i).
    pub objective: f64,
    /// The graph energy E at λ.
    pub energy: f64,
    /// l: Σ_{i∈L} ln p(y_i | x_i) at λ.
    pub log_likelihood: f64,
    /// The certificate.
    pub kkt: Kkt,
    /// Newton steps, those of the interior point included. Within the bounds the closed form is
    /// the start, and steps only polish its last digits.
    pub iterations: usize,
    /// For α > 0, the share of EM's λ in the start.
    pub start_weight: Option<f64>,
    /// The rank of the backbone Laplacian A.
    pub rank: usize,
    /// [`ClosedForm::partition_error`](crate::ClosedForm): the digits lost in solving with A.
    pub partition_error: f64,
    /// Components whose membership the graph energy does not determine.
    pub undetermined: Vec<usize>,
    /// Those of them that predictions on the graph depend on and that the likelihood does not
    /// determine either.
    pub unknown: Vec<usize>,
}

impl MembershipSearch {
    /// The memberships. `em` is EM's λ, used for the start if α > 0; even memberships stand in if
    /// it is not given. O(M³) a step.
    ///
    /// # Errors
    /// α outside [0, 1], a λ of another size, sigmoids of other than two classes, components that nothing
    /// determines (unless
    /// [`Undetermined`] names a membership for them), a search that did not reach the tolerance or was asked
    /// to stop.
    pub fn solve(
        &self,
        backbone: &Backbone,
        em: Option<ArrayView2<'_, f64>>,
    ) -> Result<Memberships, MixtureError> {
        self.check()?;
        if let Some(em) = em {
            backbone.check_size(em)?;
        }
        let objective = Objective { backbone, alpha: self.alpha };
        if self.sigmoid {
            return self.by_sigmoids(&objective, em);
        }
        let (closed, unknown) = self.determined(backbone)?;
        let mut clipped = closed.lambda.clone();
        project_rows(&mut clipped);
        let stage = Progress::shares("class memberships");
        let (mut lambda, mut iterations) = self.harmonic(backbone, clipped, &stage)?;
        let mut start_weight = None;
        if self.alpha > 0.0 {
            let even = Array2::from_elem(lambda.dim(), 1.0 / lambda.ncols() as f64);
            let em = em.map_or(even, |em| em.to_owned());
            let (start, weight) = start::between(&objective, em.view(), lambda.view());
            (lambda, iterations) = self.minimise(&objective, start, self.max_iterations, &stage)?;
            start_weight = Some(weight);
        }
        self.found(&objective, lambda, iterations, (closed, unknown), start_weight)
    }

    /// The closed form, and the components that nothing determines but predictions depend on; an error
    /// if they are not to be.
    fn determined(&self, backbone: &Backbone) -> Result<(ClosedForm, Vec<usize>), MixtureError> {
        let closed = backbone.nearest_minimum(self.undetermined)?;
        let unknown = match &closed.unknown {
            left if left.is_empty() || self.alpha <= 0.0 => left.clone(),
            _ if self.alpha >= 1.0 => Vec::new(),
            _ => backbone.unknown_with(self.alpha)?,
        };
        self.undetermined.refuse(&unknown)?;
        Ok((closed, unknown))
    }

    /// What a search ended with, if it is within the tolerance.
    fn found(
        &self,
        objective: &Objective<'_>,
        lambda: Array2<f64>,
        iterations: usize,
        (closed, unknown): (ClosedForm, Vec<usize>),
        start_weight: Option<f64>,
    ) -> Result<Memberships, MixtureError> {
        let kkt = certificate(objective, lambda.view());
        if kkt.residual > self.tolerance || kkt.residual.is_nan() {
            return Err(MixtureError::NotConverged(NotConverged {
                method: "the search for class memberships",
                iterations,
                measure: "the optimality residual",
                reached: kkt.residual,
                tolerance: self.tolerance,
                remedy: "allow more steps or a larger tolerance",
            }));
        }
        Ok(Memberships {
            objective: objective.value(lambda.view()),
            energy: objective.backbone.energy_unchecked(lambda.view()),
            log_likelihood: objective.log_likelihood(lambda.view()),
            lambda,
            kkt,
            iterations,
            start_weight,
            rank: closed.rank,
            partition_error: closed.partition_error,
            undetermined: closed.undetermined,
            unknown,
        })
    }

    /// O_α and its gradient ∂O/∂λ (M × C) at given memberships. For two classes the derivative in
    /// the paper's λ_m = λ_m1 is the second column less the first.
    ///
    /// # Errors
    /// α outside [0, 1], a λ of another size.
    pub fn evaluate(
        &self,
        backbone: &Backbone,
        lambda: ArrayView2<'_, f64>,
    ) -> Result<(f64, Array2<f64>), MixtureError> {
        self.check()?;
        backbone.check_size(lambda)?;
        let objective = Objective { backbone, alpha: self.alpha };
        Ok((objective.value(lambda), objective.gradient(lambda)))
    }

    fn check(&self) -> Result<(), OutOfRange> {
        check::range("α", self.alpha, (0.0..=1.0).contains(&self.alpha), "between 0 and 1")?;
        check::fraction("the tolerance", self.tolerance)
    }

    /// The minimum for α = 0 from the clipped closed form; for two classes by way of an interior
    /// point if the faces are not soon found.
    fn harmonic(
        &self,
        backbone: &Backbone,
        clipped: Array2<f64>,
        stage: &Stage,
    ) -> Result<(Array2<f64>, usize), MixtureError> {
        let objective = Objective { backbone, alpha: 0.0 };
        let soon = if clipped.ncols() == 2 { SOON } else { self.max_iterations };
        let first = self.minimise(&objective, clipped, soon.min(self.max_iterations), stage)?;
        let left = self.max_iterations - first.1;
        let residual = Point::new(&objective, first.0.view()).residual;
        if residual <= self.tolerance || left == 0 {
            return Ok(first);
        }
        let ([inside, bounds], steps) = interior::near_minimum(backbone)?;
        let residual = |lambda: &Array2<f64>| Point::new(&objective, lambda.view()).residual;
        let second = self.minimise(&objective, bounds, left.min(SOON), stage)?;
        // Where components are redundant, which bounds hold may be undecided: inside is as good.
        let lambda = if residual(&second.0) <= residual(&inside) { second.0 } else { inside };
        Ok((lambda, first.1 + steps + second.1))
    }

    /// From a feasible start to the minimum in at most `limit` steps, or until no step is accepted
    /// any more; the steps made.
    fn minimise(
        &self,
        objective: &Objective<'_>,
        mut lambda: Array2<f64>,
        limit: usize,
        stage: &Stage,
    ) -> Result<(Array2<f64>, usize), MixtureError> {
        let mut here = Point::new(objective, lambda.view());
        let (mut polished, first) = (0, here.residual);
        for iteration in 0..limit {
            stage.reach(Stage::way(first, here.residual, self.tolerance))?;
            // Within the tolerance: a few more steps while they still gain digits.
            if here.residual <= self.tolerance && (polished == POLISH || here.residual < 1e-15) {
                return Ok((lambda, iteration));
            }
            let before = here.residual;
            let mut moved = false;
            if here.face_changes(lambda.view()) || (iteration > 0 && here.residual > self.tolerance)
            {
                (lambda, here, moved) = gradient_step(objective, lambda, here);
            }
            let Some((next, there)) = newton_step(objective, &lambda, &here)? else {
                // Gradient steps begin with the second iteration. After that, one without any step
                // would only be repeated.
                if moved || (iteration == 0 && here.residual > self.tolerance) {
                    continue;
                }
                return Ok((lambda, iteration + 1));
            };
            let gained = there.residual < 0.5 * before || there.gap < 0.5 * here.gap;
            if here.residual <= self.tolerance && there.residual >= here.residual {
                return Ok((lambda, iteration + 1));
            }
            (lambda, here) = (next, there);
            if here.residual <= self.tolerance {
                polished = if gained { polished + 1 } else { POLISH };
            }
        }
        Ok((lambda, limit))
    }
}

/// Steps along faces before an interior point is tried.
const SOON: usize = 30;

/// Steps made for more digits once the tolerance is reached.
const POLISH: usize = 3;

/// How well the optimality conditions hold.
fn certificate(objective: &Objective<'_>, lambda: ArrayView2<'_, f64>) -> Kkt {
    let point = Point::new(objective, lambda);
    Kkt {
        residual: point.residual,
        gap: point.gap,
        feasibility: crate::backbone::row_sum_error(lambda),
        active: lambda.iter().filter(|&&p| p <= 0.0).count(),
    }
}

/// The factor of a matrix of unit diagonal that may be singular: with the least multiple of the
/// identity added, from `ridge` on, that makes it positive definite.
///
/// # Errors
/// A matrix that is not finite.
fn factorise_with_ridge(matrix: &Array2<f64>, mut ridge: f64) -> Result<Spd, MixtureError> {
    loop {
        // Symmetric, so that the columns of the transpose are factorised where they are.
        let mut raised = matrix.t().to_owned();
        raised.diag_mut().mapv_inplace(|x| x + ridge);
        match Spd::factorise(raised) {
            Err(_) if ridge < 10.0 => ridge *= 100.0,
            factor => return Ok(factor?),
        }
    }
}
