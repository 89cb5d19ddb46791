//! Components against union–find, and results that do not depend on threads.

use crate::support::*;
use gaussfield_graph::Graph;
use gaussfield_laplacian::{Boundary, Grounded, Laplacian, Solver, components, unreachable};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn root(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}

proptest! {
    #[test]
    fn components_are_those_of_union_find(
        n in 1_usize..30,
        pairs in proptest::collection::vec((0_usize..30, 0_usize..30, 0_u8..4), 0..40),
        labelled in 0_usize..30,
    ) {
        let edges: BTreeMap<(usize, usize), f64> = pairs
            .into_iter()
            .filter(|&(i, j, _)| i < n && j < n && i != j)
            .map(|(i, j, weight)| ((i.min(j), i.max(j)), f64::from(weight)))
            .collect();
        let graph = Graph::from_edges(n, edges.iter().map(|(&(i, j), &w)| (i, j, w))).unwrap();
        let mut parents: Vec<usize> = (0..n).collect();
        for (&(i, j), &weight) in &edges {
            if weight > 0.0 {
                let (i, j) = (root(&mut parents, i), root(&mut parents, j));
                parents[i.max(j)] = i.min(j);
            }
        }
        let roots: Vec<usize> = (0..n).map(|i| root(&mut parents, i)).collect();
        let mut numbers = BTreeMap::new();
        let expected: Vec<usize> = roots
            .iter()
            .map(|&r| {
                let next = numbers.len();
                *numbers.entry(r).or_insert(next)
            })
            .collect();
        for graph in [&graph, &densified(&graph)] {
            let found = components(graph);
            prop_assert_eq!(found.count, numbers.len());
            prop_assert_eq!(&found.of, &expected);
            let boundary = Boundary::new(n, &[labelled % n]).unwrap();
            let lost: Vec<usize> = (0..n).filter(|&i| roots[i] != roots[labelled % n]).collect();
            prop_assert_eq!(unreachable(graph, &boundary), lost);
        }
    }
}

/// Two components more mean two zero eigenvalues more.
#[test]
fn zero_eigenvalues_count_components() {
    let graph = Graph::from_edges(7, [(0, 1, 2.0), (2, 3, 0.1), (3, 4, 5.0)]).unwrap();
    for laplacian in [Laplacian::Combinatorial, Laplacian::Symmetric, Laplacian::RandomWalk] {
        let values = laplacian.eigenvalues(&graph, Default::default()).unwrap();
        let zeros = values.iter().filter(|v| v.abs() < 1e-12).count();
        assert_eq!(zeros, components(&graph).count);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut results = Vec::new();
            for graph in [grid(50), expander(400), densified(&grid(20))] {
                let boundary = Boundary::new(graph.nodes(), &[5, 200, 33]).unwrap();
                let system = Grounded::dirichlet(&graph, &boundary).unwrap();
                let rhs = right_hand_sides(system.len(), 11);
                let mut solvers = NAMED.to_vec();
                solvers.push(Solver::Auto);
                if system.len() > 2000 {
                    solvers.retain(|&s| s != Solver::DenseCholesky);
                }
                for solver in solvers {
                    let prepared = system.prepare(&with(solver)).unwrap();
                    let solution = prepared.solve(rhs.view()).unwrap();
                    results.push((solution, prepared.log_det().ok()));
                }
            }
            results
        })
    };
    let bits = |results: &[(gaussfield_laplacian::Solution, Option<f64>)]| -> Vec<u64> {
        let numbers = |(s, d): &(gaussfield_laplacian::Solution, Option<f64>)| {
            let facts = [s.facts.relative_residual, s.facts.partition_error, d.unwrap_or(0.0)];
            s.values.iter().copied().chain(facts).map(f64::to_bits).collect::<Vec<_>>()
        };
        results.iter().flat_map(numbers).collect()
    };
    let one = run(1);
    for threads in [2, 3] {
        assert!(bits(&one) == bits(&run(threads)), "{threads} threads");
    }
}

/// Trials share prepared systems across threads.
#[test]
fn prepared_systems_can_be_shared() {
    fn shareable<T: Send + Sync>() {}
    shareable::<gaussfield_laplacian::Prepared>();
    shareable::<Grounded>();
    shareable::<gaussfield_laplacian::LaplacianError>();
}
