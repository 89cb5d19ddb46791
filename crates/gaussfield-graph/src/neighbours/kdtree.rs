//! A kd-tree with bounding boxes, for few dimensions.

use super::screen::Found;
use crate::metric::{Space, TINY};
use gaussfield_points::pairs::squared_difference;
use ndarray::ArrayView2;
use std::ops::Range;

const LEAF: usize = 16;

/// Points in the order of the leaves, with the tight box of every node.
#[derive(Debug)]
pub(super) struct KdTree {
    dim: usize,
    /// Original index of each stored point.
    order: Vec<u32>,
    /// Coordinates in that order.
    rows: Vec<f64>,
    nodes: Vec<Node>,
    /// Lowest and highest corner of each node, 2·dim numbers a node.
    boxes: Vec<f64>,
}

#[derive(Debug)]
struct Node {
    range: Range<usize>,
    /// Second child; the first one follows its parent. `None` for a leaf.
    second: Option<usize>,
    /// All points of a leaf are the same.
    single: bool,
}

impl KdTree {
    /// O(n log n · d).
    pub(super) fn new(points: ArrayView2<'_, f64>) -> Self {
        let dim = points.ncols();
        let mut tree = Self {
            dim,
            order: (0..points.nrows() as u32).collect(),
            rows: Vec::with_capacity(points.len()),
            nodes: Vec::new(),
            boxes: Vec::new(),
        };
        let mut order = std::mem::take(&mut tree.order);
        if !order.is_empty() {
            tree.build(points, &mut order, 0);
        }
        for &i in &order {
            tree.rows.extend(points.row(i as usize));
        }
        tree.order = order;
        tree
    }

    fn build(&mut self, points: ArrayView2<'_, f64>, order: &mut [u32], start: usize) {
        let at = self.nodes.len();
        let corner = self.boxes.len();
        self.boxes.resize(corner + self.dim, f64::INFINITY);
        self.boxes.resize(corner + 2 * self.dim, f64::NEG_INFINITY);
        let (mut axis, mut width) = (0, 0.0);
        for d in 0..self.dim {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &i in &*order {
                let x = points[[i as usize, d]];
                (low, high) = (low.min(x), high.max(x));
            }
            self.boxes[corner + d] = low;
            self.boxes[corner + self.dim + d] = high;
            if high - low > width {
                (axis, width) = (d, high - low);
            }
        }
        let single = width == 0.0;
        let range = start..start + order.len();
        self.nodes.push(Node { range, second: None, single });
        if order.len() <= LEAF || single {
            order.sort_unstable();
            return;
        }
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |&i, &j| {
            points[[i as usize, axis]].total_cmp(&points[[j as usize, axis]]).then(i.cmp(&j))
        });
        let (first, second) = order.split_at_mut(middle);
        self.build(points, first, start);
        self.nodes[at].second = Some(self.nodes.len());
        self.build(points, second, start + middle);
    }

    /// The k nearest stored points by (distance, index), leaving out the index `skip`.
    pub(super) fn nearest(
        &self,
        space: &Space,
        (queries, i): (&Space, usize),
        k: usize,
        skip: Option<u32>,
    ) -> Vec<Found> {
        let query = queries.points().dense_row(i).unwrap_or_default();
        let mut best = Nearest { k, found: Vec::with_capacity(k + 1) };
        let slack = 1.0 - space.rounding();
        let mut stack = Vec::new();
        if !self.nodes.is_empty() {
            stack.push((0, self.box_distance(0, query)));
        }
        while let Some((node, squared)) = stack.pop() {
            // A box at exactly the k-th distance may hold a lower index: only further ones go.
            let bound = best.worst().map_or(f64::INFINITY, |d| space.stored_squared(d));
            if squared * slack > bound + TINY {
                continue;
            }
            let Node { range, second, single } = &self.nodes[node];
            if let Some(second) = *second {
                let first = (node + 1, self.box_distance(node + 1, query));
                let second = (second, self.box_distance(second, query));
                let (near, far) =
                    if first.1 <= second.1 { (first, second) } else { (second, first) };
                stack.push(far);
                stack.push(near);
                continue;
            }
            for at in range.clone() {
                let (row, index) = (self.row(at), self.order[at]);
                let bound = best.worst().map_or(f64::INFINITY, |d| space.stored_squared(d));
                let surely_further = squared_difference(query, row) * slack > bound + TINY;
                if skip == Some(index) || surely_further {
                    continue;
                }
                let entered = best.offer((queries.distance(i, space, index as usize), index));
                // Indices increase within a leaf: later copies of the same point lose too.
                if *single && !entered {
                    break;
                }
            }
        }
        best.found
    }

    /// All stored points within `eps`, in increasing order of index.
    pub(super) fn within(
        &self,
        space: &Space,
        (queries, i): (&Space, usize),
        eps: f64,
    ) -> Vec<Found> {
        let query = queries.points().dense_row(i).unwrap_or_default();
        let mut found = Vec::new();
        let (slack, bound) = (1.0 - space.rounding(), space.stored_squared(eps));
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(node) = stack.pop() {
            if self.box_distance(node, query) * slack > bound + TINY {
                continue;
            }
            let Node { range, second, .. } = &self.nodes[node];
            if let Some(second) = *second {
                stack.extend([node + 1, second]);
                continue;
            }
            for at in range.clone() {
                let index = self.order[at];
                let distance = queries.distance(i, space, index as usize);
                if distance <= eps {
                    found.push((distance, index));
                }
            }
        }
        found.sort_unstable_by_key(|&(_, index)| index);
        found
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.rows[at * self.dim..(at + 1) * self.dim]
    }

    /// Squared distance from the query to the box of a node.
    fn box_distance(&self, node: usize, query: &[f64]) -> f64 {
        let corners = &self.boxes[2 * self.dim * node..2 * self.dim * (node + 1)];
        let (low, high) = corners.split_at(self.dim);
        let mut sum = 0.0;
        for d in 0..self.dim {
            let outside = (low[d] - query[d]).max(query[d] - high[d]).max(0.0);
            sum += outside * outside;
        }
        sum
    }
}

/// The k best so far, sorted.
struct Nearest {
    k: usize,
    found: Vec<Found>,
}

impl Nearest {
    fn worst(&self) -> Option<f64> {
        if self.found.len() < self.k { None } else { self.found.last().map(|f| f.0) }
    }

    /// Whether the candidate entered.
    fn offer(&mut self, candidate: Found) -> bool {
        let after = self
            .found
            .partition_point(|f| f.0.total_cmp(&candidate.0).then(f.1.cmp(&candidate.1)).is_lt());
        if after >= self.k {
            return false;
        }
        self.found.insert(after, candidate);
        self.found.truncate(self.k);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metric;
    use gaussfield_points::Points;
    use ndarray::Array2;

    #[test]
    fn many_copies_of_one_point_stay_one_leaf_and_the_lowest_indices_win() {
        let points = Points::dense(Array2::from_elem((5_000, 3), 0.1)).unwrap();
        let tree = KdTree::new(points.as_dense().unwrap());
        assert_eq!(tree.nodes.len(), 1);
        let space = Space::new(&points, Metric::Euclidean).unwrap();
        let found = tree.nearest(&space, (&space, 1), 3, Some(1));
        assert_eq!(found, vec![(0.0, 0), (0.0, 2), (0.0, 3)]);
    }

    #[test]
    fn an_empty_tree_finds_nothing() {
        let points = Points::dense(Array2::zeros((0, 2))).unwrap();
        let tree = KdTree::new(points.as_dense().unwrap());
        let space = Space::new(&points, Metric::Euclidean).unwrap();
        let query = Points::dense(Array2::zeros((1, 2))).unwrap();
        let query = Space::new(&query, Metric::Euclidean).unwrap();
        assert!(tree.nearest(&space, (&query, 0), 1, None).is_empty());
        assert!(tree.within(&space, (&query, 0), 1.0).is_empty());
    }
}
