//! `soak --minutes N --seconds N --seed S`: random pipelines with their invariants until the process has run for so
//! long; the seed of each that fails is told, and memory must stay flat.
#![allow(clippy::print_stdout)]

use anyhow::ensure;
use gaussfield_fuzz::running::Running;
use gaussfield_fuzz::{options, pipelines};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Growth of resident memory that counts as a leak, after the first pipelines.
const GROWTH: u64 = 256 << 20;
const WARM: u64 = 200;
/// Running time from one report to the next: what a soak that is stopped has told by then.
const REPORT: Duration = Duration::from_secs(300);

fn main() -> anyhow::Result<()> {
    // On a thread of the pool, so that no step waits for another thread to be woken.
    let mut done = Ok(());
    rayon::scope(|_| done = soak());
    done
}

fn soak() -> anyhow::Result<()> {
    let [minutes, seconds, seed] = options::numbers([("minutes", 0), ("seconds", 0), ("seed", 1)])?;
    let (start, time) = (Instant::now(), Duration::from_secs(60 * minutes + seconds));
    let mut running = Running::new();
    let (mut runs, mut answered, mut findings, mut warm) = (0, 0, 0, None);
    let mut slowest = (Duration::ZERO, 0);
    let mut next_report = REPORT;
    while running.so_far() < time {
        if running.so_far() >= next_report {
            println!(
                "{runs} pipelines in {} s of running, {findings} findings",
                next_report.as_secs()
            );
            next_report += REPORT;
        }
        let own = seed + runs;
        let before = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| pipelines::run(own))) {
            Ok(Ok(true)) => answered += 1,
            Ok(Ok(false)) => {}
            Ok(Err(finding)) => {
                findings += 1;
                println!("seed {own}: {finding:#}");
            }
            Err(_) => {
                findings += 1;
                println!("seed {own}: panic");
            }
        }
        if before.elapsed() > slowest.0 {
            slowest = (before.elapsed(), own);
        }
        runs += 1;
        if runs == WARM {
            warm = resident();
        }
    }
    println!(
        "{runs} pipelines in {:.0} s of running ({:.0} s on the clock) from seed {seed}: {answered} \
         answered, {} refused, {findings} findings; slowest {:.1} s on the clock (seed {})",
        running.so_far().as_secs_f64(),
        start.elapsed().as_secs_f64(),
        runs - answered - findings,
        slowest.0.as_secs_f64(),
        slowest.1
    );
    if let (Some(warm), Some(now)) = (warm, resident()) {
        println!("resident memory {} MB after {WARM} pipelines, {} MB now", warm >> 20, now >> 20);
        ensure!(now < warm + GROWTH, "memory grows");
    }
    ensure!(findings == 0, "{findings} findings");
    Ok(())
}

/// Bytes of this process in memory; `None` where the system does not tell.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}
