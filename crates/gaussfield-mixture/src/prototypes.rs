//! Prototypes instead of densities: responsibilities from distances to centres or anchors.

use crate::error::{check_dimension, check_finite};
use crate::kmeans::{distances, nearest};
use crate::responsibilities::{ByBlocks, Kept};
use crate::rows::BLOCK;
use crate::{KMeansFit, Keep, MixtureError, Responsibilities};
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_core::check;
use gaussfield_core::exponential::normalise;
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView1, ArrayView2, s};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How a point is shared among prototypes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Assignment {
    /// Wholly to the nearest; ties go to the lower index. The backbone weights are then sums of
    /// graph weights between clusters, and the closed form always stays within [0, 1].
    #[serde(alias = "Hard")]
    Hard,
    /// R_im ∝ exp(−‖x_i − c_m‖²/(2 width²)), width > 0.
    #[serde(alias = "Soft")]
    Soft {
        /// The width, in units of the features.
        width: f64,
    },
    /// The r nearest prototypes with Nadaraya–Watson weights exp(−‖x_i − c_m‖²/(2 h_i²)), where
    /// h_i is the distance to the farthest of the r: anchors with local weights.
    #[serde(alias = "Local")]
    Local {
        /// r, at least 1; more than M is all.
        nearest: usize,
    },
}

/// Prototypes: M points and a rule that shares any point among them.
///
/// The answer to the question at the end of Zhu and Lafferty (2005), whether fast prototypes can
/// stand in for EM: the harmonic mixture needs only R, and R of the labelled points if α > 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Prototypes {
    centres: Array2<f64>,
    assignment: Assignment,
}

impl Prototypes {
    /// M × d centres and a rule.
    ///
    /// # Errors
    /// No centre, a coordinate that is not finite, a width that is not positive, r = 0.
    pub fn new(centres: Array2<f64>, assignment: Assignment) -> Result<Self, MixtureError> {
        check::at_least("the number of prototypes", centres.nrows(), 1)?;
        check_finite("a coordinate of a prototype", &centres)?;
        match assignment {
            Assignment::Hard => {}
            Assignment::Soft { width } => check::positive("the width", width)?,
            Assignment::Local { nearest } => {
                check::at_least("the number of nearest prototypes", nearest, 1)?;
            }
        }
        Ok(Self { centres, assignment })
    }

    /// The centres of a k-means clustering.
    ///
    /// # Errors
    /// As [`Prototypes::new`].
    pub fn from_kmeans(clusters: &KMeansFit, assignment: Assignment) -> Result<Self, MixtureError> {
        Self::new(clusters.centres.clone(), assignment)
    }

    /// Anchors: some of the points themselves, with local weights over the r nearest.
    ///
    /// # Errors
    /// A row past the end, no row, r = 0.
    pub fn anchors(points: &Points, rows: &[usize], nearest: usize) -> Result<Self, MixtureError> {
        Self::new(points.select(rows)?.to_dense(), Assignment::Local { nearest })
    }

    /// The number of prototypes, M.
    pub fn len(&self) -> usize {
        self.centres.nrows()
    }

    /// Whether there is none; never true.
    pub fn is_empty(&self) -> bool {
        self.centres.nrows() == 0
    }

    /// M × d.
    pub fn centres(&self) -> ArrayView2<'_, f64> {
        self.centres.view()
    }

    /// The rule.
    pub fn assignment(&self) -> Assignment {
        self.assignment
    }

    /// R for any points. O(nMd). `keep` matters for [`Assignment::Soft`] only; the other rules are
    /// sparse by nature.
    ///
    /// # Errors
    /// Points of another dimension, features too large for their squares, r = 0.
    pub fn responsibilities(
        &self,
        points: &Points,
        keep: Keep,
    ) -> Result<Responsibilities, MixtureError> {
        self.gathered(self.len(), points, keep)
    }
}

impl ByBlocks for Prototypes {
    fn each_block<T: Send>(
        &self,
        points: &Points,
        keep: Keep,
        take: impl Fn(Kept) -> T + Sync,
    ) -> Result<Vec<T>, MixtureError> {
        keep.check()?;
        check_dimension(self.centres.ncols(), points.dim())?;
        let targets = distances(points, &self.centres);
        let of_part = |part: Range<usize>| -> Result<Vec<T>, MixtureError> {
            let mut buffer = Array2::zeros((BLOCK.min(part.len()), self.len()));
            let mut taken = Vec::new();
            for block in blocks(part, BLOCK) {
                let mut squared = buffer.slice_mut(s![..block.len(), ..]);
                let rounding = targets.squared(points, block.clone(), squared.view_mut())?;
                taken.push(take(match self.assignment {
                    Assignment::Hard => {
                        let rows = block.zip(squared.rows()).zip(rounding);
                        let of_row = |((row, squared), rounding)| {
                            let centres = &self.centres;
                            vec![(nearest(points, row, centres, squared, rounding).0, 1.0)]
                        };
                        Kept::Sparse(rows.map(of_row).collect())
                    }
                    Assignment::Local { nearest } => Kept::Sparse(
                        squared.rows().into_iter().map(|row| local(row, nearest)).collect(),
                    ),
                    Assignment::Soft { width } => {
                        for (row, mut values) in block.zip(squared.rows_mut()) {
                            // Beside the nearest: a tiny width may make every weight zero.
                            let least = values.fold(f64::INFINITY, |least, &d| least.min(d));
                            values.mapv_inplace(|d| -0.5 * ((d - least) / width) / width);
                            let value = values.as_slice_mut().map_or(f64::NAN, normalise);
                            if !value.is_finite() {
                                return Err(MixtureError::NotFinite { row, value });
                            }
                        }
                        keep.block(squared.view())
                    }
                }));
            }
            Ok(taken)
        };
        let found: Vec<_> = parts(points.len(), BLOCK, 0).into_par_iter().map(of_part).collect();
        let mut all = Vec::new();
        for part in found {
            all.extend(part?);
        }
        Ok(all)
    }
}

/// Weights of the r nearest, by increasing prototype.
fn local(squared: ArrayView1<'_, f64>, nearest: usize) -> Vec<(usize, f64)> {
    let r = nearest.min(squared.len());
    let mut order: Vec<usize> = (0..squared.len()).collect();
    let by_distance = |&a: &usize, &b: &usize| squared[a].total_cmp(&squared[b]).then(a.cmp(&b));
    if r < order.len() {
        order.select_nth_unstable_by(r, by_distance);
        order.truncate(r);
    }
    order.sort_unstable();
    let near = order.iter().fold(f64::INFINITY, |near, &m| near.min(squared[m]));
    let far = order.iter().fold(0.0_f64, |far, &m| far.max(squared[m]));
    let weight = |m: usize| if far > 0.0 { (-0.5 * (squared[m] - near) / far).exp() } else { 1.0 };
    let sum: f64 = order.iter().map(|&m| weight(m)).sum();
    order.into_iter().map(|m| (m, weight(m) / sum)).collect()
}
