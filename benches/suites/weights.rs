//! Weight families: from a pattern to a graph, and an edge gradient back.

use std::hint::black_box;

use criterion::Criterion;
use gaussfield_benches::{cloud, documents};
use gaussfield_core::Budget;
use gaussfield_graph::{
    CosineExponential, EdgeGradient, Exponential, ExponentialPerDimension, Metric, Pattern,
    SelfTuning, Symmetry, Tanh, Unweighted, WeightFamily,
};
use ndarray::{Array1, Array2};

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let dimensions = 64;
    let points = cloud(1000, dimensions)?.points;
    let complete = Pattern::complete(&points, Metric::Euclidean)?;
    let nearest = Pattern::knn(&points, Metric::Euclidean, 10, Symmetry::Either)?;
    let scale = nearest.mean_distance();
    let patterns =
        [("complete, 1000 points, 64-D", complete), ("10-NN, 1000 points, 64-D", nearest)];
    for (name, pattern) in patterns {
        let mut suite = Suite { criterion: &mut criterion, name, pattern };
        suite.measure("exp, one scale", &Exponential { sigma: scale })?;
        let per_dimension = ExponentialPerDimension { sigmas: vec![scale; dimensions] };
        suite.measure("exp, one scale per dimension", &per_dimension)?;
        suite.measure("tanh", &Tanh { a1: -1.0 / scale, a2: scale })?;
        suite.measure("self-tuning", &SelfTuning { factor: 1.0, neighbour: 7 })?;
        suite.measure("unweighted", &Unweighted)?;
    }
    let text = Pattern::knn(&documents(2000, 10_000)?, Metric::Cosine, 10, Symmetry::Either)?;
    let name = "cosine 10-NN, 2000 documents";
    let mut suite = Suite { criterion: &mut criterion, name, pattern: text };
    suite.measure("cosine-exp", &CosineExponential { scale: 0.03 })?;
    criterion.final_summary();
    Ok(())
}

struct Suite<'a> {
    criterion: &'a mut Criterion,
    name: &'a str,
    pattern: Pattern,
}

impl Suite<'_> {
    fn measure(&mut self, family: &str, weights: &impl WeightFamily) -> anyhow::Result<()> {
        let pattern = &self.pattern;
        let make = || weights.graph(black_box(pattern), Budget::default());
        // Distances are computed once and kept: not part of what is measured.
        let graph = make()?;
        let gradient = gradient(pattern.nodes());
        let pull = || weights.pullback(pattern, &graph, black_box(&gradient));
        pull()?;
        let mut group = self.criterion.benchmark_group(format!("weights/{}", self.name));
        group.bench_function(format!("{family}: graph"), |bencher| bencher.iter(make));
        group.bench_function(format!("{family}: pullback"), |bencher| bencher.iter(pull));
        group.finish();
        Ok(())
    }
}

/// A gradient of one potential and its adjoint, as the two-class entropy makes.
fn gradient(nodes: usize) -> EdgeGradient {
    let wave = |speed: f64| move |(i, _): (usize, usize)| (speed * i as f64).sin();
    EdgeGradient {
        potentials: Array2::from_shape_fn((nodes, 1), wave(0.7)),
        adjoints: Array2::from_shape_fn((nodes, 1), wave(1.3)),
        node_terms: Array1::zeros(nodes),
    }
}
