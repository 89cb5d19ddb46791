//! The start between EM's memberships and the harmonic ones.

use super::objective::Objective;
use ndarray::{Array2, ArrayView2};

/// λ₀ = ε λ_EM + (1 − ε) λ_HM with the best ε ∈ [0, 1] (section 3.4 of Zhu and Lafferty 2005), by
/// bisection on the derivative of a convex function. Where no mixture of the two makes every label
/// possible, even memberships are mixed in.
pub(super) fn between(
    objective: &Objective<'_>,
    em: ArrayView2<'_, f64>,
    harmonic: ArrayView2<'_, f64>,
) -> (Array2<f64>, f64) {
    let way = &em - &harmonic;
    let at = |weight: f64| &harmonic + &(weight * &way);
    let slope = |weight: f64| -> f64 {
        let gradient = objective.gradient(at(weight).view());
        gradient.iter().zip(&way).map(|(g, w)| g * w).sum()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { high = middle } else { low = middle }
    }
    let candidates = [0.0, 0.5 * (low + high), 1.0];
    let value = |weight: f64| objective.value(at(weight).view());
    let best = candidates.into_iter().min_by(|&a, &b| value(a).total_cmp(&value(b)));
    let weight = best.unwrap_or(0.5);
    let mut start = at(weight);
    if !objective.value(start.view()).is_finite() {
        let even = 1.0 / start.ncols() as f64;
        start.mapv_inplace(|p| 0.5 * p + 0.5 * even);
    }
    (start, weight)
}
