//! Shards that are stored column by column: Parquet, and Arrow files.

use super::{Head, Kind, file_error};
use crate::DistributedError;
use gaussfield_core::Budget;
use gaussfield_data::read::columnar;
use gaussfield_data::read::csv::CsvOptions;
use gaussfield_data::read::within;
use std::ops::Range;
use std::path::Path;

pub(super) fn head(path: &Path) -> Result<Head, DistributedError> {
    let head = columnar::head(path, &CsvOptions::new())?;
    let (rows, width) = (head.rows as u64, head.features.len());
    Ok(Head { rows, width, kind: Kind::Columnar(head.features) })
}

/// Some rows behind the numbers that are there. Pages have no place of their own for each row: the whole
/// shard is read.
pub(super) fn read(
    path: &Path,
    head: &Head,
    rows: &Range<u64>,
    into: &mut Vec<f64>,
    memory: Budget,
) -> Result<(), DistributedError> {
    let data = within(memory, || columnar::read(path, &CsvOptions::new()))?;
    let all = data.points.as_dense().filter(|all| {
        let (found, width) = all.dim();
        found as u64 == head.rows && width == head.width
    });
    let wrong = || {
        let problem = format!("does not hold the {} rows that its footer names", head.rows);
        file_error(path, problem, "write it again: it may have changed while it was read")
    };
    let all = all.ok_or_else(wrong)?;
    let own = all.slice(ndarray::s![rows.start as usize..rows.end as usize, ..]);
    into.extend(own.iter());
    Ok(())
}
