//! The convex objective of the memberships and its derivatives.

use crate::Backbone;
use ndarray::{Array1, Array2, ArrayView2, Zip};

/// O_α(Λ) = −α Σ_{i∈L} ln p(y_i|x_i) + (1 − α) E(Λ): [zhu2005 (3)] as a function of Λ, without
/// the constant Σ_i ln p(x_i). Convex.
#[derive(Debug)]
pub(crate) struct Objective<'a> {
    pub(crate) backbone: &'a Backbone,
    pub(crate) alpha: f64,
}

impl Objective<'_> {
    /// p(y_i | x_i) of the labelled points.
    pub(crate) fn probabilities(&self, lambda: ArrayView2<'_, f64>) -> Array1<f64> {
        let rows = self.backbone.labelled_responsibilities();
        let classes = self.backbone.labelled_classes();
        rows.rows().into_iter().zip(classes).map(|(r, &c)| r.dot(&lambda.column(c))).collect()
    }

    /// Σ_{i∈L} ln p(y_i | x_i); −∞ where a label is impossible.
    pub(crate) fn log_likelihood(&self, lambda: ArrayView2<'_, f64>) -> f64 {
        self.probabilities(lambda).iter().map(|&p| p.max(0.0).ln()).sum()
    }

    /// The objective; +∞ where a label is impossible and α > 0.
    pub(crate) fn value(&self, lambda: ArrayView2<'_, f64>) -> f64 {
        let mut value = 0.0;
        if self.alpha > 0.0 {
            value -= self.alpha * self.log_likelihood(lambda);
        }
        if self.alpha < 1.0 {
            value += (1.0 - self.alpha) * self.backbone.energy_unchecked(lambda);
        }
        value
    }

    /// The size of the terms of the energy that cancel in the objective.
    pub(crate) fn rounded(&self) -> f64 {
        (1.0 - self.alpha) * self.backbone.energy_terms()
    }

    /// ∂O/∂Λ = (1 − α)(AΛ + B) − α Σ_i R_i e_{y_i} / p_i, where AΛ + B is [zhu2005 (4)].
    /// O(M²C + lM).
    pub(crate) fn gradient(&self, lambda: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut gradient = self.backbone.laplacian().dot(&lambda) + self.backbone.inflow();
        gradient *= 1.0 - self.alpha;
        if self.alpha > 0.0 {
            let p = self.probabilities(lambda);
            let rows = self.backbone.labelled_responsibilities();
            for ((r, &class), &p) in
                rows.rows().into_iter().zip(self.backbone.labelled_classes()).zip(&p)
            {
                gradient.column_mut(class).scaled_add(-self.alpha / p, &r);
            }
        }
        gradient
    }

    /// What rounding may add to the gradient of each component.
    pub(crate) fn gradient_rounding(&self) -> Array1<f64> {
        let share = 4.0 * f64::EPSILON * (1.0 - self.alpha);
        self.backbone.gradient_terms().mapv(|size| share * size)
    }

    /// √α R_i / p_i: the second derivatives of the log likelihood are outer products of these,
    /// within the class of i. l × M; no rows for α = 0.
    pub(crate) fn slopes(&self, lambda: ArrayView2<'_, f64>) -> Array2<f64> {
        let rows = self.backbone.labelled_responsibilities();
        if self.alpha <= 0.0 {
            return Array2::zeros((0, rows.ncols()));
        }
        let mut slopes = rows.to_owned();
        let p = self.probabilities(lambda);
        Zip::from(slopes.rows_mut()).and(&p).for_each(|mut row, &p| row *= self.alpha.sqrt() / p);
        slopes
    }

    /// A second derivative for each component: the largest over the classes. Zero for components
    /// that have a negligible share of every point: these stay as they are.
    pub(crate) fn curvature(&self, slopes: ArrayView2<'_, f64>) -> Array1<f64> {
        let classes = self.backbone.names().len();
        let mut by_class = Array2::<f64>::zeros((self.backbone.components(), classes));
        for (slope, &class) in slopes.rows().into_iter().zip(self.backbone.labelled_classes()) {
            by_class.column_mut(class).zip_mut_with(&slope, |sum, &s| *sum += s * s);
        }
        let diagonal = self.backbone.laplacian().diag().to_owned();
        let mut curvature = diagonal.mapv(|a| (1.0 - self.alpha) * a);
        for (h, row) in curvature.iter_mut().zip(by_class.rows()) {
            *h += row.fold(0.0_f64, |top, &x| top.max(x));
        }
        let counts = crate::backbone::counts(curvature.view());
        curvature.iter_mut().zip(counts).filter(|(_, counts)| !counts).for_each(|(h, _)| *h = 0.0);
        curvature
    }
}
