//! Everything a user can get wrong is an error that names it.

use gaussfield_core::{Budget, ParameterError};
use gaussfield_graph::*;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};
use sprs::CsMat;

const EUCLIDEAN: Metric = Metric::Euclidean;

fn line(n: usize) -> Points {
    Points::dense(Array2::from_shape_fn((n, 1), |(i, _)| i as f64)).unwrap()
}

fn zero_row() -> Points {
    Points::dense(array![[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]).unwrap()
}

fn chain() -> Pattern {
    Pattern::knn(&line(4), EUCLIDEAN, 1, Symmetry::Either).unwrap()
}

fn graph(family: &impl WeightFamily) -> Result<Graph, GraphError> {
    family.graph(&chain(), Budget::default())
}

fn says<T: std::fmt::Debug, E: std::error::Error>(result: Result<T, E>, words: &str) {
    let message = result.expect_err(words).to_string();
    assert!(message.contains(words), "{message:?} should say {words:?}");
}

#[test]
fn searches_and_patterns() {
    let knn = |n, k| Pattern::knn(&line(n), EUCLIDEAN, k, Symmetry::Either);
    says(knn(5, 0), "k = 0 nearest neighbours were asked for, with 5 points");
    says(knn(5, 5), "k = 5 nearest neighbours were asked for, with 5 points");
    says(knn(5, 5), "at most 4");
    says(knn(5, 9), "k = 9");
    says(knn(0, 1), "with 0 points");
    says(knn(1, 1), "with 1 points");
    for eps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        says(Pattern::ball(&line(5), EUCLIDEAN, eps), &format!("ε-ball is {eps}"));
    }
    says(Pattern::knn(&zero_row(), Metric::Cosine, 1, Symmetry::Both), "point 1 has only zeros");
    says(Pattern::ball(&zero_row(), Metric::Cosine, 0.5), "point 1 has only zeros");
    says(Pattern::complete(&zero_row(), Metric::Cosine), "point 1 has only zeros");

    let query =
        |queries: &Points, k| Neighbours::query(&line(3), queries, EUCLIDEAN, k, Search::Auto);
    says(query(&line(2), 0), "k = 0");
    says(query(&line(2), 4), "at most 3");
    says(query(&zero_row(), 1), "dimensions of the points: 2 given where 1 are needed");
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
    says(found.pattern(0, Symmetry::Both), "k = 0");
    says(found.pattern(2, Symmetry::Both), "only 1 neighbours were kept");
    let found = query(&line(3), 1).unwrap();
    says(found.pattern(1, Symmetry::Both), "neighbours of other points");
}

fn set(family: &mut dyn WeightFamily, values: &[f64]) -> Result<(), ParameterError> {
    family.set_parameters(values)
}

#[test]
fn families() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let words = |name: &str| format!("{name} is {bad}: it must be positive");
        says(graph(&Exponential { sigma: bad }), &words("sigma"));
        says(set(&mut Exponential { sigma: 1.0 }, &[bad]), &words("sigma"));
        says(graph(&ExponentialPerDimension { sigmas: vec![bad] }), &words("sigma[0]"));
        let two = ExponentialPerDimension::uniform(1.0, 2);
        says(set(&mut two.clone(), &[1.0, bad]), &words("sigma[1]"));
        says(graph(&CosineExponential { scale: bad }), &words("scale"));
        says(set(&mut CosineExponential { scale: 1.0 }, &[bad]), &words("scale"));
        says(graph(&SelfTuning { factor: bad, neighbour: 1 }), &words("factor"));
        let own = SelfTuning { factor: 1.0, neighbour: 1 };
        says(set(&mut own.clone(), &[bad]), &words("factor"));
    }
    for bad in [0.0, 2.0, f64::NAN, f64::NEG_INFINITY] {
        let words = format!("a1 is {bad}: it must be negative");
        says(graph(&Tanh { a1: bad, a2: 1.0 }), &words);
        says(set(&mut Tanh { a1: -1.0, a2: 1.0 }, &[bad, 1.0]), &words);
    }
    says(graph(&Tanh { a1: -1.0, a2: f64::NAN }), "a2 is NaN");
    says(graph(&ExponentialPerDimension::uniform(1.0, 3)), "3 given where 1 are needed");
    says(graph(&CosineExponential { scale: 1.0 }), "needs a pattern of Cosine distances");
    says(graph(&SelfTuning { factor: 1.0, neighbour: 0 }), "k = 0");
    says(graph(&SelfTuning { factor: 1.0, neighbour: 4 }), "k = 4");
    says(set(&mut Unweighted, &[1.0]), "1 given where 0");
    says(set(&mut Tanh { a1: -1.0, a2: 1.0 }, &[-1.0]), "1 given where 2");
    says(set(&mut Exponential { sigma: 1.0 }, &[]), "0 given where 1");
    says(set(&mut ExponentialPerDimension::uniform(1.0, 2), &[1.0]), "1 given where 2");
}

#[test]
fn dense_graphs_over_the_budget_are_refused_before_they_are_made() {
    let pattern = Pattern::complete(&line(1_000), EUCLIDEAN).unwrap();
    let budget = Budget { bytes: 1_000_000 };
    says(Unweighted.graph(&pattern, budget), "take 8.0 MB, and 1.0 MB");
    says(Exponential { sigma: 1.0 }.graph(&pattern, budget), "sparse graph");
    says(ExponentialPerDimension::uniform(1.0, 1).graph(&pattern, budget), "sparse graph");
}

/// What a call takes is counted together, and before it is allocated.
#[test]
fn budgets_are_for_whole_calls() {
    let (points, eps) = (line(1_000), 2_000.0);
    let pattern = Pattern::complete(&points, EUCLIDEAN).unwrap();
    // Either of distances and weights fits alone, the two together do not.
    let budget = Budget { bytes: 12_000_000 };
    assert!(pattern.distances(budget).is_ok() && Unweighted.graph(&pattern, budget).is_ok());
    says(Exponential { sigma: 1.0 }.graph(&pattern, budget), "the weights of a complete graph");
    let little = Budget { bytes: 200_000 };
    says(Pattern::ball_by(&points, EUCLIDEAN, eps, little), "edges within the radius");
    says(pattern.within(eps, Budget { bytes: 9_000_000 }), "edges within the radius");
    says(pattern.within(eps, little), "all distances");
    says(Neighbours::search(&points, EUCLIDEAN, 999, little), "lists of neighbours");
    let either = Symmetry::Either;
    says(Pattern::knn_by(&points, EUCLIDEAN, 999, either, little), "nearest neighbours");
    says(pattern.local_scales(999, little), "lists of neighbours");
    says(Graph::from_edges(1_000_000_000, [(0, 1, 1.0)]), "a graph of so many nodes");
    let text = Points::sparse(CsMat::eye(1_000)).unwrap();
    says(Neighbours::search(&text, EUCLIDEAN, 1, Budget { bytes: 40_000 }), "copies of the points");
}

/// An ε-ball that holds everything is refused while it grows, whichever search finds it.
#[test]
fn balls_over_the_budget_are_refused_by_every_search() {
    let rows = Array2::from_shape_fn((3_000, 12), |(i, j)| f64::sin((i * 7 + j) as f64));
    let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
    let dense = Points::dense(rows).unwrap();
    let budget = Budget { bytes: 20_000_000 };
    let tries =
        [(&dense, Search::BlockedGemm), (&dense, Search::KdTree), (&sparse, Search::InvertedIndex)];
    for (points, search) in tries {
        let options = SearchOptions { search, budget };
        says(Pattern::ball_by(points, EUCLIDEAN, 100.0, options), "edges within the radius");
    }
}

/// Every construction hears that it is to stop.
#[test]
fn constructions_stop_when_they_are_asked_to() {
    let rows = Array2::from_shape_fn((900, 12), |(i, j)| f64::sin((i * 7 + j) as f64));
    let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
    let dense = Points::dense(rows).unwrap();
    let progress = gaussfield_core::Progress::new(|_| {});
    progress.cancel();
    let stopped = |result: Result<(), GraphError>| {
        assert!(matches!(result, Err(GraphError::Cancelled(_))), "{result:?}");
    };
    progress.during(|| {
        let tries = [
            (&dense, Search::BlockedGemm),
            (&dense, Search::KdTree),
            (&sparse, Search::InvertedIndex),
        ];
        for (points, search) in tries {
            stopped(Neighbours::search(points, EUCLIDEAN, 3, search).map(drop));
            stopped(Pattern::ball_by(points, EUCLIDEAN, 0.5, search).map(drop));
        }
        let complete = Pattern::complete(&dense, EUCLIDEAN).unwrap();
        stopped(complete.distances(Budget::default()).map(drop));
    });
}

#[test]
fn pullbacks_refuse_what_does_not_belong_together() {
    let gradient = |n: usize, a: usize, b: usize| EdgeGradient {
        potentials: Array2::zeros((n, a)),
        adjoints: Array2::zeros((n, b)),
        node_terms: Array1::zeros(n),
    };
    let family = Exponential { sigma: 1.0 };
    let budget = Budget::default();
    let (pattern, good) = (chain(), gradient(4, 1, 1));
    let graph = family.graph(&pattern, budget).unwrap();
    assert!(family.pullback(&pattern, &graph, &good).is_ok());
    says(family.pullback(&pattern, &graph, &gradient(3, 1, 1)), "node terms");
    says(family.pullback(&pattern, &graph, &gradient(4, 1, 2)), "columns of adjoint potentials");
    let other = Graph::from_edges(3, []).unwrap();
    says(family.pullback(&pattern, &other, &good), "nodes of the graph: 3 given where 4");
    let other = Graph::from_edges(4, [(0, 1, 1.0)]).unwrap();
    says(family.pullback(&pattern, &other, &good), "stored weights of the graph: 2 given");
    let other = Graph::from_dense(Array2::zeros((4, 4))).unwrap();
    says(family.pullback(&pattern, &other, &good), "dense weight matrix");
    says(Unweighted.pullback(&pattern, &other, &good), "dense weight matrix");
    let complete = Pattern::complete(&line(4), EUCLIDEAN).unwrap();
    says(family.pullback(&complete, &graph, &good), "sparse weight matrix");
}
