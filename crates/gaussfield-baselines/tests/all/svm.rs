//! Problems whose answer is known on paper.

use gaussfield_baselines::{Kernel, RegularisedLeastSquares, SupportVectorMachine};
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_points::Points;
use ndarray::{Array2, array, aview1};

fn line(places: &[f64]) -> Points {
    Points::dense(Array2::from_shape_vec((places.len(), 1), places.to_vec()).unwrap()).unwrap()
}

/// Places on a line, their classes, C, and the expected slope, bias and α.
struct Case {
    places: &'static [f64],
    classes: &'static [usize],
    price: f64,
    slope: f64,
    bias: f64,
    alphas: &'static [f64],
}

#[test]
fn lines_between_points_on_a_line() {
    let cases = [
        // Two points at ±1: the margin touches both.
        Case {
            places: &[1., -1.],
            classes: &[1, 0],
            price: 9.,
            slope: 1.,
            bias: 0.,
            alphas: &[0.5, 0.5],
        },
        // A price too low for the full margin: α = C, f(±1) = ±2C, any |b| ≤ 1 − 2C; the middle.
        Case {
            places: &[1., -1.],
            classes: &[1, 0],
            price: 0.1,
            slope: 0.2,
            bias: 0.,
            alphas: &[0.1, 0.1],
        },
        // The far point does not matter.
        Case {
            places: &[0., 2., 3.],
            classes: &[0, 1, 1],
            price: 9.,
            slope: 1.,
            bias: -1.,
            alphas: &[0.5, 0.5, 0.],
        },
        // −2, 2 apart from two contradicting points at 0, which cost C each whatever happens:
        // min ½s² + C(max(0, 1 − 2s)·2 + 2) has s = ½, where α of the outer points is 1/8.
        Case {
            places: &[-2., 2., 0., 0.],
            classes: &[0, 1, 0, 1],
            price: 1.,
            slope: 0.5,
            bias: 0.,
            alphas: &[0.125, 0.125, 1., 1.],
        },
    ];
    for (at, case) in cases.iter().enumerate() {
        let (points, labels) = (line(case.places), Labels::numbered(case.classes, 2).unwrap());
        let machine =
            SupportVectorMachine { tolerance: 1e-10, ..SupportVectorMachine::new(case.price) };
        let fitted = machine.fit(&points, Kernel::Linear, &labels).unwrap();
        let values = fitted.decision_values(&line(&[0.0, 1.0])).unwrap();
        assert!((values[[0, 0]] - case.bias).abs() < 1e-9, "case {at}: {values}");
        assert!((values[[1, 0]] - values[[0, 0]] - case.slope).abs() < 1e-9, "case {at}: {values}");
        let coefficients = fitted.model().expansion().coefficients();
        for (i, alpha) in case.alphas.iter().enumerate() {
            let sign = if case.classes[i] == 1 { 1.0 } else { -1.0 };
            assert!(
                (coefficients[[i, 0]] - sign * alpha).abs() < 1e-9,
                "case {at}: {coefficients}"
            );
        }
        let support: Vec<usize> =
            (0..case.alphas.len()).filter(|&i| case.alphas[i] > 0.0).collect();
        assert_eq!(fitted.model().support(), support, "case {at}");
        let certificate = fitted.model().certificates()[0].unwrap();
        assert!(certificate.violation <= 1e-10 && certificate.gap().abs() < 1e-9, "case {at}");
    }
}

/// Exclusive or under RBF: by symmetry all α are 1/(1 + k₂ − 2k₁), k₁ a side, k₂ a diagonal apart.
#[test]
fn exclusive_or_by_symmetry() {
    let points = Points::dense(array![[1., 1.], [-1., -1.], [1., -1.], [-1., 1.]]).unwrap();
    let labels = Labels::from_names([Some("same"), Some("same"), Some("other"), Some("other")]);
    let width = 1.3_f64;
    let (side, diagonal) = ((-2.0 / width.powi(2)).exp(), (-4.0 / width.powi(2)).exp());
    let alpha = 1.0 / (1.0 + diagonal - 2.0 * side);
    let machine = SupportVectorMachine { tolerance: 1e-11, ..SupportVectorMachine::new(100.0) };
    let fitted = machine.fit(&points, Kernel::Rbf { width }, &labels).unwrap();
    let expansion = fitted.model().expansion();
    let want = array![[-alpha], [-alpha], [alpha], [alpha]];
    assert!((&expansion.coefficients() - &want).iter().all(|d| d.abs() < 1e-8), "{expansion:?}");
    assert!(expansion.biases()[0].abs() < 1e-9);
    assert_eq!(fitted.predict(&points).unwrap().argmax(), [0, 0, 1, 1]);
}

/// Ridge regression on two points at ±1, x·x' = ±1: β = ±1/(2 + 2λ), so f(x) = x/(1 + λ).
#[test]
fn least_squares_on_two_points() {
    let labels = Labels::numbered(&[1, 0], 2).unwrap();
    let fitted = RegularisedLeastSquares { ridge: 0.25 }
        .fit(&line(&[1., -1.]), Kernel::Linear, &labels)
        .unwrap();
    let values = fitted.decision_values(&line(&[1.0, -3.0])).unwrap();
    assert!((values[[0, 0]] - 0.8).abs() < 1e-14 && (values[[1, 0]] + 2.4).abs() < 1e-14);
    assert!(fitted.model().biases()[0].abs() < f64::MIN_POSITIVE);
}

#[test]
fn more_queries_than_a_batch_and_none() {
    let labels = Labels::numbered(&[0, 1], 2).unwrap();
    let fitted =
        SupportVectorMachine::new(1.0).fit(&line(&[-1., 1.]), Kernel::Linear, &labels).unwrap();
    let places: Vec<f64> = (0..1300).map(|i| f64::from(i) - 700.5).collect();
    let prediction = fitted.predict(&line(&places)).unwrap();
    let want: Vec<usize> = places.iter().map(|&x| usize::from(x > 0.0)).collect();
    assert_eq!(prediction.argmax(), want);
    assert!((prediction.values()[[700, 1]] - 1.0 / (1.0 + 0.5_f64.exp())).abs() < 1e-5);
    assert_eq!(fitted.decision_values(&line(&places)).unwrap().dim(), (1300, 1));
    assert!(fitted.predict(&line(&[])).unwrap().argmax().is_empty());
}

/// Only labelled rows and columns are read, and a class without labels is never predicted.
#[test]
fn unlabelled_entries_and_empty_classes() {
    let nan = f64::NAN;
    let gram = array![
        [1.0, 0.2, nan, 0.1],
        [0.2, 1.0, nan, 0.3],
        [0.5, 0.9, nan, 0.0],
        [0.1, 0.3, nan, 1.0],
    ];
    let names = ["a", "empty", "c"].map(String::from).to_vec();
    let labels = Labels::new(vec![Some(0), Some(2), None, Some(2)], names).unwrap();
    let svm = SupportVectorMachine::new(2.0).fit_gram(gram.view(), &labels).unwrap();
    let rls = RegularisedLeastSquares { ridge: 0.1 }.fit_gram(gram.view(), &labels).unwrap();
    assert_eq!(svm.expansion().labelled(), [0, 1, 3]);
    assert_eq!(svm.certificates().iter().filter(|c| c.is_some()).count(), 2);
    for model in [svm.expansion(), &rls] {
        let values = model.decision_values(gram.view()).unwrap();
        assert!(values.column(1).iter().all(|f| *f < -1e300));
        let prediction = model.predict(&gram.view()).unwrap();
        assert_eq!(prediction.argmax(), [0, 2, 2, 2]);
        assert_eq!(prediction.class(1), aview1(&[0.0; 4]));
    }
}

/// The price of overlapping classes: the certificate holds where C is large.
#[test]
fn overlapping_classes_at_a_high_price() {
    let places: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 60) * 0.1).collect();
    let classes: Vec<usize> = places
        .iter()
        .enumerate()
        .map(|(i, &x)| usize::from(x > 3.0) ^ usize::from(i % 7 == 0))
        .collect();
    let (points, labels) = (line(&places), Labels::numbered(&classes, 2).unwrap());
    for kernel in [Kernel::Linear, Kernel::Rbf { width: 0.5 }] {
        let fitted = SupportVectorMachine::new(1e4).fit(&points, kernel, &labels).unwrap();
        let certificate = fitted.model().certificates()[0].unwrap();
        assert!(certificate.violation <= 1e-6);
        assert!(
            certificate.gap() <= 1e-6 * 60.0 * 1e4
                && certificate.gap() >= -1e-6 * certificate.primal
        );
    }
}
