//! Every gradient equals finite differences, for every objective with every family.

use gaussfield_core::Budget;
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Graph, Metric, Pattern, Symmetry, Tanh, WeightFamily,
};
use gaussfield_labels::{ClassPrior, Labels};
use gaussfield_points::Points;
use gaussfield_tune::{Entropy, Objective};
use ndarray::Array2;
use proptest::prelude::*;

const DIM: usize = 3;

fn problem() -> impl Strategy<Value = (Points, Labels)> {
    (8_usize..16, 2_usize..4).prop_flat_map(|(n, classes)| {
        let coordinates = prop::collection::vec(-1.5..1.5_f64, n * DIM);
        coordinates.prop_map(move |coordinates| {
            let rows = Array2::from_shape_vec((n, DIM), coordinates).unwrap();
            let of = (0..n).map(|i| (i < classes + 1).then_some(i % classes)).collect();
            let names = (0..classes).map(|c| c.to_string()).collect();
            (Points::dense(rows).unwrap(), Labels::new(of, names).unwrap())
        })
    })
}

fn graph<F: WeightFamily>(family: &F, pattern: &Pattern) -> Graph {
    family.graph(pattern, Budget::default()).unwrap()
}

/// Largest difference between the adjoint gradient and central differences, relative to the
/// gradient's size.
fn gap<F: WeightFamily + Clone>(family: &F, pattern: &Pattern, objective: &Entropy) -> f64 {
    let here = graph(family, pattern);
    let evaluation = objective.evaluate(&here).unwrap();
    let gradient = family.pullback(pattern, &here, &evaluation.edges).unwrap();
    let value = objective.value(&here).unwrap();
    assert!((value - evaluation.value).abs() < 1e-14);
    let start = family.values();
    let scale = gradient.iter().fold(1e-3, |m, g| f64::max(m, g.abs()));
    let mut worst = 0.0;
    for (i, g) in gradient.iter().enumerate() {
        let step = 1e-5 * start[i].abs();
        let at = |by: f64| {
            let mut moved = start.clone();
            moved[i] += by;
            let mut family = family.clone();
            family.set_parameters(&moved).unwrap();
            objective.value(&graph(&family, pattern)).unwrap()
        };
        let difference = (at(step) - at(-step)) / (2.0 * step);
        worst = f64::max(worst, (difference - g).abs() / scale);
    }
    worst
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn entropy_gradients_equal_finite_differences(
        (points, labels) in problem(),
        epsilon in prop_oneof![Just(0.0), 0.001..0.5_f64],
        self_loop in prop_oneof![Just(0.0), Just(1.0)],
        normalised in any::<bool>(),
        complete in any::<bool>(),
    ) {
        let pattern = if complete {
            Pattern::complete(&points, Metric::Euclidean).unwrap()
        } else {
            Pattern::knn(&points, Metric::Euclidean, 5, Symmetry::Either).unwrap()
        };
        let mut objective =
            Entropy::new(labels.clone()).smoothed(epsilon).unwrap().with_self_loops(self_loop).unwrap();
        if normalised {
            objective = objective.normalised(ClassPrior::add_one(&labels).unwrap()).unwrap();
        }
        let reachable = gaussfield_laplacian::components(&graph(&Exponential { sigma: 1.0 }, &pattern));
        prop_assume!(complete || reachable.count == 1);
        let one_scale = Exponential { sigma: 1.1 };
        let per_dimension = ExponentialPerDimension { sigmas: vec![0.8, 1.3, 2.0] };
        let tanh = Tanh { a1: -2.0, a2: 1.0 };
        prop_assert!(gap(&one_scale, &pattern, &objective) < 1e-5);
        prop_assert!(gap(&per_dimension, &pattern, &objective) < 1e-5);
        prop_assert!(gap(&tanh, &pattern, &objective) < 1e-5);
    }
}
