//! The EM algorithm against the ascent of the evidence itself.

use gaussfield_core::Parameters as _;
use gaussfield_gp::{Flip, GaussianProcess, GraphPrior, Observed};
use gaussfield_graph::{Exponential, Metric, Pattern};
use gaussfield_points::Points;
use gaussfield_tune::{
    Evidence, EvidenceRule, ExpectationMaximisation, FlipEvidence, Minimise, NoiseRule, Stop,
    TuneError,
};
use ndarray::Array2;

/// Two clusters on a circle each, without any randomness.
fn pattern() -> Pattern {
    let at = |(i, d): (usize, usize)| {
        let angle = 0.9 * (i / 2) as f64;
        let radius = 0.3 + 0.04 * ((i * 7) % 11) as f64;
        let along = if d == 0 { angle.cos() } else { angle.sin() };
        radius * along + if i % 2 == 0 { 0.0 } else { 1.6 }
    };
    Pattern::complete(
        &Points::dense(Array2::from_shape_fn((40, 2), at)).unwrap(),
        Metric::Euclidean,
    )
    .unwrap()
}

/// Every node but each fifth is labelled, two of them wrongly.
fn observed() -> Observed {
    let nodes: Vec<usize> = (0..40).filter(|i| i % 5 != 4).collect();
    let sign = |&i: &usize| {
        let right = if i % 2 == 0 { 1.0 } else { -1.0 };
        if i == 7 || i == 22 { -right } else { right }
    };
    let targets: Vec<f64> = nodes.iter().map(sign).collect();
    Observed::new(&nodes, &targets).unwrap()
}

fn evidence(epsilon: f64, delta: f64) -> FlipEvidence {
    let process = GaussianProcess::ep(Flip { epsilon });
    Evidence::of(process, GraphPrior::normalised(delta), observed())
}

fn em(noise: NoiseRule) -> EvidenceRule {
    EvidenceRule::Em(ExpectationMaximisation { noise, tolerance: 1e-7, ..Default::default() })
}

#[test]
fn em_with_tilted_flips_ends_where_the_evidence_is_largest() {
    let (pattern, family) = (pattern(), Exponential { sigma: 0.6 });
    let start = evidence(0.2, 0.1).learning(&["delta", "epsilon"]).unwrap();
    let ascent = EvidenceRule::Ascent(Minimise::default());
    let direct = ascent.learn(&pattern, &family, &start, &["sigma"]).unwrap();
    let tilted = em(NoiseRule::Tilted).learn(&pattern, &family, &start, &["sigma"]).unwrap();
    assert_eq!(tilted.stop, Stop::FixedPoint);
    assert!((tilted.value - direct.value).abs() < 1e-6, "{} {}", tilted.value, direct.value);
    let of = |learned: &FlipEvidence| {
        (learned.process().likelihood.epsilon, learned.prior().values()[0])
    };
    let ((epsilon, delta), (em_epsilon, em_delta)) = (of(&direct.objective), of(&tilted.objective));
    assert!((em_epsilon / epsilon - 1.0).abs() < 1e-3 && (em_delta / delta - 1.0).abs() < 1e-2);
    // Two of 32 labels are wrong.
    assert!((epsilon - 2.0 / 32.0).abs() < 0.03, "{epsilon}");
    // The other rules end elsewhere, never better.
    for noise in [NoiseRule::AsPublished, NoiseRule::Bound] {
        let other = em(noise).learn(&pattern, &family, &start, &["sigma"]).unwrap();
        assert!(other.value >= direct.value - 1e-6, "{noise:?}");
        assert_eq!(other.trace.len(), other.trace.iter().filter(|s| s.value.is_finite()).count());
    }
    assert!(tilted.evaluations > direct.evaluations);
}

#[test]
fn em_learns_the_weights_along_with_prior_and_noise() {
    let (pattern, family) = (pattern(), Exponential { sigma: 0.6 });
    let start = evidence(0.1, 0.05).learning(&["delta", "epsilon"]).unwrap();
    let em = ExpectationMaximisation { max_iterations: 15, ..Default::default() };
    let mut told = 0;
    let learned = em.run(&pattern, &family, &start, &[], |_| told += 1).unwrap();
    assert_eq!(learned.stop, Stop::MaxSteps);
    assert_eq!((told, learned.trace.len()), (16, 16));
    let first = learned.trace[0].value;
    assert!(learned.value < first - 0.1, "{first} {}", learned.value);
    assert!((learned.family.sigma - 0.6).abs() > 1e-3);
    assert_eq!(learned.trace[0].parameters, [0.6, 0.05, 0.1]);
}

#[test]
fn em_of_one_parameter_leaves_the_others() {
    let (pattern, family) = (pattern(), Exponential { sigma: 0.6 });
    let start = evidence(0.2, 0.1).learning(&["epsilon"]).unwrap();
    let learned = em(NoiseRule::Tilted).learn(&pattern, &family, &start, &["sigma"]).unwrap();
    assert_eq!(learned.objective.prior().values(), [0.1]);
    assert!(learned.objective.process().likelihood.epsilon < 0.2);
    let start = evidence(0.2, 0.1).learning(&["delta"]).unwrap();
    let learned = em(NoiseRule::Bound).learn(&pattern, &family, &start, &["sigma"]).unwrap();
    assert!((learned.objective.process().likelihood.epsilon - 0.2).abs() < 1e-15);
}

#[test]
fn bad_starts_and_settings_are_refused() {
    let (pattern, family) = (pattern(), Exponential { sigma: 0.6 });
    let both = ["delta", "epsilon"];
    for epsilon in [0.0, 0.5, 0.7, -0.1, f64::NAN] {
        let start = evidence(epsilon, 0.1).learning(&both).unwrap();
        for rule in [em(NoiseRule::Tilted), EvidenceRule::Ascent(Minimise::default())] {
            let error = rule.learn(&pattern, &family, &start, &["sigma"]).unwrap_err();
            assert!(error.to_string().contains(&format!("{epsilon}")), "{epsilon}: {error}");
        }
        // ε out of range that is not learned: the likelihood refuses it.
        let held = evidence(epsilon, 0.1).learning(&["delta"]).unwrap();
        if epsilon != 0.0 {
            let error =
                em(NoiseRule::Tilted).learn(&pattern, &family, &held, &["sigma"]).unwrap_err();
            assert!(error.to_string().contains("epsilon is"), "{error}");
        }
    }
    for delta in [0.0, -1.0, f64::NAN] {
        let start = evidence(0.1, delta).learning(&both).unwrap();
        for rule in [em(NoiseRule::Bound), EvidenceRule::Ascent(Minimise::default())] {
            let error = rule.learn(&pattern, &family, &start, &["sigma"]).unwrap_err();
            assert!(error.to_string().contains(&format!("{delta}")), "{delta}: {error}");
        }
    }
    let nothing = em(NoiseRule::Tilted)
        .learn(&pattern, &family, &evidence(0.1, 0.1), &["sigma"])
        .unwrap_err();
    assert_eq!(nothing, TuneError::NoParameters);
    let em = ExpectationMaximisation { tolerance: f64::NAN, ..Default::default() };
    let start = evidence(0.1, 0.1).learning(&both).unwrap();
    let error = EvidenceRule::Em(em).learn(&pattern, &family, &start, &["sigma"]).unwrap_err();
    assert!(matches!(error, TuneError::OutOfRange(_)), "{error}");
}
