//! The Laplacian forms against the formulas with all n points, and what K̃ gains.

use crate::quadratic::dual_optimum;
use gaussfield_baselines::{
    Kernel, LaplacianLeastSquares, LaplacianSvm, RegularisedLeastSquares, SupportVectorMachine,
};
use gaussfield_core::Budget;
use gaussfield_core::dense::solve;
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use proptest::prelude::*;

/// K of points on two moons' arcs, the Laplacian of a dense graph on them, and a few labels.
struct Small {
    kernel: Array2<f64>,
    laplacian: Array2<f64>,
    labels: Labels,
}

/// The inverse of any square matrix, column by column.
fn inverse(matrix: &Array2<f64>) -> Array2<f64> {
    let mut all = Array2::eye(matrix.nrows());
    for mut column in all.columns_mut() {
        let solved = solve(matrix, &column.to_owned()).unwrap();
        column.assign(&solved);
    }
    all
}

fn small(jitter: &[f64]) -> Small {
    let n = jitter.len();
    let rows = Array2::from_shape_fn((n, 2), |(i, d)| {
        let angle = std::f64::consts::PI * (i / 2) as f64 / (n / 2) as f64;
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let arc = if d == 0 { angle.cos() + 0.5 * side } else { side * (angle.sin() - 0.25) };
        arc + jitter[i]
    });
    let points = Points::dense(rows).unwrap();
    let mut weights = Kernel::Rbf { width: 0.4 }.gram(&points, Budget::default()).unwrap();
    weights.diag_mut().fill(0.0);
    let laplacian = Array2::from_diag(&weights.sum_axis(ndarray::Axis(1))) - &weights;
    let kernel = Kernel::Rbf { width: 1.0 }.gram(&points, Budget::default()).unwrap();
    let classes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let labels = Labels::numbered(&classes, 2).unwrap().keep(&[0, 1, 4, n - 1]).unwrap();
    Small { kernel, laplacian, labels }
}

impl Small {
    /// K̃ = K − K(I + MK)⁻¹MK with M = ratio·L.
    fn warped(&self, ratio: f64) -> Array2<f64> {
        let m = &self.laplacian * ratio;
        let inverse = inverse(&(Array2::<f64>::eye(m.nrows()) + m.dot(&self.kernel)));
        let warped = &self.kernel - &self.kernel.dot(&inverse).dot(&m).dot(&self.kernel);
        0.5 * (&warped + &warped.t())
    }

    /// ±1 on labelled points, 0 elsewhere.
    fn targets(&self) -> Array1<f64> {
        let sign = |class: &Option<usize>| class.map_or(0.0, |c| if c == 1 { 1.0 } else { -1.0 });
        self.labels.as_slice().iter().map(sign).collect()
    }
}

fn assert_close(got: Array1<f64>, want: Array1<f64>, within: f64) {
    for (got, want) in got.iter().zip(&want) {
        assert!((got - want).abs() < within, "{got} against {want}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// a = (JK + γ_A·l·I + γ_I·l·LK)⁻¹Y, f = Ka.
    #[test]
    fn least_squares_is_the_representer_form(
        jitter in prop::collection::vec(-0.1..0.1_f64, 14),
        ambient in 1e-3..1.0_f64,
        ratio in 0.0..20.0_f64,
    ) {
        let small = small(&jitter);
        let (n, l) = (14, 4.0);
        let targets = small.targets();
        let mut system = &small.laplacian.dot(&small.kernel) * (ambient * ratio * l)
            + Array2::<f64>::eye(n) * (ambient * l);
        for i in (0..n).filter(|&i| targets[i] != 0.0) {
            let row = &system.row(i) + &small.kernel.row(i);
            system.row_mut(i).assign(&row);
        }
        let want = small.kernel.dot(&solve(&system, &targets).unwrap());
        let warped = small.warped(ratio);
        let model = LaplacianLeastSquares { ambient }.fit_gram(warped.view(), &small.labels).unwrap();
        let got = model.decision_values(warped.view()).unwrap().column(0).to_owned();
        assert_close(got, want.clone(), 1e-9);
        // The covariance of a Gaussian process has γ_A inside.
        let covariance = &warped / ambient;
        let model = LaplacianLeastSquares { ambient: 1.0 }.fit_gram(covariance.view(), &small.labels).unwrap();
        let got = model.decision_values(covariance.view()).unwrap().column(0).to_owned();
        assert_close(got, want, 1e-9);
    }

    /// Belkin, Niyogi and Sindhwani 2006, section 4.3: with B = (2γ_A·I + 2γ_I·LK)⁻¹ the dual has
    /// the matrix YJKBJᵀY and the bound 1/l, and f = KBJᵀYβ + b.
    #[test]
    fn the_machine_is_the_representer_form(
        jitter in prop::collection::vec(-0.1..0.1_f64, 14),
        ambient in 0.02..1.0_f64,
        ratio in 0.0..5.0_f64,
    ) {
        let small = small(&jitter);
        let targets = small.targets();
        let nodes = small.labels.labelled();
        let b = inverse(&(Array2::<f64>::eye(14) * (2.0 * ambient)
            + &small.laplacian.dot(&small.kernel) * (2.0 * ambient * ratio)));
        let kb = small.kernel.dot(&b);
        let block = Array2::from_shape_fn((4, 4), |(i, j)| kb[[nodes[i], nodes[j]]]);
        let signs: Vec<f64> = nodes.iter().map(|&node| targets[node]).collect();
        let beta = dual_optimum(&block, &signs, 0.25);
        let mut spread = Array1::<f64>::zeros(14);
        for (k, &node) in nodes.iter().enumerate() {
            spread[node] = signs[k] * beta[k];
        }
        let want = kb.dot(&spread);
        let warped = small.warped(ratio);
        let model =
            LaplacianSvm { tolerance: 1e-11, ..LaplacianSvm::new(ambient) }.fit_gram(warped.view(), &small.labels).unwrap();
        let bias = model.expansion().biases()[0];
        let got = model.decision_values(warped.view()).unwrap().column(0).to_owned() - bias;
        assert_close(got, want, 1e-6);
    }

    /// Without the graph (γ_I = 0) nothing is left but the supervised method.
    #[test]
    fn no_graph_is_the_supervised_method(jitter in prop::collection::vec(-0.1..0.1_f64, 10)) {
        let small = small(&jitter);
        let warped = small.warped(0.0);
        let laplacian = LaplacianSvm::new(0.1).fit_gram(warped.view(), &small.labels).unwrap();
        let plain = SupportVectorMachine::new(1.25).fit_gram(warped.view(), &small.labels).unwrap();
        prop_assert_eq!(laplacian, plain);
        let laplacian = LaplacianLeastSquares { ambient: 0.1 }.fit_gram(warped.view(), &small.labels).unwrap();
        let plain = RegularisedLeastSquares { ridge: 0.1 }.fit_gram(warped.view(), &small.labels).unwrap();
        prop_assert_eq!(laplacian, plain);
    }
}

/// One label on each of two long arcs: the supervised methods cut straight across, K̃ follows.
#[test]
fn the_graph_carries_labels_along_the_arcs() {
    let n = 120;
    let rows = Array2::from_shape_fn((n, 2), |(i, d)| {
        let t = (i / 2) as f64 / (n / 2) as f64;
        if d == 0 { 6.0 * t } else { f64::from(u8::from(i % 2 == 1)) + 2.0 * t }
    });
    let points = Points::dense(rows).unwrap();
    let mut weights = Kernel::Rbf { width: 0.15 }.gram(&points, Budget::default()).unwrap();
    weights.diag_mut().fill(0.0);
    let laplacian = Array2::from_diag(&weights.sum_axis(ndarray::Axis(1))) - &weights;
    let truth: Vec<usize> = (0..n).map(|i| i % 2).collect();
    // Class 0 is labelled at its right end, class 1 at its left.
    let labels = Labels::numbered(&truth, 2).unwrap().keep(&[n - 2, 1]).unwrap();
    let kernel = Kernel::Rbf { width: 1.0 }.gram(&points, Budget::default()).unwrap();
    let small = Small { kernel, laplacian, labels };
    let warped = small.warped(1e3);
    let errors = |classes: &[usize]| classes.iter().zip(&truth).filter(|(a, b)| a != b).count();
    let svm = LaplacianSvm::new(1e-3).fit_gram(warped.view(), &small.labels).unwrap();
    assert_eq!(errors(&svm.predict(&warped.view()).unwrap().argmax()), 0);
    let rls =
        LaplacianLeastSquares { ambient: 1e-3 }.fit_gram(warped.view(), &small.labels).unwrap();
    assert_eq!(errors(&rls.predict(&warped.view()).unwrap().argmax()), 0);
    let plain = small.kernel.view();
    let svm = LaplacianSvm::new(1e-3).fit_gram(plain, &small.labels).unwrap();
    assert!(errors(&svm.predict(&plain).unwrap().argmax()) > n / 4);
}
