//! Everything a user can get wrong is an error that names it.

use gaussfield_graph::*;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};
use openblas_src as _;
use sprs::CsMat;

const EUCLIDEAN: Metric = Metric::Euclidean;

fn line(n: usize) -> Points {
    Points::dense(Array2::from_shape_fn((n, 1), |(i, _)| i as f64)).unwrap()
}

fn zero_row() -> Points {
    Points::dense(array![[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]).unwrap()
}

fn chain() -> Pattern {
    Pattern::knn(line(4), 1, EUCLIDEAN, Symmetry::Either).unwrap()
}

fn graph(family: &impl WeightFamily) -> Result<Graph, GraphError> {
    family.graph(&chain(), MemoryBudget::default())
}

fn says<T: std::fmt::Debug>(result: Result<T, GraphError>, words: &str) {
    let message = result.expect_err(words).to_string();
    assert!(message.contains(words), "{message:?} should say {words:?}");
}

#[test]
fn searches_and_patterns() {
    let knn = |n, k| Pattern::knn(line(n), k, EUCLIDEAN, Symmetry::Either);
    says(knn(5, 0), "k = 0 nearest neighbours were asked for, with 5 points");
    says(knn(5, 5), "k = 5 nearest neighbours were asked for, with 5 points");
    says(knn(5, 5), "at most 4");
    says(knn(5, 9), "k = 9");
    says(knn(0, 1), "with 0 points");
    says(knn(1, 1), "with 1 points");
    for eps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        says(Pattern::ball(line(5), eps, EUCLIDEAN), &format!("ε-ball is {eps}"));
    }
    says(Pattern::knn(zero_row(), 1, Metric::Cosine, Symmetry::Both), "point 1 has only zeros");
    says(Pattern::ball(zero_row(), 0.5, Metric::Cosine), "point 1 has only zeros");
    says(Pattern::complete(zero_row(), Metric::Cosine), "point 1 has only zeros");

    let query =
        |queries: &Points, k| Neighbours::query(&line(3), queries, EUCLIDEAN, k, Search::Auto);
    says(query(&line(2), 0), "k = 0");
    says(query(&line(2), 4), "at most 3");
    says(query(&zero_row(), 1), "dimension 2 were given where dimension 1 is needed");
    let points = Points::dense(array![[1.0, 1.0]]).unwrap();
    says(
        Neighbours::query(&points, &zero_row(), Metric::Cosine, 1, Search::Auto),
        "query 1 has only zeros",
    );

    let sparse = Points::sparse(CsMat::eye(4)).unwrap();
    let search = |points: &Points, method| Neighbours::search(points, EUCLIDEAN, 1, method);
    says(search(&sparse, Search::KdTree), "KdTree search needs dense rows");
    says(search(&sparse, Search::BlockedGemm), "BlockedGemm search needs dense rows");
    says(search(&line(3), Search::InvertedIndex), "InvertedIndex search needs sparse rows");

    let found = search(&line(5), Search::Auto).unwrap();
    says(found.pattern(line(5), 0, Symmetry::Both), "k = 0");
    says(found.pattern(line(5), 2, Symmetry::Both), "only 1 neighbours were kept");
    says(found.pattern(line(4), 1, Symmetry::Both), "has 4 entries where the pattern has 5");
    let found = query(&line(3), 1).unwrap();
    says(found.pattern(line(3), 1, Symmetry::Both), "neighbours of other points");
}

#[test]
fn families() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let words = |name: &str| format!("{name} is {bad}: it must be positive");
        says(graph(&Exponential { sigma: bad }), &words("sigma"));
        says(Exponential { sigma: 1.0 }.with_parameters(&[bad]), &words("sigma"));
        says(graph(&ExponentialPerDimension { sigmas: vec![bad] }), &words("sigma[0]"));
        let two = ExponentialPerDimension::uniform(1.0, 2);
        says(two.with_parameters(&[1.0, bad]), &words("sigma[1]"));
        says(graph(&CosineExponential { scale: bad }), &words("scale"));
        says(CosineExponential { scale: 1.0 }.with_parameters(&[bad]), &words("scale"));
        says(graph(&SelfTuning { factor: bad, neighbour: 1 }), &words("factor"));
        let own = SelfTuning { factor: 1.0, neighbour: 1 };
        says(own.with_parameters(&[bad]), &words("factor"));
    }
    for bad in [0.0, 2.0, f64::NAN, f64::NEG_INFINITY] {
        let words = format!("a1 is {bad}: it must be negative");
        says(graph(&Tanh { a1: bad, a2: 1.0 }), &words);
        says(Tanh { a1: -1.0, a2: 1.0 }.with_parameters(&[bad, 1.0]), &words);
    }
    says(graph(&Tanh { a1: -1.0, a2: f64::NAN }), "a2 is NaN");
    says(graph(&ExponentialPerDimension::uniform(1.0, 3)), "takes 1 hyperparameters here, 3 were");
    says(graph(&CosineExponential { scale: 1.0 }), "needs a pattern of Cosine distances");
    says(graph(&SelfTuning { factor: 1.0, neighbour: 0 }), "k = 0");
    says(graph(&SelfTuning { factor: 1.0, neighbour: 4 }), "k = 4");
    says(Unweighted.with_parameters(&[1.0]), "takes 0 hyperparameters here, 1 were");
    says(Tanh { a1: -1.0, a2: 1.0 }.with_parameters(&[-1.0]), "takes 2 hyperparameters here, 1");
    says(Exponential { sigma: 1.0 }.with_parameters(&[]), "takes 1 hyperparameters here, 0");
    says(ExponentialPerDimension::uniform(1.0, 2).with_parameters(&[1.0]), "takes 2");
}

#[test]
fn dense_graphs_over_the_budget_are_refused_before_they_are_made() {
    let pattern = Pattern::complete(line(1_000), EUCLIDEAN).unwrap();
    let budget = MemoryBudget { bytes: 1_000_000 };
    says(Unweighted.graph(&pattern, budget), "takes 8000000 bytes, over the budget of 1000000");
    says(Exponential { sigma: 1.0 }.graph(&pattern, budget), "sparse graph");
    says(ExponentialPerDimension::uniform(1.0, 1).graph(&pattern, budget), "sparse graph");
}

#[test]
fn pullbacks_refuse_what_does_not_belong_together() {
    let gradient = |n: usize, a: usize, b: usize| EdgeGradient {
        potentials: Array2::zeros((n, a)),
        adjoints: Array2::zeros((n, b)),
        node_terms: Array1::zeros(n),
    };
    let family = Exponential { sigma: 1.0 };
    let budget = MemoryBudget::default();
    let (pattern, good) = (chain(), gradient(4, 1, 1));
    let graph = family.graph(&pattern, budget).unwrap();
    assert!(family.pullback(&pattern, &graph, &good).is_ok());
    says(family.pullback(&pattern, &graph, &gradient(3, 1, 1)), "node terms");
    says(family.pullback(&pattern, &graph, &gradient(4, 1, 2)), "adjoint potentials (columns)");
    let other = Graph::from_edges(3, []).unwrap();
    says(family.pullback(&pattern, &other, &good), "nodes of the graph has 3 entries");
    let other = Graph::from_edges(4, [(0, 1, 1.0)]).unwrap();
    says(family.pullback(&pattern, &other, &good), "stored weights of the graph has 2 entries");
    let other = Graph::from_dense(Array2::zeros((4, 4))).unwrap();
    says(family.pullback(&pattern, &other, &good), "dense weight matrix");
    says(Unweighted.pullback(&pattern, &other, &good), "dense weight matrix");
    let complete = Pattern::complete(line(4), EUCLIDEAN).unwrap();
    says(family.pullback(&complete, &graph, &good), "sparse weight matrix");
}
