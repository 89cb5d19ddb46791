//! The k-means++ start.

use gaussfield_core::{Cancelled, Progress};
use gaussfield_points::Points;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// k-means++: rows to start from. Where all points are as near as can be to those chosen
/// (duplicates), the lowest row not chosen is next.
///
/// # Errors
/// A request to stop.
pub(super) fn plus_plus(points: &Points, count: usize, seed: u64) -> Result<Vec<usize>, Cancelled> {
    let n = points.len();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut chosen = vec![rng.random_range(0..n)];
    let mut taken = vec![false; n];
    taken[chosen[0]] = true;
    let mut squared = vec![f64::INFINITY; n];
    let stage = Progress::stage("k-means++ start", Some(count as u64));
    while chosen.len() < count {
        stage.step()?;
        let last = chosen[chosen.len() - 1];
        squared.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, nearest)| {
            *nearest = nearest.min(points.squared_distance(i, last));
        });
        let total: f64 = squared.iter().sum();
        let mut left = rng.random::<f64>() * total;
        let mut next = None;
        for (i, &weight) in squared.iter().enumerate() {
            if weight > 0.0 && !taken[i] {
                next = Some(i);
                left -= weight;
                if left < 0.0 {
                    break;
                }
            }
        }
        // `count` is at most n, so that some row is free.
        let next = next.or_else(|| taken.iter().position(|&taken| !taken)).unwrap_or(0);
        taken[next] = true;
        chosen.push(next);
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn distinct_rows_and_far_ones_first() {
        let points = Points::dense(array![[0.0], [0.0], [0.0], [100.0], [0.0]]).unwrap();
        for seed in 0..20 {
            let chosen = plus_plus(&points, 5, seed).unwrap();
            assert!(chosen[..2].contains(&3), "{chosen:?}");
            let mut sorted = chosen.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_rows() {
        let rows = Array2::from_shape_fn((300, 2), |(i, k)| ((i * 37 + k * 11) % 97) as f64);
        let points = Points::dense(rows).unwrap();
        assert_eq!(plus_plus(&points, 20, 7), plus_plus(&points, 20, 7));
        assert_ne!(plus_plus(&points, 20, 7), plus_plus(&points, 20, 8));
    }
}
