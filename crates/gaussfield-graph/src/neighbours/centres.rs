//! Centres of cells, and the cells that are closest to each row.

use super::frame::Coordinates;
use super::order::{Packed, by_halves};
use crate::GraphError;
use gaussfield_core::Progress;
use gaussfield_core::blocks::split;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use std::ops::Range;

/// Points for each cell that centres are moved by.
const SAMPLE: usize = 64;

/// How often centres are moved.
const ROUNDS: usize = 3;

/// For each row its closest centres, nearest first.
#[derive(Debug)]
pub(super) struct Closest {
    /// How many for each row.
    pub(super) each: usize,
    pub(super) cells: Vec<u32>,
}

/// Centres of cells, one a row: the leaves of a tree, moved a few times to the mean of the rows that
/// are closest to them.
pub(super) fn centres(coordinates: &Coordinates, cells: usize) -> Result<Array2<f32>, GraphError> {
    let (n, dims) = (coordinates.len(), coordinates.dims);
    let step = (n / (cells * SAMPLE).max(1)).max(1);
    let some: Vec<usize> = (0..n).step_by(step).collect();
    let sample = Coordinates {
        dims,
        rows: some.iter().flat_map(|&i| coordinates.row(i)).copied().collect(),
        halves: some.iter().map(|&i| coordinates.halves[i]).collect(),
    };
    let (order, bounds) = by_halves(&sample, sample.len().div_ceil(cells));
    let groups = bounds.iter().map(|bounds| order[bounds.clone()].to_vec()).collect::<Vec<_>>();
    let mut centres = Array2::zeros((groups.len(), dims));
    move_to_means(&mut centres, &sample, &groups);
    for _ in 0..ROUNDS {
        let closest = closest(&sample, &centres, 1)?;
        let mut groups = vec![Vec::new(); centres.nrows()];
        closest.cells.iter().zip(0_u32..).for_each(|(&cell, row)| groups[cell as usize].push(row));
        move_to_means(&mut centres, &sample, &groups);
    }
    Ok(centres)
}

/// A centre without rows stays where it is.
fn move_to_means(centres: &mut Array2<f32>, rows: &Coordinates, groups: &[Vec<u32>]) {
    for (mut centre, group) in centres.rows_mut().into_iter().zip(groups) {
        let mut mean = vec![0.0; rows.dims];
        for &i in group {
            mean.iter_mut().zip(rows.row(i as usize)).for_each(|(mean, x)| *mean += f64::from(*x));
        }
        if !group.is_empty() {
            let count = group.len() as f64;
            centre.iter_mut().zip(mean).for_each(|(centre, sum)| *centre = (sum / count) as f32);
        }
    }
}

/// The closest centres of each row. One product of each row with each centre.
pub(super) fn closest(
    rows: &Coordinates,
    centres: &Array2<f32>,
    each: usize,
) -> Result<Closest, GraphError> {
    const TOGETHER: usize = 128;
    let (n, cells) = (rows.len(), centres.nrows());
    let halves: Vec<f32> = centres.rows().into_iter().map(|row| 0.5 * row.dot(&row)).collect();
    let mut found = vec![0; n * each];
    let stage = Progress::stage("cells of the points", Some(n as u64));
    let blocks = split(n, TOGETHER).into_par_iter().zip(found.par_chunks_mut(TOGETHER * each));
    let block = |(range, found): (Range<usize>, &mut [u32])| {
        let slice = &rows.rows[range.start * rows.dims..range.end * rows.dims];
        let mut keys = Array2::zeros((range.len(), cells));
        if let Ok(x) = ArrayView2::from_shape((range.len(), rows.dims), slice) {
            general_mat_mul(-1.0, &x, &centres.t(), 0.0, &mut keys);
        }
        for (keys, found) in keys.rows_mut().into_iter().zip(found.chunks_mut(each)) {
            let mut keys = keys;
            let keys = keys.as_slice_mut().unwrap_or_default();
            keys.iter_mut().zip(&halves).for_each(|(key, half)| *key += half);
            smallest(keys, found);
        }
        Ok(stage.advance(range.len() as u64)?)
    };
    blocks.map(block).collect::<Result<(), GraphError>>()?;
    Ok(Closest { each, cells: found })
}

/// The places of the smallest keys, smallest first; of equal keys, the first.
fn smallest(keys: &[f32], found: &mut [u32]) {
    const RUN: usize = 16;
    let mut best: Vec<(f32, u32)> = Vec::with_capacity(found.len() + 1);
    let mut worst = f32::INFINITY;
    for (run, keys) in keys.chunks(RUN).enumerate() {
        // Most runs hold none; their minimum is cheap.
        if keys.iter().fold(f32::INFINITY, |least, &key| least.min(key)) >= worst {
            continue;
        }
        for (at, &key) in keys.iter().enumerate() {
            if key < worst {
                let after = best.partition_point(|known| known.0 <= key);
                best.insert(after, (key, (run * RUN + at) as u32));
                best.truncate(found.len());
                if best.len() == found.len() {
                    worst = best[found.len() - 1].0;
                }
            }
        }
    }
    found.iter_mut().zip(best).for_each(|(found, (_, at))| *found = at);
}

/// Rows packed by their closest cell.
pub(super) fn grouped(rows: &Coordinates, closest: &Closest, cells: usize) -> Packed {
    let mut groups = vec![Vec::new(); cells];
    for (row, cell) in closest.cells.iter().step_by(closest.each).enumerate() {
        groups[*cell as usize].push(row as u32);
    }
    Packed::new(rows, &groups.iter().map(Vec::as_slice).collect::<Vec<_>>())
}
