//! The E-step and the sums of the M-step in one pass over the points.

use crate::MixtureError;
use crate::components::{Prepared, Statistics};
use crate::rows::BLOCK;
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_core::exponential::normalise;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use rayon::prelude::*;
use std::ops::Range;

/// How many of the points explained worst are kept for repairs.
const WORST: usize = 16;

/// One pass over all points: the E-step and the sums of the M-step, a block at a time, so that the
/// n × M responsibilities never exist at once.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) log_likelihood: f64,
    /// None if not asked for.
    pub(super) statistics: Option<Statistics>,
    /// M × C sums of the labelled responsibilities.
    pub(super) class_masses: Array2<f64>,
    /// The rows of the lowest density, lowest first, and their log density.
    pub(super) worst: Vec<(f64, usize)>,
}

/// `log_lambda` is C × M.
pub(super) fn pass(
    points: &Points,
    labels: &Labels,
    prepared: &Prepared,
    log_lambda: ArrayView2<'_, f64>,
    statistics: bool,
) -> Result<Pass, MixtureError> {
    let parts = parts(points.len(), BLOCK, prepared.statistics_bytes());
    let found: Vec<Result<Pass, MixtureError>> = parts
        .into_par_iter()
        .map(|part| of_part(points, labels, prepared, log_lambda, statistics, part))
        .collect();
    // Added up in the order of the rows, whoever came first.
    let mut total: Option<Pass> = None;
    for part in found {
        let part = part?;
        match &mut total {
            None => total = Some(part),
            Some(total) => total.merge(part),
        }
    }
    match total {
        Some(total) => Ok(total),
        // Without points there is nothing to explain.
        None => of_part(points, labels, prepared, log_lambda, statistics, 0..0),
    }
}

fn of_part(
    points: &Points,
    labels: &Labels,
    prepared: &Prepared,
    log_lambda: ArrayView2<'_, f64>,
    statistics: bool,
    part: Range<usize>,
) -> Result<Pass, MixtureError> {
    let (classes, count) = log_lambda.dim();
    let mut found = Pass {
        log_likelihood: 0.0,
        statistics: statistics.then(|| prepared.statistics()),
        class_masses: Array2::zeros((count, classes)),
        worst: Vec::new(),
    };
    let mut buffer = Array2::zeros((BLOCK.min(part.len()), count));
    for block in blocks(part, BLOCK) {
        let out = buffer.slice_mut(s![..block.len(), ..]);
        let Pass { log_likelihood, statistics, class_masses, worst } = &mut found;
        let weigh = |mut out: ArrayViewMut2<'_, f64>| {
            for (row, mut resp) in block.clone().zip(out.rows_mut()) {
                let class = labels.get(row);
                if let Some(class) = class {
                    resp += &log_lambda.row(class);
                }
                // Rows of a buffer in standard layout are slices.
                let value = resp.as_slice_mut().map_or(f64::NAN, normalise);
                if !value.is_finite() {
                    return Err(MixtureError::NotFinite { row, value });
                }
                *log_likelihood += value; // [zhu2005 (1)]
                if let Some(class) = class {
                    class_masses.column_mut(class).scaled_add(1.0, &resp);
                }
                keep_worst(worst, (value, row));
            }
            Ok(())
        };
        prepared.block(points, block.clone(), out, statistics.as_mut(), weigh)?;
    }
    Ok(found)
}

/// Inserts a row if it is among the worst. Ties go to the lower row, which comes first.
fn keep_worst(worst: &mut Vec<(f64, usize)>, entry: (f64, usize)) {
    let at = worst.partition_point(|kept| kept.0 <= entry.0);
    if at < WORST {
        worst.insert(at, entry);
        worst.truncate(WORST);
    }
}

impl Pass {
    fn merge(&mut self, other: Self) {
        self.log_likelihood += other.log_likelihood;
        self.class_masses += &other.class_masses;
        if let (Some(sums), Some(other)) = (&mut self.statistics, &other.statistics) {
            sums.merge(other);
        }
        other.worst.into_iter().for_each(|entry| keep_worst(&mut self.worst, entry));
    }
}
