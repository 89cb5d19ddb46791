//! What holds for every support vector machine.

use crate::quadratic::{dual_optimum, dual_value};
use gaussfield_baselines::SupportVectorMachine;
use gaussfield_labels::{Inductive as _, Labels};
use ndarray::{Array1, Array2, Axis};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-10;

/// A well-conditioned Gram matrix A Aᵀ + 0.2·I and classes of which each occurs.
fn problem(l: usize, classes: usize) -> impl Strategy<Value = (Array2<f64>, Vec<usize>)> {
    let entries = prop::collection::vec(-1.0..1.0_f64, l * l);
    (entries, prop::collection::vec(0..classes, l)).prop_map(move |(entries, mut of)| {
        let a = Array2::from_shape_vec((l, l), entries).unwrap();
        (0..classes).for_each(|class| of[class] = class);
        (a.dot(&a.t()) + 0.2 * Array2::<f64>::eye(l), of)
    })
}

fn signs(classes: &[usize], positive: usize) -> Vec<f64> {
    classes.iter().map(|&class| if class == positive { 1.0 } else { -1.0 }).collect()
}

fn machine(price: f64) -> SupportVectorMachine {
    SupportVectorMachine { tolerance: TOLERANCE, ..SupportVectorMachine::new(price) }
}

fn assert_close(got: &Array2<f64>, want: &Array2<f64>, within: f64) {
    assert_eq!(got.dim(), want.dim());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < within, "{got} against {want}");
    }
}

proptest! {
    #[test]
    fn the_optimum_of_another_solver((gram, classes) in problem(7, 2), price in 0.05..20.0_f64) {
        let labels = Labels::numbered(&classes, 2).unwrap();
        let model = machine(price).fit_gram(gram.view(), &labels).unwrap();
        let signs = signs(&classes, 1);
        let want = dual_optimum(&gram, &signs, price);
        let certificate = model.certificates()[0].unwrap();
        let best = dual_value(&gram, &signs, &want);
        prop_assert!((certificate.dual - best).abs() < 1e-8 * best.max(1.0), "{certificate:?} {best}");
        let coefficients = model.expansion().coefficients();
        for i in 0..7 {
            let (got, want) = (coefficients[[i, 0]], signs[i] * want[i]);
            prop_assert!((got - want).abs() < 1e-6 * price.max(1.0), "{i}: {got} against {want}");
        }
    }

    /// The optimality conditions and the gap, recomputed from the decision values alone.
    #[test]
    fn the_certificate_can_be_checked((gram, classes) in problem(12, 2), price in 0.05..50.0_f64) {
        let labels = Labels::numbered(&classes, 2).unwrap();
        let model = machine(price).fit_gram(gram.view(), &labels).unwrap();
        let values = model.decision_values(gram.view()).unwrap();
        let beta = model.expansion().coefficients().column(0).to_owned();
        let sign = Array1::from(signs(&classes, 1));
        prop_assert!(beta.sum().abs() < 1e-10 * price);
        let mut losses = 0.0;
        for i in 0..12 {
            let (alpha, margin) = (sign[i] * beta[i], sign[i] * values[[i, 0]]);
            prop_assert!((0.0..=price).contains(&alpha));
            // α = 0: margin ≥ 1; 0 < α < C: margin = 1; α = C: margin ≤ 1.
            prop_assert!(alpha < price || margin <= 1.0 + 2.0 * TOLERANCE, "{alpha} {margin}");
            prop_assert!(alpha > 0.0 || margin >= 1.0 - 2.0 * TOLERANCE, "{alpha} {margin}");
            losses += (1.0 - margin).max(0.0);
        }
        let norm = beta.dot(&gram.dot(&beta));
        let certificate = model.certificates()[0].unwrap();
        let slack = 1e-9 * (1.0 + price * losses);
        prop_assert!((certificate.primal - (0.5 * norm + price * losses)).abs() < slack);
        prop_assert!(certificate.violation <= TOLERANCE);
        prop_assert!(certificate.gap() > -slack, "{certificate:?}");
        prop_assert!(certificate.gap() < 12.0 * price * TOLERANCE + slack, "{certificate:?}");
    }

    #[test]
    fn exchanged_classes_change_the_sign((gram, classes) in problem(9, 2), price in 0.1..10.0_f64) {
        let fit = |classes: &[usize]| {
            let labels = Labels::numbered(classes, 2).unwrap();
            let model = machine(price).fit_gram(gram.view(), &labels).unwrap();
            model.decision_values(gram.view()).unwrap()
        };
        let exchanged: Vec<usize> = classes.iter().map(|class| 1 - class).collect();
        assert_close(&fit(&classes), &-fit(&exchanged), 1e-7);
    }

    /// s·K with C/s is the same machine, and so is any order of the points.
    #[test]
    fn scale_and_order_do_not_matter((gram, classes) in problem(8, 2), scale in 0.1..10.0_f64) {
        let fit = |gram: &Array2<f64>, classes: &[usize], price: f64| {
            let labels = Labels::numbered(classes, 2).unwrap();
            let model = machine(price).fit_gram(gram.view(), &labels).unwrap();
            model.decision_values(gram.view()).unwrap()
        };
        let values = fit(&gram, &classes, 2.0);
        assert_close(&fit(&(&gram * scale), &classes, 2.0 / scale), &values, 1e-7);
        let order = [3, 1, 4, 0, 7, 2, 6, 5];
        let turned = gram.select(Axis(0), &order).select(Axis(1), &order);
        let turned_classes = order.map(|i| classes[i]);
        assert_close(&fit(&turned, &turned_classes, 2.0), &values.select(Axis(0), &order), 1e-7);
    }

    /// Each function of three classes is that of the class against the others.
    #[test]
    fn one_against_the_rest((gram, classes) in problem(9, 3)) {
        let labels = Labels::numbered(&classes, 3).unwrap();
        let model = machine(1.5).fit_gram(gram.view(), &labels).unwrap();
        let values = model.decision_values(gram.view()).unwrap();
        for class in 0..3 {
            let binary: Vec<usize> = classes.iter().map(|&c| usize::from(c == class)).collect();
            let labels = Labels::numbered(&binary, 2).unwrap();
            let alone = machine(1.5).fit_gram(gram.view(), &labels).unwrap();
            let want = alone.decision_values(gram.view()).unwrap();
            prop_assert_eq!(values.column(class), want.column(0));
        }
        let prediction = model.predict(&gram.view()).unwrap();
        for (row, &winner) in values.outer_iter().zip(&prediction.argmax()) {
            prop_assert!(row.iter().all(|&f| f <= row[winner]));
        }
    }
}
