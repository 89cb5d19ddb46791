//! Weights of points that come later: those that their family gives to an edge of the graph.

use gaussfield::core::Budget;
use gaussfield::description::Description;
use gaussfield::graph::{Pattern, WeightFamily as _};
use gaussfield::labels::{Inductive as _, Labels, Transductive as _};
use gaussfield::points::Points;
use ndarray::{Array2, Axis, array, concatenate};

/// Every family once, on a metric that it takes.
const FAMILIES: [(&str, &str); 6] = [
    ("euclidean", "{ exponential = { sigma = 2.0 } }"),
    ("euclidean", "{ exponential-per-dimension = { sigmas = [2.0, 0.7] } }"),
    ("cosine", "{ cosine-exponential = { scale = 0.03 } }"),
    ("euclidean", "{ tanh = { a1 = -1.5, a2 = 2.0 } }"),
    ("euclidean", "{ self-tuning = { factor = 1.3, neighbour = 1 } }"),
    ("euclidean", "\"unweighted\""),
];

#[test]
fn new_points_are_weighed_as_old_ones() {
    let old = array![[1.0, 0.1], [1.6, 0.5], [2.1, 1.2], [2.7, 0.4], [3.1, 2.0], [3.9, 2.2]];
    // Far enough to be nobody's nearest neighbour, so that local scales stay as they were.
    let new = array![[6.5, 4.0]];
    let points = Points::dense(old.clone()).unwrap();
    let all = concatenate(Axis(0), &[old.view(), new.view()]).unwrap();
    let all = Points::dense(all).unwrap();
    let new = Points::dense(new).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, Some("b"), None, Some("c")]);
    for (metric, weights) in FAMILIES {
        let text = format!(
            "graph.complete = {{ metric = \"{metric}\" }}\nweights = {weights}\nmethod.harmonic = {{}}"
        );
        let fitted = Description::from_toml(&text).unwrap().fit(&points, &labels).unwrap();
        let chosen = fitted.description();
        let (graph, family) = (chosen.graph.unwrap(), chosen.weights.clone().unwrap());
        let pattern: Pattern = graph.pattern(&all, Budget::default()).unwrap();
        let graph = family.graph(&pattern, Budget::default()).unwrap();

        let mut expected = Array2::<f64>::zeros((1, 3));
        for node in 0..6 {
            expected
                .row_mut(0)
                .scaled_add(graph.weight(6, node), &fitted.scores().values().row(node));
        }
        expected /= expected.sum();
        let found = fitted.predict(&new).unwrap();
        let gap = (&found.values() - &expected).fold(0.0_f64, |most, gap| most.max(gap.abs()));
        assert!(gap < 1e-9, "{weights}: {found:?} for {expected}");
    }
}
