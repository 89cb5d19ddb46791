//! Sequential minimal optimisation of one binary problem.

use super::SvmCertificate;
use crate::BaselineError;
use gaussfield_core::{NotConverged, Stage};
use ndarray::{ArrayView1, ArrayView2};

/// Stands in for a curvature of zero, as in Fan, Chen and Lin 2005.
const TINY: f64 = 1e-12;
/// Steps after which a listener hears of them.
const HEARD: usize = 1024;
/// How often rounding may be cleared away before the tolerance counts as out of reach.
const REFRESHES: usize = 50;

/// The state: β_i = y_i·α_i moves up and down, Σβ = 0 stays.
#[derive(Debug)]
pub(super) struct Smo<'a> {
    gram: ArrayView2<'a, f64>,
    signs: &'a [f64],
    price: f64,
    alphas: Vec<f64>,
    /// r_i = y_i − Σ_j β_j K_ij, minus y_i times the gradient of the dual objective.
    rests: Vec<f64>,
}

#[derive(Debug)]
pub(super) struct Solution {
    /// β_i = y_i·α_i.
    pub(super) coefficients: Vec<f64>,
    pub(super) bias: f64,
    pub(super) certificate: SvmCertificate,
}

impl<'a> Smo<'a> {
    /// `gram` is symmetric, `signs` are ±1 and have both, `price` is C.
    pub(super) fn new(gram: ArrayView2<'a, f64>, signs: &'a [f64], price: f64) -> Self {
        let (alphas, rests) = (vec![0.0; signs.len()], signs.to_vec());
        Self { gram, signs, price, alphas, rests }
    }

    pub(super) fn solve(
        mut self,
        tolerance: f64,
        max_iterations: usize,
        stage: &Stage,
    ) -> Result<Solution, BaselineError> {
        let (mut iterations, mut refreshes) = (0, 0);
        loop {
            while iterations < max_iterations {
                let Some((i, j)) = self.working_set(tolerance) else { break };
                self.step(i, j);
                iterations += 1;
                if iterations % HEARD == 0 {
                    stage.advance(HEARD as u64)?;
                }
            }
            // The running sums have drifted by rounding: only fresh ones count.
            self.refresh();
            refreshes += 1;
            let (highest, lowest) = self.extremes();
            let violation = (highest - lowest).max(0.0);
            if violation <= tolerance {
                return Ok(self.solution(iterations, violation, 0.5 * (highest + lowest)));
            }
            if iterations >= max_iterations || refreshes >= REFRESHES {
                return Err(BaselineError::NotConverged(NotConverged {
                    method: "the support vector machine",
                    iterations,
                    measure: "the largest violation",
                    reached: violation,
                    tolerance,
                    remedy: "lower C, scale the kernel, raise the tolerance or allow more iterations",
                }));
            }
        }
    }

    /// Whether β_i may grow: α_i below C for y_i = 1, above 0 for y_i = −1.
    fn may_rise(&self, i: usize) -> bool {
        if self.signs[i] > 0.0 { self.alphas[i] < self.price } else { self.alphas[i] > 0.0 }
    }

    /// Whether β_i may shrink.
    fn may_fall(&self, i: usize) -> bool {
        if self.signs[i] > 0.0 { self.alphas[i] > 0.0 } else { self.alphas[i] < self.price }
    }

    /// The largest r of those that may rise, and the smallest of those that may fall. Neither set
    /// is empty: Σβ = 0 and both signs exist.
    fn extremes(&self) -> (f64, f64) {
        let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
        for (i, &rest) in self.rests.iter().enumerate() {
            if self.may_rise(i) {
                highest = highest.max(rest);
            }
            if self.may_fall(i) {
                lowest = lowest.min(rest);
            }
        }
        (highest, lowest)
    }

    /// Fan, Chen and Lin 2005, WSS 2: i violates most, j promises the largest gain with i. None
    /// where no pair violates by more than the tolerance.
    fn working_set(&self, tolerance: f64) -> Option<(usize, usize)> {
        let mut first: Option<usize> = None;
        for i in 0..self.rests.len() {
            if self.may_rise(i) && first.is_none_or(|f| self.rests[i] > self.rests[f]) {
                first = Some(i);
            }
        }
        let i = first?;
        let row = self.gram.row(i);
        let (mut lowest, mut second, mut most) = (f64::INFINITY, None, 0.0);
        for j in 0..self.rests.len() {
            if !self.may_fall(j) {
                continue;
            }
            lowest = lowest.min(self.rests[j]);
            let difference = self.rests[i] - self.rests[j];
            if difference > 0.0 {
                let gain = difference * difference / self.curvature(i, j, row[j]);
                if gain > most {
                    (second, most) = (Some(j), gain);
                }
            }
        }
        if self.rests[i] - lowest <= tolerance {
            return None;
        }
        Some((i, second?))
    }

    /// K_ii + K_jj − 2K_ij, at least [`TINY`].
    fn curvature(&self, i: usize, j: usize, between: f64) -> f64 {
        (self.gram[[i, i]] + self.gram[[j, j]] - 2.0 * between).max(TINY)
    }

    /// Raises β_i and lowers β_j by the same amount: to the optimum of the pair, or to the first
    /// bound, which is then met exactly.
    fn step(&mut self, i: usize, j: usize) {
        let room_above = |k: usize, rise: bool| {
            if (self.signs[k] > 0.0) == rise { self.price - self.alphas[k] } else { self.alphas[k] }
        };
        let (up, down) = (room_above(i, true), room_above(j, false));
        let wanted = (self.rests[i] - self.rests[j]) / self.curvature(i, j, self.gram[[i, j]]);
        let by = wanted.min(up).min(down);
        self.shift(i, self.signs[i] * by, by >= up);
        self.shift(j, -self.signs[j] * by, by >= down);
        let (rise, fall): (ArrayView1<'_, f64>, _) = (self.gram.row(i), self.gram.row(j));
        for ((rest, rise), fall) in self.rests.iter_mut().zip(rise).zip(fall) {
            *rest -= by * (rise - fall);
        }
    }

    fn shift(&mut self, k: usize, by: f64, to_bound: bool) {
        self.alphas[k] = match to_bound {
            true if by > 0.0 => self.price,
            true => 0.0,
            false => (self.alphas[k] + by).clamp(0.0, self.price),
        };
    }

    fn coefficients(&self) -> Vec<f64> {
        self.alphas.iter().zip(self.signs).map(|(alpha, sign)| alpha * sign).collect()
    }

    fn refresh(&mut self) {
        let betas = self.coefficients();
        for (i, rest) in self.rests.iter_mut().enumerate() {
            let sum: f64 = self.gram.row(i).iter().zip(&betas).map(|(k, beta)| k * beta).sum();
            *rest = self.signs[i] - sum;
        }
    }

    fn solution(&self, iterations: usize, violation: f64, middle: f64) -> Solution {
        // b is r of any free support vector: their mean, or the middle of the interval allowed.
        let free = |&i: &usize| self.may_rise(i) && self.may_fall(i);
        let (mut sum, mut count) = (0.0, 0.0);
        for i in (0..self.alphas.len()).filter(free) {
            sum += self.rests[i];
            count += 1.0;
        }
        let bias = if count > 0.0 { sum / count } else { middle };
        let (mut squared_norm, mut losses) = (0.0, 0.0);
        for (i, &rest) in self.rests.iter().enumerate() {
            let sign = self.signs[i];
            squared_norm += self.alphas[i] * sign * (sign - rest);
            losses += (sign * (rest - bias)).max(0.0);
        }
        let primal = 0.5 * squared_norm + self.price * losses;
        let dual = self.alphas.iter().sum::<f64>() - 0.5 * squared_norm;
        let certificate = SvmCertificate { iterations, violation, primal, dual };
        Solution { coefficients: self.coefficients(), bias, certificate }
    }
}
