//! The standard normal distribution where it is easy to lose digits.

use std::f64::consts::{PI, SQRT_2};

/// Below this the lower tail is taken from a continued fraction.
const TAIL: f64 = -5.0;
/// Terms of the continued fraction: enough for full precision from |z| = 5 on.
const TERMS: u32 = 80;

/// Φ(z).
pub(crate) fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// φ(z).
pub(crate) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// ln Φ(z) and its first three derivatives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogCdf {
    pub(crate) value: f64,
    pub(crate) first: f64,
    pub(crate) second: f64,
    pub(crate) third: f64,
}

impl LogCdf {
    /// With the hazard r = φ/Φ: r, −r(z+r), r((z+r)(z+2r) − 1). In the tail z + r and the last
    /// bracket are differences of nearly equal numbers, so they come from the continued fraction
    /// r = x + 1/(x + 2/(x + 3/(x + …))), x = −z, itself.
    pub(crate) fn at(z: f64) -> Self {
        let log_density = -0.5 * z * z - 0.5 * (2.0 * PI).ln();
        if z > TAIL {
            let below = cdf(z);
            let hazard = log_density.exp() / below;
            let sum = z + hazard;
            return Self {
                value: below.ln(),
                first: hazard,
                second: -hazard * sum,
                third: hazard * (sum * (sum + hazard) - 1.0),
            };
        }
        let x = -z;
        // inner = 1/(x + 3/(x + 4/…)), sum = z + r = 1/(x + 2·inner).
        let inner = (3..TERMS).rev().fold(1.0 / x, |tail, k| 1.0 / (x + f64::from(k) * tail));
        let sum = 1.0 / (x + 2.0 * inner);
        let hazard = x + sum;
        Self {
            value: log_density - hazard.ln(),
            first: hazard,
            second: -hazard * sum,
            third: hazard * 2.0 * sum * (sum - inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formulas_meet_at_the_tail() {
        let (tail, body) = (LogCdf::at(TAIL), LogCdf::at(TAIL + 1e-13));
        let close = |a: f64, b: f64, within: f64| assert!((a - b).abs() < within, "{a} {b}");
        close(tail.value, body.value, 1e-11);
        close(tail.first, body.first, 1e-11);
        close(tail.second, body.second, 1e-11);
        close(tail.third, body.third, 1e-10);
    }

    #[test]
    fn far_tail_is_finite_and_concave() {
        for z in [-10.0, -40.0, -1e3, -1e6] {
            let LogCdf { value, first, second, third } = LogCdf::at(z);
            assert!(value < -0.5 * z * z && value.is_finite());
            assert!(first > -z && second < 0.0 && second > -1.0 && third.is_finite());
        }
        // ln Φ(−10), from tables.
        assert!((LogCdf::at(-10.0).value + 53.231_285_150_512_47).abs() < 1e-12);
    }

    #[test]
    fn derivatives_equal_finite_differences() {
        for z in [-30.0, -7.0, -2.0, 0.0, 1.5, 6.0] {
            let step = 1e-5;
            let (up, here, down) = (LogCdf::at(z + step), LogCdf::at(z), LogCdf::at(z - step));
            let slope = |up: f64, down: f64| (up - down) / (2.0 * step);
            assert!((slope(up.value, down.value) - here.first).abs() < 1e-7);
            assert!((slope(up.first, down.first) - here.second).abs() < 1e-7);
            assert!((slope(up.second, down.second) - here.third).abs() < 1e-7);
        }
    }
}
