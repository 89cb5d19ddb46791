//! The harmonic memberships of two classes by an interior point.
//!
//! Steps along the faces of the box find the minimum quickly when few bounds matter. When a graph's
//! weights span many powers of ten, hundreds of memberships may want to leave the box at once, and
//! which of them stay at a bound cannot be told from outside. A path through the inside can: Mehrotra's
//! predictor and corrector (SIAM J. Optim. 2, 1992) takes some twenty steps whatever the scales.

use super::factorise_with_ridge;
use crate::backbone::counts;
use crate::{Backbone, MixtureError};
use gaussfield_core::dense::Spd;
use ndarray::{Array1, Array2, Zip};

/// Most steps.
const STEPS: usize = 60;

/// Accurate enough: a step further is lost in rounding.
const ENOUGH: f64 = 1e-10;

/// How much of the way to the nearest bound a step may go.
const SHARE: f64 = 0.99;

/// Where a path is: x and u = 1 − x (kept apart, so that neither is rounded to zero), and the
/// multipliers of their bounds.
#[derive(Debug, Clone)]
struct Inside {
    x: Array1<f64>,
    u: Array1<f64>,
    low: Array1<f64>,
    high: Array1<f64>,
}

/// A direction.
#[derive(Debug)]
struct Step {
    x: Array1<f64>,
    low: Array1<f64>,
    high: Array1<f64>,
}

/// ½ xᵀHx + qᵀx: the energy as a function of λ_m1, but for a constant.
struct Programme {
    matrix: Array2<f64>,
    linear: Array1<f64>,
}

/// Memberships near the minimum of the energy within the bounds: inside, and moved to the bounds that
/// their multipliers hold them at, where Newton's method can go on. The steps made, O(M³) each.
///
/// # Errors
/// A graph whose weights pass the largest number.
pub(super) fn near_minimum(backbone: &Backbone) -> Result<([Array2<f64>; 2], usize), MixtureError> {
    let laplacian = backbone.laplacian();
    let counts = counts(laplacian.diag());
    let alive: Vec<usize> = (0..counts.len()).filter(|&m| counts[m]).collect();
    let inflow = backbone.inflow();
    // With λ_m0 = 1 − x: E = xᵀAx + xᵀ(B₁ − B₀ − A·1) + constant, and A·1 = −B·1.
    let programme = Programme {
        matrix: Array2::from_shape_fn((alive.len(), alive.len()), |(i, j)| {
            2.0 * laplacian[[alive[i], alive[j]]]
        }),
        linear: alive.iter().map(|&m| 2.0 * inflow[[m, 1]]).collect(),
    };
    let (found, steps) = programme.minimise()?;
    let found = found.map(|found| {
        let mut lambda = Array2::from_elem((counts.len(), 2), 0.5);
        for (&m, &x) in alive.iter().zip(&found) {
            lambda[[m, 0]] = 1.0 - x;
            lambda[[m, 1]] = x;
        }
        lambda
    });
    Ok((found, steps))
}

impl Programme {
    /// The best point of the path, as it is and at its bounds, and the steps made.
    fn minimise(&self) -> Result<([Array1<f64>; 2], usize), MixtureError> {
        let size = self.linear.len();
        let diagonal = self.matrix.diag().to_owned();
        let scale = self.linear.fold(0.0_f64, |top, q| top.max(q.abs())).max(f64::MIN_POSITIVE);
        let mut here = Inside {
            x: Array1::from_elem(size, 0.5),
            u: Array1::from_elem(size, 0.5),
            low: Array1::from_elem(size, scale),
            high: Array1::from_elem(size, scale),
        };
        let mut best = (f64::INFINITY, here.clone());
        let mut steps = 0;
        while steps < STEPS {
            let gradient = self.matrix.dot(&here.x) + &self.linear;
            let residual = here.residual(&gradient, &diagonal);
            if residual < best.0 {
                best = (residual, here.clone());
            }
            if residual <= ENOUGH || !residual.is_finite() {
                break;
            }
            here = self.step(here, &gradient, &diagonal)?;
            steps += 1;
        }
        let snapped = best.1.snapped(&diagonal);
        Ok(([best.1.x, snapped], steps))
    }

    fn step(
        &self,
        here: Inside,
        gradient: &Array1<f64>,
        diagonal: &Array1<f64>,
    ) -> Result<Inside, MixtureError> {
        let barrier = &here.low / &here.x + &here.high / &here.u;
        let unit = (diagonal + &barrier).mapv(|h| 1.0 / h.sqrt());
        let mut matrix = self.matrix.clone();
        matrix.diag_mut().zip_mut_with(&barrier, |h, b| *h += b);
        Zip::indexed(&mut matrix).for_each(|(i, j), h| *h *= unit[i] * unit[j]);
        let factor = factorise_with_ridge(&matrix, 1e-16)?;
        let gap = gradient - &here.low + &here.high;
        // Straight at the bounds first; how far that goes says how much to centre.
        let aim = (-(&here.x * &here.low), -(&here.u * &here.high));
        let plain = here.direction(&factor, &unit, &gap, aim);
        let pairs = 2.0 * here.x.len() as f64;
        let mean = (here.x.dot(&here.low) + here.u.dot(&here.high)) / pairs;
        let tried = here.clone().moved(&plain, here.longest(&plain));
        let ahead = (tried.x.dot(&tried.low) + tried.u.dot(&tried.high)) / pairs;
        let centre = (ahead / mean).powi(3) * mean;
        let aim = (
            centre - &here.x * &here.low - &plain.x * &plain.low,
            centre - &here.u * &here.high + &plain.x * &plain.high,
        );
        let step = here.direction(&factor, &unit, &gap, aim);
        let length = (SHARE * here.longest(&step)).min(1.0);
        Ok(here.moved(&step, length))
    }
}

impl Inside {
    /// The Newton direction that changes the products x·low and u·high by `aim`, to first order.
    fn direction(
        &self,
        factor: &Spd,
        unit: &Array1<f64>,
        gap: &Array1<f64>,
        aim: (Array1<f64>, Array1<f64>),
    ) -> Step {
        let right = (&aim.0 / &self.x - &aim.1 / &self.u - gap) * unit;
        let x = factor.solve_vector(&right) * unit;
        let low = (&aim.0 - &self.low * &x) / &self.x;
        let high = (&aim.1 + &self.high * &x) / &self.u;
        Step { x, low, high }
    }

    /// How much of a step, at most all, keeps everything positive.
    fn longest(&self, step: &Step) -> f64 {
        let along = |value: &Array1<f64>, way: &Array1<f64>, sign: f64| {
            value.iter().zip(way).fold(1.0_f64, |longest, (&v, &d)| {
                if sign * d < 0.0 { longest.min(-v / (sign * d)) } else { longest }
            })
        };
        along(&self.x, &step.x, 1.0)
            .min(along(&self.u, &step.x, -1.0))
            .min(along(&self.low, &step.low, 1.0))
            .min(along(&self.high, &step.high, 1.0))
    }

    fn moved(mut self, step: &Step, length: f64) -> Self {
        self.x.scaled_add(length, &step.x);
        self.u.scaled_add(-length, &step.x);
        self.low.scaled_add(length, &step.low);
        self.high.scaled_add(length, &step.high);
        self
    }

    /// How far a projected gradient step would still move.
    fn residual(&self, gradient: &Array1<f64>, diagonal: &Array1<f64>) -> f64 {
        let moves = self.x.iter().zip(&self.u).zip(gradient.iter().zip(diagonal));
        moves.fold(0.0, |worst: f64, ((&x, &u), (&g, &h))| {
            let change = if g > 0.0 { (g / h).min(x) } else { (-g / h).min(u) };
            if change.is_nan() { f64::NAN } else { worst.max(change) }
        })
    }

    /// x with those at 0 or 1 that their multiplier holds there.
    fn snapped(&self, diagonal: &Array1<f64>) -> Array1<f64> {
        let mut x = self.x.clone();
        for (m, x) in x.iter_mut().enumerate() {
            if self.low[m] > diagonal[m] * self.x[m] {
                *x = 0.0;
            } else if self.high[m] > diagonal[m] * self.u[m] {
                *x = 1.0;
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_programme_solved_by_hand() {
        // ½(x₀² + x₁²) + ½(x₀ + x₁)² − 3x₀ + x₁: free minimum at (7/3, −5/3), in the box at (1, 0).
        let programme =
            Programme { matrix: array![[2.0, 1.0], [1.0, 2.0]], linear: array![-3.0, 1.0] };
        assert_eq!(programme.minimise().unwrap().0[1], array![1.0, 0.0]);
        // Inside: 2x₀ + x₁ = 0.9 and x₀ + 2x₁ = 0.6.
        let programme = Programme { linear: array![-0.9, -0.6], ..programme };
        let ([found, _], _) = programme.minimise().unwrap();
        assert!((found[0] - 0.4).abs() < 1e-6 && (found[1] - 0.1).abs() < 1e-6, "{found}");
    }

    #[test]
    fn scales_do_not_matter() {
        // The same two components with one of them twelve powers of ten lighter.
        let light = 1e-6;
        let programme = Programme {
            matrix: array![[2.0, light], [light, 2.0 * light * light]],
            linear: array![-0.9, -0.6 * light],
        };
        let ([found, _], _) = programme.minimise().unwrap();
        // In units of 1/light x₁ would be 0.1, far past its bound; x₀ = (0.9 − light)/2.
        assert!((found[0] - 0.45).abs() < 1e-5, "{found}");
        assert!((found[1] - 1.0).abs() < 1e-6, "{found}");
    }
}
