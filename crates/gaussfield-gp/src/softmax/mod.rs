//! Several classes at once: the softmax likelihood with the Laplace approximation.

mod curvature;
mod posterior;

pub use posterior::{Draws, SoftmaxPosterior};

use crate::inference::{MATRICES, take_block};
use crate::posterior::unlabelled;
use crate::{GpError, Laplace, Memory, Prior, Process};
use curvature::Curvature;
use gaussfield_core::{Progress, SizeMismatch, Stage, check, parameters};
use gaussfield_labels::{Labels, Scores};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// A Gaussian process for C classes: one latent function for each class, independent and with the
/// same prior covariance, and P(class c | f) = e^(f_c) / Σ e^(f_k) at every node. The posterior is
/// approximated by a Gaussian at its mode (Williams and Barber 1998; Rasmussen and Williams 2006,
/// section 3.5), in which the classes do depend on each other: one-against-rest forgets that.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Softmax {
    /// How the mode is searched.
    pub laplace: Laplace,
}
parameters!(Softmax {});

/// Where the search stands: f = K a for every class.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// a, l × C.
    pub(crate) dual: Array2<f64>,
    /// f, l × C.
    pub(crate) latent: Array2<f64>,
    /// π, l × C.
    pub(crate) shares: Array2<f64>,
    /// log p(t|f) − ½ Σ_c a_cᵀ f_c.
    pub(crate) objective: f64,
}

impl Place {
    fn new(classes: &[usize], dual: Array2<f64>, latent: Array2<f64>) -> Self {
        let mut shares = latent.clone();
        let mut log_likelihood = 0.0;
        for (mut row, &class) in shares.rows_mut().into_iter().zip(classes) {
            let own = row[class];
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.mapv_inplace(|f| (f - most).exp());
            let sum = row.sum();
            row /= sum;
            log_likelihood += own - most - sum.ln();
        }
        let objective = log_likelihood - 0.5 * (&dual * &latent).sum();
        Self { dual, latent, shares, objective }
    }
}

impl Softmax {
    /// The posterior of all classes given the labelled nodes, under a prior.
    ///
    /// l columns of the covariance; then O(C l³) for each Newton step. Memory: n × l and n × C
    /// numbers.
    ///
    /// # Errors
    /// No labelled node, labels for another number of nodes, a system that cannot be solved, a
    /// mode that is not found.
    pub fn fit<P: Prior>(&self, prior: P, labels: &Labels) -> Result<SoftmaxPosterior<P>, GpError> {
        self.fit_seen(prior, labels, &mut Memory::default())
    }

    /// Newton's method in the dual variables, all classes together.
    ///
    /// A step solves (K⁻¹ + W) f = b with b = W f + y − π and W = diag(π) − ΠΠᵀ, that is
    /// a = b − R K b with R = (W⁻¹ + K)⁻¹ in the form of [`Curvature`]. The first from f = 0, or from
    /// latent values given where that leads higher.
    fn mode(
        &self,
        gram: &Array2<f64>,
        classes: &[usize],
        count: usize,
        start: Option<&Array2<f64>>,
    ) -> Result<(Place, Curvature, usize), GpError> {
        let shape = (classes.len(), count);
        let mut truth = Array2::zeros(shape);
        for (at, &class) in classes.iter().enumerate() {
            truth[[at, class]] = 1.0;
        }
        let largest = gram.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
        let newton = |shares: &Array2<f64>, latent: &Array2<f64>| -> Result<_, GpError> {
            let curvature = Curvature::new(gram, shares)?;
            // W f = π∘(f − Σ π f), row by row.
            let average = (shares * latent).sum_axis(Axis(1)).insert_axis(Axis(1));
            let pull = shares * &(latent - &average) + &truth - shares;
            Ok(&pull - &curvature.apply(&gram.dot(&pull)))
        };
        let mut here = Place::new(classes, Array2::zeros(shape), Array2::zeros(shape));
        if let Some(start) = start.filter(|start| start.dim() == shape) {
            let dual = newton(&shares(start.view()), start)?;
            let latent = gram.dot(&dual);
            let known = Place::new(classes, dual, latent);
            here = if known.objective > here.objective { known } else { here };
        }
        let stage = Progress::shares("Newton's method for the softmax mode");
        let (mut step, mut tolerance, mut first) = (f64::INFINITY, 0.0, None);
        for iterations in 1..=self.laplace.max_iterations {
            stage.reach(first.map_or(0.0, |first| Stage::way(first, step, tolerance)))?;
            let dual = newton(&here.shares, &here.latent)?;
            let slack = self.laplace.tolerance * (1.0 + here.objective.abs());
            let Some((next, full)) = uphill(gram, classes, &here, &dual, slack) else {
                return Err(Laplace::stuck(iterations, step, tolerance));
            };
            step = greatest(&(&next.latent - &here.latent));
            let change = next.objective - here.objective;
            let rounding =
                64.0 * f64::EPSILON * largest * next.dual.iter().map(|a| a.abs()).sum::<f64>();
            tolerance = self.laplace.tolerance * greatest(&next.latent) + rounding;
            first.get_or_insert(step);
            here = next;
            if full && step <= tolerance && change.abs() <= slack + rounding {
                let curvature = Curvature::new(gram, &here.shares)?;
                return Ok((here, curvature, iterations));
            }
        }
        Err(Laplace::stuck(self.laplace.max_iterations, step, tolerance))
    }
}

impl Process for Softmax {
    type Seen = Labels;
    type Fitted<P: Prior> = SoftmaxPosterior<P>;

    fn see(&self, labels: &Labels) -> Result<Labels, GpError> {
        Ok(labels.clone())
    }

    fn fit_seen<P: Prior>(
        &self,
        prior: P,
        labels: &Labels,
        memory: &mut Memory,
    ) -> Result<SoftmaxPosterior<P>, GpError> {
        check::positive("the tolerance of Newton's method", self.laplace.tolerance)?;
        SizeMismatch::check("labels, one for each node or none", prior.nodes(), labels.len())?;
        let labelled = labels.labelled();
        if labelled.is_empty() {
            return Err(GpError::NoObservations);
        }
        let classes: Vec<usize> = labelled.iter().filter_map(|&node| labels.get(node)).collect();
        // The curvature keeps a matrix for each class.
        let matrices = labels.classes() + MATRICES;
        take_block(self.laplace.budget, labelled.len(), matrices)?;
        let columns = prior.columns_with(&labelled, memory)?;
        let block = columns.values.select(Axis(0), &labelled);
        let gram = (&block + &block.t()) * 0.5;
        let (place, curvature, iterations) =
            self.mode(&gram, &classes, labels.classes(), memory.mode.as_ref())?;
        memory.mode = Some(place.latent.clone());
        let mut latent = columns.values.dot(&place.dual);
        for (at, &node) in labelled.iter().enumerate() {
            latent.row_mut(node).assign(&place.latent.row(at));
        }
        Ok(SoftmaxPosterior {
            interior: unlabelled(prior.nodes(), &labelled),
            names: labels.names().to_vec(),
            scores: Scores::new(shares(latent.view()))?,
            averaged: None,
            prior,
            nodes: labelled,
            columns,
            gram,
            latent,
            place,
            curvature,
            iterations,
        })
    }
}

/// The longest of the steps 1, ½, ¼ … that does not lead down, and whether it is the full one.
fn uphill(
    gram: &Array2<f64>,
    classes: &[usize],
    here: &Place,
    dual: &Array2<f64>,
    slack: f64,
) -> Option<(Place, bool)> {
    const HALVINGS: i32 = 40;
    let target = Place::new(classes, dual.clone(), gram.dot(dual));
    if target.objective >= here.objective - slack {
        return Some((target, true));
    }
    (1..=HALVINGS).find_map(|halving| {
        let share = 0.5_f64.powi(halving);
        let between = |from: &Array2<f64>, to: &Array2<f64>| from + &((to - from) * share);
        let dual = between(&here.dual, &target.dual);
        let place = Place::new(classes, dual, between(&here.latent, &target.latent));
        (place.objective >= here.objective).then_some((place, false))
    })
}

fn greatest(values: &Array2<f64>) -> f64 {
    values.iter().fold(0.0, |most, value| f64::max(most, value.abs()))
}

/// Softmax of one row, for one draw.
pub(crate) fn softmax(values: ArrayView1<'_, f64>) -> Array1<f64> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = values.mapv(|f| (f - most).exp());
    let sum = powers.sum();
    powers / sum
}

/// Softmax of every row.
pub(crate) fn shares(latent: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut shares = latent.to_owned();
    for mut row in shares.rows_mut() {
        let own = softmax(row.view());
        row.assign(&own);
    }
    shares
}
