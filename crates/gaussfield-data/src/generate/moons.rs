//! Two moons.

use super::{Gathered, normal, params, rng, share, spaced};
use crate::{DataError, Dataset};
use std::f64::consts::PI;

/// Two interleaved half circles of radius 1 in the plane.
///
/// The upper moon (class 0) is (cos t, sin t), the lower (class 1) is (1 − cos t, ½ − sin t),
/// 0 ≤ t ≤ π, with normal noise on both coordinates. O(n).
#[derive(Debug, Clone, PartialEq)]
pub struct TwoMoons {
    /// Number of points, at least 2; the upper moon has one more when it is odd.
    pub n: usize,
    /// Standard deviation of the noise, 0 or more.
    pub noise: f64,
}

impl Default for TwoMoons {
    fn default() -> Self {
        Self { n: 200, noise: 0.08 }
    }
}

impl TwoMoons {
    /// Draws the points.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range.
    pub fn generate(&self, seed: u64) -> Result<Dataset, DataError> {
        params::count("n", self.n, 2)?;
        params::not_negative("noise", self.noise)?;
        let mut rng = rng(seed);
        let mut gathered = Gathered::with_capacity(self.n);
        for class in 0..2 {
            for place in spaced(&mut rng, share(self.n, 2, class)) {
                let (sin, cos) = (PI * place).sin_cos();
                let (x, y) = if class == 0 { (cos, sin) } else { (1.0 - cos, 0.5 - sin) };
                let dx = self.noise * normal(&mut rng);
                let dy = self.noise * normal(&mut rng);
                gathered.push([x + dx, y + dy], class);
            }
        }
        gathered.finish("two moons", 2, 2)
    }
}
