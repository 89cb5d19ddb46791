//! Distributions: projection, and the residual of the optimality conditions.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1};

/// The nearest distribution to a row (Held, Wolfe and Crowder 1974): subtract the same number from
/// all entries and cut at zero. O(C log C). Entries that are not finite count as zero.
pub(crate) fn project(mut row: ArrayViewMut1<'_, f64>) {
    let count = row.len();
    if let [a, b] = row.as_slice_mut().unwrap_or_default() {
        // Two classes: exact at the ends.
        let high = (0.5 * (1.0 + (*b - *a))).clamp(0.0, 1.0);
        (*a, *b) = (1.0 - high, high);
        return;
    }
    let mut sorted = row.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (k, &value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (k + 1) as f64;
        if value > candidate {
            shift = candidate;
        } else {
            break;
        }
    }
    row.mapv_inplace(|x| (x - shift).max(0.0));
    let total = row.sum();
    if total > 0.0 && total.is_finite() {
        row /= total;
    } else {
        row.fill(1.0 / count as f64);
    }
}

/// Every row to its nearest distribution.
pub(crate) fn project_rows(lambda: &mut Array2<f64>) {
    lambda.rows_mut().into_iter().for_each(project);
}

/// Where a step against the gradient, each row divided by its curvature, would lead after
/// projection. A fixed point is a minimum, and the way there is the residual. Rows without
/// curvature stay, and differences within `rounding` are none.
pub(crate) fn natural_step(
    lambda: ArrayView2<'_, f64>,
    (gradient, rounding): (ArrayView2<'_, f64>, &Array1<f64>),
    curvature: &Array1<f64>,
    length: f64,
) -> Array2<f64> {
    let mut next = lambda.to_owned();
    let rows = next.rows_mut().into_iter().zip(gradient.rows()).zip(rounding);
    for (((mut row, gradient), &rounding), &h) in rows.zip(curvature) {
        if h > 0.0 {
            // Only differences between classes matter; a huge common part would cost digits.
            let least = gradient.fold(f64::INFINITY, |least, &g| least.min(g));
            // Steps longer than the simplex's diameter change nothing more.
            row.zip_mut_with(&gradient, |x, &g| {
                let slope = g - least - rounding;
                // Not `max`, which would drop a NaN.
                let slope = if slope < 0.0 { 0.0 } else { slope };
                *x -= (length * slope / h).min(4.0);
            });
            project(row);
        }
    }
    next
}

/// The largest entry of a difference.
pub(crate) fn largest_gap(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> f64 {
    a.iter().zip(b).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
}

/// Σ_m (g_m·λ_m − min_c g_mc): how much the linear model of the objective could still fall, and so
/// at least as much as a convex objective can. Each term is a sum of non-negative numbers.
pub(crate) fn gap(lambda: ArrayView2<'_, f64>, gradient: ArrayView2<'_, f64>) -> f64 {
    let of_row = |(row, slopes): (ArrayView1<'_, f64>, ArrayView1<'_, f64>)| -> f64 {
        let least = slopes.fold(f64::INFINITY, |least, &g| least.min(g));
        row.iter().zip(slopes).filter(|(p, _)| **p > 0.0).map(|(&p, &g)| p * (g - least)).sum()
    };
    lambda.rows().into_iter().zip(gradient.rows()).map(of_row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};
    use proptest::prelude::*;

    proptest! {
        /// The projection p of x is the distribution with (x − p)·(q − p) ≤ 0 for all others q.
        #[test]
        fn the_projection_is_the_nearest_distribution(
            x in prop::collection::vec(-2.0..3.0_f64, 2..7),
        ) {
            let x = Array1::from(x);
            let mut p = x.clone();
            project(p.view_mut());
            prop_assert!((p.sum() - 1.0).abs() < 1e-12);
            prop_assert!(p.iter().all(|&p| p >= 0.0));
            let gap = &x - &p;
            let base = gap.dot(&p);
            // Distributions are mixtures of corners: checking these is enough.
            for corner in 0..x.len() {
                prop_assert!(gap[corner] - base <= 1e-9);
            }
        }
    }

    #[test]
    fn distributions_stay_and_rows_without_curvature_too() {
        let mut row = array![0.25, 0.25, 0.5];
        project(row.view_mut());
        assert!(
            largest_gap(row.view().insert_axis(ndarray::Axis(0)), array![[0.25, 0.25, 0.5]].view())
                < 1e-15
        );
        let lambda = array![[0.5, 0.5], [0.5, 0.5]];
        let next = natural_step(
            lambda.view(),
            (array![[3.0, 0.0], [3.0, 0.0]].view(), &array![0.0, 0.0]),
            &array![1.0, 0.0],
            1.0,
        );
        assert_eq!(next, array![[0.0, 1.0], [0.5, 0.5]]);
    }
}
