use crate::common::{close, dense, first_labelled, graph, soft};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::{Boundary, Grounded, Laplacian, SolverOptions};
use gaussfield_mixture::{
    Backbone, MembershipSearch, Responsibilities, Undetermined, generalised_laplacian,
};
use ndarray::{Array2, Axis};
use proptest::prelude::*;
use sprs::CsMat;

/// The harmonic function on the interior, by the solver of the graph.
fn harmonic(graph: &Graph, labels: &Labels) -> Array2<f64> {
    let nodes = labels.labelled();
    let boundary = Boundary::new(graph.nodes(), &nodes).unwrap();
    let mut fixed = Array2::zeros((nodes.len(), labels.classes()));
    for (at, &node) in nodes.iter().enumerate() {
        fixed[[at, labels.get(node).unwrap()]] = 1.0;
    }
    let inflow = boundary.product(graph, fixed.view()).unwrap();
    let system = Grounded::dirichlet(graph, &boundary).unwrap();
    let prepared = system.prepare(&SolverOptions::default()).unwrap();
    prepared.solve(inflow.view()).unwrap().values
}

/// All nodes' class values: labels, and RΛ elsewhere.
fn field(rows: &Array2<f64>, lambda: &Array2<f64>, labels: &Labels) -> Array2<f64> {
    let mut field = rows.dot(lambda);
    for (i, mut row) in field.rows_mut().into_iter().enumerate() {
        if let Some(class) = labels.get(i) {
            row.fill(0.0);
            row[class] = 1.0;
        }
    }
    field
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn one_component_for_each_point_is_the_harmonic_function(
        n in 5..25_usize, classes in 2..4_usize, seed in 0..1000_u64,
    ) {
        let graph = graph(n, seed);
        let labels = first_labelled(n, classes, classes);
        let mut rows = Array2::zeros((n, n - classes));
        for i in 0..n {
            rows[[i, i.saturating_sub(classes)]] = 1.0;
        }
        let backbone = Backbone::new(&graph, &labels, &dense(rows)).unwrap();
        let found = MembershipSearch::default().solve(&backbone, None).unwrap();
        prop_assert!(close(&found.lambda, &harmonic(&graph, &labels), 1e-9));
        prop_assert_eq!(found.rank, n - classes);
    }

    #[test]
    fn sparse_rows_of_all_components_are_dense_rows(
        n in 6..40_usize, components in 1..6_usize, seed in 0..1000_u64,
    ) {
        let graph = graph(n, seed);
        let labels = first_labelled(n, 3, 2);
        let rows = soft(n, components, 3, seed);
        let sparse = Responsibilities::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
        let a = Backbone::new(&graph, &labels, &dense(rows)).unwrap();
        let b = Backbone::new(&graph, &labels, &sparse).unwrap();
        prop_assert!(close(&a.laplacian().to_owned(), &b.laplacian().to_owned(), 1e-12));
        prop_assert!(close(&a.inflow().to_owned(), &b.inflow().to_owned(), 1e-12));
    }

    #[test]
    fn the_energy_is_that_of_the_field_on_the_graph(
        n in 6..20_usize, components in 1..5_usize, classes in 2..4_usize, seed in 0..1000_u64,
    ) {
        let graph = graph(n, seed);
        let labels = first_labelled(n, classes, classes);
        let rows = soft(n, components, 2, seed);
        let backbone = Backbone::new(&graph, &labels, &dense(rows.clone())).unwrap();
        let lambda = soft(components, classes, 2, seed + 1);
        let field = field(&rows, &lambda, &labels);
        let applied = Laplacian::Combinatorial.apply(&graph, field.view()).unwrap();
        let want = 0.5 * (&field * &applied).sum();
        let got = backbone.energy(lambda.view()).unwrap();
        prop_assert!((got - want).abs() < 1e-10 * (1.0 + want), "{got} {want}");
    }

    #[test]
    fn the_generalised_laplacian_has_zero_row_sums(
        n in 6..20_usize, components in 1..5_usize, seed in 0..1000_u64,
    ) {
        let graph = graph(n, seed);
        let boundary = Boundary::new(n, &[3, 1]).unwrap();
        let rows = dense(soft(n, components, 2, seed));
        let whole = generalised_laplacian(&graph, &boundary, &rows).unwrap();
        prop_assert!(whole.sum_axis(Axis(1)).iter().all(|sum| sum.abs() < 1e-10));
        prop_assert!(close(&whole, &whole.t().to_owned(), 1e-12));
    }

    #[test]
    fn hard_clusters_never_leave_the_bounds(
        n in 8..30_usize, clusters in 1..6_usize, seed in 0..1000_u64,
    ) {
        let graph = graph(n, seed);
        let labels = first_labelled(n, 2, 2);
        let assignment: Vec<usize> = (0..n).map(|i| (i * 7 + i / 3) % clusters).collect();
        let rows = Responsibilities::hard(&assignment, clusters).unwrap();
        let backbone = Backbone::new(&graph, &labels, &rows).unwrap();
        let closed = backbone.closed_form(Undetermined::Even).unwrap();
        prop_assert!(closed.lambda.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p)));
        prop_assert!(closed.partition_error < 1e-9);
    }
}

#[test]
fn redundant_components_share_and_the_field_does_not_care() {
    let graph = graph(20, 8);
    let labels = first_labelled(20, 2, 2);
    let single = soft(20, 3, 3, 8);
    let mut double = Array2::zeros((20, 4));
    double.slice_mut(ndarray::s![.., ..3]).assign(&single);
    // The last component is split in two halves.
    double.column_mut(2).mapv_inplace(|p| 0.5 * p);
    let half = double.column(2).to_owned();
    double.column_mut(3).assign(&half);
    let search = MembershipSearch::default();
    let solve = |rows: &Array2<f64>| {
        let backbone = Backbone::new(&graph, &labels, &dense(rows.clone())).unwrap();
        search.solve(&backbone, None).unwrap()
    };
    let (one, two) = (solve(&single), solve(&double));
    assert_eq!((one.rank, two.rank), (3, 3));
    assert!(one.undetermined.is_empty());
    assert_eq!(two.undetermined, [2, 3]);
    assert!(close(&single.dot(&one.lambda), &double.dot(&two.lambda), 1e-9));
}

#[test]
fn a_part_without_labels_is_not_determined() {
    // Two separate edges; only the first has a label.
    let graph = Graph::from_edges(4, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let labels =
        Labels::new(vec![Some(1), None, None, None], vec!["a".into(), "b".into()]).unwrap();
    let rows = Responsibilities::hard(&[0, 0, 1, 1], 2).unwrap();
    let backbone = Backbone::new(&graph, &labels, &rows).unwrap();
    for (undetermined, left) in [(Undetermined::Even, 0.5), (Undetermined::ClassZero, 0.0)] {
        let search = MembershipSearch { undetermined, ..MembershipSearch::default() };
        let found = search.solve(&backbone, None).unwrap();
        assert_eq!(found.undetermined, [1]);
        assert!((found.lambda[[0, 1]] - 1.0).abs() < 1e-12);
        assert!((found.lambda[[1, 1]] - left).abs() < 1e-12);
    }
}

#[test]
fn links_too_weak_for_the_digits_are_flagged_not_guessed() {
    let two = || vec!["a".to_owned(), "b".to_owned()];
    let labels = Labels::new(vec![Some(0), None, None, Some(1)], two()).unwrap();
    let rows = Responsibilities::hard(&[0, 0, 1, 1], 2).unwrap();
    for weak in [1e-3, 1e-6, 1e-10, 1e-18, 1e-30] {
        // A pair held by weak links: three parts to class 0, one part to class 1.
        let edges = [(0, 1, 3.0 * weak), (1, 2, 1.0), (2, 3, weak)];
        let graph = Graph::from_edges(4, edges).unwrap();
        let backbone = Backbone::new(&graph, &labels, &rows).unwrap();
        let found = MembershipSearch::default().solve(&backbone, None).unwrap();
        let right = (found.lambda[[0, 1]] - 0.25).abs() < 0.01;
        assert!(right || found.undetermined == [0, 1], "{weak}: {}", found.lambda);
        assert_eq!(right, weak > 1e-12, "{weak}");
    }
}
