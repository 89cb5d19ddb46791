//! Exactly the known number of nodes for each class.

use crate::threshold::positive_count;
use crate::{ClassPrior, LabelsError, Scores};
use ndarray::{Array2, ArrayView1, ArrayView2};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many of `nodes` nodes each class gets when the proportions are to be met.
///
/// Two classes: ⌊q₁·u + ½⌋ of class 1, the rest of class 0. More classes: each gets ⌊q_c·u⌋, and
/// the nodes left over go one each to the largest fractional parts, ties to the lower class. The
/// counts always sum to `nodes`.
pub fn class_counts(prior: &ClassPrior, nodes: usize) -> Vec<usize> {
    let shares: Vec<f64> = prior.as_slice().iter().map(|q| q * nodes as f64).collect();
    if let [_, _] = shares[..]
        && let Ok(positive) = positive_count(prior.as_slice()[1], nodes)
    {
        return vec![nodes - positive, positive];
    }
    let mut counts: Vec<usize> = shares.iter().map(|share| share.floor() as usize).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].fract().total_cmp(&shares[a].fract()));
    let left_over = nodes.saturating_sub(counts.iter().sum());
    for &class in order.iter().cycle().take(left_over) {
        counts[class] += 1;
    }
    counts
}

/// The classes with exactly the counts of [`class_counts`] and the largest total score.
pub(crate) fn decide(scores: &Scores, prior: &ClassPrior) -> Result<Vec<usize>, LabelsError> {
    prior.check_classes(scores.classes())?;
    let counts = class_counts(prior, scores.nodes());
    if scores.classes() == 2 {
        return Ok(largest_positive(scores.values(), counts[1]));
    }
    const UNITS: f64 = (1_i64 << 52) as f64;
    let units = scores.values().mapv(|p| (p * UNITS).round() as i64);
    let mut assignment = Assignment::new(units, &vec![0; scores.classes()]);
    assignment.meet(&counts);
    Ok(assignment.class_of)
}

/// The `count` nodes of largest score for class 1. Where f has rounded to one, the score of class
/// 0 still ranks; then the lower node comes first.
fn largest_positive(values: ArrayView2<'_, f64>, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.nrows()).collect();
    order.sort_by(|&i, &j| {
        let by_one = values[[j, 1]].total_cmp(&values[[i, 1]]);
        by_one.then(values[[i, 0]].total_cmp(&values[[j, 0]]))
    });
    let mut classes = vec![0; values.nrows()];
    for &i in order.iter().take(count) {
        classes[i] = 1;
    }
    classes
}

/// Nodes by what it loses to move them, smallest loss and lowest node first.
type ByLoss = BinaryHeap<Reverse<(i64, usize)>>;

/// Nodes assigned to classes, changed by cheapest chains of moves.
///
/// Start from the largest worth of each node under some price for each class, which is optimal for
/// its own counts. While some class has too many nodes, move one node out of it along the chain
/// c₀ → c₁ → … → c_k to a class with too few that loses the least total worth (successive shortest
/// paths): after every chain the assignment is optimal for its counts. Worths are integers here, so
/// that no rounding can make a cycle look profitable and the search always ends.
pub(crate) struct Assignment {
    /// What each class is worth to each node.
    worth: Array2<i64>,
    class_of: Vec<usize>,
    /// `moves[c][d]`: nodes that were put into c, by what moving them to d loses. Entries of nodes
    /// that have left c are stale and dropped when they surface.
    moves: Vec<Vec<ByLoss>>,
}

impl Assignment {
    /// Every node in the class of its largest worth plus price; the lowest class wins a tie.
    pub(crate) fn new(worth: Array2<i64>, prices: &[i64]) -> Self {
        let classes = prices.len();
        let best = |row: ArrayView1<'_, i64>| {
            let mut best = 0;
            for class in 1..classes {
                if row[class] + prices[class] > row[best] + prices[best] {
                    best = class;
                }
            }
            best
        };
        let start: Vec<usize> = worth.outer_iter().map(best).collect();
        let moves = vec![vec![BinaryHeap::new(); classes]; classes];
        let mut new = Self { class_of: vec![0; start.len()], worth, moves };
        for (node, class) in start.into_iter().enumerate() {
            new.put(node, class);
        }
        new
    }

    /// The class of each node.
    pub(crate) fn classes(&self) -> &[usize] {
        &self.class_of
    }

    fn put(&mut self, node: usize, class: usize) {
        self.class_of[node] = class;
        for (other, heap) in self.moves[class].iter_mut().enumerate() {
            if other != class {
                let loss = self.worth[[node, class]] - self.worth[[node, other]];
                heap.push(Reverse((loss, node)));
            }
        }
    }

    /// The cheapest node of class `from` to move to class `to`.
    fn cheapest(&mut self, from: usize, to: usize) -> Option<(i64, usize)> {
        while let Some(&Reverse((loss, node))) = self.moves[from][to].peek() {
            if self.class_of[node] == from {
                return Some((loss, node));
            }
            self.moves[from][to].pop();
        }
        None
    }

    /// Moves nodes until every class has its count.
    pub(crate) fn meet(&mut self, counts: &[usize]) {
        let mut have = vec![0; counts.len()];
        for &class in &self.class_of {
            have[class] += 1;
        }
        while let Some(chain) = self.cheapest_chain(&have, counts) {
            // Each node of the chain leaves a different class, so they are different nodes.
            have[self.class_of[chain[0].0]] -= 1;
            for &(node, to) in &chain {
                self.put(node, to);
            }
            have[chain[chain.len() - 1].1] += 1;
        }
    }

    /// What it loses to move the cheapest node of one class to another: (from, to, loss, node).
    fn losses(&mut self) -> Vec<(usize, usize, i128, usize)> {
        let classes = self.moves.len();
        let mut losses = Vec::new();
        for from in 0..classes {
            for to in (0..classes).filter(|&to| to != from) {
                if let Some((loss, node)) = self.cheapest(from, to) {
                    losses.push((from, to, i128::from(loss), node));
                }
            }
        }
        losses
    }

    /// Prices that explain the assignment: every node is in a class of largest worth plus price.
    ///
    /// Beside the first class that has nodes, at zero, the price of a class lies between two
    /// extremes, both shortest paths in the graph of losses. Half-way is as good a price as either,
    /// and leaves a tie only where there is one. A class without nodes gets the highest price that
    /// wins none.
    pub(crate) fn prices(&mut self) -> Vec<i128> {
        const FAR: i128 = 1 << 100;
        let losses = self.losses();
        let (mut highest, mut lowest) = (vec![FAR; self.moves.len()], vec![-FAR; self.moves.len()]);
        let Some(&(first, ..)) = losses.first() else { return vec![0; self.moves.len()] };
        (highest[first], lowest[first]) = (0, 0);
        // No cycle is negative, so that as many passes as classes settle it.
        for _ in 0..self.moves.len() {
            for &(from, to, loss, _) in &losses {
                highest[to] = highest[to].min(highest[from] + loss);
                lowest[from] = lowest[from].max(lowest[to] - loss);
            }
        }
        let empty = |class: usize| lowest[class] < -FAR / 2;
        let mut prices: Vec<i128> =
            highest.iter().zip(&lowest).map(|(high, low)| i128::midpoint(*high, *low)).collect();
        // Nothing leads out of a class without nodes: all others are settled before it.
        for class in (0..prices.len()).filter(|&class| empty(class)) {
            let into = losses.iter().filter(|loss| loss.1 == class);
            prices[class] =
                into.map(|&(from, _, loss, _)| prices[from] + loss - 1).min().unwrap_or(0);
        }
        prices
    }

    /// Bellman and Ford's shortest path from the classes with too many nodes to one with too few,
    /// as (node, new class) in order; `None` once the counts are met.
    fn cheapest_chain(&mut self, have: &[usize], want: &[usize]) -> Option<Vec<(usize, usize)>> {
        let classes = want.len();
        let edges = self.losses();
        let mut distance: Vec<Option<i128>> =
            (0..classes).map(|c| (have[c] > want[c]).then_some(0)).collect();
        let mut reached_by: Vec<Option<(usize, usize)>> = vec![None; classes];
        for _ in 1..classes {
            let mut changed = false;
            for &(from, to, loss, node) in &edges {
                if let Some(start) = distance[from]
                    && distance[to].is_none_or(|known| start + loss < known)
                {
                    distance[to] = Some(start + loss);
                    reached_by[to] = Some((from, node));
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let goal = (0..classes)
            .filter(|&c| have[c] < want[c])
            .filter_map(|c| distance[c].map(|d| (d, c)))
            .min()?
            .1;
        let (mut chain, mut at) = (Vec::new(), goal);
        while let Some((from, node)) = reached_by[at] {
            chain.push((node, at));
            at = from;
        }
        chain.reverse();
        Some(chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn counts_of_two_and_of_three_classes() {
        for (q, nodes, want) in [(0.5, 5, 3), (0.3, 5, 2), (0.1, 4, 0), (0.9, 4, 4)] {
            let prior = ClassPrior::given(vec![1.0 - q, q]).unwrap();
            assert_eq!(class_counts(&prior, nodes), [nodes - want, want], "{q} of {nodes}");
        }
        let thirds = ClassPrior::uniform(3).unwrap();
        assert_eq!(class_counts(&thirds, 7), [3, 2, 2]);
        assert_eq!(class_counts(&thirds, 0), [0, 0, 0]);
        let uneven = ClassPrior::given(vec![0.5, 0.3, 0.2]).unwrap();
        assert_eq!(class_counts(&uneven, 10), [5, 3, 2]);
    }

    #[test]
    fn a_score_rounded_to_one_is_still_ranked() {
        let scores = Scores::new(array![[1e-18, 1.0], [1e-20, 1.0], [1e-19, 1.0]]).unwrap();
        let prior = ClassPrior::given(vec![0.7, 0.3]).unwrap();
        assert_eq!(decide(&scores, &prior).unwrap(), [0, 1, 0]);
    }

    #[test]
    fn a_chain_of_moves_beats_a_direct_one() {
        // All of class 0 by argmax, one too many; class 2 lacks one. Node 2 is nearly as good in
        // class 1, and node 3, of class 1, nearly as good in class 2.
        let scores = Scores::new(array![
            [0.8, 0.1, 0.1],
            [0.8, 0.1, 0.1],
            [0.5, 0.49, 0.01],
            [0.01, 0.5, 0.49]
        ])
        .unwrap();
        let prior = ClassPrior::given(vec![0.5, 0.25, 0.25]).unwrap();
        assert_eq!(decide(&scores, &prior).unwrap(), [0, 0, 1, 2]);
    }

    /// The best total over all assignments with the counts, by trying every one.
    fn best_total(values: &Array2<f64>, node: usize, left: &mut Vec<usize>) -> f64 {
        if node == values.nrows() {
            return 0.0;
        }
        let mut best = f64::NEG_INFINITY;
        for class in 0..left.len() {
            if left[class] > 0 {
                left[class] -= 1;
                let total = values[[node, class]] + best_total(values, node + 1, left);
                left[class] += 1;
                best = best.max(total);
            }
        }
        best
    }

    proptest! {
        #[test]
        fn counts_are_exact_and_the_total_is_the_best(
            entries in prop::collection::vec(0.001_f64..1.0, 6 * 3),
            shares in prop::collection::vec(0.05_f64..1.0, 3),
        ) {
            let values = Array2::from_shape_vec((6, 3), entries).unwrap();
            let scores = Scores::normalised(values).unwrap();
            let sum: f64 = shares.iter().sum();
            let prior = ClassPrior::given(shares.iter().map(|s| s / sum).collect()).unwrap();
            let decided = decide(&scores, &prior).unwrap();
            let mut counts = class_counts(&prior, 6);
            for class in 0..3 {
                prop_assert_eq!(decided.iter().filter(|&&c| c == class).count(), counts[class]);
            }
            let values = scores.into_values();
            let total: f64 = decided.iter().enumerate().map(|(i, &c)| values[[i, c]]).sum();
            prop_assert!((total - best_total(&values, 0, &mut counts)).abs() < 1e-9);
        }
    }
}
