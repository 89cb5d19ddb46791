//! The reduced energy is that of the graph, and its minimiser a law.

use crate::common::{close, dense, first_labelled, graph, soft};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::{Boundary, Grounded, Laplacian, SolverOptions};
use gaussfield_mixture::{
    Backbone, MembershipSearch, MixtureError, Responsibilities, Undetermined, generalised_laplacian,
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

    /// Of the normalised Laplacian the energy is ½ Σ_c f_cᵀ(I − D^−½WD^−½)f_c for any memberships, and
    /// the minimum has no better one near it.
    #[test]
    fn the_energy_is_that_of_the_normalised_laplacian(
        n in 8..25_usize, components in 1..6_usize, classes in 2..4_usize, seed in 0..1000_u64,
    ) {
        let graph = graph(n, seed);
        let labels = first_labelled(n, 2 * classes, classes);
        let rows = soft(n, components, 3, seed + 1);
        let backbone = Backbone::normalised(&graph, &labels, &dense(rows.clone())).unwrap();
        let energy = |lambda: &Array2<f64>| {
            let f = field(&rows, lambda, &labels);
            0.5 * (&f * &Laplacian::Symmetric.apply(&graph, f.view()).unwrap()).sum()
        };
        let lambda = soft(components, classes, 1, seed + 2);
        let (ours, direct) = (backbone.energy(lambda.view()).unwrap(), energy(&lambda));
        prop_assert!((ours - direct).abs() < 1e-10 * (1.0 + direct), "{ours} {direct}");
        let found = MembershipSearch::default().solve(&backbone, None).unwrap();
        prop_assert!(found.kkt.residual < 1e-8, "{:?}", found.kkt);
        for share in [1e-3, 0.1, 1.0] {
            let other = (1.0 - share) * &found.lambda + share * &lambda;
            prop_assert!(energy(&other) >= energy(&found.lambda) - found.kkt.gap - 1e-10);
        }
        let sparse = Responsibilities::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
        let sparse = Backbone::normalised(&graph, &labels, &sparse).unwrap();
        prop_assert!(close(&sparse.laplacian().to_owned(), &backbone.laplacian().to_owned(), 1e-10));
        prop_assert!(close(&sparse.inflow().to_owned(), &backbone.inflow().to_owned(), 1e-10));
    }

    /// On a graph whose nodes all have one degree d the normalised Laplacian is Δ/d.
    #[test]
    fn on_a_regular_graph_both_laplacians_agree(n in 6..20_usize, seed in 0..1000_u64) {
        let ring = |i: usize| [(i, (i + 1) % n, 0.5), (i, (i + 2) % n, 0.5)];
        let graph = Graph::from_edges(n, (0..n).flat_map(ring)).unwrap();
        let labels = first_labelled(n, 2, 2);
        let rows = dense(soft(n, 3, 4, seed));
        let solve = |backbone: Backbone| MembershipSearch::default().solve(&backbone, None).unwrap();
        let normalised = solve(Backbone::normalised(&graph, &labels, &rows).unwrap());
        let combinatorial = solve(Backbone::new(&graph, &labels, &rows).unwrap());
        prop_assert!(close(&normalised.lambda, &combinatorial.lambda, 1e-6));
        let degree = graph.degrees()[0];
        prop_assert!((degree * normalised.energy - combinatorial.energy).abs() < 1e-9);
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
fn the_pseudo_inverse_has_the_least_norm() {
    let graph = graph(20, 9);
    let labels = first_labelled(20, 2, 2);
    let single = soft(20, 3, 3, 9);
    // The last component is split in unequal parts, 1 to 3.
    let double = Array2::from_shape_fn((20, 4), |(i, m)| match m {
        2 => 0.25 * single[[i, 2]],
        3 => 0.75 * single[[i, 2]],
        _ => single[[i, m]],
    });
    let solve = |rows: &Array2<f64>| {
        let backbone = Backbone::new(&graph, &labels, &dense(rows.clone())).unwrap();
        backbone.closed_form(Undetermined::ClassZero).unwrap().lambda
    };
    let (whole, parts) = (solve(&single), solve(&double));
    assert!(close(&single.dot(&whole), &double.dot(&parts), 1e-9));
    // Of all (a, b) with a/4 + 3b/4 = λ the shortest is λ(1, 3)·4/10.
    let lambda = whole[[2, 1]];
    assert!((parts[[2, 1]] - 0.4 * lambda).abs() < 1e-10 * (1.0 + lambda.abs()), "{parts}");
    assert!((parts[[3, 1]] - 1.2 * lambda).abs() < 1e-10 * (1.0 + lambda.abs()), "{parts}");
    assert!(parts.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-10));
}

#[test]
fn a_part_without_labels_is_an_error_or_by_name_what_was_asked_for() {
    // Two separate edges; only the first has a label.
    let graph = Graph::from_edges(4, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let labels =
        Labels::new(vec![Some(1), None, None, None], vec!["a".into(), "b".into()]).unwrap();
    let hard = Responsibilities::hard(&[0, 0, 1, 1], 2).unwrap();
    // Two components that share the part without a label, softly.
    let soft =
        dense(ndarray::array![[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.9, 0.1], [0.0, 0.3, 0.7]]);
    for (rows, open) in [(&hard, vec![1]), (&soft, vec![1, 2])] {
        let backbone = Backbone::new(&graph, &labels, rows).unwrap();
        let error = MembershipSearch::default().solve(&backbone, None).unwrap_err();
        assert_eq!(error, MixtureError::Undetermined { count: open.len(), example: 1 });
        assert!(backbone.closed_form(Undetermined::Error).is_err());
        for (undetermined, left) in [(Undetermined::Even, 0.5), (Undetermined::ClassZero, 0.0)] {
            let search = MembershipSearch { undetermined, ..MembershipSearch::default() };
            let found = search.solve(&backbone, None).unwrap();
            assert_eq!((&found.undetermined, &found.unknown), (&open, &open));
            assert!((found.lambda[[0, 1]] - 1.0).abs() < 1e-12);
            for &m in &open {
                assert!((found.lambda[[m, 1]] - left).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn what_the_graph_leaves_open_a_likelihood_may_determine() {
    // A labelled point without an edge, alone in its component but for an unlabelled pair that
    // shares it.
    let graph = Graph::from_edges(5, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let labels =
        Labels::new(vec![Some(0), None, None, None, Some(1)], vec!["a".into(), "b".into()])
            .unwrap();
    let rows = Responsibilities::hard(&[0, 0, 1, 1, 1], 2).unwrap();
    let backbone = Backbone::new(&graph, &labels, &rows).unwrap();
    let search = |alpha| MembershipSearch { alpha, ..MembershipSearch::default() };
    assert!(search(0.0).solve(&backbone, None).is_err());
    let found = search(0.3).solve(&backbone, None).unwrap();
    assert!((found.lambda[[1, 1]] - 1.0).abs() < 1e-9, "{}", found.lambda);
    assert!(found.unknown.is_empty() && found.undetermined == [1]);
}

#[test]
fn many_separate_parts_are_all_found() {
    // Twenty pairs in two hard clusters each; one pair has the label.
    let edges = (0..20).map(|pair| (2 * pair, 2 * pair + 1, 1.0)).chain([(40, 0, 1.0)]);
    let graph = Graph::from_edges(41, edges).unwrap();
    let given = (0..41).map(|node| (node == 40).then_some(0)).collect();
    let labels = Labels::new(given, vec!["a".into(), "b".into()]).unwrap();
    let assignment: Vec<usize> = (0..41).map(|node| node % 40).collect();
    let rows = Responsibilities::hard(&assignment, 40).unwrap();
    let backbone = Backbone::new(&graph, &labels, &rows).unwrap();
    let error = MembershipSearch::default().solve(&backbone, None).unwrap_err();
    assert_eq!(error, MixtureError::Undetermined { count: 38, example: 2 });
}

#[test]
fn links_too_weak_for_the_digits_are_an_error_not_a_guess() {
    let two = || vec!["a".to_owned(), "b".to_owned()];
    let labels = Labels::new(vec![Some(0), None, None, Some(1)], two()).unwrap();
    for power in 0..=30 {
        let weak = 10_f64.powi(-power);
        // A pair held by weak links: three parts to class 0, one part to class 1.
        let edges = [(0, 1, 3.0 * weak), (1, 2, 1.0), (2, 3, weak)];
        let graph = Graph::from_edges(4, edges).unwrap();
        // The pair's middle: (λ₀ + λ₁)/2 = (3·0 + 1)/4 as the links become weak.
        for rows in [
            Responsibilities::hard(&[0, 0, 1, 1], 2).unwrap(),
            dense(ndarray::array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]),
        ] {
            let backbone = Backbone::new(&graph, &labels, &rows).unwrap();
            match MembershipSearch::default().solve(&backbone, None) {
                Ok(found) => {
                    assert!(power <= 12, "{power}: {}", found.lambda);
                    // Conductances 3w, 1 and w in a row: λ₀ = (w/(1 + w))/(3w + w/(1 + w)).
                    let want = 1.0 / (3.0 * (1.0 + weak) + 1.0);
                    let digits = 1e-13 / weak;
                    let got = found.lambda[[0, 1]];
                    assert!((got - want).abs() < digits.max(1e-12), "{power}: {got} {want}");
                    // The gap is a bound in units of the energy, here of 0.75 w.
                    assert!(found.kkt.gap <= digits.max(1e-9) * weak, "{power}: {:?}", found.kkt);
                }
                Err(error) => {
                    assert!(power >= 11, "{power}: {error}");
                    assert!(matches!(error, MixtureError::Undetermined { count: 2, .. }));
                }
            }
        }
    }
}
