//! Every method as a value: read, written, run, and run again from what was chosen.

use crate::methods::{METHODS, Named, read};
use gaussfield::core::FactValue;
use gaussfield::data::Dataset;
use gaussfield::data::generate::TwoMoons;
use gaussfield::description::{Description, Fitted, Method};
use gaussfield::gp::{Draws, LandmarkPrior};
use gaussfield::graph::FamilyChoice;
use gaussfield::prelude::*;
use gaussfield::tune::{Entropy, Objective as _};

fn moons() -> (Dataset, Labels) {
    let moons = TwoMoons { n: 80, noise: 0.05 }.generate(3).unwrap();
    let labels = moons.labels.keep(&[0, 20, 59, 79]).unwrap();
    (moons, labels)
}

fn same(a: &Fitted, b: &Fitted) {
    assert_eq!(a.predictions(), b.predictions());
    assert_eq!(a.scores(), b.scores());
    assert_eq!(a.description(), b.description());
}

#[test]
fn every_method_survives_files_and_runs_again_from_what_it_chose() {
    let (moons, labels) = moons();
    let new = TwoMoons { n: 10, noise: 0.05 }.generate(4).unwrap().points;
    for &Named { text: method, .. } in METHODS {
        let description = read(method);
        let name = description.method.name();
        assert!(method.starts_with(&format!("{name} = ")), "{name}");
        let text = description.to_toml().unwrap();
        assert_eq!(Description::from_toml(&text).unwrap(), description, "{text}");
        let text = description.to_json().unwrap();
        assert_eq!(Description::from_json(&text).unwrap(), description, "{text}");

        let fitted = description.fit(&moons.points, &labels).unwrap();
        assert_eq!(fitted.predictions().rows(), labels.unlabelled(), "{name}");
        assert_eq!(fitted.predictions().class_names(), labels.names(), "{name}");
        assert!(fitted.facts().get("method").is_some(), "{name}");
        let chosen = fitted.description();
        assert_eq!(chosen.weights.is_some(), description.method.needs_graph(), "{name}");
        let again = Description::from_toml(&chosen.to_toml().unwrap()).unwrap();
        same(&again.fit(&moons.points, &labels).unwrap(), &fitted);

        assert_eq!(fitted.predict_new(&new).unwrap().len(), 10, "{name}");
    }
}

#[test]
fn what_a_method_chose_is_filled_in() {
    let (moons, labels) = moons();
    let gp =
        "supervised-gp = { kernels = [{ rbf = { width = 0.01 } }, { rbf = { width = 0.5 } }] }";
    let fitted = read(gp).fit(&moons.points, &labels).unwrap();
    assert!(
        matches!(&fitted.description().method, Method::SupervisedGp(gp) if gp.kernels.len() == 1)
    );
    let chosen = "chosen-mixture = { candidates = [4, 8, 16], criterion = { backbone = { slack = \
                  0.02 } }, sample = 40, em = { components = 1, family = { gaussian = { covariance \
                  = \"full\", reg = { share = 1e-4 } } } } }";
    let fitted = read(chosen).fit(&moons.points, &labels).unwrap();
    let Method::HarmonicMixture { em, .. } = &fitted.description().method else {
        panic!("{:?}", fitted.description())
    };
    assert!([4, 8, 16].contains(&em.components));
    same(&fitted.description().fit(&moons.points, &labels).unwrap(), &fitted);
}

#[test]
fn a_mixture_tells_how_em_ended() {
    let (moons, labels) = moons();
    let family = "family = { gaussian = { covariance = \"diagonal\", reg = { share = 1e-3 } } }";
    for (most, ended) in [(1, "all the steps"), (500, "hardly changes")] {
        let em = format!("components = 8, max-iterations = {most}, {family}");
        let harmonic = format!("harmonic-mixture = {{ em = {{ {em} }} }}");
        let chosen = format!(
            "chosen-mixture = {{ candidates = [8], criterion = {{ backbone = {{ slack = 0.02 }} }}, \
             sample = 40, em = {{ {em} }} }}"
        );
        for text in [harmonic, chosen, format!("mixture = {{ {em} }}")] {
            let facts = read(&text).fit(&moons.points, &labels).unwrap().facts();
            let said = format!("{:?}", facts.get("EM ended because"));
            assert!(said.contains(ended), "{text}: {said}");
            let Some(&FactValue::Count(steps)) = facts.get("EM steps") else {
                panic!("{text}: {facts}")
            };
            assert!((1..=most).contains(&steps), "{text}: {steps}");
        }
    }
}

#[test]
fn weights_are_learned_and_then_stand_in_the_description() {
    let (moons, labels) = moons();
    let text = "
        decision = { class-mass = [0.5, 0.5] }
        graph = { knn = { k = 6, symmetry = \"both\", metric = \"euclidean\" } }
        weights = { exponential = { sigma = 1.0 } }
        method = { harmonic = {} }
        [tuning]
        objective = { entropy = { epsilon = 0.05, self-loop = 1.0 } }
        minimise = { max-steps = 15, optimiser = { golden-section = { factor = 10.0, probes = 5 } } }
        believe = { sigma = { log-normal = { median = 0.5, deviation = 1.0 } } }";
    let description = Description::from_toml(text).unwrap();
    let written = description.to_toml().unwrap();
    assert_eq!(Description::from_toml(&written).unwrap(), description);
    let untuned = Description { tuning: None, ..description.clone() };
    let before = untuned.fit(&moons.points, &labels).unwrap();
    let after = description.fit(&moons.points, &labels).unwrap();
    // What was minimised: the entropy of the smoothed walk, less the log density of the belief.
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 6, Symmetry::Both).unwrap();
    let entropy = Entropy::new(labels.clone()).smoothed(0.05).unwrap();
    let entropy = entropy.with_self_loops(1.0).unwrap();
    let minimised = |fitted: &Fitted| -> f64 {
        let Some(FamilyChoice::Exponential(family)) = fitted.description().weights.clone() else {
            panic!("{:?}", fitted.description().weights)
        };
        let graph = family.graph(&pattern, Budget::default()).unwrap();
        let z = (family.sigma / 0.5).ln();
        entropy.value(&graph).unwrap() + 0.5 * z * z + family.sigma.ln()
    };
    assert!(minimised(&after) < minimised(&before));
    assert!(matches!(
        after.facts().get("evaluations of the objective"),
        Some(FactValue::Count(5..))
    ));
    assert_ne!(after.description().weights, description.weights);
    same(&after.description().fit(&moons.points, &labels).unwrap(), &after);
}

#[test]
fn evidence_learns_weights_prior_and_noise_together() {
    let moons = TwoMoons { n: 60, noise: 0.05 }.generate(3).unwrap();
    let shown: Vec<usize> = (0..60).step_by(5).collect();
    let labels = moons.labels.keep(&shown).unwrap();
    let process = |prior: &str, learn: &str| {
        format!(
            "[method.gaussian-process]
            prior = {prior}
            inference = {{ ep = {{ likelihood = {{ probit = {{ noise = 2.0 }} }} }} }}
            [tuning]
            objective = {{ evidence = {{ learn = [{learn}] }} }}
            minimise = {{ max-steps = 6 }}"
        )
    };
    let graph = "{ graph = { regularisation = { shifted = { delta = 0.5 } } } }";
    let warped = "{ warped = { kernel = { rbf = { width = 0.5 } }, warp = { gamma-a = 1.0, gamma-i = \
                  0.1, power = 1 } } }";
    let terms = "{ warped = { kernel = { rbf = { width = 0.5 } }, warp = { gamma-a = 1.0, gamma-i = \
                 0.1, power = 1 }, terms = [{ power = 2, beta = 0.3 }] } }";
    let landmarks = "{ landmarks = { count = 20, kernel = { rbf = { width = 0.5 } }, warp = { gamma-a = \
                     1.0, gamma-i = 0.1, power = 1 } } }";
    for text in [
        process(graph, "\"delta\", \"noise\""),
        process(warped, "\"gamma-i\", \"width\""),
        process(terms, "\"beta[2]\""),
        process(landmarks, "\"gamma-i\", \"width\""),
    ] {
        let description = Description::from_toml(&text).unwrap();
        let fitted = description.fit(&moons.points, &labels).unwrap();
        let chosen = fitted.description();
        assert_ne!(chosen.method, description.method, "{text}");
        assert!(chosen.tuning.is_none());
        same(&chosen.fit(&moons.points, &labels).unwrap(), &fitted);
        let before = Description { tuning: None, ..description.clone() };
        let before = before.fit(&moons.points, &labels).unwrap();
        assert_ne!(before.description().weights, chosen.weights);
    }
}

#[test]
fn three_classes_are_told_apart_by_every_inference() {
    let rows =
        ndarray::Array2::from_shape_fn((18, 1), |(i, _)| 0.2 * i as f64 + 3.0 * (i / 6) as f64);
    let points = gaussfield::points::Points::dense(rows).unwrap();
    let name = |i: usize| ["low", "middle", "high"][i / 6];
    let labels = Labels::from_names((0..18).map(|i| (i % 6 == 2).then(|| name(i))));
    for inference in [
        "{ ep = { likelihood = { flip = { epsilon = 0.05 } } } }",
        "{ laplace = { likelihood = { sigmoid = { gamma = 1.0 } } } }",
        "{ softmax = {} }",
    ] {
        let process = format!(
            "gaussian-process = {{ prior = {{ graph = {{ regularisation = {{ shifted = {{ delta = \
             0.05 }} }} }} }}, inference = {inference} }}"
        );
        let text = format!("graph.knn.k = 3\n[method]\n{process}");
        let fitted = Description::from_toml(&text).unwrap().fit(&points, &labels).unwrap();
        assert!(fitted.predictions().iter().all(|p| p.class == name(p.row)), "{inference}");
    }
}

#[test]
fn a_method_alone_is_a_description() {
    let (moons, labels) = moons();
    let said = Description::from(Method::Harmonic(Harmonic::default()));
    same(
        &said.fit(&moons.points, &labels).unwrap(),
        &read("harmonic = {}").fit(&moons.points, &labels).unwrap(),
    );
    // The same by hand.
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 10, Symmetry::Either).unwrap();
    let family = Exponential { sigma: pattern.mean_distance() };
    let graph = family.graph(&pattern, Budget::default()).unwrap();
    let field = Harmonic::default().fit(&graph, &labels).unwrap();
    let fitted = said.fit(&moons.points, &labels).unwrap();
    assert_eq!(&field.predictions(&Decision::Argmax).unwrap(), fitted.predictions());
}

#[test]
fn features_are_prepared_before_the_graph_and_for_new_points_alike() {
    let (moons, labels) = moons();
    let stretched = |points: &Points| {
        Points::dense(points.to_dense() * ndarray::array![[1.0, 1000.0]]).unwrap()
    };
    let new = TwoMoons { n: 10, noise: 0.05 }.generate(4).unwrap().points;
    let text = "prepare = [\"standardise\"]\n[method]\nharmonic-mixture = { em = { components = 12, \
                family = { gaussian = { covariance = \"full\", reg = { share = 1e-6 } } } } }";
    let description = Description::from_toml(text).unwrap();
    assert_eq!(Description::from_toml(&description.to_toml().unwrap()).unwrap(), description);
    let plain = description.fit(&moons.points, &labels).unwrap();
    let wide = description.fit(&stretched(&moons.points), &labels).unwrap();
    assert_eq!(plain.predictions().classes(), wide.predictions().classes());
    let (a, b) = (plain.predict_new(&new).unwrap(), wide.predict_new(&stretched(&new)).unwrap());
    assert_eq!(a.classes(), b.classes());
    same(&plain.description().fit(&moons.points, &labels).unwrap(), &plain);
    let hog = "prepare = [{ hog = { side = 16 } }]\nmethod.harmonic = {}";
    let error = Description::from_toml(hog).unwrap().fit(&moons.points, &labels).unwrap_err();
    assert!(error.to_string().starts_with("prepare: the points have 2 features"), "{error}");
}

/// What a description names is what the library computes.
#[test]
fn probabilities_are_averaged_and_landmarks_are_taken_by_name() {
    let (moons, labels) = moons();
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 10, Symmetry::Either).unwrap();
    let graph = Exponential { sigma: 1.0 }.graph(&pattern, Budget::default()).unwrap();
    let fit = |process: &str| {
        let text = format!("weights.exponential.sigma = 1.0\n[method.gaussian-process]\n{process}");
        Description::from_toml(&text).unwrap().fit(&moons.points, &labels).unwrap()
    };
    let prior = GraphPrior::shifted(0.1);
    let shifted = "prior.graph.regularisation.shifted.delta = 0.1";
    let flip = GaussianProcess::ep(Flip { epsilon: 0.1 });
    let at_mean = flip.fit(prior.on(&graph).unwrap(), &labels).unwrap();
    let flip = format!("{shifted}\ninference.ep.likelihood.flip.epsilon = 0.1\n");
    let plain = fit(&flip);
    assert_eq!(plain.scores(), at_mean.scores());
    // One of two values without averaging.
    assert!(plain.scores().values().iter().all(|p| (p - 0.5).abs() > 0.399));
    let averaged = fit(&format!("{flip}probabilities = \"averaged\""));
    assert_eq!(averaged.scores(), at_mean.averaged().unwrap().scores());
    assert!(averaged.scores().values().iter().any(|p| (p - 0.5).abs() < 0.35));
    let softmax =
        fit(&format!("{shifted}\ninference.softmax = {{}}\nprobabilities = \"averaged\""));
    let direct = Softmax::default().fit(prior.on(&graph).unwrap(), &labels).unwrap();
    assert_ne!(softmax.scores(), direct.scores());
    assert_eq!(softmax.scores(), direct.averaged(Draws::default()).unwrap().scores());

    let (kernel, laplacian) = (Kernel::Rbf { width: 0.5 }, Laplacian::Combinatorial);
    let warp = Warp { gamma_a: 1.0, gamma_i: 10.0, power: 1 };
    let mut landmarks = labels.labelled();
    landmarks.extend(labels.draw_unlabelled(20, 3).unwrap());
    let budget = Budget::default();
    let prior =
        LandmarkPrior { points: moons.points.clone(), kernel, laplacian, warp, landmarks, budget };
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let direct = process.fit(prior.on(&graph).unwrap(), &labels).unwrap();
    let named = fit(
        "inference.laplace.likelihood.sigmoid.gamma = 1.0\n[method.gaussian-process.prior.landmarks]\n\
         count = 20\nseed = 3\nkernel.rbf.width = 0.5\nwarp = { gamma-a = 1.0, gamma-i = 10.0, power = 1 }",
    );
    assert_eq!(named.scores(), direct.scores());
}
