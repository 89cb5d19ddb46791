//! Exact neighbour search: which method for which points.

use std::hint::black_box;

use criterion::Criterion;
use gaussfield_benches::{cloud, documents, sheet};
use gaussfield_graph::{Metric, Neighbours, Search};
use gaussfield_points::Points;

const K: usize = 10;

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let tree_and_gemm = [("blocked GEMM", Search::BlockedGemm), ("kd-tree", Search::KdTree)];
    group(&mut criterion, "2-D, 5000 points", &sheet(5000)?.points, &tree_and_gemm)?;
    group(&mut criterion, "16-D, 5000 points", &cloud(5000, 16)?.points, &tree_and_gemm)?;
    let gemm = &tree_and_gemm[..1];
    group(&mut criterion, "256-D, 5000 points", &cloud(5000, 256)?.points, gemm)?;
    text(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

fn group(
    criterion: &mut Criterion,
    name: &str,
    points: &Points,
    methods: &[(&str, Search)],
) -> anyhow::Result<()> {
    let mut group = criterion.benchmark_group(format!("search/{name}"));
    for &(label, method) in methods {
        let search = || Neighbours::search(black_box(points), Metric::Euclidean, K, method);
        search()?;
        group.bench_function(label, |bencher| bencher.iter(search));
    }
    group.finish();
    Ok(())
}

/// The same rows, sparse by inverted index and dense by matrix products.
fn text(criterion: &mut Criterion) -> anyhow::Result<()> {
    let sparse = documents(2000, 10_000)?;
    let dense = Points::dense(sparse.to_dense())?;
    let mut group = criterion.benchmark_group("search/cosine, 2000 documents");
    let rows = [
        ("blocked GEMM", &dense, Search::BlockedGemm),
        ("inverted index", &sparse, Search::InvertedIndex),
    ];
    for (label, points, method) in rows {
        let search = || Neighbours::search(black_box(points), Metric::Cosine, K, method);
        search()?;
        group.bench_function(label, |bencher| bencher.iter(search));
    }
    group.finish();
    Ok(())
}
