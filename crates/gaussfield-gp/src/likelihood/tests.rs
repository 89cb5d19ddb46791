//! Contracts of all likelihoods.

use super::*;
use proptest::prelude::*;

/// Derivatives in y, and slopes in the parameter, against central differences.
fn gaps<L: SmoothLikelihood>(make: impl Fn(f64) -> L, parameter: f64, t: f64, y: f64) -> f64 {
    let step = 1e-5;
    let here = make(parameter).at(t, y);
    let (up, down) = (make(parameter).at(t, y + step), make(parameter).at(t, y - step));
    let slope = make(parameter).slopes(t, y)[0];
    let (more, less) = (make(parameter + step).at(t, y), make(parameter - step).at(t, y));
    let pairs = [
        (up.value, down.value, here.first),
        (up.first, down.first, here.second),
        (up.second, down.second, here.third),
        (more.value, less.value, slope.value),
        (more.first, less.first, slope.first),
        (more.second, less.second, slope.second),
    ];
    let gap = |(up, down, exact): &(f64, f64, f64)| {
        ((up - down) / (2.0 * step) - exact).abs() / (1.0 + exact.abs())
    };
    pairs.iter().map(gap).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn derivatives_equal_finite_differences(
        parameter in 0.3..3.0_f64,
        y in -5.0..5.0_f64,
        positive in any::<bool>(),
    ) {
        let t = if positive { 1.0 } else { -1.0 };
        let sigmoid = gaps(|gamma| Sigmoid { gamma }, parameter, t, y);
        prop_assert!(sigmoid < 1e-6);
        let probit = gaps(|noise| Probit { noise }, parameter, t, y);
        prop_assert!(probit < 1e-6);
        let gaussian = gaps(|variance| Gaussian { variance }, parameter, 2.5 * t, y);
        prop_assert!(gaussian < 1e-6);
    }

    #[test]
    fn both_targets_have_probability_one_together(
        parameter in 0.1..5.0_f64,
        mean in -10.0..10.0_f64,
        log_variance in -10.0..15.0_f64,
    ) {
        let variance = log_variance.exp();
        let sigmoid = Sigmoid { gamma: parameter };
        let sum = sigmoid.probability(mean, variance) + sigmoid.probability(-mean, variance);
        prop_assert!((sum - 1.0).abs() < 1e-13);
        let probit = Probit { noise: parameter };
        let sum = probit.probability(mean, variance) + probit.probability(-mean, variance);
        prop_assert!((sum - 1.0).abs() < 1e-14);
    }
}

/// Derivatives of log Z in the mean, and slopes in the parameters, against central differences.
fn tilted_gaps<L: TiltedLikelihood + Clone>(
    likelihood: &L,
    t: f64,
    mean: f64,
    variance: f64,
) -> f64 {
    let step = 1e-4;
    let here = likelihood.tilted(t, mean, variance);
    let up = likelihood.tilted(t, mean + step, variance);
    let down = likelihood.tilted(t, mean - step, variance);
    let mut pairs =
        vec![(up.log_mass, down.log_mass, here.first), (up.first, down.first, here.second)];
    let start = likelihood.values();
    for (i, slope) in likelihood.tilted_slopes(t, mean, variance).into_iter().enumerate() {
        let at = |by: f64| {
            let mut moved = start.clone();
            moved[i] += by;
            let mut there = likelihood.clone();
            there.set_parameters(&moved).unwrap();
            there.tilted(t, mean, variance).log_mass
        };
        // log Z bends at the scale of a small ε.
        let scale = start[i].min(0.1);
        pairs.push((at(step * scale) / scale, at(-step * scale) / scale, slope));
    }
    let gap = |(up, down, exact): &(f64, f64, f64)| {
        ((up - down) / (2.0 * step) - exact).abs() / (1.0 + exact.abs())
    };
    pairs.iter().map(gap).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn tilted_moments_are_derivatives_of_their_mass(
        parameter in 0.2..3.0_f64,
        epsilon in 0.01..0.45_f64,
        mean in -4.0..4.0_f64,
        log_variance in -2.0..3.0_f64,
        positive in any::<bool>(),
    ) {
        let (t, variance) = (if positive { 1.0 } else { -1.0 }, log_variance.exp());
        let close = |name: &str, gap: f64| {
            prop_assert!(gap < 2e-6, "{name} {gap}");
            Ok(())
        };
        close("sigmoid", tilted_gaps(&Sigmoid { gamma: parameter }, t, mean, variance))?;
        close("probit", tilted_gaps(&Probit { noise: parameter }, t, mean, variance))?;
        close("Gaussian", tilted_gaps(&Gaussian { variance: parameter }, t, mean, variance))?;
        close("flip", tilted_gaps(&Flip { epsilon }, t, mean, variance))?;
        let both = FlippedProbit { epsilon, noise: parameter };
        close("flipped probit", tilted_gaps(&both, t, mean, variance))?;
        // A mass is a probability.
        let mass = Sigmoid { gamma: parameter }.tilted(t, mean, variance).log_mass.exp();
        let probability = Sigmoid { gamma: parameter }.probability(t * mean, variance);
        prop_assert!((mass - probability).abs() < 1e-11, "{mass} {probability}");
    }
}

#[test]
fn sigmoid_moments_keep_their_digits_far_out_and_for_wide_gaussians() {
    for (mean, variance) in [(-300.0, 1.0), (300.0, 1.0), (0.5, 1e6), (-4e3, 1e6), (2.0, 1e-8)] {
        let Tilted { log_mass, first, second } = Sigmoid { gamma: 1.0 }.tilted(1.0, mean, variance);
        assert!(log_mass.is_finite() && log_mass <= 0.0 && first > -1e-12, "{mean} {variance}");
        let left = 1.0 + second * variance;
        assert!(left > 0.0 && left <= 1.0 + 1e-9, "{mean} {variance}: {left}");
    }
    // Far below zero the sigmoid is e^(2y), whose mass under N(−300, 1) is e^(−600 + 2).
    let far = Sigmoid { gamma: 1.0 }.tilted(1.0, -300.0, 1.0);
    assert!((far.log_mass + 598.0).abs() < 1e-10 && (far.first - 2.0).abs() < 1e-10);
}

#[test]
fn a_flipped_label_is_told_by_its_cavity() {
    let flip = Flip { epsilon: 0.1 };
    assert!(flip.flip_probability(1.0, -3.0, 1.0) > 0.9);
    assert!(flip.flip_probability(1.0, 3.0, 1.0) < 1e-3);
    assert!((flip.flip_probability(1.0, 0.0, 1.0) - 0.1).abs() < 1e-15);
    assert!(Flip { epsilon: 0.0 }.flip_probability(1.0, -3.0, 1.0).abs() < f64::MIN_POSITIVE);
}
