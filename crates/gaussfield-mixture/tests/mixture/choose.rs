use crate::common::{blobs, first_labelled};
use gaussfield_graph::{Exponential, MemoryBudget, Metric, Pattern, WeightFamily};
use gaussfield_laplacian::SolverOptions;
use gaussfield_mixture::{
    ChooseComponents, Covariance, Criterion, Em, Family, HarmonicMixture, MixtureError,
};
use gaussfield_points::Points;

fn chooser(criterion: Criterion) -> ChooseComponents {
    ChooseComponents {
        candidates: vec![8, 1, 4, 2, 4],
        criterion,
        em: Em::new(Family::gaussian(Covariance::Spherical), 1),
        harmonic: HarmonicMixture::default(),
        sample: 50,
        solver: SolverOptions::default(),
    }
}

#[test]
fn four_blobs_need_four_components() {
    let points = Points::dense(blobs(160, 2, 4, 31)).unwrap();
    let labels = first_labelled(160, 8, 2);
    let pattern = Pattern::complete(points.clone(), Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.5 }.graph(&pattern, MemoryBudget::default()).unwrap();
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
    assert!(backbone.candidates[0].backbone_error > 0.2);
    assert!(backbone.candidates[2].disagreement < 0.05);
}

#[test]
fn nothing_to_choose_from_is_an_error() {
    let points = Points::dense(blobs(20, 2, 2, 1)).unwrap();
    let labels = first_labelled(20, 2, 2);
    let pattern = Pattern::complete(points.clone(), Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.5 }.graph(&pattern, MemoryBudget::default()).unwrap();
    let empty = ChooseComponents { candidates: vec![], ..chooser(Criterion::Bic) };
    assert_eq!(empty.choose(&points, &graph, &labels).unwrap_err(), MixtureError::NoCandidates);
    let slack = chooser(Criterion::Backbone { slack: -1.0 });
    assert!(slack.choose(&points, &graph, &labels).is_err());
    let sample = ChooseComponents { sample: 0, ..chooser(Criterion::Bic) };
    assert!(sample.choose(&points, &graph, &labels).is_err());
}
