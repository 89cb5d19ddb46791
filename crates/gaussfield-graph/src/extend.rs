//! New points on a pattern that exists.

use crate::neighbours::Found;
use crate::{GraphError, Neighbours, Pattern, SearchOptions, SparseWeights};
use gaussfield_points::Points;
use sprs::CsMatI;

impl Pattern {
    /// The pattern with more points, without a new search for the old ones: every new point has an
    /// edge to its k nearest among all points, old and new, and edges between old points stay as they
    /// are. New points come after the old ones. O((n + m)·m·d) for m new points by an exact search.
    ///
    /// A fresh search would also let go of old edges that new points have made superfluous; on a
    /// complete pattern there is no difference. Local scales that are known are kept for old points
    /// and measured for new ones, so that weights between old points stay as they are too.
    ///
    /// ```
    /// use gaussfield_graph::{Metric, Pattern, Search, Symmetry};
    /// use gaussfield_points::Points;
    /// use ndarray::array;
    ///
    /// let points = Points::dense(array![[0.0], [1.0], [5.0]])?;
    /// let pattern = Pattern::knn(&points, Metric::Euclidean, 1, Symmetry::Either)?;
    /// let new = Points::dense(array![[5.5], [0.4]])?;
    /// let more = pattern.extend(&new, 1, Search::Auto)?;
    /// assert_eq!((more.nodes(), more.edges()), (5, 4)); // 0–1, 1–2, and 2–3, 0–4
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// New points of another dimension, k = 0 or k not below the number of all points, a zero row
    /// under the cosine metric, a method that does not read the storage of the points; points, edges
    /// or lists over the budget.
    pub fn extend(
        &self,
        new: &Points,
        k: usize,
        options: impl Into<SearchOptions>,
    ) -> Result<Self, GraphError> {
        let mut options = options.into();
        let bytes = self.points().bytes().saturating_add(new.bytes());
        let rest = options.budget.take("old and new points together", bytes)?;
        let points = self.points().stack(new)?;
        let Some(edges) = self.sparse_distances() else {
            return Self::complete(&points, self.metric());
        };
        let added = (new.len() as u64).saturating_mul(k as u64).saturating_mul(56);
        let kept = 12 * edges.nnz() as u64 + 8 * points.len() as u64;
        options.budget =
            rest.take("the edges of old and new points", added.saturating_add(kept))?;
        if k >= points.len() {
            let (points, most) = (points.len(), points.len().saturating_sub(1));
            return Err(GraphError::BadNeighbourCount { k, points, most });
        }
        // One more, since each new point finds itself.
        let found = match k {
            0 => Neighbours::query(&points, new, self.metric(), 0, options)?,
            _ => Neighbours::query(&points, new, self.metric(), k + 1, options)?,
        };
        let lists: Vec<Vec<Found>> = (0..new.len())
            .map(|row| {
                let own = (self.nodes() + row) as u32;
                let all =
                    found.distances(row).iter().copied().zip(found.indices(row).iter().copied());
                all.filter(|&(_, j)| j != own).take(k).collect()
            })
            .collect();
        let scales = self.known_scales().filter(|(neighbour, _)| *neighbour <= k);
        let scales = scales.map(|(neighbour, old)| {
            let of_new = lists.iter().map(|list| list[neighbour - 1].0);
            (neighbour, old.iter().copied().chain(of_new).collect())
        });
        let edges = grown(edges, &lists);
        Ok(self.regrown(points, edges, found.approximate(), scales))
    }
}

/// Old rows and those of new points, with the edges of the new points in both directions.
fn grown(old: &SparseWeights, lists: &[Vec<Found>]) -> SparseWeights {
    let (before, n) = (old.rows(), old.rows() + lists.len());
    let mut back: Vec<Vec<Found>> = vec![Vec::new(); n];
    for (row, list) in lists.iter().enumerate() {
        let own = (before + row) as u32;
        list.iter().for_each(|&(distance, j)| back[j as usize].push((distance, own)));
    }
    let most = old.nnz() + 2 * lists.iter().map(Vec::len).sum::<usize>();
    let (mut indices, mut data) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let mut indptr = Vec::with_capacity(n + 1);
    indptr.push(0);
    for (i, mut row) in back.into_iter().enumerate() {
        if i < before {
            // New points come after all old ones: the row stays sorted.
            let places = old.indptr().outer_inds_sz(i);
            indices.extend_from_slice(&old.indices()[places.clone()]);
            data.extend_from_slice(&old.data()[places]);
        } else {
            row.extend_from_slice(&lists[i - before]);
            row.sort_unstable_by_key(|&(_, j)| j);
            row.dedup_by_key(|&mut (_, j)| j);
        }
        for (distance, j) in row {
            indices.push(j);
            data.push(distance);
        }
        indptr.push(indices.len());
    }
    CsMatI::new((n, n), indptr, indices, data)
}
