//! eˣ of many numbers at once: kernels, weights, and log weights turned into shares.

/// Below this, exp is taken as zero: its reciprocal would be close to the end of the range, and
/// what is smaller would be subnormal and slow.
const LOWEST: f64 = -700.0;

/// Adding and subtracting this rounds to the nearest integer, and leaves it in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// ln 2 in two parts; the first has zeros at its end, so that n·LN2_HIGH is exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/k! for k = 13 … 2.
const TAYLOR: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
];

/// eˣ for x ≤ 0, to about one unit in the last place; zero below −700. No branch and no table, so
/// that a loop over it becomes vector instructions.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Not `max`, which would drop a NaN.
    let clamped = if x < LOWEST { LOWEST } else { x };
    let shifted = clamped * std::f64::consts::LOG2_E + MAGIC;
    let n = shifted - MAGIC;
    // eˣ = 2ⁿ eʳ with |r| ≤ ½ ln 2, where the series is exact after 13 terms.
    let r = (clamped - n * LN2_HIGH) - n * LN2_LOW;
    let mut sum = TAYLOR[0];
    for &coefficient in &TAYLOR[1..] {
        sum = sum * r + coefficient;
    }
    let sum = 1.0 + (r + r * r * sum);
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if x < LOWEST { 0.0 } else { sum * power }
}

/// Replaces every x ≤ 0 of a row by eˣ.
pub fn exp_all(row: &mut [f64]) {
    row.iter_mut().for_each(|x| *x = exp(*x));
}

/// Turns a row of log weights into weights that add up to one, and returns the logarithm of their
/// sum before. The sum is taken in eight lanes, in a fixed order.
///
/// The result is not finite if a log weight is NaN or +∞, or all are −∞.
pub fn normalise(row: &mut [f64]) -> f64 {
    const LANES: usize = 8;
    let mut tops = [f64::NEG_INFINITY; LANES];
    let (chunks, tail) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            tops[lane] = if chunk[lane] > tops[lane] { chunk[lane] } else { tops[lane] };
        }
    }
    let top = tops.iter().chain(tail).fold(f64::NEG_INFINITY, |top, &x| top.max(x));
    if !top.is_finite() {
        return top;
    }
    let mut sums = [0.0; LANES];
    let (chunks, tail) = row.as_chunks_mut::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            chunk[lane] = exp(chunk[lane] - top);
            sums[lane] += chunk[lane];
        }
    }
    let mut sum: f64 = sums.iter().sum();
    for x in tail {
        *x = exp(*x - top);
        sum += *x;
    }
    let scale = 1.0 / sum;
    row.iter_mut().for_each(|x| *x *= scale);
    // A NaN anywhere has made the sum NaN.
    top + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exp_has_all_its_digits(x in -699.0..0.0_f64) {
            let want = x.exp();
            prop_assert!((exp(x) - want).abs() <= 4.0 * f64::EPSILON * want);
        }

        #[test]
        fn weights_are_those_of_the_log_weights(
            logs in prop::collection::vec(-300.0..300.0_f64, 1..40),
        ) {
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logs.iter().map(|x| (x - top).exp()).sum();
            let mut row = logs.clone();
            let log_sum = normalise(&mut row);
            prop_assert!((log_sum - (top + sum.ln())).abs() < 1e-12);
            for (weight, log) in row.iter().zip(&logs) {
                let want = (log - log_sum).exp();
                prop_assert!((weight - want).abs() <= 1e-12 * want);
            }
        }
    }

    #[test]
    fn ends_of_the_range() {
        assert!((exp(0.0) - 1.0).abs() < 1e-16);
        assert!(exp(-701.0).abs() < 1e-320 && exp(f64::NEG_INFINITY).abs() < 1e-320);
        let mut row = [f64::NEG_INFINITY, 5.0];
        assert!((normalise(&mut row) - 5.0).abs() < 1e-15);
        assert!((row[1] - 1.0).abs() < 1e-15 && row[0].abs() < 1e-300);
        assert!(!normalise(&mut [f64::NEG_INFINITY; 3]).is_finite());
        for at in 0..12 {
            let mut row = [0.0; 12];
            row[at] = f64::NAN;
            assert!(!normalise(&mut row).is_finite(), "{at}");
        }
        assert!(!normalise(&mut [0.0, f64::INFINITY]).is_finite());
    }
}
