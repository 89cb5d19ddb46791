//! Wrong input is an error that names the place and the value, never a panic or a NaN.

use gaussfield_labels::{
    ClassPrior, Decision, HeldOut, Labels, LabelsError, Scores, above_median, class_mass_normalise,
    metrics, tuned_threshold,
};
use ndarray::{Array2, array};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn every_wrong_input_is_named() {
    let nan = f64::NAN;
    let truth = Labels::numbered(&[0, 1, 1], 2).unwrap();
    let set = HeldOut::of(&truth, &[1, 2]).unwrap();
    let holes = Labels::new(vec![None, Some(0), Some(1)], names(&["0", "1"])).unwrap();
    let three = Scores::one_hot(&[0, 2], 3).unwrap();
    let two = Scores::one_hot(&[0, 1, 1], 2).unwrap();
    let half = ClassPrior::uniform(2).unwrap();

    let table: Vec<(&str, Result<(), LabelsError>, &[&str])> = vec![
        // Labels.
        ("class without name", done(Labels::new(vec![Some(2)], names(&["a"]))), &["node 0", "2"]),
        ("name twice", done(Labels::new(vec![], names(&["a", "a"]))), &["\"a\"", "twice"]),
        ("keep past the end", done(truth.keep(&[7])), &["node 7", "3 nodes"]),
        ("select past the end", done(truth.select(&[3])), &["node 3", "3 nodes"]),
        // Scores.
        ("no class", done(Scores::new(Array2::zeros((2, 0)))), &["no classes"]),
        ("NaN", done(Scores::new(array![[1.0, 0.0], [nan, 0.0]])), &["node 1", "class 0", "NaN"]),
        ("negative", done(Scores::new(array![[1.2, -0.2]])), &["node 0", "class 0", "1.2"]),
        ("row sum", done(Scores::new(array![[0.4, 0.4]])), &["node 0", "0.8", "normalised"]),
        ("binary above", done(Scores::binary(array![0.5, 1.5].view())), &["node 1", "1.5"]),
        ("binary NaN", done(Scores::binary(array![nan].view())), &["node 0", "NaN"]),
        ("zero row", done(Scores::normalised(array![[1.0], [0.0]])), &["node 1", "zero"]),
        ("infinite", done(Scores::normalised(array![[f64::INFINITY]])), &["node 0", "inf"]),
        ("normalise nothing", done(Scores::normalised(Array2::zeros((1, 0)))), &["no classes"]),
        ("one hot past", done(Scores::one_hot(&[0, 3], 3)), &["node 1", "class 3"]),
        ("one hot of none", done(Scores::one_hot(&[], 0)), &["no classes"]),
        ("select", done(two.select(&[0, 9])), &["node 9", "3 nodes"]),
        // Priors.
        ("no prior", done(ClassPrior::given(vec![])), &["no classes"]),
        ("no class at all", done(ClassPrior::uniform(0)), &["no classes"]),
        (
            "unnamed",
            done(ClassPrior::add_one(&Labels::new(vec![], vec![]).unwrap())),
            &["no classes"],
        ),
        ("zero prior", done(ClassPrior::given(vec![1.0, 0.0])), &["class 1", "is 0"]),
        ("NaN prior", done(ClassPrior::given(vec![nan, 1.0])), &["class 0", "NaN"]),
        ("prior sum", done(ClassPrior::given(vec![0.5, 0.6])), &["1.1"]),
        // Decisions.
        ("mass classes", done(class_mass_normalise(&three, &half)), &["2 given", "3", "prior"]),
        ("class mass", done(Decision::ClassMass(half.clone()).decide(&three)), &["2", "3"]),
        ("proportions", done(Decision::Proportions(half.clone()).decide(&three)), &["2", "3"]),
        ("counts", done(Decision::Counts(half).decide(&three)), &["2", "3"]),
        ("median of three", done(Decision::Median.decide(&three)), &["median", "3"]),
        ("cut of three", done(Decision::Above(0.5).decide(&three)), &["cut", "3"]),
        ("cut past one", done(Decision::Above(1.5).decide(&two)), &["the cut", "1.5"]),
        ("too many drawn", done(holes.draw_unlabelled(2, 0)), &["nodes to draw", "2", "at most 1"]),
        ("threshold NaN", done(tuned_threshold(array![0.0, nan].view(), 0.5)), &["node 1", "NaN"]),
        ("proportion", done(tuned_threshold(array![0.0].view(), 1.5)), &["1.5"]),
        ("proportion NaN", done(tuned_threshold(array![0.0].view(), nan)), &["NaN"]),
        ("median inf", done(above_median(array![f64::INFINITY].view())), &["node 0", "inf"]),
        // Held-out sets.
        ("nothing to judge", done(HeldOut::new(&truth, &truth)), &["no node is left"]),
        ("empty set", done(HeldOut::of(&truth, &[])), &["no node is left"]),
        ("twice", done(HeldOut::of(&truth, &[1, 1])), &["node 1", "twice"]),
        ("past the end", done(HeldOut::of(&truth, &[5])), &["node 5", "3 nodes"]),
        ("unknown truth", done(HeldOut::of(&holes, &[0])), &["node 0", "not known"]),
        ("other length", done(HeldOut::new(&truth, &holes.select(&[0]).unwrap())), &["1", "3"]),
        (
            "other classes",
            done(HeldOut::new(&truth, &renamed(&["0"]))),
            &["classes of the given", "1 given", "2"],
        ),
        ("other names", done(HeldOut::new(&truth, &renamed(&["1", "0"]))), &["\"1\""]),
        // Metrics.
        ("few predictions", done(metrics::accuracy(&set, &[1])), &["1 given", "2"]),
        ("class past", done(metrics::error(&set, &[1, 4])), &["node 2", "class 4"]),
        ("rows", done(metrics::log_loss(&set, &two)), &["3 given", "2"]),
        ("columns", done(metrics::brier(&set, &three)), &["classes", "3 given", "2"]),
        ("confusion", done(metrics::ConfusionMatrix::new(&set, &[])), &["0 given", "2"]),
        ("bins", done(metrics::Calibration::new(&set, &two, 0)), &["bin"]),
        ("calibration", done(metrics::Calibration::new(&set, &three, 5)), &["classes", "3 given"]),
        ("no trials", done(metrics::MeanStd::over(&[])), &["no trial"]),
        ("NaN trial", done(metrics::MeanStd::over(&[0.5, nan])), &["trial 1", "NaN"]),
    ];
    for (case, result, words) in table {
        let message = result.expect_err(case).to_string();
        for word in words {
            assert!(message.contains(word), "{case}: {message:?} does not say {word:?}");
        }
    }
}

fn done<T>(result: Result<T, LabelsError>) -> Result<(), LabelsError> {
    result.map(|_| ())
}

/// Three unlabelled nodes under other class names.
fn renamed(to: &[&str]) -> Labels {
    Labels::new(vec![None; 3], names(to)).unwrap()
}
