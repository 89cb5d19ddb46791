//! A workbench gives the numbers of a fresh solve, and keeps what it says it keeps.

use crate::support::*;
use crate::weak_links::two_grids;
use gaussfield_graph::Graph;
use gaussfield_laplacian::{
    Boundary, Grounded, LaplacianError, Preconditioner, Solution, Solver, SolverOptions, Work,
    Workbench,
};
use ndarray::{Array2, array};
use proptest::prelude::*;
use std::sync::Arc;

/// Sharp enough for iterations to be compared with a factor.
fn sharp(solver: Solver) -> SolverOptions {
    SolverOptions { tolerance: 1e-13, ..with(solver) }
}

/// Prepares the harmonic system of a graph and solves for some columns.
fn step(
    workbench: &mut Workbench,
    graph: &Graph,
    boundary: &Boundary,
    options: &SolverOptions,
) -> Result<Solution, LaplacianError> {
    let system = Grounded::dirichlet(graph, boundary)?;
    workbench.prepare(graph, boundary.interior(), 1.0, system.excess().to_vec(), options)?;
    workbench.solve("columns", right_hand_sides(system.len(), 3).view())
}

fn fresh(graph: &Graph, boundary: &Boundary, options: &SolverOptions) -> Solution {
    let system = Grounded::dirichlet(graph, boundary).unwrap();
    let rhs = right_hand_sides(system.len(), 3);
    system.prepare(options).unwrap().solve(rhs.view()).unwrap()
}

/// Weights drift by up to a factor of about 1.2 a step.
fn drifted(graph: &Graph, seed: usize) -> Graph {
    reweighted(graph, |i, j, w| w * (0.83 + 0.37 * fraction(3 * i + 31 * j + 101 * seed)))
}

proptest! {
    #[test]
    fn a_walk_of_weights_is_solved_as_if_each_were_the_first(
        (graph, labelled) in connected(),
        seeds in proptest::collection::vec(1_usize..1000, 1..5),
    ) {
        let boundary = Boundary::new(graph.nodes(), &labelled).unwrap();
        for mut graph in [graph.clone(), densified(&graph)] {
            let mut benches: Vec<_> = NAMED
                .into_iter()
                .chain([Solver::Auto])
                .map(|solver| (sharp(solver), Workbench::new()))
                .collect();
            for &seed in &seeds {
                for (options, workbench) in &mut benches {
                    let got = step(workbench, &graph, &boundary, options).unwrap();
                    let expected = fresh(&graph, &boundary, options);
                    let error = distance(&got.values, &expected.values) / size(&expected.values);
                    prop_assert!(error <= 1e-10, "{}: {error}", options.solver);
                    if got.facts.iterations == 0 || workbench.work().preparations == 1 {
                        prop_assert_eq!(&got, &expected, "{}", options.solver);
                    }
                    prop_assert_eq!(workbench.work().structures, 1);
                }
                graph = drifted(&graph, seed);
            }
        }
    }
}

#[test]
fn what_the_pattern_decides_is_made_once() {
    let boundary = Boundary::new(400, &[0, 7, 200]).unwrap();
    let run = |solver: Solver, mut graph: Graph| -> Work {
        let mut workbench = Workbench::new();
        for seed in 0..6 {
            step(&mut workbench, &graph, &boundary, &with(solver)).unwrap();
            graph = drifted(&graph, seed);
        }
        workbench.work()
    };
    let common = Work { preparations: 6, structures: 1, solves: 6, ..Work::default() };
    for solver in [Solver::Auto, Solver::SparseCholesky, Solver::Elimination] {
        let expected = Work { analyses: 1, factorisations: 6, ..common };
        assert_eq!(run(solver, grid(20)), expected, "{solver}");
    }
    let expected = Work { factorisations: 6, ..common };
    assert_eq!(run(Solver::DenseCholesky, densified(&grid(20))), expected);
    let approximate = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    let iterative = run(approximate, grid(20));
    assert_eq!((iterative.preconditioners, iterative.analyses), (1, 0), "{iterative:?}");
}

#[test]
fn a_poor_preconditioner_is_made_anew() {
    let boundary = Boundary::new(400, &[0, 7, 200]).unwrap();
    let options = sharp(Solver::ConjugateGradient(Preconditioner::ApproximateCholesky));
    let mut workbench = Workbench::new();
    let before = grid(20);
    step(&mut workbench, &before, &boundary, &options).unwrap();
    // The same system ten times as strong is no other system.
    let stronger = reweighted(&before, |_, _, w| 10.0 * w);
    step(&mut workbench, &stronger, &boundary, &options).unwrap();
    assert_eq!(workbench.work().preconditioners, 1);
    let other = reweighted(&before, |i, j, w| if (i + j) % 3 == 0 { 1e4 * w } else { w });
    let got = step(&mut workbench, &other, &boundary, &options).unwrap();
    assert_eq!(workbench.work().preconditioners, 2);
    let expected = fresh(&other, &boundary, &options).values;
    assert!(distance(&got.values, &expected) < 1e-10 * size(&expected));
}

#[test]
fn iterations_start_at_the_last_solution_of_the_slot() {
    let graph = grid(20);
    let boundary = Boundary::new(400, &[0, 7, 200]).unwrap();
    for kind in [Preconditioner::Jacobi, Preconditioner::ApproximateCholesky] {
        let options = with(Solver::ConjugateGradient(kind));
        let nearby = reweighted(&graph, |i, j, w| w * (1.0 + 1e-8 * fraction(i + 7 * j)));
        let mut workbench = Workbench::new();
        step(&mut workbench, &graph, &boundary, &options).unwrap();
        let cold = workbench.work().iterations;
        step(&mut workbench, &nearby, &boundary, &options).unwrap();
        let warm = workbench.work().iterations - cold;
        assert!(warm * 3 < cold * 2, "{kind:?}: {cold} then {warm}");
        // Another slot knows nothing of it.
        let rhs = right_hand_sides(397, 3);
        workbench.solve("other", rhs.view()).unwrap();
        let other = workbench.work().iterations - cold - warm;
        assert!(other > warm, "{kind:?}: {cold}, {warm}, {other}");
        // A wrong number of columns starts afresh.
        assert!(workbench.solve("columns", right_hand_sides(397, 2).view()).is_ok());
    }
}

/// Two halves that hang together by a link of 1e-14: what the halves stand at hardly shows in the
/// residual, so an earlier solution must not pass for the new one.
#[test]
fn an_earlier_solution_does_not_pass_for_a_new_one_where_links_are_weak() {
    let half = grid(10);
    let n = half.nodes();
    let joined = |to_low: f64, to_high: f64| {
        let mut edges =
            vec![(0, 2 * n, to_low), (n, 2 * n + 1, to_high), (n - 1, 2 * n - 1, 1e-14)];
        for i in 0..n {
            half.for_each_neighbour(i, |j, w| {
                if i < j {
                    edges.extend([(i, j, w), (n + i, n + j, w)]);
                }
            });
        }
        Graph::from_edges(2 * n + 2, edges).unwrap()
    };
    let boundary = Boundary::new(2 * n + 2, &[2 * n, 2 * n + 1]).unwrap();
    for kind in [Preconditioner::Jacobi, Preconditioner::ApproximateCholesky] {
        let options = with(Solver::ConjugateGradient(kind));
        let mut workbench = Workbench::new();
        for (low, high) in [(1e-12, 1e-14), (1e-14, 1e-12), (1e-13, 1e-13)] {
            let graph = joined(low, high);
            let system = Grounded::dirichlet(&graph, &boundary).unwrap();
            let inflow = boundary.product(&graph, array![[0.0], [1.0]].view()).unwrap();
            let nodes = boundary.interior();
            let exact = system.prepare(&with(Solver::Elimination)).unwrap();
            let exact = exact.solve(inflow.view()).unwrap().values;
            let excess = system.excess().to_vec();
            let prepared = workbench.prepare(&graph, nodes, 1.0, excess, &options).is_ok();
            // Refusing is fine, a wrong number is not.
            if prepared && let Ok(got) = workbench.solve("field", inflow.view()) {
                let error = distance(&got.values, &exact);
                assert!(error < 1e-5, "{kind:?} {low} {high}: {error}");
            }
        }
    }
}

/// Where the first choice fails, the one that stood in goes first for a while.
#[test]
fn the_automatic_choice_is_kept_while_it_serves() {
    let (weak, strong) = (two_grids(18, 1e-17), two_grids(18, 1.0));
    let boundary = Boundary::new(strong.nodes(), &[0, 18]).unwrap();
    let mut workbench = Workbench::new();
    let mut used = |graph: &Graph| {
        let before = workbench.work().factorisations;
        let solved = step(&mut workbench, graph, &boundary, &with(Solver::Auto)).unwrap();
        (solved.facts.solver, workbench.work().factorisations - before)
    };
    assert_eq!(used(&strong), (Solver::SparseCholesky, 1));
    assert_eq!(used(&weak), (Solver::Elimination, 2));
    for _ in 0..8 {
        assert_eq!(used(&weak), (Solver::Elimination, 1));
    }
    assert_eq!(used(&strong), (Solver::SparseCholesky, 1));
    assert_eq!(workbench.work().analyses, 1);
}

#[test]
fn another_pattern_or_other_nodes_are_noticed() {
    let (small, large) = (Boundary::new(400, &[0]).unwrap(), Boundary::new(400, &[7, 9]).unwrap());
    let mut longer = grid(20);
    if let gaussfield_graph::Weights::Sparse(w) = grid(20).weights() {
        let edges = w.iter().filter(|&(_, (i, j))| i < j);
        let edges = edges.map(|(&w, (i, j))| (i as usize, j as usize, w));
        longer = Graph::from_edges(400, edges.chain([(3, 377, 0.5)]).collect::<Vec<_>>()).unwrap();
    }
    for solver in NAMED.into_iter().chain([Solver::Auto]) {
        let mut workbench = Workbench::new();
        let cases = [
            (grid(20), &small),
            (grid(20), &large),
            (longer.clone(), &large),
            (densified(&longer), &large),
            (grid(20), &small),
        ];
        for (at, (graph, boundary)) in cases.into_iter().enumerate() {
            let got = step(&mut workbench, &graph, boundary, &sharp(solver)).unwrap();
            let expected = fresh(&graph, boundary, &sharp(solver));
            let error = distance(&got.values, &expected.values) / size(&expected.values);
            assert!(error < 1e-10, "{solver} {at}: {error}");
            assert_eq!(workbench.work().structures, at + 1, "{solver}");
        }
    }
}

#[test]
fn a_weight_that_vanishes_and_comes_back_is_the_same_pattern() {
    let path = |middle: f64| {
        Graph::from_edges(4, [(0, 1, 1.0), (1, 2, middle), (2, 3, 1.0), (0, 3, 2.0)]).unwrap()
    };
    let boundary = Boundary::new(4, &[0]).unwrap();
    for solver in NAMED {
        let mut workbench = Workbench::new();
        for middle in [1.0, 0.0, 0.5] {
            let got = step(&mut workbench, &path(middle), &boundary, &sharp(solver)).unwrap();
            let expected = fresh(&path(middle), &boundary, &sharp(solver)).values;
            assert!(distance(&got.values, &expected) < 1e-10 * size(&expected), "{solver}");
        }
        assert_eq!(workbench.work().structures, 1);
    }
}

#[test]
fn a_failure_leaves_the_workbench_usable() {
    let path = |end: f64| Graph::from_edges(3, [(0, 1, 1.0), (1, 2, end)]).unwrap();
    let boundary = Boundary::new(3, &[0]).unwrap();
    for solver in NAMED.into_iter().chain([Solver::Auto]) {
        let mut workbench = Workbench::new();
        let rhs = array![[1.0], [1.0]];
        assert_eq!(workbench.solve("x", rhs.view()), Err(LaplacianError::NotPrepared));
        for end in [1.0, 0.0, 1.0] {
            let excess = vec![1.0, 0.0];
            let nodes = boundary.interior();
            let done = workbench.prepare(&path(end), nodes, 1.0, excess, &with(solver));
            if end > 0.0 {
                assert!(done.is_ok());
                let solved = workbench.solve("x", rhs.view()).unwrap().values;
                assert!(distance(&solved, &array![[2.0], [3.0]]) < 1e-9, "{solver}");
            } else {
                let floating = LaplacianError::Singular { nodes: 1, example: 2 };
                assert_eq!(done.unwrap_err(), floating);
                assert_eq!(workbench.solve("x", rhs.view()), Err(LaplacianError::NotPrepared));
                assert!(workbench.prepared().is_none());
            }
        }
        let bad = workbench.prepare(&path(1.0), &[1, 2], 1.0, vec![f64::NAN, 1.0], &with(solver));
        assert!(matches!(bad, Err(LaplacianError::Excess { node: 1, .. })));
        assert!(step(&mut workbench, &path(1.0), &boundary, &with(solver)).is_ok());
    }
}

#[test]
fn a_system_that_somebody_keeps_is_left_alone() {
    let boundary = Boundary::new(400, &[0, 7]).unwrap();
    let rhs = right_hand_sides(398, 2);
    for solver in NAMED {
        let mut workbench = Workbench::new();
        step(&mut workbench, &grid(20), &boundary, &with(solver)).unwrap();
        let kept = Arc::clone(workbench.prepared().unwrap());
        let before = kept.solve(rhs.view()).unwrap();
        step(&mut workbench, &drifted(&grid(20), 5), &boundary, &with(solver)).unwrap();
        assert_eq!(kept.solve(rhs.view()).unwrap(), before, "{solver}");
    }
}

#[test]
fn a_walk_gives_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| -> Vec<Array2<f64>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut values = Vec::new();
            for mut graph in [grid(50), expander(3000)] {
                let boundary = Boundary::new(graph.nodes(), &[5, 200, 33]).unwrap();
                let mut workbench = Workbench::new();
                for seed in 0..3 {
                    let done = step(&mut workbench, &graph, &boundary, &with(Solver::Auto));
                    values.push(done.unwrap().values);
                    graph = drifted(&graph, seed);
                }
            }
            values
        })
    };
    let bits = |values: Vec<Array2<f64>>| -> Vec<u64> {
        values.iter().flatten().map(|x| x.to_bits()).collect()
    };
    let one = bits(run(1));
    for threads in [2, 3] {
        assert!(one == bits(run(threads)), "{threads} threads");
    }
}
