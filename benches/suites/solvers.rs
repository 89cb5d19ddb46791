//! Each solver on graphs of low and of high dimension: preparation and the
//! solve for all classes together.

use std::hint::black_box;

use criterion::Criterion;
use gaussfield_benches::{cloud, sheet};
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, Unweighted, WeightFamily};
use gaussfield_laplacian::{Boundary, Grounded, Preconditioner, Solver, SolverOptions, components};
use gaussfield_points::Points;
use ndarray::Array2;

const JACOBI: (&str, Solver) = ("CG, Jacobi", Solver::ConjugateGradient(Preconditioner::Jacobi));
const APPROXIMATE: (&str, Solver) =
    ("CG, approximate Cholesky", Solver::ConjugateGradient(Preconditioner::ApproximateCholesky));
const SPARSE: (&str, Solver) = ("sparse Cholesky", Solver::SparseCholesky);
const DENSE: (&str, Solver) = ("dense Cholesky", Solver::DenseCholesky);
const ELIMINATION: (&str, Solver) = ("elimination", Solver::Elimination);
const AUTO: (&str, Solver) = ("automatic choice", Solver::Auto);

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let all = [JACOBI, APPROXIMATE, SPARSE, DENSE, ELIMINATION, AUTO];
    group(&mut criterion, "2-D, 2000 nodes", &nearest(sheet(2000)?.points)?, &all)?;
    group(&mut criterion, "16-D, 2000 nodes", &nearest(cloud(2000, 16)?.points)?, &all)?;
    let complete = complete(cloud(1000, 16)?.points)?;
    let dense = [JACOBI, DENSE, ELIMINATION, AUTO];
    group(&mut criterion, "complete, 1000 nodes", &complete, &dense)?;
    // Where the cubic methods are out of the question.
    let sparse = [JACOBI, APPROXIMATE, SPARSE, AUTO];
    group(&mut criterion, "2-D, 20000 nodes", &nearest(sheet(20_000)?.points)?, &sparse)?;
    let iterative = [JACOBI, APPROXIMATE, AUTO];
    group(&mut criterion, "16-D, 20000 nodes", &nearest(cloud(20_000, 16)?.points)?, &iterative)?;
    criterion.final_summary();
    Ok(())
}

/// Links of equal weight: what differs between the groups is the geometry.
fn nearest(points: Points) -> anyhow::Result<Graph> {
    let pattern = Pattern::knn(&points, Metric::Euclidean, 10, Symmetry::Either)?;
    Ok(Unweighted.graph(&pattern, Budget::default())?)
}

fn complete(points: Points) -> anyhow::Result<Graph> {
    let pattern = Pattern::complete(&points, Metric::Euclidean)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    Ok(family.graph(&pattern, Budget::default())?)
}

fn group(
    criterion: &mut Criterion,
    name: &str,
    graph: &Graph,
    solvers: &[(&str, Solver)],
) -> anyhow::Result<()> {
    let boundary = Boundary::new(graph.nodes(), &boundary_nodes(graph))?;
    let system = Grounded::dirichlet(graph, &boundary)?;
    let labels = boundary.boundary().len();
    let classes = 10;
    let one_hot = |(i, class): (usize, usize)| if i % classes == class { 1.0 } else { 0.0 };
    let values = Array2::from_shape_fn((labels, classes), one_hot);
    let right = boundary.product(graph, values.view())?;
    let mut group = criterion.benchmark_group(format!("solvers/{name}"));
    for &(label, solver) in solvers {
        let options = SolverOptions { solver, ..SolverOptions::default() };
        let solve = || black_box(&system).prepare(&options)?.solve(right.view());
        solve()?;
        group.bench_function(label, |bencher| bencher.iter(solve));
    }
    group.finish();
    Ok(())
}

/// Twenty nodes spread over the graph, and one of every component, so that no
/// part of the system is singular.
fn boundary_nodes(graph: &Graph) -> Vec<usize> {
    let parts = components(graph);
    let mut first = vec![None; parts.count];
    for (node, &part) in parts.of.iter().enumerate() {
        first[part].get_or_insert(node);
    }
    let spread = (0..20).map(|i| i * graph.nodes() / 20);
    let mut nodes: Vec<usize> = first.into_iter().flatten().chain(spread).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
