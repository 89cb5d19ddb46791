//! From lists of neighbours to compressed rows.

use crate::neighbours::Found;
use crate::{Neighbours, SparseWeights, Symmetry};
use gaussfield_core::blocks::split;
use rayon::prelude::*;
use sprs::CsMatI;

/// Rows that are merged together.
const ROWS: usize = 4096;

/// The first k neighbours of each point as compressed rows, the same in both directions: the lists
/// are turned round by counting, and each row is merged with what names it. O(n·k·log k).
pub(crate) fn symmetric(lists: &Neighbours, k: usize, symmetry: Symmetry) -> SparseWeights {
    let n = lists.len();
    let back = Back::new(lists, k);
    let count = |own: &mut Vec<Found>, i: usize| {
        let mut count = 0;
        merged(lists, &back, i, (k, symmetry), own, |_| count += 1);
        count
    };
    let counts: Vec<usize> =
        (0..n).into_par_iter().map_init(|| Vec::with_capacity(k), count).collect();
    let mut indptr = Vec::with_capacity(n + 1);
    indptr.push(0);
    let mut total = 0;
    for count in counts {
        total += count;
        indptr.push(total);
    }
    let (mut indices, mut data) = (vec![0; total], vec![0.0; total]);
    let (mut rest_of_indices, mut rest_of_data) = (&mut indices[..], &mut data[..]);
    let mut parts = Vec::new();
    for rows in split(n, ROWS) {
        let long = indptr[rows.end] - indptr[rows.start];
        let (first, second) = (rest_of_indices.split_at_mut(long), rest_of_data.split_at_mut(long));
        parts.push((rows, first.0, second.0));
        (rest_of_indices, rest_of_data) = (first.1, second.1);
    }
    parts.into_par_iter().for_each(|(rows, indices, data)| {
        let mut out = indices.iter_mut().zip(data);
        let mut own = Vec::with_capacity(k);
        for i in rows {
            merged(lists, &back, i, (k, symmetry), &mut own, |(distance, j)| {
                if let Some((index, value)) = out.next() {
                    (*index, *value) = (j, distance);
                }
            });
        }
    });
    CsMatI::new((n, n), indptr, indices, data)
}

/// For each point those whose lists name it, in increasing order.
struct Back {
    starts: Vec<usize>,
    indices: Vec<u32>,
    distances: Vec<f64>,
}

impl Back {
    fn new(lists: &Neighbours, k: usize) -> Self {
        let n = lists.len();
        let mut starts = vec![0; n + 1];
        for i in 0..n {
            lists.indices(i)[..k].iter().for_each(|&j| starts[j as usize + 1] += 1);
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let (mut indices, mut distances) = (vec![0; n * k], vec![0.0; n * k]);
        let mut next = starts.clone();
        for i in 0..n {
            for (&j, &distance) in lists.indices(i)[..k].iter().zip(lists.distances(i)) {
                let at = &mut next[j as usize];
                (indices[*at], distances[*at]) = (i as u32, distance);
                *at += 1;
            }
        }
        Self { starts, indices, distances }
    }
}

/// Visits the row of point i in increasing order of index.
fn merged(
    lists: &Neighbours,
    back: &Back,
    i: usize,
    (k, symmetry): (usize, Symmetry),
    own: &mut Vec<Found>,
    mut visit: impl FnMut(Found),
) {
    own.clear();
    own.extend(lists.distances(i)[..k].iter().copied().zip(lists.indices(i)[..k].iter().copied()));
    own.sort_unstable_by_key(|&(_, j)| j);
    let mut own = own.iter().copied().peekable();
    for at in back.starts[i]..back.starts[i + 1] {
        let (distance, j) = (back.distances[at], back.indices[at]);
        while let Some(before) = own.next_if(|&(_, other)| other < j) {
            if symmetry == Symmetry::Either {
                visit(before);
            }
        }
        let both = own.next_if(|&(_, other)| other == j).is_some();
        if both || symmetry == Symmetry::Either {
            visit((distance, j));
        }
    }
    if symmetry == Symmetry::Either {
        own.for_each(visit);
    }
}

/// Compressed rows from lists sorted by index.
pub(crate) fn sparse(nodes: usize, lists: Vec<Vec<Found>>) -> SparseWeights {
    let mut indptr = Vec::with_capacity(nodes + 1);
    indptr.push(0);
    let total = lists.iter().map(Vec::len).sum();
    let (mut indices, mut data) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for list in lists {
        for (distance, j) in list {
            indices.push(j);
            data.push(distance);
        }
        indptr.push(indices.len());
    }
    CsMatI::new((nodes, nodes), indptr, indices, data)
}
