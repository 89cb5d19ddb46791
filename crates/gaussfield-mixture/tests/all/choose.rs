//! Numbers of components, chosen.

use crate::common::{blobs, first_labelled};
use gaussfield_core::{Budget, Cancelled, Progress};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily};
use gaussfield_harmonic::Harmonic;
use gaussfield_mixture::{
    ChooseComponents, Covariance, Criterion, Em, Family, HarmonicMixture, MixtureError,
};
use gaussfield_points::Points;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

fn chooser(criterion: Criterion) -> ChooseComponents {
    ChooseComponents {
        candidates: vec![8, 1, 4, 2, 4],
        criterion,
        em: Em::new(Family::gaussian(Covariance::Spherical), 1),
        harmonic: HarmonicMixture::default(),
        sample: 50,
        reference: Harmonic::default(),
    }
}

#[test]
fn four_blobs_need_four_components() {
    let points = Points::dense(blobs(160, 2, 4, 31)).unwrap();
    let labels = first_labelled(160, 8, 2);
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.5 }.graph(&pattern, Budget::default()).unwrap();
    let bic = chooser(Criterion::Bic).choose(&points, &graph, &labels).unwrap();
    assert_eq!(bic.components, 4, "{}", bic.reason);
    assert!(bic.reason.contains("M = 4 has the least"), "{}", bic.reason);
    let numbers: Vec<usize> = bic.candidates.iter().map(|c| c.components).collect();
    assert_eq!(numbers, [1, 2, 4, 8]);
    let slack = Criterion::Backbone { slack: 0.05 };
    let backbone = chooser(slack).choose(&points, &graph, &labels).unwrap();
    assert_eq!(backbone.components, 4, "{}", backbone.reason);
    assert_eq!(backbone.fit.model.lambda().nrows(), 4);
    // One component cannot tell two classes apart.
    let error = |at: usize| backbone.candidates[at].backbone.unwrap();
    assert!(error(0).rms > 0.2);
    assert!(error(2).disagreement < 0.05);
    assert!(bic.candidates[0].backbone.is_none());
    // Without a solve on the graph: eight components say what four do, and two do not.
    let settled = chooser(Criterion::Settled { slack: 0.05 }).choose(&points, &graph, &labels);
    let settled = settled.unwrap();
    assert_eq!(settled.components, 4, "{}", settled.reason);
    assert!(!settled.at_edge && settled.reason.contains("that of M = 8"), "{}", settled.reason);
    assert!(settled.candidates[3].backbone.unwrap().rms < 1e-15);
    let never = chooser(Criterion::Settled { slack: 0.0 }).choose(&points, &graph, &labels);
    assert!(never.unwrap().at_edge);
}

#[test]
fn nothing_to_choose_from_is_an_error() {
    let points = Points::dense(blobs(20, 2, 2, 1)).unwrap();
    let labels = first_labelled(20, 2, 2);
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.5 }.graph(&pattern, Budget::default()).unwrap();
    let empty = ChooseComponents { candidates: vec![], ..chooser(Criterion::Bic) };
    assert_eq!(empty.choose(&points, &graph, &labels).unwrap_err(), MixtureError::NoCandidates);
    let slack = chooser(Criterion::Backbone { slack: -1.0 });
    assert!(slack.choose(&points, &graph, &labels).is_err());
    let slack = chooser(Criterion::Settled { slack: f64::NAN });
    assert!(slack.choose(&points, &graph, &labels).is_err());
    let sample = ChooseComponents { sample: 0, ..chooser(Criterion::Bic) };
    assert!(sample.choose(&points, &graph, &labels).is_err());
}

#[test]
fn a_listener_hears_every_stage_and_may_stop_the_search() {
    let points = Points::dense(blobs(80, 2, 4, 3)).unwrap();
    let labels = first_labelled(80, 4, 2);
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.5 }.graph(&pattern, Budget::default()).unwrap();
    let heard = Arc::new(Mutex::new(BTreeSet::new()));
    let notes = Arc::clone(&heard);
    let progress = Progress::new(move |report| {
        notes.lock().unwrap().insert(report.stage);
        if (report.stage, report.done) == ("numbers of components", 2) {
            Progress::current().cancel();
        }
    });
    let chooser = chooser(Criterion::Backbone { slack: 0.0 });
    let error = progress.during(|| chooser.choose(&points, &graph, &labels)).unwrap_err();
    let stage = "numbers of components";
    assert_eq!(error, MixtureError::Cancelled(Cancelled { stage }));
    let heard = heard.lock().unwrap();
    for stage in ["k-means++ start", "k-means", "EM", "class memberships", stage] {
        assert!(heard.contains(stage), "{stage}");
    }
}

#[test]
fn the_bayesian_criterion_needs_no_solve_on_the_graph() {
    // Node 19 hangs alone: no harmonic function, but a mixture has a share of it.
    let points = Points::dense(blobs(20, 2, 2, 1)).unwrap();
    let labels = first_labelled(20, 2, 2);
    let graph = Graph::from_edges(20, (0..17).map(|i| (i, i + 2, 1.0))).unwrap();
    let choose = |criterion| {
        let few = ChooseComponents { candidates: vec![1, 2], ..chooser(criterion) };
        few.choose(&points, &graph, &labels)
    };
    assert_eq!(choose(Criterion::Bic).unwrap().components, 2);
    let error = choose(Criterion::Backbone { slack: 0.1 }).unwrap_err();
    assert!(matches!(error, MixtureError::Harmonic(_)), "{error}");
}

#[test]
fn the_least_within_the_slack_wins_and_edges_are_told() {
    let scores = [(5, 0.4), (10, 0.12), (20, 0.1), (40, 0.11)];
    let picked = Criterion::Backbone { slack: 0.03 }.pick(&scores).unwrap();
    assert_eq!((picked.position, picked.at_edge), (1, false));
    let picked = Criterion::Bic.pick(&scores).unwrap();
    assert_eq!((picked.position, picked.at_edge), (2, false));
    let picked = Criterion::Backbone { slack: 0.03 }.pick(&scores[..3]).unwrap();
    assert!(picked.at_edge && picked.reason.contains("try larger"), "{}", picked.reason);
    assert!(Criterion::Bic.pick(&[]).is_none());
}
