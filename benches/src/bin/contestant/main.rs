//! One run of gaussfield beside its peers, told as one line of JSON: `contestant STAGE METHOD FOLDER SET
//! [SECONDS FIRST]`, on the files that `benches/peers/data.py` leaves, as `benches/peers/peer.py` runs the
//! others.
//!
//! `seconds` and `cpu` are those of the work alone, without loading; `peak_mib` is the most memory held
//! during it, data included.

#![allow(clippy::print_stdout)] // a terminal program

mod labels;

use anyhow::bail;
use gaussfield_benches::{cpu_seconds, forget_peak, peak_mib};
use gaussfield_data::read::npy;
use gaussfield_graph::{Cells, Graph, Metric, Neighbours, Search};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{Decision, HeldOut, Labels, Transductive, metrics};
use gaussfield_laplacian::SolverOptions;
use gaussfield_points::Points;
use ndarray::Array2;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

const K: usize = 10;
/// Lists that are compared with the exact ones.
const CHECKED: usize = 2000;
/// Relative residual of the harmonic function.
const TOLERANCE: f64 = 1e-8;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [stage, method, folder, name, rest @ ..] = &words[..] else {
        bail!("usage: contestant STAGE METHOD FOLDER SET [SECONDS FIRST]");
    };
    let shared = Shared { folder: folder.into(), name: name.clone() };
    let told = match stage.as_str() {
        "neighbours" => neighbours(method, &shared)?,
        "solve" => solve(&shared)?,
        "labels" => {
            let [seconds, first] = rest else {
                bail!("how many seconds, and from which split on?")
            };
            labels::accuracies(method, &shared, seconds.parse()?, first.parse()?, |told| {
                println!("{told}");
            })?;
            return Ok(());
        }
        other => bail!("no stage `{other}`: neighbours, solve or labels"),
    };
    println!("{told}");
    Ok(())
}

/// A data set as all contestants read it.
struct Shared {
    folder: PathBuf,
    name: String,
}

impl Shared {
    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}-{what}.npy", self.name))
    }

    fn points(&self) -> anyhow::Result<Points> {
        Ok(Points::dense(npy::read(self.path("points"))?)?)
    }

    fn truth(&self) -> anyhow::Result<Labels> {
        Ok(npy::read_labels(self.path("truth"))?)
    }

    fn graph(&self, nodes: usize) -> anyhow::Result<Graph> {
        let edges = npy::read(self.path("edges"))?;
        let edges =
            edges.rows().into_iter().map(|edge| (edge[0] as usize, edge[1] as usize, edge[2]));
        Ok(Graph::from_edges(nodes, edges)?)
    }

    /// Rows of labelled points, one row a split.
    fn splits(&self, each: usize) -> anyhow::Result<Array2<f64>> {
        Ok(npy::read(self.path(&format!("labelled-{each}")))?)
    }

    fn shown(&self, truth: &Labels, each: usize, split: usize) -> anyhow::Result<Labels> {
        let splits = self.splits(each)?;
        let shown: Vec<usize> = splits.row(split).iter().map(|&row| row as usize).collect();
        Ok(truth.keep(&shown)?)
    }
}

/// Runs the work and tells what it took.
fn measured<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Value)> {
    forget_peak();
    let (start, begun) = (Instant::now(), cpu_seconds());
    let done = work()?;
    let seconds = start.elapsed().as_secs_f64();
    let cpu = cpu_seconds().zip(begun).map(|(end, begin)| end - begin);
    Ok((done, json!({ "seconds": seconds, "cpu": cpu, "peak_mib": peak_mib() })))
}

fn neighbours(method: &str, shared: &Shared) -> anyhow::Result<Value> {
    let search = match method {
        "exact" => Search::Auto,
        "cells" => Search::Cells(Cells::default()),
        "few-cells" => Search::Cells(Cells { probes: 4, ..Cells::default() }),
        other => bail!("no search `{other}`: exact, cells or few-cells"),
    };
    let points = shared.points()?;
    let (found, mut told) =
        measured(|| Ok(Neighbours::search(&points, Metric::Euclidean, K, search)?))?;
    let exact = npy::read(shared.path("neighbours"))?;
    let checked = CHECKED.min(found.len());
    let rows = (0..checked).map(|at| at * (found.len() - 1) / (checked - 1).max(1));
    let is_exact = |row: usize, j: &u32| exact.row(row).iter().any(|&other| other as u32 == *j);
    let hits = |row: usize| found.indices(row).iter().filter(|j| is_exact(row, j)).count();
    told["recall"] = json!(rows.map(hits).sum::<usize>() as f64 / (checked * K) as f64);
    Ok(told)
}

fn solve(shared: &Shared) -> anyhow::Result<Value> {
    let truth = shared.truth()?;
    let graph = shared.graph(truth.len())?;
    let shown = shared.shown(&truth, 10, 0)?;
    let solver = SolverOptions { tolerance: TOLERANCE, ..SolverOptions::default() };
    let method = Harmonic { solver, ..Harmonic::default() };
    let (field, mut told) = measured(|| Ok(method.fit(&graph, &shown)?))?;
    told["residual"] = json!(field.solve_facts().relative_residual);
    told["accuracy"] = json!(accuracy(&truth, &shown, &field, &Decision::Argmax)?);
    Ok(told)
}

/// The share of right classes on the points that were not shown.
fn accuracy(
    truth: &Labels,
    shown: &Labels,
    found: &dyn Transductive,
    decision: &Decision,
) -> anyhow::Result<f64> {
    let scores = found.scores().select(&shown.unlabelled())?;
    let held_out = HeldOut::new(truth, shown)?;
    Ok(metrics::accuracy(&held_out, &decision.decide(&scores)?)?)
}
