//! Many unweighted graphs from one search, and refined grids.

use crate::TuneError;
use gaussfield_core::{Budget, Progress, check};
use gaussfield_graph::{Graph, Neighbours, Pattern, Symmetry, Unweighted, WeightFamily};
use rayon::prelude::*;

/// Looks at the unweighted k-nearest-neighbour graph for every k of a list, all cut from the same
/// neighbour lists: one search serves them all (CMU-CS-03-175, section 4: k from 1 to 128).
///
/// `look` gets k and the graph, several at a time; the answers come back in the order of the list.
///
/// # Errors
/// A k that is 0 or longer than the lists, a graph over the budget, what `look` returns (of the first k that fails).
pub fn scan_neighbours<T: Send>(
    neighbours: &Neighbours,
    counts: &[usize],
    symmetry: Symmetry,
    budget: Budget,
    look: impl Fn(usize, &Graph) -> Result<T, TuneError> + Sync,
) -> Result<Vec<T>, TuneError> {
    let one = |&k: &usize| {
        let pattern = neighbours.pattern(k, symmetry)?;
        look(k, &Unweighted.graph(&pattern, budget)?)
    };
    in_order(counts, one)
}

/// Looks at the unweighted graph of all pairs within ε, for every ε of a list, all cut from one
/// pattern that reaches at least as far as the longest.
///
/// # Errors
/// A radius that is not positive or reaches beyond the pattern, a graph over the budget, what `look` returns.
pub fn scan_radii<T: Send>(
    pattern: &Pattern,
    radii: &[f64],
    budget: Budget,
    look: impl Fn(f64, &Graph) -> Result<T, TuneError> + Sync,
) -> Result<Vec<T>, TuneError> {
    let one = |&radius: &f64| {
        let within = pattern.within(radius, budget)?;
        look(radius, &Unweighted.graph(&within, budget)?)
    };
    in_order(radii, one)
}

/// Every item in parallel; the answers in order, or the first error.
fn in_order<S: Sync, T: Send>(
    items: &[S],
    one: impl Fn(&S) -> Result<T, TuneError> + Sync,
) -> Result<Vec<T>, TuneError> {
    let progress = Progress::current();
    let heard = |item: &S| progress.during(|| one(item));
    let answers: Vec<Result<T, TuneError>> = items.par_iter().map(heard).collect();
    answers.into_iter().collect()
}

/// A grid that is refined around its best point: for one parameter in which the objective jumps,
/// such as the radius of an ε-graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultiResolution {
    /// Points of each grid, at least 3. Default 12.
    pub points: usize,
    /// Grids, the first included, at least 1. Default 4.
    pub levels: usize,
}

impl Default for MultiResolution {
    fn default() -> Self {
        Self { points: 12, levels: 4 }
    }
}

/// What a refined grid found.
#[derive(Debug, Clone, PartialEq)]
pub struct GridMinimum {
    /// The best place.
    pub at: f64,
    /// The value there.
    pub value: f64,
    /// Every place looked at with its value, by increasing place.
    pub visited: Vec<(f64, f64)>,
}

impl MultiResolution {
    /// Minimises over [low, high]: an even grid, then one between the neighbours of the best
    /// point, and so on. `values` gets a whole grid at a time. A place without a value (not a
    /// number) is passed over.
    ///
    /// # Errors
    /// Settings or an interval out of range, what `values` returns, no value anywhere.
    pub fn minimise(
        &self,
        low: f64,
        high: f64,
        mut values: impl FnMut(&[f64]) -> Result<Vec<f64>, TuneError>,
    ) -> Result<GridMinimum, TuneError> {
        check::at_least("the points of a grid", self.points, 3)?;
        check::at_least("the levels of a grid", self.levels, 1)?;
        let inside = low < high && low.is_finite() && high.is_finite();
        check::range("the upper end of the grid", high, inside, "above the lower end")?;
        let mut visited: Vec<(f64, f64)> = Vec::new();
        let (mut from, mut to) = (low, high);
        for _ in 0..self.levels {
            let step = (to - from) / (self.points - 1) as f64;
            let grid: Vec<f64> = (0..self.points)
                .map(|i| if i + 1 == self.points { to } else { from + step * i as f64 })
                .filter(|x| visited.iter().all(|(known, _)| known.total_cmp(x).is_ne()))
                .collect();
            let found = values(&grid)?;
            visited.extend(grid.iter().copied().zip(found));
            visited.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some(best) = least(&visited) else { break };
            let before = |i: usize| visited.get(i).map(|(x, _)| *x);
            from = best.checked_sub(1).and_then(before).unwrap_or(low);
            to = before(best + 1).unwrap_or(high);
        }
        match least(&visited).map(|best| visited[best]) {
            Some((at, value)) => {
                visited.retain(|(_, value)| !value.is_nan());
                Ok(GridMinimum { at, value, visited })
            }
            None => Err(TuneError::NotFinite { value: f64::NAN, parameters: vec![low, high] }),
        }
    }
}

/// The index of the least value; the first of equals.
fn least(visited: &[(f64, f64)]) -> Option<usize> {
    let has_value = |&i: &usize| !visited[i].1.is_nan();
    (0..visited.len()).filter(has_value).min_by(|&a, &b| visited[a].1.total_cmp(&visited[b].1))
}
