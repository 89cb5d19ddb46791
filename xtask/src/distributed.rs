//! MPI and hypre: `setup --distributed`, `test --distributed` and `bench distributed`.
//!
//! Several ranks on one machine, more than it has cores; and, where this is root, two hosts made of
//! network namespaces, whose cable is cut. Everything runs under a time limit.

mod hosts;
mod job;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::command::Exit;
use crate::packages::{Manager, Privilege};
use crate::process::{cargo, line, output, run, succeeds, target};
use crate::setup;
use job::{Job, mpirun};

/// What Debian calls them. The other managers have no hypre that numbers rows by 64 bits.
const PACKAGES: [&str; 3] = ["libhypre64m-dev", "libopenmpi-dev", "openmpi-bin"];

/// Beside the features, off by default.
const FEATURES: &str = "hypre";
const PACKAGE: &str = "gaussfield-distributed";

/// Finds MPI and hypre, or installs them.
pub(crate) fn set_up(check: bool) -> anyhow::Result<Exit> {
    if !is_there() {
        let names = PACKAGES.join(" ");
        let by_hand = format!(
            "MPI or hypre is missing; install an MPI with mpicc and mpirun, and a hypre with 64-bit numbers of \
             rows (HYPRE_INCLUDE names the folder of its headers, HYPRE_LIB its library). Debian:\n\n    \
             apt-get install --no-install-recommends {names}\n"
        );
        let manager = Manager::choose(setup::is_on_path);
        let privilege = setup::privilege();
        if check || manager != Some(Manager::Apt) || privilege == Privilege::None {
            bail!(by_hand);
        }
        let sudo: &[&str] = if privilege == Privilege::Sudo { &["sudo", "-n"] } else { &[] };
        let install = ["install", "-y", "--no-install-recommends"].into_iter().chain(PACKAGES);
        for words in [vec!["update"], install.collect()] {
            let all: Vec<&str> = sudo
                .iter()
                .copied()
                .chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
                .chain(["-o", "DPkg::Lock::Timeout=120"])
                .chain(words)
                .collect();
            let mut process = Process::new(all[0]);
            process.args(&all[1..]).stdin(Stdio::null());
            println!("set-up: {}", line(&process));
            run(&mut process)?;
        }
        ensure!(is_there(), by_hand);
    }
    let version = output(Process::new("mpirun").arg("--version"))?;
    println!("MPI:        {}", version.lines().next().unwrap_or_default());
    println!("hypre:      {}", include().display());
    Ok(Exit::SUCCESS)
}

fn include() -> PathBuf {
    std::env::var_os("HYPRE_INCLUDE").map_or("/usr/include/hypre64m".into(), PathBuf::from)
}

fn is_there() -> bool {
    succeeds("mpirun", &["--version"])
        && succeeds("mpicc", &["--version"])
        && include().join("HYPRE.h").is_file()
}

/// Everything that needs MPI.
pub(crate) fn test() -> anyhow::Result<Exit> {
    set_up(false)?;
    let exit = run(cargo().args(["test", "--package", PACKAGE, "--features", FEATURES]))?;
    if !exit.is_success() {
        return Ok(exit);
    }
    // `cargo test` has built the example; the program comes along.
    let exit =
        run(cargo().args(["build", "--package", PACKAGE, "--features", FEATURES, "--bins"]))?;
    if !exit.is_success() {
        return Ok(exit);
    }
    let folder = target().join("debug");
    let (ranks, program) = (folder.join("examples/ranks"), folder.join("gaussfield-mpi"));
    for members in [1, 2, 4] {
        Job::new(mpirun(members).arg(&ranks).arg("check"))?.succeeds(Duration::from_secs(120))?;
    }
    let code = Job::new(mpirun(2).arg(&ranks).arg("panic"))?.fails(Duration::from_secs(30))?;
    println!("a panic on one rank ended the job with status {code}");
    killed(&ranks)?;
    stages(&program)?;
    hosts::test(&ranks)?;
    println!("distributed: all well");
    Ok(Exit::SUCCESS)
}

/// Kills one rank of two.
fn killed(ranks: &Path) -> anyhow::Result<()> {
    let mut job = Job::new(mpirun(2).arg(ranks).arg("wait").stdout(Stdio::piped()))?;
    let pid = waiting(&mut job)?;
    ensure!(succeeds("kill", &["-9", &pid]), "rank {pid} cannot be killed");
    let begun = Instant::now();
    let code = job.fails(Duration::from_secs(60))?;
    println!(
        "a killed rank ended the job after {:.1} s, status {code}",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The process number that the last rank prints when all of them work.
fn waiting(job: &mut Job) -> anyhow::Result<String> {
    let out = job.child.stdout.take().context("no standard output")?;
    for line in BufReader::new(out).lines() {
        if let Some(pid) = line?.strip_prefix("waiting ") {
            return Ok(pid.trim().to_owned());
        }
    }
    bail!("the ranks ended before they began to wait")
}

/// From shards to answers with the program; once more, it goes on from what is there.
fn stages(program: &Path) -> anyhow::Result<()> {
    let folder = target().join(format!("xtask/distributed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for shard in 0..3_u32 {
        files.push(folder.join(format!("points-{shard:05}-of-00003.npy")));
        std::fs::write(&files[shard as usize], shard_of_two_arcs(shard))?;
    }
    std::fs::write(folder.join("labels.csv"), "row,class\n0,upper\n1,lower\n")?;
    let (stages, out) = (folder.join("graph"), folder.join("out"));
    let graph = || {
        let mut command = mpirun(4);
        command.arg(program).args(["graph", "--out"]).arg(&stages).args(&files);
        Job::new(command.stdout(Stdio::piped()))?.words(Duration::from_secs(60))
    };
    ensure!(graph()?.contains("\"points\":600"), "the graph has not all points");
    ensure!(graph()?.contains("there already"), "the graph was made twice");
    let label = |engine: &str| {
        let mut command = mpirun(4);
        command.arg(program).args(["label", "--engine", engine, "--graph"]).arg(&stages);
        command.arg("--labels").arg(folder.join("labels.csv")).arg("--out").arg(&out);
        Job::new(command.stdout(Stdio::piped()))?.words(Duration::from_secs(60))
    };
    for engine in ["coarse", "hypre"] {
        ensure!(label(engine)?.contains("\"scores from an earlier run\":false"), "{engine}");
        ensure!(label(engine)?.contains("\"scores from an earlier run\":true"), "{engine}");
        let (mut rows, mut right) = (0, 0);
        for shard in 0..4 {
            let path = out.join(format!("labels-{shard:05}-of-00004.csv"));
            for answer in std::fs::read_to_string(&path)?.lines().skip(1) {
                let mut words = answer.split(',');
                let row: u64 = words.next().unwrap_or_default().parse()?;
                let wanted = if row.is_multiple_of(2) { "upper" } else { "lower" };
                right += u32::from(words.next() == Some(wanted));
                rows += 1;
            }
        }
        ensure!(rows == 600 && right == 600, "{engine}: {right} of {rows} rows are right");
    }
    // A shard is gone: an error that names it, from one rank, and all of them end.
    std::fs::remove_file(&files[1])?;
    let mut command = mpirun(4);
    command.arg(program).args(["graph", "--k", "7", "--out"]).arg(&stages).args(&files);
    let said = Job::new(command.stderr(Stdio::piped()))?.complains(Duration::from_secs(60))?;
    ensure!(said.matches("error: member 0 of 4").count() == 1, "not one error:\n{said}");
    ensure!(said.contains("points-00001-of-00003.npy"), "the shard is not named:\n{said}");
    std::fs::remove_dir_all(&folder)?;
    println!("the program: graph, labels, restart and a missing shard as they should be");
    Ok(())
}

/// 200 of 600 points on two arcs, every other on the same.
fn shard_of_two_arcs(shard: u32) -> Vec<u8> {
    let head = "{'descr': '<f8', 'fortran_order': False, 'shape': (200, 2), }";
    let head = format!("{head:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    for row in 200 * shard..200 * (shard + 1) {
        let turn = std::f64::consts::PI * f64::from(row / 2) / 300.0;
        let (x, y) = (turn.cos(), turn.sin());
        let point = if row.is_multiple_of(2) { [x, y] } else { [1.0 - x, -0.6 - y] };
        point.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    bytes
}

/// A table over sizes, ranks and engines.
pub(crate) fn bench(quick: bool) -> anyhow::Result<Exit> {
    set_up(false)?;
    let build =
        ["build", "--release", "--package", PACKAGE, "--features", FEATURES, "--example", "ranks"];
    let exit = run(cargo().args(build))?;
    if !exit.is_success() {
        return Ok(exit);
    }
    let ranks = target().join("release/examples/ranks");
    let sizes: &[&str] = if quick { &["20000"] } else { &["50000", "200000", "1000000"] };
    let mut table = String::from(
        "| points | ranks | engine | recall | edges cut, % | graph: s / CPU s | iterations | residual | partition \
         error | set-up + solve, s | method: s / CPU s | MiB a rank | accuracy |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for size in sizes {
        for members in [1, 2, 4] {
            for engine in ["block", "coarse", "hypre"] {
                let mut command = mpirun(members);
                command.arg(&ranks).args(["measure", size, engine, "10"]).stdout(Stdio::piped());
                let row = Job::new(&mut command)?.words(Duration::from_secs(900))?;
                print!("{row}");
                table += &row;
            }
        }
    }
    let path = target().join("bench/distributed.md");
    std::fs::create_dir_all(target().join("bench"))?;
    std::fs::write(&path, table).with_context(|| path.display().to_string())?;
    println!("{}", path.display());
    Ok(Exit::SUCCESS)
}
