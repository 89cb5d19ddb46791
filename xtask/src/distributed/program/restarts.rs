//! Jobs that were killed and started again, and files that changed in between.

use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, ensure};

use super::super::job::Job;
use super::{AGAIN, GRAPH, LIMIT, RANKS, Trial, two_arcs};
use crate::process::{output, succeeds};

/// More than two groups of columns that are solved together.
const CLASSES: usize = 40;

impl Trial<'_> {
    /// Other points under the same names, of the same length: another graph, and no old one.
    pub(super) fn rewritten(&self, files: &[String]) -> anyhow::Result<()> {
        for shift in [0.01, 0.0] {
            std::fs::write(self.path(&files[1]), two_arcs(200..400, 600, shift))?;
            let told = self.words(&GRAPH, files)?;
            ensure!(!told.contains(AGAIN), "the graph of other points was taken: {told}");
            ensure!(told.contains("\"points from an earlier run\":false"), "old points: {told}");
            ensure!(self.words(&GRAPH, files)?.contains(AGAIN), "the graph was made twice");
        }
        Ok(())
    }

    /// A rank is killed when the points are kept and the graph is not: the same command goes on from there.
    pub(super) fn killed(&self) -> anyhow::Result<()> {
        let files = self.shards("many", 0..15_000, 15_000, 0.0)?;
        let graph = ["graph", "--out", "killed"];
        self.kill(&graph, &files, "killed/points.manifest")?;
        ensure!(!self.path("killed/graph.manifest").exists(), "the graph was there too early");
        let told = self.words(&graph, &files)?;
        ensure!(told.contains("\"points from an earlier run\":true"), "not from there: {told}");
        Ok(())
    }

    /// A rank is killed among the columns of many classes: those that were solved are not solved again,
    /// and the answers are the same.
    pub(super) fn killed_among_columns(&self) -> anyhow::Result<()> {
        // Even rows lie on one arc, odd ones on the other.
        let rows = (0..CLASSES).map(|class| format!("{},c{class:02}\n", 370 * class + class % 2));
        std::fs::write(self.path("many.csv"), format!("row,class\n{}", rows.collect::<String>()))?;
        let label = |out: &'static str| {
            ["label", "--graph", "killed", "--labels", "many.csv", "--out", out]
        };
        let begun = Instant::now();
        ensure!(self.words(&label("whole"), &[])?.contains("\"columns_kept\":0"), "from before");
        let whole = begun.elapsed().as_secs_f64();
        self.kill(&label("columns"), &[], "columns/columns-0-000000.manifest")?;
        ensure!(!self.path("columns/scores.manifest").exists(), "the scores were there too early");
        let begun = Instant::now();
        let told = self.words(&label("columns"), &[])?;
        let known =
            [16, 32].iter().any(|known| told.contains(&format!("\"columns_kept\":{known}")));
        ensure!(known, "all columns were solved again: {told}");
        println!(
            "a job killed among {CLASSES} columns took {:.1} s when it was started again, where all of it takes \
             {whole:.1} s",
            begun.elapsed().as_secs_f64()
        );
        for rank in 0..RANKS {
            let name = format!("labels-{rank:05}-of-00004.csv");
            let read = |folder: &str| std::fs::read(self.path(folder).join(&name));
            ensure!(read("whole")? == read("columns")?, "{name} is another one after a restart");
        }
        let left = std::fs::read_dir(self.path("columns"))?
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("columns-"));
        ensure!(!left, "columns were left where the scores are kept");
        Ok(())
    }

    /// Kills a rank of the job as soon as a file is there.
    fn kill(&self, words: &[&str], files: &[String], kept: &str) -> anyhow::Result<()> {
        let mut command = self.job(words, files);
        let job = Job::new(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let begun = Instant::now();
        let kept = self.path(kept);
        while !kept.is_file() && begun.elapsed() < LIMIT {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut ranks = std::process::Command::new("pgrep");
        let ranks = output(ranks.args(["-P", &job.child.id().to_string()]))?;
        let rank = ranks.lines().next().context("the job has no ranks")?;
        ensure!(succeeds("kill", &["-9", rank]), "rank {rank} cannot be killed");
        job.fails(LIMIT)?;
        Ok(())
    }
}
