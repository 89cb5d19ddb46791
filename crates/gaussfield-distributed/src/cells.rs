//! Cells around centres: they say who owns a point, and whom a query asks.

use crate::World;
use crate::world::{all, packed, unpacked};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// Rows of the sample for each cell.
const SAMPLE: usize = 32;
/// How often centres are moved.
const ROUNDS: usize = 3;
/// Rows that are compared with all centres together.
const TOGETHER: usize = 256;
/// Steps towards the direction in which rows vary most.
const POWER: usize = 8;

/// Centres, in an order in which neighbours lie near each other; the same on all members.
#[derive(Debug)]
pub(crate) struct Cells {
    centres: Array2<f32>,
    halves: Vec<f32>,
}

impl Cells {
    /// k-means on a sample of all rows, every so many-th. A call of all members; what comes out does not
    /// depend on how many they are.
    pub(crate) fn new(
        world: &impl World,
        (own, first): (ArrayView2<f64>, u64),
        rows: u64,
        cells: usize,
    ) -> Self {
        let step = (rows / (cells * SAMPLE) as u64).max(1);
        let mut some = Vec::new();
        for (row, number) in own.rows().into_iter().zip(first..) {
            if number.is_multiple_of(step) {
                some.extend(row.iter().map(|&x| x as f32));
            }
        }
        let sample = all(world, &some).concat();
        let dims = own.ncols();
        let sample = Array2::from_shape_fn((sample.len() / dims.max(1), dims), |(i, d)| {
            sample[i * dims + d]
        });
        let mut order: Vec<u32> = (0..sample.nrows() as u32).collect();
        let mut groups = Vec::with_capacity(cells);
        let depth = cells.next_power_of_two().trailing_zeros();
        halve(&sample, &mut order, depth, &mut groups);
        let mut made = Self::at(means(&sample, &groups, None));
        for _ in 0..ROUNDS {
            // Each member looks at a share of the sample; all learn everything.
            let (me, size, n) = (world.rank(), world.size(), sample.nrows());
            let share = sample.slice(s![n * me / size..n * (me + 1) / size, ..]);
            let nearest = unpacked_all(world, &made.nearest(share, 1));
            let mut groups = vec![Vec::new(); made.len()];
            nearest.iter().zip(0..).for_each(|(&cell, row)| groups[cell as usize].push(row));
            made = Self::at(means(&sample, &groups, Some(&made.centres)));
        }
        made
    }

    /// Around these centres.
    pub(crate) fn at(centres: Array2<f32>) -> Self {
        let halves = centres.rows().into_iter().map(|row| 0.5 * row.dot(&row)).collect();
        Self { centres, halves }
    }

    /// A centre a row.
    pub(crate) fn centres(&self) -> ArrayView2<'_, f32> {
        self.centres.view()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.halves.len()
    }

    /// The nearest cells of each row, `each` of them, nearest first; of equally near ones the first.
    pub(crate) fn nearest<T: Copy + Into<f64>>(
        &self,
        rows: ArrayView2<T>,
        each: usize,
    ) -> Vec<u32> {
        let each = each.min(self.len());
        let mut found = Vec::with_capacity(rows.nrows() * each);
        for block in rows.axis_chunks_iter(Axis(0), TOGETHER) {
            let block = block.mapv(|x| x.into() as f32);
            let mut keys = Array2::zeros((block.nrows(), self.len()));
            general_mat_mul(-1.0, &block, &self.centres.t(), 0.0, &mut keys);
            for keys in keys.rows() {
                let mut best: Vec<(f32, u32)> = Vec::with_capacity(each + 1);
                for (cell, (&key, &half)) in (0..).zip(keys.iter().zip(&self.halves)) {
                    let key = key + half;
                    if best.len() < each || key < best[each - 1].0 {
                        let at = best.partition_point(|known| known.0 <= key);
                        best.insert(at, (key, cell));
                        best.truncate(each);
                    }
                }
                found.extend(best.into_iter().map(|(_, cell)| cell));
            }
        }
        found
    }
}

/// Numbers of all members, one after the other.
fn unpacked_all(world: &impl World, own: &[u32]) -> Vec<u32> {
    world.swap(vec![packed(own); world.size()]).iter().flat_map(|part| unpacked(part)).collect()
}

/// Cuts the rows in two halves across the direction in which they vary most, and each half again:
/// groups that follow each other lie near each other.
fn halve(rows: &Array2<f32>, order: &mut [u32], depth: u32, groups: &mut Vec<Vec<u32>>) {
    if depth == 0 || order.len() < 2 {
        if !order.is_empty() {
            groups.push(order.to_vec());
        }
        return;
    }
    let direction = principal(rows, order);
    let key = |&row: &u32| rows.row(row as usize).dot(&direction);
    order.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
    let (low, high) = order.split_at_mut(order.len() / 2);
    halve(rows, low, depth - 1, groups);
    halve(rows, high, depth - 1, groups);
}

/// About the direction of largest variance.
fn principal(rows: &Array2<f32>, order: &[u32]) -> Array1<f32> {
    let dims = rows.ncols();
    let mut mean = Array1::<f32>::zeros(dims);
    order.iter().for_each(|&row| mean += &rows.row(row as usize));
    mean /= order.len() as f32;
    // Not orthogonal to anything by design.
    let mut direction = Array1::from_shape_fn(dims, |d| 1.0 + 0.1 * (d % 7) as f32);
    for _ in 0..POWER {
        let mut next = Array1::zeros(dims);
        for &row in order {
            let centred = &rows.row(row as usize) - &mean;
            next.scaled_add(centred.dot(&direction), &centred);
        }
        let size = next.dot(&next).sqrt();
        if size <= 0.0 || !size.is_finite() {
            break;
        }
        direction = next / size;
    }
    direction
}

/// The mean of each group; one without rows stays where it was.
fn means(rows: &Array2<f32>, groups: &[Vec<u32>], before: Option<&Array2<f32>>) -> Array2<f32> {
    let mut means = Array2::zeros((groups.len(), rows.ncols()));
    for (cell, group) in groups.iter().enumerate() {
        let mut mean = Array1::<f64>::zeros(rows.ncols());
        for &row in group {
            mean.zip_mut_with(&rows.row(row as usize), |sum, &x| *sum += f64::from(x));
        }
        match (group.is_empty(), before) {
            (true, Some(before)) => means.row_mut(cell).assign(&before.row(cell)),
            _ => {
                let count = group.len().max(1) as f64;
                means.row_mut(cell).assign(&mean.mapv(|sum| (sum / count) as f32));
            }
        }
    }
    means
}

/// To whom each cell belongs: runs of cells with about as many points each, none without a cell.
pub(crate) fn owners(counts: &[f64], members: usize) -> Vec<usize> {
    let all: f64 = counts.iter().sum();
    let (mut owners, mut before) = (Vec::with_capacity(counts.len()), 0.0);
    for (cell, &count) in counts.iter().enumerate() {
        let middle = before + 0.5 * count;
        let fair = (middle / all.max(1.0) * members as f64) as usize;
        let last: usize = owners.last().copied().unwrap_or(0);
        // Never back, never over one, and enough cells left for the rest.
        let needed = members.saturating_sub(counts.len() - cell);
        owners.push(fair.clamp(last, last + usize::from(cell > 0)).max(needed).min(members - 1));
        before += count;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::together;

    #[test]
    fn owners_are_fair_and_in_order() {
        let owners = owners(&[10.0; 16], 4);
        assert!((0..4).all(|member| owners.iter().filter(|&&o| o == member).count() == 4));
        assert!(owners.is_sorted());
        assert_eq!(super::owners(&[1.0, 1.0, 100.0], 3), [0, 1, 2]);
        assert_eq!(super::owners(&[100.0, 1.0, 1.0], 3), [0, 1, 2]);
        assert_eq!(super::owners(&[5.0, 5.0], 1), [0, 0]);
    }

    #[test]
    fn centres_do_not_depend_on_the_members() {
        let rows = Array2::from_shape_fn((400, 3), |(i, d)| ((i * (d + 2)) as f64).sin());
        let made = |members: usize| {
            let made = together(members, |world| {
                let (me, size) = (world.rank(), world.size());
                let (from, to) = (400 * me / size, 400 * (me + 1) / size);
                let own = rows.slice(s![from..to, ..]);
                Cells::new(world, (own, from as u64), 400, 8)
            });
            assert!(made.windows(2).all(|pair| pair[0].centres == pair[1].centres));
            made[0].centres.clone()
        };
        assert_eq!(made(1), made(3));
        assert_eq!(made(1).nrows(), 8);
    }

    #[test]
    fn the_nearest_cell_is_the_nearest() {
        let cells = Cells::at(ndarray::array![[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]);
        let rows = ndarray::array![[9.0, 1.0], [1.0, 9.0], [1.0, 2.0]];
        assert_eq!(cells.nearest(rows.view(), 2), [1, 0, 2, 0, 0, 2]);
    }
}
