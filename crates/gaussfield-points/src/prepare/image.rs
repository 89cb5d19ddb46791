//! Images: Gaussian blur.

use super::check_side;
use crate::{Points, PointsError};
use gaussfield_core::{Budget, check};
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Gaussian blur of square grey images, one a row. What lies past the border mirrors what lies
/// within.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blur {
    /// Pixels of a side: a row has side² features.
    pub side: usize,
    /// Standard deviation in pixels, above 0 and at most 100. About 0.7 helps digits of 16 × 16.
    pub sigma: f64,
}

impl Blur {
    pub(super) fn apply(
        &self,
        rows: ArrayView2<'_, f64>,
        budget: Budget,
    ) -> Result<Points, PointsError> {
        check_side(rows, self.side)?;
        budget.matrix("the blurred images", rows.nrows(), rows.ncols())?;
        let bell = Bell::new(self.sigma, "the blur σ")?;
        let mut blurred = Array2::zeros(rows.raw_dim());
        blurred.axis_iter_mut(Axis(0)).into_par_iter().zip(rows.axis_iter(Axis(0))).for_each(
            |(mut to, from)| {
                let mut image: Vec<f64> = from.to_vec();
                bell.smooth(&mut image, self.side);
                to.iter_mut().zip(&image).for_each(|(to, x)| *to = *x);
            },
        );
        Points::dense(blurred)
    }
}

/// A sampled Gaussian, from its middle outwards, that sums to one over both sides.
pub(super) struct Bell {
    half: Vec<f64>,
}

impl Bell {
    /// Cut off at four standard deviations.
    pub(super) fn new(sigma: f64, name: &'static str) -> Result<Self, PointsError> {
        check::range(name, sigma, sigma > 0.0 && sigma <= 100.0, "above 0 and at most 100 pixels")?;
        let reach = (4.0 * sigma + 0.5).floor() as usize;
        let mut half: Vec<f64> =
            (0..=reach).map(|x| (-0.5 * (x as f64 / sigma).powi(2)).exp()).collect();
        let sum = half[0] + 2.0 * half[1..].iter().sum::<f64>();
        half.iter_mut().for_each(|weight| *weight /= sum);
        Ok(Self { half })
    }

    /// Smooths a square image along both directions.
    pub(super) fn smooth(&self, image: &mut [f64], side: usize) {
        let mut line = vec![0.0; side];
        for direction in [(side, 1), (1, side)] {
            let (from_line, from_pixel) = direction;
            for start in 0..side {
                let at = |x: usize| start * from_line + x * from_pixel;
                for (x, value) in line.iter_mut().enumerate() {
                    *value = self.half[0] * image[at(x)];
                    for (far, weight) in self.half.iter().enumerate().skip(1) {
                        let (left, right) = (mirrored(x, far, side), mirrored_up(x, far, side));
                        *value += weight * (image[at(left)] + image[at(right)]);
                    }
                }
                for (x, value) in line.iter().enumerate() {
                    image[at(x)] = *value;
                }
            }
        }
    }
}

/// The pixel `far` before x, mirrored at the borders: … 1 0 | 0 1 … n−1 | n−1 ….
fn mirrored(x: usize, far: usize, side: usize) -> usize {
    fold(x as isize - far as isize, side)
}

/// The pixel `far` after x, mirrored.
fn mirrored_up(x: usize, far: usize, side: usize) -> usize {
    fold((x + far) as isize, side)
}

fn fold(x: isize, side: usize) -> usize {
    let around = x.rem_euclid(2 * side as isize) as usize;
    around.min(2 * side - 1 - around)
}
