//! Memory of predictions for new points does not grow with their number.

use gaussfield_core::Budget;
use gaussfield_gp::{Ambient, GaussianProcess, Geometry, Kernel, Observed, Probit, Warp};
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::Array2;

const NODES: usize = 500;
const QUERIES: usize = 10_000;

/// The most memory the process ever held, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    1024 * line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
}

fn spiral(count: usize) -> Points {
    Points::dense(Array2::from_shape_fn((count, 2), |(i, d)| {
        let angle = 12.0 * i as f64 / count as f64;
        (1.0 + 0.3 * angle) * if d == 0 { angle.cos() } else { angle.sin() }
    }))
    .unwrap()
}

/// In a process of its own: other tests in the same one would move the peak.
#[test]
#[cfg(target_os = "linux")]
fn ten_thousand_queries_take_no_more_than_one_batch() {
    const ALONE: &str = "GAUSSFIELD_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "predict_memory::ten_thousand_queries_take_no_more_than_one_batch";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let ended = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
        let words = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && words.contains("1 passed"), "{words}");
        return;
    }
    let points = spiral(NODES);
    let pattern = Pattern::knn(&points, Metric::Euclidean, 6, Symmetry::Either).unwrap();
    let budget = Budget::default();
    let graph = Exponential::gaussian(pattern.mean_distance()).graph(&pattern, budget).unwrap();
    let geometry = Geometry::new(&graph, Laplacian::Symmetric, budget).unwrap();
    let ambient = Ambient::new(&geometry, &points, Kernel::Rbf { width: 0.5 }, budget).unwrap();
    let kernel = ambient.warp(Warp { gamma_a: 1.0, gamma_i: 1.0, power: 1 }).unwrap();
    let observed = Observed::new(&[10, 480], &[1.0, -1.0]).unwrap();
    let posterior = GaussianProcess::ep(Probit { noise: 0.1 }).fit(&kernel, &observed).unwrap();

    let queries = spiral(QUERIES);
    let all: Vec<usize> = (0..1024).collect();
    posterior.marginals(&queries.select(&all).unwrap()).unwrap();
    let after_two_batches = peak();
    let predictions = posterior.marginals(&queries).unwrap();
    let grown = peak() - after_two_batches;
    assert_eq!(predictions.mean.len(), QUERIES);
    // One matrix of all queries against all nodes would be 40 MB; the answers are 0.3 MB.
    let whole = QUERIES * NODES * size_of::<f64>();
    assert!(grown < whole / 5, "{grown} bytes more; queries × nodes would be {whole}");
}
