//! Laws that hold for any scores, priors and predictions.

use gaussfield_labels::{
    ClassPrior, Decision, HeldOut, Labels, Scores, class_counts, class_mass_normalise, median,
    metrics, tuned_threshold,
};
use ndarray::{Array1, Array2};
use proptest::prelude::*;

fn scores(nodes: usize, classes: usize) -> impl Strategy<Value = Scores> {
    prop::collection::vec(1e-4_f64..1.0, nodes * classes).prop_map(move |entries| {
        Scores::normalised(Array2::from_shape_vec((nodes, classes), entries).unwrap()).unwrap()
    })
}

fn prior(classes: usize) -> impl Strategy<Value = ClassPrior> {
    prop::collection::vec(0.02_f64..1.0, classes).prop_map(|shares| {
        let sum: f64 = shares.iter().sum();
        ClassPrior::given(shares.into_iter().map(|s| s / sum).collect()).unwrap()
    })
}

fn all(truth: &[usize], classes: usize) -> HeldOut {
    let nodes: Vec<usize> = (0..truth.len()).collect();
    HeldOut::of(&Labels::numbered(truth, classes).unwrap(), &nodes).unwrap()
}

proptest! {
    /// [zhu2003 (9)] word for word.
    #[test]
    fn class_mass_is_equation_nine(
        f in prop::collection::vec(0.0_f64..=1.0, 2..30),
        q in 0.01_f64..0.99,
    ) {
        let scores = Scores::binary(Array1::from(f.clone()).view()).unwrap();
        let prior = ClassPrior::given(vec![1.0 - q, q]).unwrap();
        let decided = Decision::ClassMass(prior).decide(&scores).unwrap();
        let one: f64 = f.iter().sum();
        let zero: f64 = f.iter().map(|f| 1.0 - f).sum();
        for (i, f) in f.iter().enumerate() {
            let (left, right) = (q * f / one, (1.0 - q) * (1.0 - f) / zero);
            // Where the two sides agree to rounding either answer is right.
            if (left - right).abs() > 1e-12 {
                prop_assert_eq!(decided[i] == 1, left > right);
            }
        }
    }

    /// Before the rows are normalised, each class has its prior as mass: so the ratio of two
    /// entries of a row is q_c F_ic / M_c over q_d F_id / M_d.
    #[test]
    fn class_mass_ratios(scores in scores(7, 4), prior in prior(4)) {
        let result = class_mass_normalise(&scores, &prior).unwrap();
        prop_assert!(result.zero_mass.is_empty());
        let masses = scores.values().sum_axis(ndarray::Axis(0));
        let share = |i: usize, c: usize| prior.as_slice()[c] * scores.values()[[i, c]] / masses[c];
        for i in 0..7 {
            prop_assert!((result.scores.values().row(i).sum() - 1.0).abs() < 1e-12);
            for c in 1..4 {
                let got = result.scores.values()[[i, c]] * share(i, 0);
                let want = result.scores.values()[[i, 0]] * share(i, c);
                prop_assert!((got - want).abs() < 1e-12);
            }
        }
    }

    /// A prior equal to the masses already there changes nothing.
    #[test]
    fn class_mass_with_its_own_masses_is_the_identity(scores in scores(6, 3)) {
        let own = scores.values().mean_axis(ndarray::Axis(0)).unwrap();
        let prior = ClassPrior::given(own.to_vec()).unwrap();
        let result = class_mass_normalise(&scores, &prior).unwrap();
        for (got, want) in result.scores.values().iter().zip(scores.values()) {
            prop_assert!((got - want).abs() < 1e-9);
        }
    }

    #[test]
    fn proportions_are_met_exactly(scores in scores(23, 5), prior in prior(5)) {
        let decided = Decision::Proportions(prior.clone()).decide(&scores).unwrap();
        let wanted = class_counts(&prior, 23);
        prop_assert_eq!(wanted.iter().sum::<usize>(), 23);
        for (class, &want) in wanted.iter().enumerate() {
            prop_assert!((want as f64 - prior.as_slice()[class] * 23.0).abs() < 1.0 + 1e-9);
            prop_assert_eq!(decided.iter().filter(|&&c| c == class).count(), want);
        }
    }

    #[test]
    fn counts_are_met_exactly(scores in scores(23, 5), prior in prior(5)) {
        let decided = Decision::Counts(prior.clone()).decide(&scores).unwrap();
        for (class, &want) in class_counts(&prior, 23).iter().enumerate() {
            prop_assert_eq!(decided.iter().filter(|&&c| c == class).count(), want);
        }
    }

    /// With two classes the order of f decides, whether it is added to or multiplied.
    #[test]
    fn two_class_counts_are_the_proportions(scores in scores(17, 2), prior in prior(2)) {
        let counts = Decision::Counts(prior.clone()).decide(&scores).unwrap();
        prop_assert_eq!(counts, Decision::Proportions(prior).decide(&scores).unwrap());
    }

    /// The decision for two classes and the threshold on f are the same rule.
    #[test]
    fn two_class_proportions_are_the_tuned_threshold(
        f in prop::collection::vec(0.0_f64..=1.0, 1..30),
        q in 0.01_f64..0.99,
    ) {
        let f = Array1::from(f);
        let prior = ClassPrior::given(vec![1.0 - q, q]).unwrap();
        let q = prior.as_slice()[1];
        let decided =
            Decision::Proportions(prior).decide(&Scores::binary(f.view()).unwrap()).unwrap();
        let tuned = tuned_threshold(f.view(), q).unwrap();
        prop_assert_eq!(tuned.count(), (q * f.len() as f64 + 0.5).floor() as usize);
        for (i, &positive) in tuned.positives.iter().enumerate() {
            prop_assert_eq!(decided[i] == 1, positive);
            let right_side = if positive { f[i] >= tuned.threshold } else { f[i] <= tuned.threshold };
            prop_assert!(right_side);
        }
    }

    #[test]
    fn at_most_half_lies_above_the_median(f in prop::collection::vec(0.0_f64..=1.0, 1..30)) {
        let f = Array1::from(f);
        let decided = Decision::Median.decide(&Scores::binary(f.view()).unwrap()).unwrap();
        let ones: usize = decided.iter().sum();
        let middle = median(f.view()).unwrap().unwrap();
        prop_assert!(2 * ones <= f.len());
        prop_assert!(2 * f.iter().filter(|&&x| x < middle).count() <= f.len());
    }

    #[test]
    fn entropy_is_between_zero_and_ln_c(scores in scores(9, 4)) {
        for entropy in scores.entropy() {
            prop_assert!((0.0..=4.0_f64.ln() + 1e-12).contains(&entropy));
        }
    }

    /// A proper score: no constant prediction beats the frequencies themselves.
    #[test]
    fn frequencies_are_the_best_constant_prediction(
        truth in prop::collection::vec(0_usize..3, 4..40),
        other in prior(3),
    ) {
        let held_out = all(&truth, 3);
        let n = truth.len();
        let constant = |row: &[f64]| {
            Scores::new(Array2::from_shape_fn((n, 3), |(_, c)| row[c])).unwrap()
        };
        let mut own = [0.0; 3];
        for &class in &truth {
            own[class] += 1.0 / n as f64;
        }
        let (own, other) = (constant(&own), constant(other.as_slice()));
        let log_loss = |s| metrics::log_loss(&held_out, s).unwrap();
        let brier = |s| metrics::brier(&held_out, s).unwrap();
        prop_assert!(log_loss(&own) <= log_loss(&other) + 1e-12);
        prop_assert!(brier(&own) <= brier(&other) + 1e-12);
    }

    #[test]
    fn measures_stay_in_their_ranges(
        scores in scores(12, 3),
        truth in prop::collection::vec(0_usize..3, 12),
        bins in 1_usize..20,
    ) {
        let held_out = all(&truth, 3);
        let predicted = scores.argmax();
        let accuracy = metrics::accuracy(&held_out, &predicted).unwrap();
        let error = metrics::error(&held_out, &predicted).unwrap();
        prop_assert!((accuracy + error - 1.0).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&accuracy));
        prop_assert!(metrics::log_loss(&held_out, &scores).unwrap() >= 0.0);
        prop_assert!((0.0..=2.0).contains(&metrics::brier(&held_out, &scores).unwrap()));

        let matrix = metrics::ConfusionMatrix::new(&held_out, &predicted).unwrap();
        prop_assert_eq!(matrix.counts().sum(), 12);
        prop_assert!((matrix.accuracy() - accuracy).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&matrix.macro_f1()));

        let table = metrics::Calibration::new(&held_out, &scores, bins).unwrap();
        prop_assert_eq!(table.bins().iter().map(|bin| bin.count).sum::<usize>(), 12);
        prop_assert!((0.0..=1.0).contains(&table.expected_error()));
        for bin in table.bins().iter().filter(|bin| bin.count > 0) {
            let confidence = bin.confidence.unwrap();
            prop_assert!(bin.from - 1e-12 <= confidence && confidence <= bin.to + 1e-12);
        }
    }

    #[test]
    fn shifting_trials_shifts_the_mean_only(
        results in prop::collection::vec(-1.0_f64..1.0, 2..20),
        shift in -5.0_f64..5.0,
    ) {
        let shifted: Vec<f64> = results.iter().map(|r| r + shift).collect();
        let (a, b) = (metrics::MeanStd::over(&results).unwrap(), metrics::MeanStd::over(&shifted).unwrap());
        prop_assert!((a.mean + shift - b.mean).abs() < 1e-12);
        prop_assert!((a.std.unwrap() - b.std.unwrap()).abs() < 1e-12);
    }
}

#[test]
fn certain_scores_have_the_extreme_losses() {
    let held_out = all(&[0, 1], 2);
    let right = Scores::one_hot(&[0, 1], 2).unwrap();
    let wrong = Scores::one_hot(&[1, 0], 2).unwrap();
    assert!(metrics::log_loss(&held_out, &right).unwrap().abs() < 1e-15);
    assert!(metrics::brier(&held_out, &right).unwrap().abs() < 1e-15);
    let worst = -metrics::LOG_LOSS_CLIP.ln();
    assert!((metrics::log_loss(&held_out, &wrong).unwrap() - worst).abs() < 1e-12);
    assert!((metrics::brier(&held_out, &wrong).unwrap() - 2.0).abs() < 1e-15);
}
