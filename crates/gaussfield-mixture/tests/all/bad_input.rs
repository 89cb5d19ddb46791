//! Wrong input is an error that names the place and the value.

use crate::common::{blobs, dense, documents, first_labelled, graph, soft};
use gaussfield_core::Budget;
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_mixture::{
    Assignment, Backbone, Components, Covariance, Covariances, Em, Family, Floor, Gaussian,
    HarmonicMixture, Keep, Mixture, MixtureError, Multinomial, Prototypes, Responsibilities,
};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};
use sprs::CsMat;

fn gaussian(components: usize) -> Em {
    Em::new(Family::gaussian(Covariance::Spherical), components)
}

/// Every error says the words that let a user find the place and mend it.
fn says<T: std::fmt::Debug>(result: Result<T, MixtureError>, words: &[&str]) {
    let error = result.expect_err("bad input").to_string();
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

#[test]
fn em_names_what_is_wrong_with_its_input() {
    let points = Points::dense(blobs(10, 2, 2, 1)).unwrap();
    let labels = first_labelled(10, 2, 2);
    says(gaussian(0).fit(&points, &labels), &["components is 0", "at least 1"]);
    says(gaussian(11).fit(&points, &labels), &["components is 11", "at most 10"]);
    says(gaussian(2).fit(&points, &first_labelled(9, 2, 2)), &["labels", "9", "10"]);
    let unnamed = Labels::new(vec![None; 10], vec![]).unwrap();
    says(gaussian(2).fit(&points, &unnamed), &["class"]);
    let nowhere = Points::dense(Array2::zeros((10, 0))).unwrap();
    says(gaussian(2).fit(&nowhere, &labels), &["features"]);
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        says(Em { tolerance, ..gaussian(2) }.fit(&points, &labels), &["tolerance"]);
    }
    for reg in [-1.0, f64::NAN] {
        let family = Family::Gaussian { covariance: Covariance::Full, reg: Floor::Variance(reg) };
        says(Em::new(family, 2).fit(&points, &labels), &["reg"]);
    }
    let huge = Points::dense(blobs(10, 2, 2, 1) * 1e200).unwrap();
    for covariance in
        [Covariance::Full, Covariance::Diagonal, Covariance::Spherical, Covariance::Tied]
    {
        assert!(Em::new(Family::gaussian(covariance), 2).fit(&huge, &labels).is_err());
    }
}

#[test]
fn counts_must_be_counts() {
    let labels = first_labelled(10, 2, 2);
    let words = Em::new(Family::multinomial(), 2);
    let mut counts = documents(10, 1);
    counts[[3, 5]] = -2.0;
    let mut silent = documents(10, 1);
    silent.row_mut(7).fill(0.0);
    for as_sparse in [false, true] {
        let points = |rows: &Array2<f64>| {
            if as_sparse {
                Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap()
            } else {
                Points::dense(rows.clone()).unwrap()
            }
        };
        says(words.fit(&points(&counts), &labels), &["row 3", "column 5", "-2", "negative"]);
        says(words.fit(&points(&silent), &labels), &["row 7", "no word", "remove"]);
        let fit = words.fit(&points(&documents(10, 1)), &labels).unwrap();
        says(fit.mixture.predict(&points(&silent)), &["row 7"]);
    }
    let fine = Points::dense(documents(10, 1)).unwrap();
    for smooth in [0.0, -1.0, f64::NAN] {
        says(Em::new(Family::Multinomial { smooth }, 2).fit(&fine, &labels), &["smooth"]);
    }
}

#[test]
fn parts_of_a_mixture_must_fit_together() {
    let means = || array![[0.0, 0.0], [1.0, 1.0]];
    let cases = [
        Covariances::Spherical(array![1.0]),
        Covariances::Spherical(array![1.0, 0.0]),
        Covariances::Spherical(array![1.0, f64::NAN]),
        Covariances::Diagonal(array![[1.0, 1.0]]),
        Covariances::Diagonal(array![[1.0], [1.0]]),
        Covariances::Full(vec![Array2::eye(2)]),
        Covariances::Full(vec![Array2::eye(2), Array2::eye(3)]),
        Covariances::Tied(array![[1.0, 0.5], [0.4, 1.0]]),
        Covariances::Tied(array![[1.0, 0.0], [0.0, -1.0]]),
    ];
    for case in cases {
        assert!(Gaussian::new(means(), case.clone()).is_err(), "{case:?}");
    }
    let none = Gaussian::new(Array2::zeros((0, 2)), Covariances::Spherical(array![]));
    says(none, &["components is 0"]);
    assert!(Multinomial::new(array![[0.5, 0.4]]).is_err());
    assert!(Multinomial::new(array![[1.0, 0.0]]).is_err());

    let round = || {
        let gaussian = Gaussian::new(means(), Covariances::Spherical(array![1.0, 1.0])).unwrap();
        Components::Gaussian(gaussian)
    };
    let names = |count: usize| (0..count).map(|c| c.to_string()).collect::<Vec<_>>();
    let even = Array2::from_elem((2, 2), 0.5);
    let build = |gamma: Array1<f64>, lambda: Array2<f64>, classes| {
        Mixture::new(gamma, round(), lambda, names(classes))
    };
    says(build(array![1.0], even.clone(), 2), &["γ", "1 given where 2"]);
    says(build(array![0.7, 0.7], even.clone(), 2), &["γ"]);
    says(build(array![1.5, -0.5], even.clone(), 2), &["γ"]);
    says(build(array![0.5, 0.5], even.clone(), 3), &["λ"]);
    says(build(array![0.5, 0.5], 2.0 * &even, 2), &["λ"]);
    says(build(array![0.5, 0.5], Array2::zeros((2, 0)), 0), &["class"]);

    // A covariance that is not positive definite shows when it is used.
    let flat = Covariances::Full(vec![array![[1.0, 1.0], [1.0, 1.0]]; 2]);
    let flat = Components::Gaussian(Gaussian::new(means(), flat).unwrap());
    let mixture = Mixture::new(array![0.5, 0.5], flat, even, names(2)).unwrap();
    let points = Points::dense(array![[0.0, 0.0]]).unwrap();
    says(mixture.predict(&points), &["component 0 collapsed", "reg"]);

    // A start of another kind, number or dimension.
    let points = Points::dense(blobs(10, 2, 2, 1)).unwrap();
    let labels = first_labelled(10, 2, 2);
    let run = |em: Em, points: &Points| {
        let start = build(array![0.5, 0.5], Array2::from_elem((2, 2), 0.5), 2).unwrap();
        em.run(points, &labels, start)
    };
    says(run(Em::new(Family::gaussian(Covariance::Full), 2), &points), &["family"]);
    says(run(gaussian(3), &points), &["components of the start"]);
    says(run(gaussian(2), &Points::dense(blobs(10, 3, 2, 1)).unwrap()), &["dimension"]);
}

#[test]
fn backbones_and_prototypes_check_their_input() {
    let graph = graph(12, 1);
    let labels = first_labelled(12, 2, 2);
    let rows = dense(soft(12, 3, 2, 1));
    says(Backbone::new(&graph, &first_labelled(11, 2, 2), &rows), &["labels", "11"]);
    says(Backbone::new(&graph, &labels, &dense(soft(9, 3, 2, 1))), &["responsibilities", "9"]);
    says(Backbone::new(&graph, &first_labelled(12, 0, 2), &rows), &["label"]);
    says(Responsibilities::dense(array![[0.5, 0.4]]), &["row 0", "0.9"]);
    says(Responsibilities::dense(array![[1.0, 0.0], [1.5, -0.5]]), &["row 1", "component 0"]);
    assert!(Responsibilities::hard(&[0, 3], 3).is_err());
    assert!(rows.product(Array2::zeros((2, 2)).view()).is_err());
    assert!(rows.rows(&[12]).is_err());

    let centres = || array![[0.0, 0.0], [1.0, 1.0]];
    for rule in [
        Assignment::Soft { width: 0.0 },
        Assignment::Soft { width: f64::NAN },
        Assignment::Local { nearest: 0 },
    ] {
        assert!(Prototypes::new(centres(), rule).is_err(), "{rule:?}");
    }
    assert!(Prototypes::new(array![[f64::INFINITY]], Assignment::Hard).is_err());
    assert!(Prototypes::new(Array2::zeros((0, 2)), Assignment::Hard).is_err());
    let prototypes = Prototypes::new(centres(), Assignment::Hard).unwrap();
    let points = Points::dense(blobs(12, 2, 2, 1)).unwrap();
    assert!(prototypes.responsibilities(&points, Keep::Largest(0)).is_err());
    let other = Points::dense(blobs(12, 3, 2, 1)).unwrap();
    says(prototypes.responsibilities(&other, Keep::All), &["dimension"]);
    let fewer = Points::dense(blobs(9, 2, 2, 1)).unwrap();
    let fit = HarmonicMixture::default().fit(&fewer, &graph, &labels, prototypes);
    says(fit, &["points", "9"]);
}

/// Covariances of all pairs of features, their factors and sums are counted before they are made.
#[test]
fn densities_over_the_budget_are_refused() {
    let points = Points::dense(blobs(40, 3000, 2, 1)).unwrap();
    let labels = first_labelled(40, 2, 2);
    for covariance in [Covariance::Full, Covariance::Tied] {
        let em = Em::new(Family::gaussian(covariance), 20);
        let small = Em { budget: Budget { bytes: 400 << 20 }, ..em };
        says(small.fit(&points, &labels), &["the densities of all components", "419.4 MB"]);
    }
    // 20 × 3000 × 3000 numbers five times over.
    let full = Em::new(Family::gaussian(Covariance::Full), 20);
    says(full.start_from(&points, &labels, &[0; 40]), &["the densities of all components"]);
    // One row of very many features takes a block of its own.
    let wide = CsMat::new((2, 50_000_000), vec![0, 1, 2], vec![0, 7], vec![1.0, 2.0]);
    let wide = Points::sparse(wide).unwrap();
    let labels = first_labelled(2, 2, 1);
    says(gaussian(1).fit(&wide, &labels), &["the densities of all components"]);
}
