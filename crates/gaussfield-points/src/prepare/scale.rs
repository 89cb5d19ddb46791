//! A shift and a factor for each feature.

use crate::{Points, PointsError};
use gaussfield_core::{Budget, SizeMismatch};
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};
use serde::{Deserialize, Serialize};

/// x ↦ (x − shift) · factor, feature by feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scale {
    shift: Array1<f64>,
    factor: Array1<f64>,
}

impl Scale {
    /// To mean 0 and standard deviation 1 (that of the points themselves: divided by n).
    pub(super) fn standard(rows: ArrayView2<'_, f64>) -> Self {
        Self::of(rows, |column| {
            // Scaled by the largest, so that no square overflows.
            let largest = column.iter().fold(0.0_f64, |most, x| most.max(x.abs())).max(1e-300);
            let n = column.len() as f64;
            let mean = column.iter().map(|x| x / largest).sum::<f64>() / n;
            let square = column.iter().map(|x| (x / largest - mean).powi(2)).sum::<f64>() / n;
            (mean * largest, square.sqrt() * largest)
        })
    }

    /// To [0, 1].
    pub(super) fn unit_interval(rows: ArrayView2<'_, f64>) -> Self {
        Self::of(rows, |column| {
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low, high - low)
        })
    }

    fn of(
        rows: ArrayView2<'_, f64>,
        learn: impl Fn(ArrayView1<'_, f64>) -> (f64, f64) + Send + Sync,
    ) -> Self {
        let columns = rows.axis_iter(Axis(1)).into_par_iter();
        let learned: Vec<(f64, f64)> = columns.map(learn).collect();
        let shift = learned.iter().map(|(shift, _)| *shift).collect();
        // A constant feature, rounding aside, says nothing: it becomes 0.
        let factor = |&(shift, unit): &(f64, f64)| {
            if unit > 1e-14 * shift.abs() && unit > 1e-300 { 1.0 / unit } else { 0.0 }
        };
        Self { shift, factor: learned.iter().map(factor).collect() }
    }

    pub(super) fn apply(
        &self,
        rows: ArrayView2<'_, f64>,
        budget: Budget,
    ) -> Result<Points, PointsError> {
        // A file may say anything.
        for learned in [&self.shift, &self.factor] {
            SizeMismatch::check("numbers of the preparation", rows.ncols(), learned.len())?;
        }
        budget.matrix("the scaled points", rows.nrows(), rows.ncols())?;
        let mut scaled = Array2::zeros(rows.raw_dim());
        Zip::from(scaled.rows_mut()).and(rows.rows()).par_for_each(|mut to, from| {
            Zip::from(&mut to)
                .and(&from)
                .and(&self.shift)
                .and(&self.factor)
                .for_each(|to, x, shift, factor| *to = (x - shift) * factor);
        });
        Points::dense(scaled)
    }
}
