//! MPI and hypre: `setup --distributed`, `test --distributed` and `bench distributed`.
//!
//! Several ranks on one machine, more than it has cores; and, where this is root, two hosts made of
//! network namespaces, whose cable is cut. Everything runs under a time limit.

mod hosts;
mod job;
mod measure;
mod program;

pub(crate) use measure::bench;

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
/// With all that can be tested, and faults in the calls of hypre.
const TESTED: &str = "faults,columnar";
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

/// Everything that needs MPI. If only where it is possible, it says so and succeeds where MPI or hypre
/// can be neither found nor installed.
pub(crate) fn test(if_possible: bool) -> anyhow::Result<Exit> {
    match set_up(false) {
        Err(error) if if_possible => {
            println!("{error:#}\nwhat needs MPI and hypre is not tested");
            return Ok(Exit::SUCCESS);
        }
        done => done?,
    };
    // `validate` looks at the workspace without these features.
    let lints = ["--all-targets", "--", "--deny", "warnings"];
    // The example and the program come along with the tests.
    for (command, more) in [("clippy", &lints[..]), ("test", &[])] {
        let words = [command, "--package", PACKAGE, "--features", TESTED];
        let exit = run(cargo().args(words).args(more))?;
        if !exit.is_success() {
            return Ok(exit);
        }
    }
    let folder = target().join("debug");
    let (ranks, program) = (folder.join("examples/ranks"), folder.join("gaussfield-mpi"));
    for members in [1, 2, 4, 8] {
        Job::new(mpirun(members).arg(&ranks).arg("check"))?.succeeds(Duration::from_secs(120))?;
    }
    let code = Job::new(mpirun(2).arg(&ranks).arg("panic"))?.fails(Duration::from_secs(30))?;
    println!("a panic on one rank ended the job with status {code}");
    killed(&ranks)?;
    program::test(&program, &ranks)?;
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
