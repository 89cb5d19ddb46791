//! Images as histograms of their gradients.

use super::check_side;
use super::image::Bell;
use crate::{Points, PointsError};
use gaussfield_core::{Budget, check};
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Histograms of oriented gradients (Dalal and Triggs 2005) of square grey images, one a row.
///
/// The gradient of every pixel, on a border of one pixel of zero, votes for the two nearest of
/// `bins` directions; the votes are spread by a Gaussian of standard deviation `cell`/2.5 and read
/// every `stride` pixels. The histogram at each place is divided by its length plus a tenth of the
/// mean length over all places of the points that were fitted, and the whole row by its length.
/// Where strokes go, and not how dark each pixel is, then decides which images are near.
///
/// Options not given suit images of 16 × 16; for 8 × 8 take a cell of 2.5 and a stride of 1, for 28 × 28
/// a cell of 6 and a stride of 4.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hog {
    /// Pixels of a side: a row has side² features.
    pub side: usize,
    /// Width of a cell in pixels, above 0. Default 4.
    #[serde(default = "four")]
    pub cell: f64,
    /// Directions of a histogram, at least 2. Default 8.
    #[serde(default = "eight")]
    pub bins: usize,
    /// Pixels from one histogram to the next, at least 1. Default 2.
    #[serde(default = "two")]
    pub stride: usize,
}

fn four() -> f64 {
    4.0
}

fn eight() -> usize {
    8
}

fn two() -> usize {
    2
}

/// Gradients with the mean length of a histogram of the points they were fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FittedHog {
    hog: Hog,
    mean_length: f64,
}

impl Hog {
    /// Histograms of images of side × side, with the options that suit 16 × 16.
    pub fn of_side(side: usize) -> Self {
        Self { side, cell: four(), bins: eight(), stride: two() }
    }

    /// Pixels of a side with the border.
    fn bordered(&self) -> usize {
        self.side + 2
    }

    /// Where histograms are read along a side.
    fn places(&self) -> impl Iterator<Item = usize> + Clone {
        (self.stride / 2..self.bordered()).step_by(self.stride)
    }

    pub(super) fn fit(
        &self,
        rows: ArrayView2<'_, f64>,
        budget: Budget,
    ) -> Result<(FittedHog, Points), PointsError> {
        let mut histograms = self.histograms(rows, budget)?;
        // Row by row first, then in order: the same on any number of threads.
        let lengths: Vec<f64> = histograms
            .axis_iter(Axis(0))
            .into_par_iter()
            .map(|row| self.lengths(row).iter().sum::<f64>())
            .collect();
        let places = self.places().count().pow(2);
        let mean_length = lengths.iter().sum::<f64>() / (rows.nrows() * places) as f64;
        let fitted = FittedHog { hog: *self, mean_length };
        fitted.normalise(&mut histograms);
        Ok((fitted, Points::dense(histograms)?))
    }

    /// The length of every histogram of an image.
    fn lengths(&self, row: ArrayView1<'_, f64>) -> Vec<f64> {
        let length = |place: usize| {
            let bins = place * self.bins..(place + 1) * self.bins;
            bins.map(|at| row[at] * row[at]).sum::<f64>().sqrt()
        };
        (0..row.len() / self.bins).map(length).collect()
    }

    /// Histograms before they are divided by anything: a row for each image, its places one after
    /// the other.
    fn histograms(
        &self,
        rows: ArrayView2<'_, f64>,
        budget: Budget,
    ) -> Result<Array2<f64>, PointsError> {
        check_side(rows, self.side)?;
        check::at_least("the number of directions", self.bins, 2)?;
        check::at_least("the stride", self.stride, 1)?;
        let bell = Bell::new(self.cell / 2.5, "the cell over 2.5")?;
        let width = self.places().count().pow(2) * self.bins;
        budget.matrix("the histograms of gradients", rows.nrows(), width)?;
        let mut histograms = Array2::zeros((rows.nrows(), width));
        histograms.axis_iter_mut(Axis(0)).into_par_iter().zip(rows.axis_iter(Axis(0))).for_each(
            |(mut to, image)| {
                let votes = self.votes(image);
                for (bin, mut votes) in votes.into_iter().enumerate() {
                    bell.smooth(&mut votes, self.bordered());
                    let grid = self.places().flat_map(|y| self.places().map(move |x| (y, x)));
                    for (place, (y, x)) in grid.enumerate() {
                        to[place * self.bins + bin] = votes[y * self.bordered() + x];
                    }
                }
            },
        );
        Ok(histograms)
    }

    /// For each direction the strength of the gradient of every pixel that points there.
    fn votes(&self, image: ArrayView1<'_, f64>) -> Vec<Vec<f64>> {
        let (side, bordered) = (self.side, self.bordered());
        let pixel = |y: usize, x: usize| {
            let inside = (1..=side).contains(&y) && (1..=side).contains(&x);
            if inside { image[(y - 1) * side + x - 1] } else { 0.0 }
        };
        let mut votes = vec![vec![0.0; bordered * bordered]; self.bins];
        for y in 0..bordered {
            for x in 0..bordered {
                let inner = 1..bordered - 1;
                let across =
                    if inner.contains(&x) { pixel(y, x + 1) - pixel(y, x - 1) } else { 0.0 };
                let down = if inner.contains(&y) { pixel(y + 1, x) - pixel(y - 1, x) } else { 0.0 };
                let strength = across.hypot(down);
                if strength > 0.0 {
                    let turn = down.atan2(across).rem_euclid(TAU) / TAU * self.bins as f64;
                    let (bin, part) = (turn.floor() as usize % self.bins, turn.fract());
                    votes[bin][y * bordered + x] += strength * (1.0 - part);
                    votes[(bin + 1) % self.bins][y * bordered + x] += strength * part;
                }
            }
        }
        votes
    }
}

impl FittedHog {
    pub(super) fn apply(
        &self,
        rows: ArrayView2<'_, f64>,
        budget: Budget,
    ) -> Result<Points, PointsError> {
        let mut histograms = self.hog.histograms(rows, budget)?;
        self.normalise(&mut histograms);
        Points::dense(histograms)
    }

    fn normalise(&self, histograms: &mut Array2<f64>) {
        let bins = self.hog.bins;
        histograms.axis_iter_mut(Axis(0)).into_par_iter().for_each(|mut row| {
            let lengths = self.hog.lengths(row.view());
            for (place, length) in lengths.into_iter().enumerate() {
                let by = length + 0.1 * self.mean_length;
                if by > 0.0 {
                    (0..bins).for_each(|bin| row[place * bins + bin] /= by);
                }
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.mapv_inplace(|x| x / length.max(1e-9));
        });
    }
}
