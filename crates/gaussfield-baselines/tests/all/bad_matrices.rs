//! Wrong input is an error that says what is wrong.

use gaussfield_baselines::{
    BaselineError, Kernel, LaplacianLeastSquares, LaplacianSvm, RegularisedLeastSquares,
    SupportVectorMachine,
};
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_points::Points;
use ndarray::{Array2, array};

pub(crate) fn done<T>(result: Result<T, BaselineError>) -> Result<(), BaselineError> {
    result.map(|_| ())
}

pub(crate) fn assert_says(table: Vec<(&str, Result<(), BaselineError>, &[&str])>) {
    for (case, result, words) in table {
        let message = result.expect_err(case).to_string();
        for word in words {
            assert!(message.contains(word), "{case}: {message:?} does not say {word:?}");
        }
    }
}

#[test]
fn wrong_gram_matrices_and_settings_are_named() {
    let labels = Labels::from_names([Some("a"), Some("b"), None]);
    let none = labels.keep(&[]).unwrap();
    let one = labels.keep(&[1]).unwrap();
    let gram = array![[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]];
    let with = |i: usize, j: usize, value: f64| {
        let mut gram = gram.clone();
        gram[[i, j]] = value;
        gram
    };
    let wide = Array2::zeros((3, 4));
    let indefinite = array![[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let svm = |price: f64, gram: &Array2<f64>, labels: &Labels| {
        done(SupportVectorMachine::new(price).fit_gram(gram.view(), labels))
    };
    let rls = |ridge: f64, gram: &Array2<f64>, labels: &Labels| {
        done(RegularisedLeastSquares { ridge }.fit_gram(gram.view(), labels))
    };
    let lap_svm = |ambient: f64| done(LaplacianSvm::new(ambient).fit_gram(gram.view(), &labels));
    let lap_rls =
        |ambient: f64| done(LaplacianLeastSquares { ambient }.fit_gram(gram.view(), &labels));
    let plain = SupportVectorMachine::new(1.0);
    let model = plain.fit_gram(gram.view(), &labels).unwrap();
    let points = Points::dense(array![[1.0], [2.0], [3.0]]).unwrap();
    let fitted = plain.fit(&points, Kernel::Linear, &labels).unwrap();

    assert_says(vec![
        ("C = 0", svm(0.0, &gram, &labels), &["C", "is 0", "positive"]),
        ("C < 0", svm(-1.0, &gram, &labels), &["-1"]),
        ("C NaN", svm(f64::NAN, &gram, &labels), &["NaN"]),
        ("C ∞", svm(f64::INFINITY, &gram, &labels), &["inf"]),
        ("λ = 0", rls(0.0, &gram, &labels), &["λ", "is 0"]),
        ("γ_A = 0", lap_svm(0.0), &["γ_A", "is 0", "positive"]),
        ("γ_A < 0", lap_rls(-2.0), &["γ_A", "-2"]),
        ("γ_A NaN", lap_rls(f64::NAN), &["γ_A", "NaN"]),
        (
            "tolerance",
            done(SupportVectorMachine { tolerance: 0.0, ..plain }.fit_gram(gram.view(), &labels)),
            &["tolerance", "positive"],
        ),
        (
            "iterations",
            done(
                SupportVectorMachine { max_iterations: 0, ..plain }.fit_gram(gram.view(), &labels),
            ),
            &["iterations", "at least 1"],
        ),
        ("no label", svm(1.0, &gram, &none), &["no node is labelled"]),
        ("one class", svm(1.0, &gram, &one), &["\"b\"", "all 1"]),
        ("one class, rls", rls(1.0, &gram, &one), &["\"b\""]),
        ("shape", svm(1.0, &wide, &labels), &["columns of the Gram matrix", "4 given where 3"]),
        ("NaN", svm(1.0, &with(0, 1, f64::NAN), &labels), &["(0, 1)", "NaN"]),
        ("∞", rls(1.0, &with(1, 1, f64::INFINITY), &labels), &["(1, 1)", "inf"]),
        ("asymmetric", svm(1.0, &with(1, 0, 0.6), &labels), &["0.6", "0.5", "symmetric"]),
        ("negative", svm(1.0, &with(0, 0, -1.0), &labels), &["node 0", "-1", "semidefinite"]),
        ("indefinite", svm(1.0, &indefinite, &labels), &["nodes 0 and 1", "-2"]),
        ("columns", done(model.decision_values(wide.view())), &["cross", "4 given where 3"]),
        ("NaN query", done(model.predict(&with(2, 1, f64::NAN).view())), &["(2, 1)", "NaN"]),
        (
            "length",
            done(plain.fit(&points.select(&[0]).unwrap(), Kernel::Linear, &labels)),
            &["3 given where 1"],
        ),
        (
            "width",
            done(plain.fit(&points, Kernel::Rbf { width: 0.0 }, &labels)),
            &["width", "positive"],
        ),
        (
            "dimension",
            done(fitted.predict(&Points::dense(array![[1.0, 2.0]]).unwrap())),
            &["dimensions of the points: 2 given where 1 are needed"],
        ),
    ]);
}

/// Three vectors that pairwise look fine but have no common space.
#[test]
fn a_hidden_negative_eigenvalue_has_no_cholesky_factor() {
    let gram = array![[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0]];
    let labels = Labels::numbered(&[0, 1, 1], 2).unwrap();
    let error = RegularisedLeastSquares { ridge: 0.1 }.fit_gram(gram.view(), &labels).unwrap_err();
    assert!(matches!(error, BaselineError::NoCholesky { added } if (added - 0.3).abs() < 1e-12));
}

#[test]
fn too_few_iterations_say_how_far_they_came() {
    let gram =
        Array2::from_shape_fn((12, 12), |(i, j)| (-((i as f64 - j as f64) / 6.0).powi(2)).exp());
    let labels = Labels::numbered(&[0, 1, 1].repeat(4), 2).unwrap();
    let machine = SupportVectorMachine { max_iterations: 3, ..SupportVectorMachine::new(100.0) };
    let error = machine.fit_gram(gram.view(), &labels).unwrap_err();
    let BaselineError::NotConverged(end) = error else { panic!("{error}") };
    assert!(end.iterations == 3 && end.reached > end.tolerance && end.reached < 100.0, "{end}");
}

/// A tolerance below what rounding allows ends, and says so.
#[test]
fn an_unreachable_tolerance_ends() {
    let gram = Array2::from_shape_fn((30, 30), |(i, j)| {
        1e6 * (-((i as f64 - j as f64) / 5.0).powi(2)).exp() + f64::from(u8::from(i == j))
    });
    let labels = Labels::numbered(&[0, 1, 1].repeat(10), 2).unwrap();
    let machine = SupportVectorMachine { price: 1e6, tolerance: 1e-18, max_iterations: 200_000 };
    let error = machine.fit_gram(gram.view(), &labels).unwrap_err();
    assert!(matches!(error, BaselineError::NotConverged(_)), "{error}");
}
