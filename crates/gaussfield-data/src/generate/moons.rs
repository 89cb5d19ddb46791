//! Two moons.

use super::{Gathered, normal, params, rng, share, spaced};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use rand::seq::SliceRandom;
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

    /// Draws the points of [`TwoMoons::generate`] with the same seed, and then gives exactly
    /// round(`flipped` · n) of them, chosen at random, the other class: the half moons with
    /// labelling noise on which kapoor2005 learns its flipping rate.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range.
    pub fn generate_flipped(&self, flipped: f64, seed: u64) -> Result<FlippedMoons, DataError> {
        params::fraction("flipped", flipped)?;
        let data = self.generate(seed)?;
        let mut rng = rng(seed);
        // A stream of its own, so that the points do not depend on the fraction.
        rng.set_stream(1);
        let mut nodes: Vec<usize> = (0..self.n).collect();
        nodes.shuffle(&mut rng);
        nodes.truncate((flipped * self.n as f64).round() as usize);
        nodes.sort_unstable();
        let mut classes = data.labels.as_slice().to_vec();
        for &node in &nodes {
            classes[node] = classes[node].map(|class| 1 - class);
        }
        let observed = Labels::new(classes, data.labels.names().to_vec())?;
        Ok(FlippedMoons { data, observed, flipped: nodes })
    }
}

/// Two moons some of whose labels are wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct FlippedMoons {
    /// The points with their true labels.
    pub data: Dataset,
    /// The labels as observed, flipped ones among them.
    pub observed: Labels,
    /// The nodes whose observed label is wrong, in increasing order.
    pub flipped: Vec<usize>,
}
