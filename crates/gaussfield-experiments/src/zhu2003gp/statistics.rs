//! Ranks and turns.

/// Spearman's rank correlation, ties with their mean rank; `None` where one side does not vary.
pub(super) fn rank_correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let (x, y) = (ranks(x), ranks(y));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let sum = |f: &dyn Fn(f64, f64) -> f64| {
        x.iter().zip(&y).map(|(&a, &b)| f(a - mx, b - my)).sum::<f64>()
    };
    let (xy, xx, yy) = (sum(&|a, b| a * b), sum(&|a, _| a * a), sum(&|_, b| b * b));
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    for tied in order.chunk_by(|&i, &j| values[i].total_cmp(&values[j]).is_eq()) {
        let below = values.iter().filter(|value| value.total_cmp(&values[tied[0]]).is_lt()).count();
        for &i in tied {
            ranks[i] = below as f64 + (tied.len() + 1) as f64 / 2.0;
        }
    }
    ranks
}

/// How often a curve turns from up to down or back, where turns smaller than `share` of its range
/// do not count.
pub(super) fn turns(values: &[f64], share: f64) -> usize {
    let (low, high) = range(values);
    let least = share * (high - low);
    let Some(&first) = values.first() else { return 0 };
    // The last extreme, and whether the curve rises since then.
    let (mut lowest, mut highest, mut rising, mut turns) = (first, first, None, 0);
    for &value in values {
        lowest = lowest.min(value);
        highest = highest.max(value);
        let up = value - lowest >= least && value > lowest;
        let down = highest - value >= least && highest > value;
        match rising {
            None | Some(false) if up => {
                turns += usize::from(rising.is_some());
                (rising, highest) = (Some(true), value);
            }
            None | Some(true) if down => {
                turns += usize::from(rising.is_some());
                (rising, lowest) = (Some(false), value);
            }
            _ => {}
        }
    }
    turns
}

/// The least and the largest value.
pub(super) fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)))
}

/// The mean; 0 without values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_whatever_the_scale() {
        let x = [1.0, 2.0, 3.0, 10.0];
        let near = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-12);
        assert!(near(rank_correlation(&x, &[0.1, 5.0, 6.0, 6.5]), 1.0));
        assert!(near(rank_correlation(&x, &[4.0, 3.0, 2.0, -9.0]), -1.0));
        // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / √(5 · 4.5).
        assert!(near(rank_correlation(&x, &[0.0, 1.0, 1.0, 2.0]), (4.5_f64 / 5.0).sqrt()));
        assert_eq!(rank_correlation(&x, &[1.0; 4]), None);
    }

    #[test]
    fn only_large_turns_count() {
        assert_eq!(turns(&[0.0, 1.0, 2.0, 3.0], 0.05), 0);
        assert_eq!(turns(&[0.0, 10.0, 0.0], 0.05), 1);
        assert_eq!(turns(&[0.0, 10.0, 9.9, 10.0, 0.0, 8.0, 0.5], 0.05), 3);
        assert_eq!(turns(&[5.0, 5.0], 0.05), 0);
        assert_eq!(turns(&[], 0.05), 0);
    }
}
