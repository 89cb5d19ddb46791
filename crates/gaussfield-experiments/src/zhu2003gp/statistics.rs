//! Means, ranges and turns.

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
    fn only_large_turns_count() {
        assert_eq!(turns(&[0.0, 1.0, 2.0, 3.0], 0.05), 0);
        assert_eq!(turns(&[0.0, 10.0, 0.0], 0.05), 1);
        assert_eq!(turns(&[0.0, 10.0, 9.9, 10.0, 0.0, 8.0, 0.5], 0.05), 3);
        assert_eq!(turns(&[5.0, 5.0], 0.05), 0);
        assert_eq!(turns(&[], 0.05), 0);
    }
}
