//! The problems that the benchmark suites measure, and what their figures are
//! compared with.
//!
//! Two shapes of data decide which solver is good. A *sheet* has as many
//! dimensions as a page: its neighbour graph is nearly planar and factorises
//! with little fill. A *cloud* fills sixteen dimensions: its neighbour graph is
//! an expander, where fill is hopeless and iterations are few.

pub mod dense;
mod once;
mod sheets;

pub use once::{cpu_seconds, forget_peak, measured_once, peak_mib};
pub use sheets::crossing_sheets;

use anyhow::Context;
use gaussfield_data::Dataset;
use gaussfield_data::generate::ClusterManifolds;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sprs::TriMat;

/// Every problem is drawn from this seed: figures of two runs are comparable.
const SEED: u64 = 1;

/// The benchmark of each group to which the others of a suite are compared.
pub fn baseline(suite: &str) -> Option<&'static str> {
    match suite {
        "search" => Some("blocked GEMM"),
        "weights" => Some("exp, one scale: graph"),
        "solvers" => Some("CG, Jacobi"),
        "harmonic" => Some("solve alone"),
        "tuning" => Some("one solve"),
        "evidence" => Some("forward solves"),
        "ep" => Some("exact gradient"),
        _ => None,
    }
}

/// n points on the plane, two classes.
///
/// # Errors
/// Fewer points than classes.
pub fn sheet(n: usize) -> anyhow::Result<Dataset> {
    let shape =
        ClusterManifolds { n, dim: 2, classes: 2, intrinsic: 2, separation: 2.0, noise: 0.0 };
    shape.generate(SEED).context("a sheet")
}

/// n points that fill `dim` dimensions, ten overlapping classes.
///
/// # Errors
/// Fewer points than classes, or no dimension.
pub fn cloud(n: usize, dim: usize) -> anyhow::Result<Dataset> {
    let shape =
        ClusterManifolds { n, dim, classes: 10, intrinsic: dim, separation: 4.0, noise: 0.0 };
    shape.generate(SEED).context("a cloud")
}

/// n sparse rows of sixty draws from a vocabulary in which few words are
/// frequent and most are rare, as in text.
///
/// # Errors
/// An empty vocabulary, or no rows.
pub fn documents(n: usize, vocabulary: usize) -> anyhow::Result<Points> {
    anyhow::ensure!(vocabulary > 0, "documents need a vocabulary");
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut counts = TriMat::new((n, vocabulary));
    for row in 0..n {
        for _ in 0..60 {
            // log-uniform ranks: the r-th word has frequency about 1/r (Zipf).
            let rank = (vocabulary as f64).powf(random.random::<f64>()) as usize;
            counts.add_triplet(row, rank.min(vocabulary) - 1, 1.0);
        }
    }
    Points::sparse(counts.to_csr()).context("documents")
}

/// The labels of the first `each` points of every class, the rest unknown.
///
/// # Errors
/// None for the labels of these problems.
pub fn few_labels(labels: &Labels, each: usize) -> anyhow::Result<Labels> {
    let mut left = vec![each; labels.classes()];
    let mut kept = Vec::new();
    for node in 0..labels.len() {
        if let Some(left) = labels.get(node).and_then(|class| left.get_mut(class))
            && *left > 0
        {
            *left -= 1;
            kept.push(node);
        }
    }
    labels.keep(&kept).context("labels of the first points")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_have_the_shape_they_promise() {
        let sheet = sheet(50).unwrap();
        assert_eq!((sheet.len(), sheet.dim(), sheet.classes()), (50, 2, 2));
        let cloud = cloud(40, 16).unwrap();
        assert_eq!((cloud.len(), cloud.dim(), cloud.classes()), (40, 16, 10));
        let text = documents(30, 500).unwrap();
        assert_eq!((text.len(), text.dim()), (30, 500));
        assert!(text.as_dense().is_none());
        assert!(documents(30, 0).is_err());
        let sheets = crossing_sheets(60).unwrap();
        assert_eq!((sheets.len(), sheets.dim(), sheets.classes()), (60, 32, 10));
    }

    #[test]
    fn few_labels_are_few_and_of_every_class() {
        let all = cloud(100, 4).unwrap().labels;
        let few = few_labels(&all, 3).unwrap();
        assert_eq!(few.counts(), [3; 10]);
        for node in few.labelled() {
            assert_eq!(few.get(node), all.get(node));
        }
    }

    #[test]
    fn the_same_problem_every_time() {
        assert_eq!(documents(10, 100).unwrap(), documents(10, 100).unwrap());
        assert_eq!(sheet(20).unwrap(), sheet(20).unwrap());
        assert_eq!(crossing_sheets(20).unwrap(), crossing_sheets(20).unwrap());
    }
}
