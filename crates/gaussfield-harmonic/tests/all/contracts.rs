//! Laws that every road to the harmonic function must obey.

use crate::support::{close, problem};
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::views::{AbsorbingWalk, BeliefPropagation, harmonic_by_green_function};
use gaussfield_harmonic::views::{green_function, heat_kernel};
use gaussfield_harmonic::{Consistency, Dongles, Harmonic, Smoothing, energy};
use gaussfield_labels::{Labels, Scores};
use gaussfield_laplacian::Boundary;
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_interior_value_is_the_mean_of_its_neighbours((graph, labels) in problem()) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        let degrees = graph.degrees();
        for &i in field.interior() {
            for c in 0..labels.classes() {
                let mut mean = 0.0;
                graph.for_each_neighbour(i, |j, w| mean += w * field.class(c)[j] / degrees[i]);
                prop_assert!((field.class(c)[i] - mean).abs() < 1e-10);
            }
            prop_assert!((field.values().row(i).sum() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn no_interior_value_leaves_the_range_of_the_boundary((graph, labels) in problem()) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        prop_assert!(field.values().iter().all(|f| (0.0..=1.0).contains(f)));
    }

    #[test]
    fn any_other_interior_has_more_energy((graph, labels) in problem(), by in -0.5..0.5_f64) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        let mut other = field.class(1).to_owned();
        let least = energy(&graph, other.view());
        other[field.interior()[0]] += by;
        prop_assert!(energy(&graph, other.view()) >= least - 1e-12);
    }

    #[test]
    fn greens_function_and_belief_propagation_agree((graph, labels) in problem()) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        let interior = field.values().select(Axis(0), field.interior());
        let green = harmonic_by_green_function(&graph, &labels, Budget::default()).unwrap();
        prop_assert!(close(&green, &interior, 1e-9));
        let beliefs = BeliefPropagation::default().run(&graph, &labels).unwrap();
        prop_assert!(close(&beliefs.means, &interior, 1e-8));
    }

    #[test]
    fn dongles_equal_explicit_leaves((graph, labels) in problem(), eta in 0.01..0.9_f64) {
        // Each unlabelled node gets a leaf of class 1, reached with probability η.
        let (n, degrees, unlabelled) = (graph.nodes(), graph.degrees(), labels.unlabelled());
        let mut edges = Vec::new();
        for i in 0..n {
            graph.for_each_neighbour(i, |j, w| if i < j { edges.push((i, j, w)) });
        }
        let mut of = labels.as_slice().to_vec();
        for (leaf, &node) in unlabelled.iter().enumerate() {
            edges.push((node, n + leaf, degrees[node] * eta / (1.0 - eta)));
            of.push(Some(1));
        }
        let augmented = Graph::from_edges(n + unlabelled.len(), edges).unwrap();
        let leaves = Labels::new(of, labels.names().to_vec()).unwrap();
        let want = Harmonic::default().fit(&augmented, &leaves).unwrap();

        let mut one_hot = Array2::zeros((unlabelled.len(), labels.classes()));
        one_hot.column_mut(1).fill(1.0);
        let dongles = Dongles::on_unlabelled(Scores::new(one_hot).unwrap(), eta).unwrap();
        let got = Harmonic::default().fit_with_dongles(&graph, &labels, &dongles).unwrap();
        let want = want.values().slice(ndarray::s![..n, ..]).to_owned();
        prop_assert!(close(&got.values().to_owned(), &want, 1e-10));
    }

    #[test]
    fn doubt_that_vanishes_clamps_the_labels((graph, labels) in problem()) {
        let clamped = Harmonic::default().fit(&graph, &labels).unwrap();
        let dongles = Dongles::default().and_doubt(1.0 - 1e-10).unwrap();
        let doubted = Harmonic::default().fit_with_dongles(&graph, &labels, &dongles).unwrap();
        prop_assert!(close(&doubted.values().to_owned(), &clamped.values().to_owned(), 1e-6));
    }

    #[test]
    fn consistency_solves_its_own_equation((graph, labels) in problem(), alpha in 0.05..0.99_f64) {
        let method = Consistency { alpha, ..Consistency::default() };
        let field = method.fit(&graph, &labels).unwrap();
        let (n, d) = (graph.nodes(), graph.degrees());
        let matrix = Array2::from_shape_fn((n, n), |(i, j)| {
            f64::from(u8::from(i == j)) - alpha * graph.weight(i, j) / (d[i] * d[j]).sqrt()
        });
        let mut f = labels.one_hot();
        for mut column in f.columns_mut() {
            let solved = gaussfield_core::dense::solve(&matrix, &column.to_owned()).unwrap();
            column.assign(&solved);
        }
        let sums = f.sum_axis(Axis(1)).insert_axis(Axis(1));
        prop_assert!(close(&field.values().to_owned(), &(f / &sums), 1e-10));
    }

    #[test]
    fn the_heat_kernel_integrates_to_greens_function((graph, labels) in problem()) {
        let boundary = Boundary::new(graph.nodes(), &labels.labelled()).unwrap();
        let budget = Budget::default();
        let heat = |t: f64| heat_kernel(&graph, &boundary, t, budget).unwrap();
        // K'_0 = I, and the semigroup law K'_s K'_t = K'_{s+t}.
        let identity = Array2::eye(boundary.interior().len());
        prop_assert!(close(&heat(0.0), &identity, 1e-10));
        prop_assert!(close(&heat(0.3).dot(&heat(0.5)), &heat(0.8), 1e-10));
        // ∫_a^b K'_t dt Δ = K'_a − K'_b, so 𝒢 (I − K'_b) is the integral from 0 to b.
        let green = green_function(&graph, &boundary, budget).unwrap();
        let (steps, end) = (2000, 0.5);
        let h = end / steps as f64;
        let mut integral = (heat(0.0) + heat(end)) / 2.0;
        let (one, mut now) = (heat(h), heat(h));
        for _ in 1..steps {
            integral += &now;
            now = now.dot(&one);
        }
        let want = green.dot(&(identity - heat(end)));
        prop_assert!(close(&(integral * h), &want, 1e-4));
    }

    #[test]
    fn the_covariance_is_greens_function_over_two_beta((graph, labels) in problem()) {
        let boundary = Boundary::new(graph.nodes(), &labels.labelled()).unwrap();
        let green = green_function(&graph, &boundary, Budget::default()).unwrap();
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        let covariance = field.covariance(field.interior(), 0.7).unwrap();
        prop_assert!(close(&(covariance * 1.4), &green, 1e-7 * green.iter().fold(1.0, |m, g| f64::max(m, *g))));
        let certain = field.variances(&labels.labelled(), 0.7).unwrap();
        prop_assert!(certain.iter().all(|&variance| variance == 0.0));
    }

    #[test]
    fn the_smoothed_walk_solves_its_own_equation(
        (graph, labels) in problem(),
        epsilon in 0.01..0.9_f64,
        self_loop in 0.0..1.0_f64,
    ) {
        let method = Smoothing { epsilon, self_loop, ..Smoothing::default() };
        let field = method.fit(&graph, &labels).unwrap();
        let n = graph.nodes() as f64;
        let d = graph.degrees() + self_loop;
        for &i in field.interior() {
            for c in 0..labels.classes() {
                let f = field.class(c);
                let mut step = self_loop * f[i];
                graph.for_each_neighbour(i, |j, w| step += w * f[j]);
                let want = (1.0 - epsilon) * step / d[i] + epsilon * f.sum() / n;
                prop_assert!((f[i] - want).abs() < 1e-10);
            }
        }
        let still = Smoothing { self_loop, ..Smoothing::default() }.fit(&graph, &labels).unwrap();
        let plain = Harmonic::default().fit(&graph, &labels).unwrap();
        prop_assert_eq!(still.values(), plain.values());
    }
}

#[test]
fn simulated_walks_estimate_the_harmonic_function() {
    let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 0.5), (3, 4, 1.0), (1, 4, 0.3)];
    let graph = Graph::from_edges(5, edges).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, None, Some("b")]);
    let field = Harmonic::default().fit(&graph, &labels).unwrap();
    let walk = AbsorbingWalk { walks: 20_000, seed: 3, ..AbsorbingWalk::default() };
    for &i in field.interior() {
        let seen = walk.run(&graph, &labels, i).unwrap();
        let want = field.class(1)[i];
        let standard_error = (want * (1.0 - want) / walk.walks as f64).sqrt();
        assert!((seen.frequencies[1] - want).abs() < 5.0 * standard_error);
        assert_eq!(seen, walk.run(&graph, &labels, i).unwrap(), "same seed, same walks");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let n = 600;
    let edges = (0..n).flat_map(|i| {
        [1, 7, 31].map(|step| (i, (i + step) % n, 1.0 / (1.0 + (i * step % 13) as f64)))
    });
    let graph = Graph::from_edges(n, edges.filter(|(i, j, _)| i != j)).unwrap();
    let labels = Labels::from_names((0..n).map(|i| match i {
        5 | 77 => Some("a"),
        200 => Some("b"),
        450 => Some("c"),
        _ => None,
    }));
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Harmonic::default().fit(&graph, &labels).unwrap())
    };
    assert_eq!(fit(1).values(), fit(2).values());
}

#[test]
fn weak_links_give_an_accurate_answer() {
    // Two triangles joined to opposite labels by links far below rounding: the second triangle
    // hangs on 0 by 1e-17 and on 1 by 3.2e-17, so that f there is 3.2/4.2.
    let edges = [
        (0, 2, 1e-17),
        (1, 2, 3.2e-17),
        (2, 3, 1.0),
        (3, 4, 1.0),
        (2, 4, 1.0),
        (0, 5, 1.0),
        (5, 1, 1.0),
    ];
    let graph = Graph::from_edges(6, edges).unwrap();
    let mut names = [None; 6];
    (names[0], names[1]) = (Some("0"), Some("1"));
    let field = Harmonic::default().fit(&graph, &Labels::from_names(names)).unwrap();
    for node in [2, 3, 4] {
        assert!((field.class(1)[node] - 3.2 / 4.2).abs() < 1e-9);
    }
    assert!((field.class(1)[5] - 0.5).abs() < 1e-12);
}

#[test]
fn energy_is_the_sum_over_edges() {
    let graph = Graph::from_edges(3, [(0, 1, 2.0), (1, 2, 3.0)]).unwrap();
    let f = array![0.0, 1.0, 3.0];
    assert!((energy(&graph, f.view()) - (2.0 + 12.0)).abs() < 1e-12);
}
