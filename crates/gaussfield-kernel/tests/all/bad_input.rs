//! Wrong input is an error that says what is wrong.

use crate::support::{dense, sparse};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_kernel::{Kernel, KernelError};
use ndarray::{Array2, array};

#[test]
fn every_wrong_input_is_named() {
    let points = dense(&array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
    let two = points.select(&[0, 1]).unwrap();
    let text = sparse(&array![[1.0, 0.0], [0.0, 0.0]]);
    let flat = dense(&array![[1.0]]);
    let huge = dense(&Array2::from_elem((2, 2), 1e200));
    let rbf = |width| Kernel::Rbf { width };
    let polynomial = |degree, scale, offset| Kernel::Polynomial { degree, scale, offset };
    let good = rbf(1.0);
    let ones = Array2::<f64>::ones((3, 3));
    let mut nan = ones.clone();
    nan[[2, 1]] = f64::NAN;

    let table: Vec<(&str, Result<(), String>, &[&str])> = vec![
        (
            "width 0",
            done(rbf(0.0).gram(&points, Budget::default())),
            &["width", "RBF", "0", "positive"],
        ),
        ("width < 0", done(rbf(-2.0).cross(&points, &two, Budget::default())), &["width", "-2"]),
        ("width NaN", done(rbf(f64::NAN).diagonal(&points)), &["width", "NaN"]),
        ("width ∞", done(rbf(f64::INFINITY).pullback(&points, ones.view())), &["width", "inf"]),
        (
            "degree 0",
            done(polynomial(0, 1.0, 1.0).gram(&points, Budget::default())),
            &["degree", "0", "at least 1"],
        ),
        (
            "scale",
            done(polynomial(2, 0.0, 1.0).gram(&points, Budget::default())),
            &["scale", "positive"],
        ),
        (
            "offset",
            done(polynomial(2, 1.0, -1.0).gram(&points, Budget::default())),
            &["offset", "-1"],
        ),
        (
            "offset NaN",
            done(polynomial(2, 1.0, f64::NAN).gram(&points, Budget::default())),
            &["offset", "NaN"],
        ),
        ("zero row", done(Kernel::Cosine.gram(&points, Budget::default())), &["point 2", "zeros"]),
        ("sparse zero row", done(Kernel::Cosine.diagonal(&text)), &["point 1", "zeros"]),
        ("zero query", done(Kernel::Cosine.cross(&points, &two, Budget::default())), &["point 2"]),
        (
            "zero column",
            done(Kernel::Cosine.cross(&two, &text, Budget::default())),
            &["other point 1"],
        ),
        (
            "zero in a batch",
            done(Kernel::Cosine.cross_rows(&points, 1..3, &two, Budget::default())),
            &["point 2"],
        ),
        (
            "dimension",
            done(good.cross(&flat, &points, Budget::default())),
            &["dimensions of the points: 1 given where 2 are needed"],
        ),
        (
            "batch dimension",
            done(good.cross_rows(&flat, 0..1, &points, Budget::default())),
            &["dimensions of the points: 1 given where 2 are needed"],
        ),
        (
            "range",
            done(good.cross_rows(&points, 1..5, &points, Budget::default())),
            &["row 4", "3 rows"],
        ),
        (
            "overflow",
            done(Kernel::Linear.gram(&huge, Budget::default())),
            &["point 0", "inf", "divide"],
        ),
        ("diagonal", done(Kernel::Linear.diagonal(&huge)), &["point 0", "inf"]),
        (
            "overflow in a batch",
            done(Kernel::Linear.cross_rows(&huge, 1..2, &huge, Budget::default())),
            &["point 1 with point 0"],
        ),
        (
            "gradient overflow",
            done(polynomial(1, 1e-300, 0.0).pullback(&huge, Array2::ones((2, 2)).view())),
            &["gradient", "scale", "inf"],
        ),
        ("limit", done(good.gram(&points, Budget { bytes: 71 })), &["matrix take 72 bytes", "71"]),
        ("cross limit", done(good.cross(&two, &points, Budget { bytes: 40 })), &["48", "40"]),
        ("shape", done(good.pullback(&two, ones.view())), &["3 × 3", "2 × 2"]),
        ("cross shape", done(good.pullback_cross(&points, &two, ones.view())), &["3 × 2"]),
        ("NaN", done(good.pullback(&points, nan.view())), &["(2, 1)", "NaN"]),
        ("count", set(good, &[1.0, 2.0]), &["parameters", "2 given where 1"]),
        ("new width", set(good, &[-1.0]), &["width", "-1"]),
    ];
    for (case, result, words) in table {
        let message = result.expect_err(case);
        for word in words {
            assert!(message.contains(word), "{case}: {message:?} does not say {word:?}");
        }
    }
}

/// The budget holds for the matrix and a copy of the points, and is checked before they are made.
#[test]
fn the_limit_is_exact_and_early() {
    let points = dense(&array![[1.0], [2.0], [3.0]]);
    assert!(Kernel::Linear.gram(&points, Budget { bytes: 96 }).is_ok());
    assert!(Kernel::Linear.gram(&points, Budget { bytes: 95 }).is_err());
    let many = dense(&Array2::zeros((1_000_000, 0)));
    let message = Kernel::Linear.gram(&many, Budget::default()).unwrap_err().to_string();
    assert!(message.contains("8000.00 GB"), "{message}");
}

fn done<T>(result: Result<T, KernelError>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

fn set(mut kernel: Kernel, values: &[f64]) -> Result<(), String> {
    let before = kernel;
    let result = kernel.set_parameters(values).map_err(|error| error.to_string());
    assert_eq!(kernel, before, "a refused value changes nothing");
    result
}
