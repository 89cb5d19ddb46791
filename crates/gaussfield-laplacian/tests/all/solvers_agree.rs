//! Contracts that every solver keeps.

use crate::support::*;
use gaussfield_graph::Graph;
use gaussfield_laplacian::{
    Boundary, Grounded, Laplacian, LaplacianError, Preconditioner, Solver, SolverOptions,
};
use ndarray::{Array2, Axis};
use proptest::prelude::*;

proptest! {
    #[test]
    fn all_solvers_give_the_same_solution_and_determinant(
        (graph, labelled) in connected(),
        columns in 1_usize..7,
    ) {
        let boundary = Boundary::new(graph.nodes(), &labelled).unwrap();
        for graph in [&graph, &densified(&graph)] {
            let system = Grounded::dirichlet(graph, &boundary).unwrap();
            let rhs = right_hand_sides(system.len(), columns);
            let reference = system.prepare(&with(Solver::Elimination)).unwrap();
            let expected = reference.solve(rhs.view()).unwrap();
            prop_assert!(expected.facts.relative_residual < 1e-9);
            for solver in NAMED {
                let prepared = system.prepare(&with(solver)).unwrap();
                prop_assert_eq!(prepared.solver(), solver);
                let got = prepared.solve(rhs.view()).unwrap();
                let allowed = 1e-8 * size(&expected.values);
                prop_assert!(distance(&got.values, &expected.values) <= allowed, "{}", solver);
                prop_assert!(got.facts.partition_error < 1e-8, "{}", solver);
                let back = system.apply(got.values.view());
                prop_assert!(distance(&back, &rhs) <= 1e-8 * size(&rhs), "{}", solver);
                match prepared.log_det() {
                    Ok(log_det) => {
                        let expected = reference.log_det().unwrap();
                        prop_assert!((log_det - expected).abs() < 1e-9 * (1.0 + expected.abs()));
                    }
                    Err(error) => prop_assert_eq!(error, LaplacianError::NoDeterminant { solver }),
                }
            }
        }
    }

    #[test]
    fn columns_do_not_touch_each_other((graph, labelled) in connected()) {
        let boundary = Boundary::new(graph.nodes(), &labelled).unwrap();
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let mut rhs = right_hand_sides(system.len(), 5);
        rhs.column_mut(2).fill(0.0);
        for solver in NAMED {
            let prepared = system.prepare(&with(solver)).unwrap();
            let together = prepared.solve(rhs.view()).unwrap().values;
            prop_assert!(together.column(2).iter().all(|x| x.abs() < f64::MIN_POSITIVE));
            for c in 0..5 {
                let alone = prepared.solve(rhs.view().slice(ndarray::s![.., c..=c])).unwrap();
                let column = together.column(c).to_owned().insert_axis(Axis(1));
                let allowed = 1e-9 * size(&column);
                prop_assert!(distance(&alone.values, &column) <= allowed, "{} {}", solver, c);
            }
        }
    }

    /// The maximum principle: harmonic values are means of boundary values.
    #[test]
    fn a_harmonic_function_stays_between_its_boundary_values((graph, labelled) in connected()) {
        let boundary = Boundary::new(graph.nodes(), &labelled).unwrap();
        let values = Array2::from_shape_fn((labelled.len(), 1), |(i, _)| fraction(i + 1));
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let inflow = boundary.product(&graph, values.view()).unwrap();
        let field = system.prepare(&with(Solver::Auto)).unwrap().solve(inflow.view()).unwrap();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        for &f in &field.values {
            prop_assert!(f >= low - 1e-13 && f <= high + 1e-13);
        }
    }
}

/// Above 256 unknowns the sparse paths and the automatic choice come into play.
#[test]
fn large_systems_agree_on_every_kind_of_graph() {
    let cases = [
        (grid(20), Solver::SparseCholesky),
        (densified(&grid(20)), Solver::DenseCholesky),
        (expander(1200), Solver::SparseCholesky),
    ];
    for (graph, chosen) in cases {
        let boundary = Boundary::new(graph.nodes(), &[5, 200, 33]).unwrap();
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let rhs = right_hand_sides(system.len(), 18);
        let reference = system.prepare(&with(Solver::Elimination)).unwrap();
        let expected = reference.solve(rhs.view()).unwrap().values;
        assert_eq!(system.prepare(&with(Solver::Auto)).unwrap().solver(), chosen);
        for solver in NAMED {
            let prepared = system.prepare(&with(solver)).unwrap();
            let got = prepared.solve(rhs.view()).unwrap();
            let error = distance(&got.values, &expected) / size(&expected);
            assert!(error < 1e-8, "{solver}: {error}");
            assert!(got.facts.relative_residual < 1e-9, "{:?}", got.facts);
            assert_eq!(got.facts.iterations > 0, matches!(solver, Solver::ConjugateGradient(_)));
            if let Ok(log_det) = prepared.log_det() {
                let expected = reference.log_det().unwrap();
                assert!((log_det - expected).abs() < 1e-9 * expected.abs(), "{solver}");
            }
        }
    }
}

/// Where a factor would fill up, the automatic choice iterates.
#[test]
fn graphs_without_small_separators_are_solved_by_iteration() {
    let graph = expander(4000);
    let boundary = Boundary::new(4000, &[5, 200, 33]).unwrap();
    let system = Grounded::dirichlet(&graph, &boundary).unwrap();
    let rhs = right_hand_sides(system.len(), 3);
    let prepared = system.prepare(&with(Solver::Auto)).unwrap();
    let approximate = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    assert_eq!(prepared.solver(), approximate);
    let got = prepared.solve(rhs.view()).unwrap();
    let other = system.prepare(&with(Solver::ConjugateGradient(Preconditioner::Jacobi))).unwrap();
    let other = other.solve(rhs.view()).unwrap();
    assert!(distance(&got.values, &other.values) < 1e-7 * size(&got.values));
    assert!(got.facts.relative_residual <= 1e-10 && got.facts.iterations < 60, "{:?}", got.facts);
}

/// Full graphs past the size that is factorised at once: all pairs of two halves, which no
/// factor should be made of. Equal weights make all of a half alike, so that the field is known.
#[test]
fn full_graphs_past_the_threshold_are_solved_by_iteration() {
    let half = 2100;
    let edges = (0..half).flat_map(|i| (0..half).map(move |j| (i, half + j, 1.0)));
    let graph = Graph::from_edges(2 * half, edges).unwrap();
    // Two labels in the first half, of different value, and one in the second.
    let boundary = Boundary::new(2 * half, &[0, 1, half]).unwrap();
    let values = Array2::from_shape_fn((3, 1), |(i, _)| [0.0, 1.0, 0.25][i]);
    let inflow = boundary.product(&graph, values.view()).unwrap();
    let system = Grounded::dirichlet(&graph, &boundary).unwrap();
    let prepared = system.prepare(&with(Solver::Auto)).unwrap();
    assert_eq!(prepared.solver(), Solver::ConjugateGradient(Preconditioner::Jacobi));
    let got = prepared.solve(inflow.view()).unwrap();
    assert_eq!((got.facts.unknowns, got.facts.columns), (2 * half - 3, 1));
    assert!(got.facts.relative_residual <= 1e-10 && got.facts.partition_error < 1e-8);
    assert!((1..20).contains(&got.facts.iterations), "{:?}", got.facts);
    // An unlabelled node is the mean of the other half: a = (0.25 + (h − 1) b)/h, b = (1 + (h − 2) a)/h.
    let h = half as f64;
    let a = (0.25 * h + h - 1.0) / (h * h - (h - 1.0) * (h - 2.0));
    let b = (1.0 + (h - 2.0) * a) / h;
    let first = half - 2;
    for (at, &value) in got.values.iter().enumerate() {
        let expected = if at < first { a } else { b };
        assert!((value - expected).abs() < 1e-8, "{at}: {value}, {expected}");
    }
}

#[test]
fn facts_and_options_survive_serialisation() {
    let system = shifted(&grid(3), 0.5).unwrap();
    let solution = system.prepare(&with(Solver::Auto)).unwrap();
    let facts = solution.solve(right_hand_sides(9, 2).view()).unwrap().facts;
    assert_eq!((facts.unknowns, facts.columns, facts.stored_entries), (9, 2, 24));
    let text = serde_json::to_string(&facts).unwrap();
    assert_eq!(serde_json::from_str::<gaussfield_laplacian::SolveFacts>(&text).unwrap(), facts);
    let line = facts.facts().to_string();
    assert!(line.starts_with("solver: elimination without subtraction; unknowns: 9"), "{line}");
    let options = with(Solver::ConjugateGradient(Preconditioner::Jacobi));
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<SolverOptions>(&text).unwrap(), options);
    // What is left out stays as it is by default.
    let short = serde_json::from_str::<SolverOptions>(r#"{"solver": "sparse-cholesky"}"#).unwrap();
    assert_eq!(short, with(Solver::SparseCholesky));
}

/// Every constructor is the matrix its documentation names.
#[test]
fn constructors_are_the_matrices_they_say() {
    let graph = grid(4);
    let budget = gaussfield_core::Budget::default();
    let delta = Laplacian::Combinatorial.dense(&graph, budget).unwrap();
    let weights = graph.to_dense(budget).unwrap();
    let degrees = Array2::from_diag(&graph.degrees());
    let eye: Array2<f64> = Array2::eye(16);
    let boundary = Boundary::new(16, &[3, 8]).unwrap();
    let inside = |m: &Array2<f64>| {
        m.select(Axis(0), boundary.interior()).select(Axis(1), boundary.interior())
    };
    let smoothed: Vec<f64> =
        inside(&(&degrees - &(0.7 * &weights) + 0.3 * &eye)).sum_axis(Axis(1)).to_vec();
    let cases = [
        (Grounded::dirichlet(&graph, &boundary), inside(&delta)),
        (
            Grounded::new(&graph, boundary.interior(), 0.7, smoothed.clone()),
            inside(&(&degrees - &(0.7 * &weights) + 0.3 * &eye)),
        ),
        (regularised(&graph, 2.0, 0.5), 2.0 * (&delta + &(4.0 * &eye))),
        (shifted(&graph, 0.25), &delta + &(0.25 * &eye)),
        (normalised_shifted(&graph, 0.25), &delta + &(0.25 * &degrees)),
    ];
    for (at, (system, expected)) in cases.into_iter().enumerate() {
        let system = system.unwrap();
        let matrix = system.apply(Array2::eye(system.len()).view());
        assert!(distance(&matrix, &expected) < 1e-13, "case {at}");
        let diagonal = Array2::from_diag(&(system.diagonal() - expected.diag()));
        assert!(size(&diagonal) < 1e-13, "case {at}");
        let sums = expected.sum_axis(Axis(1));
        assert!(sums.iter().zip(system.excess()).all(|(s, e)| (s - e).abs() < 1e-13), "case {at}");
    }
}

/// A node without edges has δ in the shifted normalised Laplacian.
#[test]
fn nodes_without_edges_do_not_make_normalised_systems_singular() {
    let graph = Graph::from_edges(3, [(0, 1, 2.0)]).unwrap();
    let system = normalised_shifted(&graph, 1.0).unwrap();
    let solution = system.prepare(&with(Solver::Auto)).unwrap();
    let x = solution.solve(Array2::ones((3, 1)).view()).unwrap().values;
    assert!((x[[2, 0]] - 1.0).abs() < 1e-15);
}
