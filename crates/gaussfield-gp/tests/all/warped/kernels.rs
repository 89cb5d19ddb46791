//! Every base kernel, on dense and on sparse rows.

use super::{N, graph, inverse, observed, spiral};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    GaussianProcess, Kernel, Memory, Prior as _, PriorFamily, Probit, Warp, WarpedKernel,
    WarpedPrior,
};
use gaussfield_graph::Graph;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array2, Axis, array};
use sprs::{CsMat, TriMat};
use std::sync::Arc;

const KERNELS: [Kernel; 4] = [
    Kernel::Rbf { width: 0.6 },
    Kernel::Linear,
    Kernel::Polynomial { degree: 2, scale: 0.7, offset: 0.3 },
    Kernel::Cosine,
];
const WARP: Warp = Warp { gamma_a: 0.8, gamma_i: 2.0, power: 2 };

fn sparse(points: &Points) -> Points {
    let rows = points.to_dense();
    let mut entries = TriMat::new(rows.dim());
    for ((i, j), &value) in rows.indexed_iter() {
        entries.add_triplet(i, j, value);
    }
    let rows: CsMat<f64> = entries.to_csr();
    Points::sparse(rows).unwrap()
}

fn prior(points: &Points, kernel: Kernel) -> WarpedPrior {
    WarpedPrior::new(points, kernel, WARP).with_laplacian(Laplacian::Symmetric)
}

/// K̃ by an inverse, between any points.
fn by_formula(
    points: &Points,
    graph: &Graph,
    kernel: Kernel,
    a: &Points,
    b: &Points,
) -> Array2<f64> {
    let power = WARP.power as usize;
    let laplacian = Laplacian::Symmetric.apply_power(graph, Array2::eye(N).view(), power);
    let m = laplacian.unwrap() * (WARP.gamma_i / WARP.gamma_a);
    let budget = Budget::default();
    let k = kernel.gram(points, budget).unwrap();
    let middle = inverse(Array2::eye(N) + m.dot(&k)).0.dot(&m);
    let cross = |a: &Points, b: &Points| kernel.cross(a, b, budget).unwrap();
    let (left, right) = (cross(a, points), cross(points, b));
    (cross(a, b) - left.dot(&middle).dot(&right)) / WARP.gamma_a
}

fn assert_close(got: &Array2<f64>, want: &Array2<f64>, what: &str) {
    let gap = (got - want).iter().fold(0.0_f64, |most, gap| most.max(gap.abs()));
    assert!(gap < 1e-9, "{what}: {gap}");
}

#[test]
fn the_formula_holds_for_every_kernel_and_storage() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let queries = Points::dense(array![[0.1, 0.2], [-0.5, 0.4], [2.0, -1.0]]).unwrap();
    for kernel in KERNELS {
        let expected = by_formula(&points, &graph, kernel, &points, &points);
        let expected_new = by_formula(&points, &graph, kernel, &queries, &points);
        for (points, queries, stored) in [
            (points.clone(), queries.clone(), "dense"),
            (sparse(&points), sparse(&queries), "sparse"),
            (points.clone(), sparse(&queries), "dense with sparse queries"),
        ] {
            let what = format!("{}, {stored}", kernel.name());
            let warped: WarpedKernel = prior(&points, kernel).on(&graph).unwrap();
            assert_close(&warped.gram(), &expected, &what);
            assert_close(&warped.covariance(&queries, &points).unwrap(), &expected_new, &what);
            let nodes = [7, 2];
            let columns = warped.columns(&nodes).unwrap().values;
            assert_close(&columns, &expected.select(Axis(1), &nodes), &what);

            let process = GaussianProcess::ep(Probit { noise: 0.3 });
            let posterior = process.fit(&warped, observed()).unwrap();
            let found = posterior.marginals(&queries).unwrap();
            let labelled = expected_new.select(Axis(1), posterior.observed().nodes());
            let means = labelled.dot(&posterior.dual());
            for i in 0..queries.len() {
                assert!((found.mean[i] - means[i]).abs() < 1e-8, "{what}");
                assert!(found.variance[i] >= 0.0 && found.entropy[i].is_finite(), "{what}");
            }
        }
    }
}

#[test]
fn gradients_of_every_kernel_equal_finite_differences() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let process = GaussianProcess::ep(Probit { noise: 0.3 });
    for kernel in KERNELS {
        let prior = prior(&points, kernel);
        let fit = |parameters: &[f64]| {
            let mut prior = prior.clone();
            prior.set_parameters(parameters).unwrap();
            process.fit(prior.on(&graph).unwrap(), observed()).unwrap()
        };
        let start = prior.values();
        let gradient = fit(&start).gradient().unwrap().prior;
        assert_eq!(gradient.len(), start.len());
        for (at, exactly) in gradient.into_iter().enumerate() {
            let moved = |by: f64| {
                let mut moved = start.clone();
                moved[at] += by;
                fit(&moved).log_evidence()
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let gap = (difference - exactly).abs() / (1e-2 + exactly.abs());
            assert!(gap < 1e-5, "{}, parameter {at}: {exactly} {difference}", kernel.name());
        }
    }
}

/// A fixed graph is the same kernel, made once, without a slope on its edges.
#[test]
fn a_fixed_graph_has_no_edge_gradient() {
    let points = spiral();
    let (_, here) = graph(&points, 0.7);
    let (_, elsewhere) = graph(&points, 1.3);
    let process = GaussianProcess::ep(Probit { noise: 0.3 });
    let free = prior(&points, KERNELS[0]);
    let fixed = free.clone().fixed_on(&here).unwrap();
    assert!(free.follows_graph() && !fixed.follows_graph());
    let followed = process.fit(free.on(&here).unwrap(), observed()).unwrap();
    for graph in [&here, &elsewhere] {
        let posterior = process.fit(fixed.on(graph).unwrap(), observed()).unwrap();
        assert!((posterior.log_evidence() - followed.log_evidence()).abs() < 1e-12);
        let (gradient, expected) = (posterior.gradient().unwrap(), followed.gradient().unwrap());
        assert!(gradient.edges.is_none() && expected.edges.is_some());
        for (a, b) in gradient.prior.iter().zip(&expected.prior) {
            assert!((a - b).abs() < 1e-10);
        }
    }
    // Other parameters after what is remembered: the kernel is that of the new ones.
    let (mut fixed, mut free, mut memory) = (fixed, free, Memory::default());
    let mut values = fixed.values();
    let mut made = Vec::new();
    for at in 0..values.len() {
        values[at] *= 1.5;
        fixed.set_parameters(&values).unwrap();
        free.set_parameters(&values).unwrap();
        let remembered = fixed.on_with(&here, &mut memory).unwrap();
        assert_close(&remembered.gram(), &free.on(&here).unwrap().gram(), "remembered");
        made.push(memory.ambient.clone().unwrap());
    }
    // γ_A and γ_I move without the base kernel, its width does not.
    assert!(Arc::ptr_eq(&made[1], &made[2]));
    values[0] *= 1.5;
    fixed.set_parameters(&values).unwrap();
    fixed.on_with(&here, &mut memory).unwrap();
    assert!(!Arc::ptr_eq(&made[2], &memory.ambient.unwrap()));
}
