//! Laws of preparations, and numbers of an independent implementation (SciPy's filters).

use super::*;
use ndarray::{Array2, Axis, array};

const ALL: [Preparation; 5] = [
    Preparation::Standardise,
    Preparation::MinMax,
    Preparation::UnitRows,
    Preparation::Blur(Blur { side: 6, sigma: 0.7 }),
    Preparation::Hog(Hog { side: 6, cell: 3.0, bins: 5, stride: 3 }),
];

/// Three images of 6 × 6.
fn images() -> Points {
    let pixel = |(i, p): (usize, usize)| ((3 * i + 7 * p + p * p * (i + 1)) % 11) as f64 / 10.0;
    Points::dense(Array2::from_shape_fn((3, 36), pixel)).unwrap()
}

fn prepared(preparation: Preparation) -> Array2<f64> {
    preparation.fit(&images(), Budget::default()).unwrap().1.to_dense()
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-12, "{got} is not {want}");
}

#[test]
fn what_was_fitted_prepares_the_same_points_alike_and_survives_a_file() {
    let points = images();
    let sparse =
        Points::sparse(sprs::CsMat::csr_from_dense(points.to_dense().view(), 0.0)).unwrap();
    for preparation in ALL {
        let (fitted, own) = preparation.fit(&points, Budget::default()).unwrap();
        let text = serde_json::to_string(&(preparation, &fitted)).unwrap();
        let (again, fitted): (Preparation, Prepared) = serde_json::from_str(&text).unwrap();
        assert_eq!(again, preparation);
        for points in [&points, &sparse] {
            let alike = fitted.apply(points, Budget::default()).unwrap().to_dense();
            let gap = (&alike - &own.to_dense()).mapv(f64::abs).sum();
            assert!(gap < 1e-12, "{preparation:?}: {gap}");
        }
    }
}

#[test]
fn a_new_point_is_prepared_by_what_the_old_ones_taught() {
    let points = images();
    let one = points.select(&[1]).unwrap();
    for preparation in ALL {
        let (fitted, own) = preparation.fit(&points, Budget::default()).unwrap();
        let alone = fitted.apply(&one, Budget::default()).unwrap();
        assert_eq!(alone.to_dense().row(0), own.to_dense().row(1), "{preparation:?}");
    }
    let (all, own) = fit_all(&ALL[..3], &points, Budget::default()).unwrap();
    let alone = apply_all(&all, &one, Budget::default()).unwrap();
    assert_eq!(alone.to_dense().row(0), own.to_dense().row(1));
}

#[test]
fn features_are_scaled_and_constant_ones_say_nothing() {
    let rows = array![[1.0, 5.0, 1e200], [2.0, 5.0, 3e200], [6.0, 5.0, 2e200]];
    let points = Points::dense(rows).unwrap();
    let standard = Preparation::Standardise.fit(&points, Budget::default()).unwrap().1.to_dense();
    for column in [0, 2] {
        close(standard.column(column).sum(), 0.0);
        close(standard.column(column).mapv(|x| x * x).sum(), 3.0);
    }
    let unit = Preparation::MinMax.fit(&points, Budget::default()).unwrap().1.to_dense();
    assert_eq!(unit.column(0), array![0.0, 0.2, 1.0]);
    assert_eq!(unit.column(2), array![0.0, 1.0, 0.5]);
    assert_eq!(standard.column(1), array![0.0, 0.0, 0.0]);
    assert_eq!(unit.column(1), array![0.0, 0.0, 0.0]);
}

#[test]
fn blur_is_scipys_gaussian_filter() {
    let narrow = prepared(Preparation::Blur(Blur { side: 6, sigma: 0.7 }));
    close(narrow[[0, 0]], 0.2112174605264603);
    close(narrow[[1, 17]], 0.44219382798542567);
    close(narrow[[2, 35]], 0.7710759202948383);
    // Wider than the image: mirrored more than once.
    let wide = prepared(Preparation::Blur(Blur { side: 6, sigma: 2.5 }));
    close(wide[[0, 0]], 0.5490590936329172);
    close(wide[[1, 17]], 0.4786205285111307);
    close(wide[[2, 35]], 0.5130427512628876);
}

#[test]
fn histograms_of_gradients_are_the_reference() {
    let found = prepared(ALL[4]);
    assert_eq!(found.dim(), (3, 45));
    close(found[[0, 0]], 0.2642966085997549);
    close(found[[1, 7]], 0.19807033824681802);
    close(found[[2, 44]], 0.048905657414064746);
    close(found[[1, 22]], 0.1852085577482098);
    close(found.sum(), 15.93900335315146);
    for row in found.axis_iter(Axis(0)) {
        close(row.dot(&row), 1.0);
    }
    let grey = Points::dense(Array2::from_elem((2, 36), 0.0)).unwrap();
    let flat = ALL[4].fit(&grey, Budget::default()).unwrap().1;
    assert!(flat.to_dense().iter().all(|&x| x == 0.0), "an empty image has no gradient");
}

#[test]
fn what_a_mistake_is_told() {
    let points = images();
    let none = Points::dense(Array2::zeros((0, 36))).unwrap();
    let hog = Hog::of_side(6);
    for (preparation, points, budget, words) in [
        (Preparation::Standardise, &none, 1 << 20, "no point to learn from"),
        (Preparation::Blur(Blur { side: 5, sigma: 1.0 }), &points, 1 << 20, "36 features"),
        (Preparation::Blur(Blur { side: 6, sigma: 0.0 }), &points, 1 << 20, "the blur σ is 0"),
        (Preparation::Hog(Hog { side: 0, ..hog }), &points, 1 << 20, "0 × 0"),
        (Preparation::Hog(Hog { cell: f64::NAN, ..hog }), &points, 1 << 20, "the cell over 2.5"),
        (Preparation::Hog(Hog { bins: 1, ..hog }), &points, 1 << 20, "directions is 1"),
        (Preparation::Hog(Hog { stride: 0, ..hog }), &points, 1 << 20, "the stride is 0"),
        (Preparation::Hog(hog), &points, 100, "histograms of gradients take"),
        (Preparation::MinMax, &points, 100, "the scaled points take"),
    ] {
        let error = preparation.fit(points, Budget { bytes: budget }).unwrap_err().to_string();
        assert!(error.contains(words), "{preparation:?} is told {error:?}, without {words:?}");
    }
    let (fitted, _) = Preparation::MinMax.fit(&points, Budget::default()).unwrap();
    let other = Points::dense(Array2::zeros((1, 7))).unwrap();
    let error = fitted.apply(&other, Budget::default()).unwrap_err().to_string();
    assert!(error.contains("7 given where 36"), "{error}");
}
