//! Do two measures put things into the same order?

/// Spearman's rank correlation of pairs: 1 if both sides have the same order, −1 if opposite ones,
/// `None` if one side does not vary. O(n log n).
///
/// Equal values share the mean of their ranks, so the answer does not depend on the order in which
/// the pairs come. The order is that of [`f64::total_cmp`], but for −0, which equals 0: a NaN has a
/// rank like any other value.
///
/// ```
/// use gaussfield_labels::metrics::rank_correlation;
///
/// let evidence_and_accuracy = [(-12.0, 0.71), (-9.5, 0.80), (-9.0, 0.93)];
/// assert_eq!(rank_correlation(evidence_and_accuracy), Some(1.0));
/// assert_eq!(rank_correlation([(1.0, 5.0), (2.0, 5.0)]), None);
/// ```
pub fn rank_correlation(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let (a, b) = (centred_ranks(&a), centred_ranks(&b));
    let moment = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (aa, bb) = (moment(&a, &a), moment(&b, &b));
    (aa > 0.0 && bb > 0.0).then(|| moment(&a, &b) / (aa * bb).sqrt())
}

/// Ranks less their mean, which is the same with and without ties.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let tied = |i: f64, j: f64| i.total_cmp(&j).is_eq() || i >= j;
    let mean = (values.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for group in order.chunk_by(|&i, &j| tied(values[i], values[j])) {
        for &i in group {
            ranks[i] = below as f64 + (group.len() as f64 - 1.0) / 2.0 - mean;
        }
        below += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
        rank_correlation(a.iter().copied().zip(b.iter().copied()))
    }

    #[test]
    fn ranks_correlate_whatever_the_scale() {
        let x = [1.0, 2.0, 3.0, 10.0];
        assert_eq!(correlation(&x, &[0.1, 5.0, 6.0, f64::INFINITY]), Some(1.0));
        assert_eq!(correlation(&x, &[4.0, 3.0, 2.0, -9.0]), Some(-1.0));
        assert_eq!(correlation(&x, &[0.0, 1.0, 2.0, f64::NAN]), Some(1.0));
        assert_eq!(correlation(&[1.0, 2.0, 3.0], &[2.0, 3.0, 1.0]), Some(-0.5));
    }

    #[test]
    fn ties_share_their_mean_rank() {
        let x = [1.0, 2.0, 3.0, 10.0];
        // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / √(5 · 4.5).
        let expected = (4.5_f64 / 5.0).sqrt();
        for y in [[0.0, 1.0, 1.0, 2.0], [-1.0, -0.0, 0.0, 2.0]] {
            let found = correlation(&x, &y).unwrap();
            assert!((found - expected).abs() < 1e-15, "{found}");
        }
        // In whatever order the pairs come.
        let (up, down) =
            ([(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)], [(2.0, 3.0), (1.0, 2.0), (1.0, 1.0)]);
        assert_eq!(rank_correlation(up), rank_correlation(down));
    }

    #[test]
    fn what_does_not_vary_has_no_order() {
        assert_eq!(correlation(&[1.0, 2.0, 3.0], &[7.0; 3]), None);
        assert_eq!(correlation(&[1.0], &[2.0]), None);
        assert_eq!(correlation(&[], &[]), None);
    }
}
