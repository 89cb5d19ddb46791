//! Exact scaling by powers of two, and products that do not underflow on the way.

/// Exponent to which the largest number is raised: millions of them still add up without
/// overflow, and the smallest are as far from underflow as can be.
const TARGET: i32 = 1000;

/// Below this a ratio may have lost digits to underflow.
const SAFE: f64 = 1e-290;

/// 2^k, as two factors because k may pass the range of one f64. Multiplying is exact as long as
/// the result is a normal number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PowerOfTwo {
    exponent: i32,
    half: f64,
    other_half: f64,
}

impl PowerOfTwo {
    fn new(exponent: i32) -> Self {
        let exponent = exponent.clamp(-2044, 2044);
        let half = exponent / 2;
        Self { exponent, half: two_to(half), other_half: two_to(exponent - half) }
    }

    /// The power that raises `largest` (not negative, finite) to about 2^[`TARGET`]; 1 where it is
    /// there already.
    pub(crate) fn raising(largest: f64) -> Self {
        Self::new(if largest > 0.0 { (TARGET - exponent_of(largest)).max(0) } else { 0 })
    }

    /// The power that brings `largest` (not negative, finite) into [1, 2).
    pub(crate) fn normalising(largest: f64) -> Self {
        Self::new(if largest > 0.0 { -exponent_of(largest) } else { 0 })
    }

    /// 2^−k.
    pub(crate) fn inverse(self) -> Self {
        Self::new(-self.exponent)
    }

    /// This power, or the smaller one that keeps `largest` at 2^[`TARGET`].
    pub(crate) fn capped(self, largest: f64) -> Self {
        if largest > 0.0 {
            Self::new(self.exponent.min(TARGET - exponent_of(largest)))
        } else {
            self
        }
    }

    /// 2^(self − other).
    pub(crate) fn over(self, other: Self) -> Self {
        Self::new(self.exponent - other.exponent)
    }

    pub(crate) fn times(self, x: f64) -> f64 {
        x * self.half * self.other_half
    }

    /// ln(x / 2^k).
    pub(crate) fn ln_unscaled(self, x: f64) -> f64 {
        let plain = self.inverse().times(x);
        if plain.is_normal() {
            plain.ln()
        } else {
            x.ln() - f64::from(self.exponent) * std::f64::consts::LN_2
        }
    }
}

/// w·v/p for |v| ≤ p or |w| ≤ p: the quotient is taken first of the factor that can bear it.
pub(crate) fn star(w: f64, v: f64, p: f64) -> f64 {
    let ratio = w / p;
    if ratio.abs() >= SAFE { ratio * v } else { w * (v / p) }
}

/// targetᵢ += w·sourceᵢ/p.
pub(crate) fn add_star(target: &mut [f64], source: &[f64], w: f64, p: f64) {
    let ratio = w / p;
    if ratio.abs() >= SAFE {
        for (t, &v) in target.iter_mut().zip(source) {
            *t += ratio * v;
        }
    } else if w.abs() > 0.0 {
        for (t, &v) in target.iter_mut().zip(source) {
            *t += w * (v / p);
        }
    }
}

/// target at rowsᵢ += w·sourceᵢ/p.
pub(crate) fn scatter_star(target: &mut [f64], rows: &[u32], source: &[f64], w: f64, p: f64) {
    let ratio = w / p;
    if ratio.abs() >= SAFE {
        for (&i, &v) in rows.iter().zip(source) {
            target[i as usize] += ratio * v;
        }
    } else if w.abs() > 0.0 {
        for (&i, &v) in rows.iter().zip(source) {
            target[i as usize] += w * (v / p);
        }
    }
}

/// (b + Σ a·x)/p for weights a ≤ p, term by term: a solution may be as large as an f64 holds,
/// and a sum of products with raised weights would overflow long before.
pub(crate) fn mean_inflow<'a>(
    b: f64,
    inflow: impl Iterator<Item = (&'a f64, &'a f64)>,
    p: f64,
) -> f64 {
    b / p + inflow.map(|(&a, &x)| star(a, x, p)).sum::<f64>()
}

/// Whether products of ratios ≥ `ratio` with weights ≥ `weight` keep all their digits.
pub(crate) fn products_are_safe(ratio: f64, weight: f64) -> bool {
    ratio >= SAFE && ratio * weight >= SAFE
}

fn two_to(exponent: i32) -> f64 {
    // |exponent| ≤ 1022: a normal number.
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// ⌊log₂ x⌋ for a positive finite x.
fn exponent_of(x: f64) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    if biased > 0 { biased - 1023 } else { exponent_of(x * two_to(60)) - 60 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_there_and_back_is_exact() {
        for x in [1.0, 3.7e-300, 1.9e300, f64::MIN_POSITIVE, 5e-324, f64::MAX] {
            let up = PowerOfTwo::raising(x);
            let raised = up.times(x);
            assert!(raised >= x.max(2f64.powi(970)) && raised.is_finite(), "{x} {raised}");
            assert_eq!(up.inverse().times(raised).to_bits(), x.to_bits());
            assert!((up.ln_unscaled(raised) - x.ln()).abs() <= 1e-12 * (1.0 + x.ln().abs()));
        }
    }

    #[test]
    fn a_star_keeps_what_either_order_alone_would_lose() {
        for (w, v, p, expected) in [
            (1e-300, 1e300, 1e300, 1e-300),
            (1e300, 1e-300, 1e300, 1e-300),
            (1.0, 1.0, 4.0, 0.25),
            (0.0, 1.0, 4.0, 0.0),
        ] {
            let got = star(w, v, p);
            assert!((got - expected).abs() <= 1e-15 * expected, "{w} {v} {p}: {got}");
            let mut target = [0.0];
            add_star(&mut target, &[v], w, p);
            assert_eq!(target[0].to_bits(), got.to_bits());
            scatter_star(&mut target, &[0], &[v], -w, p);
            assert_eq!(target[0].abs().to_bits(), 0);
        }
    }
}
