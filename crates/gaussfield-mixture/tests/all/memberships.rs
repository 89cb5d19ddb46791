//! Minima of the convex problem and their certificates.

use crate::common::{close, dense, first_labelled, graph, soft};
use gaussfield_mixture::{Backbone, MembershipSearch, MixtureError};
use ndarray::{Array2, Axis, concatenate, s};
use proptest::prelude::*;

fn backbone(n: usize, components: usize, classes: usize, sharpness: i32, seed: u64) -> Backbone {
    let labels = first_labelled(n, 2 * classes, classes);
    Backbone::new(&graph(n, seed), &labels, &dense(soft(n, components, sharpness, seed))).unwrap()
}

fn search(alpha: f64) -> MembershipSearch {
    MembershipSearch { alpha, ..MembershipSearch::default() }
}

fn alpha() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 0.1, 0.5, 0.9, 1.0])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_certificate_holds_and_no_other_membership_is_better(
        components in 1..9_usize, classes in 1..5_usize, alpha in alpha(), sharp in 1..12_i32,
        seed in 0..1000_u64,
    ) {
        let backbone = backbone(24, components, classes, sharp, seed);
        let em = soft(components, classes, 2, seed + 3);
        let found = search(alpha).solve(&backbone, Some(em.view())).unwrap();
        prop_assert!(found.kkt.residual < 1e-8, "{:?}", found.kkt);
        prop_assert!(found.kkt.feasibility < 1e-12);
        prop_assert!(found.lambda.iter().all(|p| (0.0..=1.0).contains(p)));
        prop_assert_eq!(found.start_weight.is_some(), alpha > 0.0);
        for other in 0..20 {
            let mut lambda = soft(components, classes, 1 + other, seed + other as u64);
            // Some near, some far.
            lambda = 0.1 * f64::from(other % 10) * &found.lambda
                + (1.0 - 0.1 * f64::from(other % 10)) * lambda;
            let (value, _) = search(alpha).evaluate(&backbone, lambda.view()).unwrap();
            prop_assert!(value >= found.objective - found.kkt.gap - 1e-13 * (1.0 + value.abs()));
        }
    }

    #[test]
    fn the_gradient_is_the_slope(
        components in 1..6_usize, classes in 2..4_usize, alpha in alpha(), seed in 0..1000_u64,
    ) {
        let backbone = backbone(16, components, classes, 2, seed);
        let lambda = soft(components, classes, 1, seed + 1);
        let search = search(alpha);
        let (_, gradient) = search.evaluate(&backbone, lambda.view()).unwrap();
        let step = 1e-5;
        for m in 0..components {
            for c in 0..classes {
                let value = |by: f64| {
                    let mut moved = lambda.clone();
                    moved[[m, c]] += by;
                    search.evaluate(&backbone, moved.view()).unwrap().0
                };
                let slope = (value(step) - value(-step)) / (2.0 * step);
                prop_assert!((slope - gradient[[m, c]]).abs() < 1e-5 * (1.0 + slope.abs()));
            }
        }
    }

    /// The direct solve for two classes and the conjugate gradients for more agree: a third class
    /// without a label gets nothing.
    #[test]
    fn a_class_without_labels_changes_nothing(
        components in 2..9_usize, alpha in prop::sample::select(vec![0.0, 0.3, 0.8]),
        sharp in 1..12_i32, seed in 0..1000_u64,
    ) {
        let graph = graph(24, seed);
        let rows = dense(soft(24, components, sharp, seed));
        let given = |classes: usize| {
            let of = (0..24).map(|i| (i < 4).then_some(i % 2)).collect();
            let names = (0..classes).map(|c| c.to_string()).collect();
            gaussfield_labels::Labels::new(of, names).unwrap()
        };
        let solve = |classes: usize| {
            let backbone = Backbone::new(&graph, &given(classes), &rows).unwrap();
            let em = Array2::from_elem((components, 2), 0.5);
            let none = Array2::zeros((components, classes - 2));
            let em = concatenate(Axis(1), &[em.view(), none.view()]).unwrap();
            search(alpha).solve(&backbone, Some(em.view())).unwrap()
        };
        let (two, three) = (solve(2), solve(3));
        // Energies are equal where memberships need not be unique.
        prop_assert!((two.objective - three.objective).abs() < 1e-9 * (1.0 + two.objective.abs()));
        if two.rank == components && alpha < 0.5 {
            prop_assert!(close(&two.lambda, &three.lambda.slice(s![.., ..2]).to_owned(), 1e-5));
        }
    }

    /// Free numbers behind sigmoids end at the minimum that the search within bounds finds.
    #[test]
    fn sigmoids_find_the_same_minimum(
        components in 1..9_usize, alpha in alpha(), sharp in 1..12_i32, seed in 0..1000_u64,
    ) {
        let backbone = backbone(24, components, 2, sharp, seed);
        let em = soft(components, 2, 2, seed + 3);
        let bounded = search(alpha).solve(&backbone, Some(em.view())).unwrap();
        let free = MembershipSearch { sigmoid: true, ..search(alpha) };
        let free = free.solve(&backbone, Some(em.view())).unwrap();
        prop_assert!(free.kkt.residual < 1e-8 && free.kkt.feasibility < 1e-12, "{:?}", free.kkt);
        let gap = free.kkt.gap + bounded.kkt.gap + 1e-12 * (1.0 + bounded.objective.abs());
        prop_assert!((free.objective - bounded.objective).abs() <= gap);
        if bounded.rank == components && alpha < 0.5 {
            prop_assert!(close(&free.lambda, &bounded.lambda, 1e-5));
        }
    }
}

#[test]
fn within_the_bounds_the_search_is_the_closed_form() {
    let backbone = backbone(30, 4, 2, 8, 12);
    let closed = backbone.closed_form(gaussfield_mixture::Undetermined::Even).unwrap();
    assert!(closed.lambda.iter().all(|p| (0.0..=1.0).contains(p)), "{}", closed.lambda);
    let found = search(0.0).solve(&backbone, None).unwrap();
    assert!(close(&found.lambda, &closed.lambda, 1e-12));
    assert_eq!(found.kkt.active, 0);
}

#[test]
fn many_active_bounds_of_many_classes() {
    // Blurred responsibilities make the closed form leave the simplex almost everywhere.
    let backbone = backbone(60, 30, 5, 1, 4);
    let closed = backbone.closed_form(gaussfield_mixture::Undetermined::Even).unwrap();
    let outside = closed.lambda.iter().filter(|&&p| p < 0.0).count();
    let least = closed.lambda.iter().copied().fold(0.0, f64::min);
    assert!(outside > 30 && least < -0.5, "{outside} outside, least {least}");
    for alpha in [0.0, 0.2] {
        let found = search(alpha).solve(&backbone, None).unwrap();
        assert!(found.kkt.residual < 1e-8, "{:?} after {}", found.kkt, found.iterations);
        assert!(found.kkt.active > 10, "{:?}", found.kkt);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let backbone = backbone(12, 3, 2, 2, 1);
    for alpha in [-0.1, 1.1, f64::NAN] {
        let error = search(alpha).solve(&backbone, None).unwrap_err();
        assert!(
            matches!(error, MixtureError::OutOfRange(ref found) if found.name == "α"),
            "{error}"
        );
        assert!(search(alpha).evaluate(&backbone, Array2::ones((3, 2)).view()).is_err());
    }
    let loose = MembershipSearch { tolerance: 0.0, ..search(0.0) };
    assert!(loose.solve(&backbone, None).is_err());
    let short = MembershipSearch { max_iterations: 0, ..search(0.5) };
    let error = short.solve(&backbone, None).unwrap_err();
    assert!(matches!(error, MixtureError::NotConverged(ref end) if end.iterations == 0), "{error}");
    let wrong = search(0.5).solve(&backbone, Some(Array2::ones((2, 2)).view())).unwrap_err();
    assert!(matches!(wrong, MixtureError::SizeMismatch(_)), "{wrong}");
}

#[test]
fn sigmoids_are_for_two_classes() {
    let sigmoids = MembershipSearch { sigmoid: true, ..search(0.0) };
    let error = sigmoids.solve(&backbone(24, 3, 3, 2, 1), None).unwrap_err();
    assert!(error.to_string().contains("the number of classes is 3"), "{error}");
}
