//! Rows in an order in which close ones mostly lie together, and in the panels of that order.

use super::frame::Coordinates;
use super::tile::{PANEL, Panels};
use std::ops::Range;

/// The index of a row that only fills up a panel.
pub(super) const NOBODY: u32 = u32::MAX;

/// Rows of a node of the tree that its direction is found from.
const SAMPLE: usize = 256;

/// Coordinates in panels, block after block. A *place* is where a row lies.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) dims: usize,
    pub(super) rows: Vec<f32>,
    pub(super) halves: Vec<f32>,
    /// The index of the row at each place.
    pub(super) order: Vec<u32>,
    /// The places of each block, whole panels.
    pub(super) blocks: Vec<Range<usize>>,
}

impl Packed {
    /// Packs groups of rows, one block for each.
    pub(super) fn new(coordinates: &Coordinates, groups: &[&[u32]]) -> Self {
        let dims = coordinates.dims;
        let mut blocks = Vec::with_capacity(groups.len());
        let mut places = 0;
        for group in groups {
            let end = places + group.len().next_multiple_of(PANEL);
            blocks.push(places..end);
            places = end;
        }
        let mut packed = Self {
            dims,
            rows: vec![0.0; places * dims],
            halves: vec![f32::INFINITY; places],
            order: vec![NOBODY; places],
            blocks,
        };
        for (group, places) in groups.iter().zip(packed.blocks.clone()) {
            for (place, &i) in places.zip(*group) {
                packed.order[place] = i;
                packed.halves[place] = coordinates.halves[i as usize];
                let panel = (place / PANEL) * PANEL * dims + place % PANEL;
                for (d, &x) in coordinates.row(i as usize).iter().enumerate() {
                    packed.rows[panel + PANEL * d] = x;
                }
            }
        }
        packed
    }

    /// A block as one side of a tile.
    pub(super) fn side<'a>(&'a self, places: &Range<usize>, limits: &'a [f32]) -> Panels<'a> {
        let rows = &self.rows[places.start * self.dims..places.end * self.dims];
        Panels { rows, halves: &self.halves[places.clone()], limits }
    }
}

/// Indices in the order of the leaves of a tree that halves the rows along their longest extent,
/// and the bounds of leaves of about `leaf` rows. O(n·d·log n).
pub(super) fn by_halves(coordinates: &Coordinates, leaf: usize) -> (Vec<u32>, Vec<Range<usize>>) {
    let mut order: Vec<u32> = (0..coordinates.len() as u32).collect();
    let mut bounds = Vec::new();
    halve(coordinates, &mut order, 0, leaf.max(PANEL), &mut bounds);
    (order, bounds)
}

fn halve(
    coordinates: &Coordinates,
    order: &mut [u32],
    start: usize,
    leaf: usize,
    bounds: &mut Vec<Range<usize>>,
) {
    if order.len() <= leaf {
        if !order.is_empty() {
            bounds.push(start..start + order.len());
        }
        return;
    }
    let along = longest_extent(coordinates, order);
    let key = |i: u32| -> f32 {
        coordinates.row(i as usize).iter().zip(&along).map(|(x, direction)| x * direction).sum()
    };
    let mut keyed: Vec<(f32, u32)> = order.iter().map(|&i| (key(i), i)).collect();
    let leaves = order.len().div_ceil(leaf);
    let middle = (order.len() * (leaves / 2) / leaves).next_multiple_of(PANEL).min(order.len() - 1);
    keyed.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.iter_mut().zip(keyed).for_each(|(out, (_, i))| *out = i);
    let (first, second) = order.split_at_mut(middle);
    if first.len() + second.len() < 4 * leaf {
        halve(coordinates, first, start, leaf, bounds);
        halve(coordinates, second, start + middle, leaf, bounds);
        return;
    }
    let mut after = Vec::new();
    rayon::join(
        || halve(coordinates, first, start, leaf, bounds),
        || halve(coordinates, second, start + middle, leaf, &mut after),
    );
    bounds.append(&mut after);
}

/// About the direction in which some of the rows vary most: a few steps of power iteration.
fn longest_extent(coordinates: &Coordinates, order: &[u32]) -> Vec<f32> {
    let dims = coordinates.dims;
    let step = order.len().div_ceil(SAMPLE).max(1);
    let some: Vec<&[f32]> =
        order.iter().step_by(step).map(|&i| coordinates.row(i as usize)).collect();
    let mut mean = vec![0.0; dims];
    for row in &some {
        mean.iter_mut().zip(*row).for_each(|(mean, x)| *mean += x / some.len() as f32);
    }
    // The row furthest from the mean is a start that is not perpendicular to every variation.
    let from_mean =
        |row: &[f32]| -> f32 { row.iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum() };
    let furthest = some.iter().max_by(|a, b| from_mean(a).total_cmp(&from_mean(b)));
    let mut direction: Vec<f32> = furthest
        .map_or_else(Vec::new, |row| row.iter().zip(&mean).map(|(x, mean)| x - mean).collect());
    for _ in 0..4 {
        let mut next = vec![0.0; dims];
        for row in &some {
            let centred = row.iter().zip(&mean).map(|(x, mean)| x - mean);
            let along: f32 = centred.clone().zip(&direction).map(|(x, v)| x * v).sum();
            next.iter_mut().zip(centred).for_each(|(next, x)| *next += along * x);
        }
        let length = next.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length <= f32::MIN_POSITIVE {
            break;
        }
        direction = next.into_iter().map(|x| x / length).collect();
    }
    direction
}
