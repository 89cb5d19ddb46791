//! The quadrature of the golden files' own `prob` numbers.
//!
//! The reference averaged the sigmoid by Gauss–Hermite quadrature with 200 nodes. Under a
//! posterior much wider than the sigmoid's slope that rule is off by up to 1e-2 from the integral
//! it stands for (the library's rule and a fine trapezoidal rule agree to 1e-11 there). Where
//! posteriors are that wide, the runner therefore applies the same 200 nodes to the library's mean
//! and variance; elsewhere it compares the library's own probability.

use gaussfield_gp::{Likelihood as _, Sigmoid};
use std::f64::consts::PI;
use std::sync::OnceLock;

const NODES: usize = 200;
/// γ·(posterior deviation) above which 200 nodes no longer resolve the sigmoid.
const WIDE: f64 = 2.0;

/// The library's probability, or that of the file's rule where the two are known to differ.
pub(crate) fn as_in_the_file(
    likelihood: &Sigmoid,
    (mean, variance): (f64, f64),
    probability: f64,
) -> f64 {
    let deviation = variance.sqrt();
    if likelihood.gamma * deviation <= WIDE {
        return probability;
    }
    let at = |&(x, weight): &(f64, f64)| {
        // Without variance the probability is the sigmoid itself.
        weight * likelihood.probability(mean + deviation * x, 0.0)
    };
    rule().iter().map(at).sum()
}

/// Nodes and weights for the standard normal distribution.
fn rule() -> &'static [(f64, f64)] {
    static RULE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    RULE.get_or_init(|| {
        let mut rule = Vec::with_capacity(NODES);
        // Roots of the Hermite polynomial from the middle outwards: steps of a fifth of the local
        // spacing π/√(4n + 2 − x²) (physicists' x) cannot pass over a change of sign.
        let mut from = 0.0_f64;
        for _ in 0..NODES / 2 {
            let step = |x: f64| 0.2 * PI / ((4 * NODES + 2) as f64 - x * x).max(1.0).sqrt();
            let mut to = from + step(from);
            while orthonormal(from).0 * orthonormal(to).0 > 0.0 {
                (from, to) = (to, to + step(to));
            }
            let root = bisected(from, to);
            from = to;
            let (_, before) = orthonormal(root);
            let x = root * std::f64::consts::SQRT_2;
            // ∫ e^(−x²) f ≈ Σ f(xᵢ)/(n h²ₙ₋₁), with hₙ orthonormal; divided by √π.
            let weight = 1.0 / (NODES as f64 * before * before) / PI.sqrt();
            rule.push((x, weight));
            rule.push((-x, weight));
        }
        rule
    })
}

/// The root of hₙ between two places of different sign.
fn bisected(mut low: f64, mut high: f64) -> f64 {
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if orthonormal(low).0 * orthonormal(middle).0 > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// hₙ(x) and hₙ₋₁(x), orthonormal under e^(−x²).
fn orthonormal(x: f64) -> (f64, f64) {
    let (mut before, mut here) = (0.0, PI.powf(-0.25));
    for k in 1..=NODES {
        let k = k as f64;
        let next = (2.0 / k).sqrt() * x * here - ((k - 1.0) / k).sqrt() * before;
        (before, here) = (here, next);
    }
    (here, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_integrates_polynomials_exactly() {
        let moment = |power: i32| rule().iter().map(|(x, w)| w * x.powi(power)).sum::<f64>();
        for (power, expected) in [(0, 1.0), (1, 0.0), (2, 1.0), (4, 3.0), (6, 15.0), (8, 105.0)] {
            let gap = (moment(power) - expected).abs() / (1.0 + expected);
            // Two hundred steps of the recurrence round to about 1e-12.
            assert!(gap < 1e-10, "x^{power}: {gap}");
        }
        let mut nodes: Vec<f64> = rule().iter().map(|(x, _)| *x).collect();
        nodes.sort_by(f64::total_cmp);
        assert_eq!(nodes.len(), NODES);
        assert!(nodes.windows(2).all(|pair| pair[1] - pair[0] > 0.05), "a root twice");
    }
}
