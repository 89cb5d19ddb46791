//! The program `gaussfield-mpi` from shards to answers, through restarts, wrong input and faults.

mod restarts;
mod wrong;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::job::{Job, mpirun};
use crate::process::target;

const RANKS: usize = 4;
const LIMIT: Duration = Duration::from_secs(60);

const GRAPH: [&str; 3] = ["graph", "--out", "graph"];
/// What is said of a graph that was kept.
const AGAIN: &str = "there already";

/// A folder of its own, and the program.
struct Trial<'a> {
    folder: PathBuf,
    program: &'a Path,
}

/// All of it; `ranks` is the example, which writes tables.
pub(super) fn test(program: &Path, ranks: &Path) -> anyhow::Result<()> {
    let folder = target().join(format!("xtask/distributed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let trial = Trial { folder, program };
    let files = trial.shards("points", 0..600, 600, 0.0)?;
    let labels = trial.path("labels.csv");
    std::fs::write(labels, "row,class\n0,upper\n1,lower\n")?;
    ensure!(trial.words(&GRAPH, &files)?.contains("\"points\":600"), "not all points");
    ensure!(trial.words(&GRAPH, &files)?.contains(AGAIN), "the graph was made twice");
    trial.rewritten(&files)?;
    trial.tables(ranks, &files)?;
    trial.labels()?;
    trial.predictions()?;
    trial.faults()?;
    trial.killed()?;
    trial.killed_among_columns()?;
    trial.wrong(&files)?;
    std::fs::remove_dir_all(&trial.folder)?;
    println!(
        "the program: graph, shards of Parquet, labels, a learned scale, new points, restarts, faults of hypre \
         and wrong input as they should be"
    );
    Ok(())
}

impl Trial<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// So many rows of points on two arcs in three shards; their names.
    fn shards(
        &self,
        name: &str,
        rows: Range<u32>,
        of: u32,
        shift: f64,
    ) -> anyhow::Result<Vec<String>> {
        let (first, each) = (rows.start, (rows.end - rows.start) / 3);
        let mut names = Vec::new();
        for shard in 0..3 {
            let own = first + each * shard..first + each * (shard + 1);
            names.push(format!("{name}-{shard:05}-of-00003.npy"));
            std::fs::write(self.path(&names[shard as usize]), two_arcs(own, of, shift))?;
        }
        Ok(names)
    }

    /// The job of these words.
    fn job(&self, words: &[&str], files: &[String]) -> std::process::Command {
        let mut command = mpirun(RANKS);
        command.current_dir(&self.folder).arg(self.program).args(words).args(files);
        command
    }

    fn words(&self, words: &[&str], files: &[String]) -> anyhow::Result<String> {
        Job::new(self.job(words, files).stdout(Stdio::piped()))?.words(LIMIT)
    }

    fn complaint(&self, words: &[&str], files: &[String]) -> anyhow::Result<String> {
        Job::new(self.job(words, files).stderr(Stdio::piped()))?.complains(LIMIT)
    }

    /// Every row must have the class of its arc.
    fn check(&self, folder: &str, wanted: usize) -> anyhow::Result<()> {
        let (mut rows, mut right) = (0, 0);
        for shard in 0..RANKS {
            let path = self.path(&format!("{folder}/labels-{shard:05}-of-00004.csv"));
            for answer in std::fs::read_to_string(&path)?.lines().skip(1) {
                let mut words = answer.split(',');
                let row: u64 = words.next().unwrap_or_default().parse()?;
                let arc = if row.is_multiple_of(2) { "upper" } else { "lower" };
                right += usize::from(words.next() == Some(arc));
                rows += 1;
            }
        }
        ensure!(rows == wanted && right == wanted, "{folder}: {right} of {rows} rows are right");
        Ok(())
    }

    /// With both engines and with a learned scale; once more, from what was kept.
    fn labels(&self) -> anyhow::Result<()> {
        let given = ["label", "--graph", "graph", "--labels", "labels.csv", "--out"];
        let ways: [&[&str]; 3] = [
            &["block", "--engine", "block"],
            &["hypre", "--engine", "hypre"],
            &["learned", "--engine", "hypre", "--learn"],
        ];
        for way in ways {
            let words = [&given, way].concat();
            for earlier in ["false", "true"] {
                let told = self.words(&words, &[])?;
                let known = told.contains(&format!("\"scores from an earlier run\":{earlier}"));
                ensure!(known, "{words:?}: {told}");
            }
            self.check(way[0], 600)?;
        }
        let told = self.words(&[&given, ways[2]].concat(), &[])?;
        ensure!(told.contains("\"learned\":{\"entropy\":"), "no scale was learned: {told}");
        Ok(())
    }

    /// The same rows as tables give the same graph, bit by bit.
    fn tables(&self, ranks: &Path, files: &[String]) -> anyhow::Result<()> {
        let rows: Vec<String> = (0..files.len()).map(|at| format!("rows{at}.npy")).collect();
        for (file, copy) in files.iter().zip(&rows) {
            std::fs::copy(self.path(file), self.path(copy))?;
        }
        let tables: Vec<String> = rows.iter().map(|name| name.replace("npy", "parquet")).collect();
        let mut job = mpirun(1);
        job.current_dir(&self.folder).arg(ranks).arg("tables").args(&rows);
        Job::new(&mut job)?.succeeds(LIMIT)?;
        self.words(&["graph", "--out", "tables"], &tables)?;
        for rank in 0..RANKS {
            let shard = format!("graph-{rank:05}-of-00004.shard");
            let read = |folder: &str| std::fs::read(self.path(folder).join(&shard));
            ensure!(read("graph")? == read("tables")?, "{shard} is another one of Parquet");
        }
        Ok(())
    }

    fn predictions(&self) -> anyhow::Result<()> {
        let files = self.shards("new", 0..90, 90, 0.01)?;
        let predict = ["predict", "--graph", "graph", "--answers", "hypre", "--out", "new"];
        let told = self.words(&predict, &files)?;
        ensure!(told.contains("10 nearest points"), "the rule is not told: {told}");
        self.check("new", 90)
    }

    /// A call of hypre that fails on one rank ends the job, with its name, whether the others are inside the
    /// same call (they wait there for ever) or not.
    fn faults(&self) -> anyhow::Result<()> {
        let words = ["label", "--graph", "graph", "--labels", "labels.csv", "--out", "fault"];
        let calls = [
            (2, "the allocation of memory"),
            (3, "HYPRE_IJMatrixCreate"),
            (4, "HYPRE_IJMatrixSetValues"),
            (5, "HYPRE_BoomerAMGCreate"),
            (6, "HYPRE_IJMatrixAssemble"),
            (7, "HYPRE_IJVectorCreate"),
            (8, "HYPRE_BoomerAMGSetup"),
            (9, "HYPRE_IJVectorSetValues"),
            (10, "HYPRE_BoomerAMGSolve"),
            (11, "HYPRE_IJVectorGetValues"),
        ];
        for (call, name) in calls {
            let begun = Instant::now();
            let mut job = self.job(&words, &[]);
            job.args(["--engine", "hypre"]).env("GAUSSFIELD_HYPRE_FAULT", format!("1:{call}"));
            let said = Job::new(job.stderr(Stdio::piped()))?.complains(LIMIT)?;
            let wanted = format!("member 1 of 4: hypre failed in {name}");
            ensure!(said.matches(&wanted).count() == 1, "not one error of {name}:\n{said}");
            let seconds = begun.elapsed().as_secs_f64();
            println!("a rank that failed in {name} ended the job after {seconds:.1} s");
        }
        ensure!(!self.path("fault/scores.manifest").exists(), "a fit that failed was kept");
        Ok(())
    }
}

/// Rows of `of` points on two arcs, every other on the same, as an `.npy` file.
fn two_arcs(rows: Range<u32>, of: u32, shift: f64) -> Vec<u8> {
    let point = |row: u32| {
        let turn = std::f64::consts::PI * f64::from(row / 2) / (f64::from(of) / 2.0) + shift;
        let (x, y) = (turn.cos(), turn.sin());
        if row.is_multiple_of(2) { [x, y] } else { [1.0 - x, -0.6 - y] }
    };
    npy(&rows.map(point).collect::<Vec<_>>())
}

/// Rows as an `.npy` file.
fn npy<const WIDTH: usize>(rows: &[[f64; WIDTH]]) -> Vec<u8> {
    let count = rows.len();
    let head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({count}, {WIDTH}), }}");
    let head = format!("{head:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    rows.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}
