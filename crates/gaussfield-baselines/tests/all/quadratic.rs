//! An independent, slow solver of the dual problem of a support vector machine.

use ndarray::{Array1, Array2};

/// max Σα − ½ Σ α_i α_j y_i y_j K_ij for 0 ≤ α ≤ C, Σ yα = 0, by accelerated projected gradients
/// with restarts. K should be well conditioned.
pub(crate) fn dual_optimum(gram: &Array2<f64>, signs: &[f64], price: f64) -> Array1<f64> {
    let signs = Array1::from(signs.to_vec());
    let q = Array2::from_shape_fn(gram.dim(), |(i, j)| signs[i] * signs[j] * gram[[i, j]]);
    // The largest eigenvalue is at most the trace.
    let step = 1.0 / q.diag().sum();
    let mut alpha = Array1::<f64>::zeros(signs.len());
    let (mut ahead, mut momentum, mut plain) = (alpha.clone(), 1.0_f64, true);
    for _ in 0..200_000 {
        let gradient = q.dot(&ahead) - 1.0;
        let next = project(&ahead - &(&gradient * step), &signs, price);
        let moved = &next - &alpha;
        let change = moved.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        // Start over where the momentum points uphill.
        momentum = if gradient.dot(&moved) > 0.0 { 1.0 } else { momentum };
        let stands = change < 1e-14 * price.max(1.0);
        // With momentum it also stands for a moment where it turns round.
        if stands && plain {
            break;
        }
        momentum = if stands { 1.0 } else { momentum };
        plain = momentum <= 1.0;
        let larger = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        ahead = &next + &(moved * ((momentum - 1.0) / larger));
        (alpha, momentum) = (next, larger);
    }
    alpha
}

/// The nearest point with 0 ≤ α ≤ C and Σ yα = 0: α = clip(v − t·y), t by bisection.
fn project(v: Array1<f64>, signs: &Array1<f64>, price: f64) -> Array1<f64> {
    let at = |t: f64| Array1::from_shape_fn(v.len(), |i| (v[i] - t * signs[i]).clamp(0.0, price));
    let reach = price + v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let (mut low, mut high) = (-reach, reach);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        // Σ y·clip(v − t·y) falls as t grows.
        if (at(middle) * signs).sum() > 0.0 { low = middle } else { high = middle }
    }
    at(0.5 * (low + high))
}

pub(crate) fn dual_value(gram: &Array2<f64>, signs: &[f64], alpha: &Array1<f64>) -> f64 {
    let beta = alpha * &Array1::from(signs.to_vec());
    alpha.sum() - 0.5 * beta.dot(&gram.dot(&beta))
}
