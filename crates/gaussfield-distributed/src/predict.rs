//! New points beside a graph that was labelled.

use crate::halo::owner;
use crate::placed::Placed;
use crate::search::Search;
use crate::shards::OwnPoints;
use crate::world::{agree, swap};
use crate::{DistributedError, World};
use gaussfield_core::{SizeMismatch, check};
use ndarray::Array2;
use std::collections::HashMap;

impl Search {
    /// The scores of new points, by the rule of one machine: each gets edges to its k nearest of the
    /// placed points, of weight exp(−d²/σ²), and the value that is harmonic there, the weighted mean of
    /// their scores. New points do not see each other. The neighbours are looked for by the owners of
    /// the nearest cells, as those of the graph were.
    ///
    /// `scores` are those of the placed points of this member, in their order.
    ///
    /// # Errors
    /// Points of another width, other scores than placed points, a length scale that is not positive,
    /// more neighbours than points.
    pub fn predict(
        &self,
        world: &impl World,
        placed: &Placed,
        (scores, scale): (&Array2<f64>, f64),
        new: &OwnPoints,
    ) -> Result<Array2<f64>, DistributedError> {
        check::positive("the length scale", scale)?;
        let fits =
            SizeMismatch::check("columns of the new points", placed.width(), new.rows.ncols())
                .and_then(|()| {
                    SizeMismatch::check("rows of scores", placed.rows.len(), scores.nrows())
                });
        agree(world, fits)?;
        let lists = self.nearest(world, placed, new.rows.view())?;
        // Each row of scores is fetched once, from the owner of its point.
        let mut asked: Vec<Vec<u64>> = vec![Vec::new(); world.size()];
        for row in 0..lists.rows() {
            for &(_, node) in lists.of(row) {
                asked[owner(&placed.offsets, node)].push(node);
            }
        }
        for nodes in &mut asked {
            nodes.sort_unstable();
            nodes.dedup();
        }
        let wanted = swap(world, asked.clone());
        let row = |&node: &u64| scores.row((node - placed.first) as usize).to_vec();
        let told = wanted.iter().map(|nodes| nodes.iter().flat_map(row).collect()).collect();
        let told: Vec<f64> = swap(world, told).concat();
        let places: HashMap<u64, usize> = asked.into_iter().flatten().zip(0..).collect();
        let classes = scores.ncols();
        let mut values = Array2::zeros((lists.rows(), classes));
        for (row, mut values) in values.rows_mut().into_iter().enumerate() {
            let list = lists.of(row);
            // Far from all points every weight is zero; their logarithms still tell them apart.
            let log = |distance: f64| -(distance / scale).powi(2).min(f64::MAX);
            let nearest = list.first().map_or(0.0, |&(distance, _)| log(distance));
            let shares: Vec<f64> =
                list.iter().map(|&(distance, _)| (log(distance) - nearest).exp()).collect();
            let sum: f64 = shares.iter().sum();
            for (&(_, node), share) in list.iter().zip(&shares) {
                let of = &told[places[&node] * classes..][..classes];
                values.iter_mut().zip(of).for_each(|(value, x)| *value += share / sum * x);
            }
        }
        Ok(values)
    }
}
