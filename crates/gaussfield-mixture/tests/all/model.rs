//! Harmonic mixtures on the graph, on new points and back from JSON.

use crate::common::{blobs, close, documents, first_labelled};
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily};
use gaussfield_labels::{Decision, Inductive as _, Labels, Named as _, Transductive as _, median};
use gaussfield_mixture::{
    Assignment, Components, Covariance, Covariances, Em, Encoder, Family, Gaussian,
    HarmonicMixture, KMeans, Keep, LogisticRegression, Mixture, MixtureError, Model, Prototypes,
};
use gaussfield_points::Points;
use ndarray::{Array2, array};

/// Blobs of two classes with a few labels, and their graph with weak links between the blobs.
fn task() -> (Points, Graph, Labels) {
    let points = Points::dense(blobs(120, 2, 2, 21)).unwrap();
    let labels = first_labelled(120, 4, 2);
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.0 }.graph(&pattern, Budget::default()).unwrap();
    (points, graph, labels)
}

fn encoders(points: &Points, labels: &Labels) -> Vec<Encoder> {
    let clusters = KMeans::new(8).fit(points).unwrap();
    let mut all: Vec<Encoder> =
        [Assignment::Hard, Assignment::Soft { width: 0.5 }, Assignment::Local { nearest: 3 }]
            .into_iter()
            .map(|rule| Prototypes::from_kmeans(&clusters, rule).unwrap().into())
            .collect();
    let logistic = LogisticRegression::default();
    all.push(logistic.fit(points, &clusters.assignment, 8).unwrap().into());
    let anchors = labels.draw_unlabelled(10, 1).unwrap();
    all.push(Prototypes::anchors(points, &anchors, 3).unwrap().into());
    for shape in [Covariance::Full, Covariance::Diagonal, Covariance::Spherical, Covariance::Tied] {
        let em = Em::new(Family::gaussian(shape), 8).fit(points, labels).unwrap();
        all.push(em.mixture.into());
    }
    all
}

#[test]
fn every_encoder_follows_the_blobs_and_predicts_new_points() {
    let (points, graph, labels) = task();
    let new = Points::dense(blobs(40, 2, 2, 22)).unwrap();
    for encoder in encoders(&points, &labels) {
        for keep in [Keep::All, Keep::Largest(3)] {
            let harmonic = HarmonicMixture { keep, ..HarmonicMixture::default() };
            let fit = harmonic.fit(&points, &graph, &labels, encoder.clone()).unwrap();
            let wrong = |decided: &[usize]| {
                decided.iter().enumerate().filter(|&(i, &class)| class != i % 2).count()
            };
            assert_eq!(wrong(&fit.scores().argmax()), 0, "{encoder:?}");
            assert_eq!(wrong(&fit.model.predict(&new).unwrap().argmax()), 0, "{encoder:?}");
        }
    }
}

#[test]
fn a_model_comes_back_from_json_bit_for_bit() {
    let again = |model: &Model| -> Model {
        serde_json::from_str(&serde_json::to_string(model).unwrap()).unwrap()
    };
    let (points, graph, labels) = task();
    for encoder in encoders(&points, &labels) {
        let fit = HarmonicMixture::default().fit(&points, &graph, &labels, encoder).unwrap();
        let back = again(&fit.model);
        assert_eq!(back, fit.model);
        assert_eq!(back.predict(&points).unwrap(), fit.model.predict(&points).unwrap());
    }
    let counts = Points::dense(documents(30, 2)).unwrap();
    let labels = first_labelled(30, 4, 2);
    let mixture = Em::new(Family::multinomial(), 3).fit(&counts, &labels).unwrap().mixture;
    let (lambda, names) = (mixture.lambda().to_owned(), mixture.class_names().to_vec());
    let model = Model::new(mixture.into(), lambda, names, Keep::Largest(2)).unwrap();
    assert_eq!(again(&model), model);
}

#[test]
fn what_was_stored_is_checked_as_if_it_were_built_anew() {
    let prototypes =
        Prototypes::new(array![[0.0, 1.0], [2.0, 3.0]], Assignment::Soft { width: 0.5 });
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let model = Model::new(prototypes.unwrap().into(), Array2::eye(2), names, Keep::All).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Model>(&text).unwrap(), model);
    for (from, to) in [
        ("0.5", "-0.5"),
        ("[1.0,0.0,0.0,1.0]", "[2.0,0.0,0.0,1.0]"),
        ("\"dim\":[2,2]", "\"dim\":[2,3]"),
        ("[\"a\",\"b\"]", "[\"a\"]"),
        ("[\"a\",\"b\"]", "[\"a\",\"a\"]"),
        ("\"names\"", "\"more\":1,\"names\""),
        ("\"centres\"", "\"more\":1,\"centres\""),
        ("{", ""),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from} does not occur");
        assert!(serde_json::from_str::<Model>(&broken).is_err(), "{to}");
    }
}

#[test]
fn stored_densities_must_exist_and_speak_of_the_same_classes() {
    let names = |all: [&str; 2]| all.map(str::to_owned).to_vec();
    let mixture = |spread: ndarray::Array2<f64>| {
        let covariances = Covariances::Full(vec![spread; 2]);
        let gaussian = Gaussian::new(array![[0.0, 0.0], [3.0, 3.0]], covariances).unwrap();
        let components = Components::Gaussian(gaussian);
        Mixture::new(array![0.5, 0.5], components, Array2::eye(2), names(["a", "b"])).unwrap()
    };
    let build = |spread, all| Model::new(mixture(spread).into(), Array2::eye(2), all, Keep::All);
    assert!(build(Array2::eye(2), names(["a", "b"])).is_ok());
    let error = build(Array2::ones((2, 2)), names(["a", "b"])).unwrap_err();
    assert!(matches!(error, MixtureError::Collapsed { component: 0, .. }), "{error}");
    let error = build(Array2::eye(2), names(["b", "a"])).unwrap_err().to_string();
    assert!(error.contains("classes"), "{error}");
}

/// The paper cuts at the median of f on the unlabelled points: new points are cut at the same place.
#[test]
fn the_cut_at_the_median_is_repeated_on_new_points() {
    let (points, graph, labels) = task();
    let encoder = encoders(&points, &labels).swap_remove(0);
    let fit = HarmonicMixture::default().fit(&points, &graph, &labels, encoder).unwrap();
    let f = fit.scores().select(fit.interior()).unwrap();
    let cut = Decision::Above(median(f.class(1)).unwrap().unwrap());
    let told = fit.model.predictions_at(&points.select(fit.interior()).unwrap(), &cut).unwrap();
    let by_median = fit.predictions(&Decision::Median).unwrap();
    assert_eq!(told.classes(), by_median.classes());
    assert_eq!(told.class_names(), fit.class_names());
}

#[test]
fn responsibilities_over_the_budget_are_refused() {
    let (points, graph, labels) = task();
    let budget = Budget { bytes: 100 };
    for encoder in encoders(&points, &labels) {
        let all = HarmonicMixture { budget, ..HarmonicMixture::default() };
        let few = HarmonicMixture { keep: Keep::Largest(3), ..all };
        let mixture = matches!(encoder, Encoder::Mixture(_));
        let result = all.fit(&points, &graph, &labels, encoder.clone());
        if mixture {
            let error = result.unwrap_err();
            assert!(matches!(error, MixtureError::OverBudget(_)), "{error}");
        }
        assert!(few.fit(&points, &graph, &labels, encoder).is_ok());
    }
}

#[test]
fn hard_prototypes_decide_as_k_means_does() {
    // Points halfway between centres, far from the origin: products alone cannot tell.
    let rows = Array2::from_shape_fn((60, 2), |(i, k)| 1e6 + 0.5 * ((i * (k + 3)) % 12) as f64);
    let points = Points::dense(rows).unwrap();
    let clusters = KMeans::new(9).fit(&points).unwrap();
    let prototypes = Prototypes::from_kmeans(&clusters, Assignment::Hard).unwrap();
    let shares = prototypes.responsibilities(&points, Keep::All).unwrap().to_dense();
    for (row, &cluster) in shares.rows().into_iter().zip(&clusters.assignment) {
        assert!((row[cluster] - 1.0).abs() < 1e-15);
    }
    // Features too large for their squares, and a width too small for any weight.
    let huge = Points::dense(array![[1e200, 0.0], [-1e200, 0.0]]).unwrap();
    let error = prototypes.responsibilities(&huge, Keep::All).unwrap_err();
    assert!(matches!(error, MixtureError::NotFinite { row: 0, .. }), "{error}");
    let thin = Assignment::Soft { width: 1e-300 };
    let thin = Prototypes::new(array![[0.0], [1.0]], thin).unwrap();
    let near = Points::dense(array![[0.1], [0.9]]).unwrap();
    let shares = thin.responsibilities(&near, Keep::All).unwrap().to_dense();
    assert!(close(&shares, &Array2::eye(2), 1e-15), "{shares}");
}

#[test]
fn the_largest_responsibilities_are_kept() {
    let (points, graph, labels) = task();
    let mixture =
        Em::new(Family::gaussian(Covariance::Spherical), 6).fit(&points, &labels).unwrap().mixture;
    let all = mixture.responsibilities(&points, Keep::All).unwrap().to_dense();
    let same = mixture.responsibilities(&points, Keep::Largest(9)).unwrap();
    assert!(close(&same.to_dense(), &all, 1e-12));
    let two = mixture.responsibilities(&points, Keep::Largest(2)).unwrap();
    for (kept, all) in two.to_dense().rows().into_iter().zip(all.rows()) {
        let mut sorted = all.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let sum = sorted[0] + sorted[1];
        assert!((kept.sum() - 1.0).abs() < 1e-12);
        let largest = kept.fold(0.0_f64, |top, &p| top.max(p));
        assert!((largest - sorted[0] / sum).abs() < 1e-12);
    }
    let r_is_m = HarmonicMixture { keep: Keep::Largest(6), ..HarmonicMixture::default() };
    let a = r_is_m.fit(&points, &graph, &labels, mixture.clone()).unwrap();
    let b = HarmonicMixture::default().fit(&points, &graph, &labels, mixture).unwrap();
    assert!(close(&a.scores().clone().into_values(), &b.scores().clone().into_values(), 1e-8));
}

#[test]
fn local_weights_fall_with_the_distance() {
    let anchors = Prototypes::new(array![[0.0], [1.0], [10.0]], Assignment::Local { nearest: 2 });
    let points = Points::dense(array![[0.25], [9.0]]).unwrap();
    let rows = anchors.unwrap().responsibilities(&points, Keep::All).unwrap();
    let rows = rows.to_dense();
    // Distances ¼ and ¾, width ¾: exp(−(1/9)/2) against exp(−½).
    let ratio = (-0.5_f64 / 9.0).exp() / (-0.5_f64).exp();
    assert!((rows[[0, 0]] / rows[[0, 1]] - ratio).abs() < 1e-12);
    assert!(rows[[0, 2]].abs() < 1e-300 && rows[[1, 0]].abs() < 1e-300);
    assert!(rows[[1, 2]] > rows[[1, 1]]);
}
