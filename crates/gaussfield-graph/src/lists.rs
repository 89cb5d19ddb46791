//! From lists of neighbours to compressed rows.

use crate::neighbours::Found;
use crate::{SparseWeights, Symmetry};
use rayon::prelude::*;
use sprs::CsMatI;

/// Makes lists sorted by index the same in both directions.
pub(crate) fn symmetrise(lists: &mut [Vec<Found>], symmetry: Symmetry) {
    let mut back: Vec<Vec<Found>> = vec![Vec::new(); lists.len()];
    for (i, list) in lists.iter().enumerate() {
        for &(distance, j) in list {
            back[j as usize].push((distance, i as u32));
        }
    }
    lists.par_iter_mut().zip(back).for_each(|(list, back)| match symmetry {
        Symmetry::Either => {
            list.extend(back);
            list.sort_unstable_by_key(|&(_, j)| j);
            list.dedup_by_key(|&mut (_, j)| j);
        }
        Symmetry::Both => {
            list.retain(|(_, j)| back.binary_search_by_key(j, |&(_, i)| i).is_ok());
        }
    });
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
