//! Processes that are heard and ended, and what else the machine does.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Cores that others may keep busy.
pub(super) const OTHERS: f64 = 0.2;
/// How long to wait for an idle machine.
const WAIT: Duration = Duration::from_secs(60);

/// What a process printed, and how it failed if it did.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) text: String,
    pub(super) failure: Option<String>,
}

/// Runs a process, and ends it when its time is over.
pub(super) fn output(command: &mut Command, limit: Duration) -> anyhow::Result<Heard> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let program = || command.get_program().to_string_lossy().into_owned();
    let mut child = child.with_context(|| format!("cannot start {}", program()))?;
    let text = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let status = ended(&mut child, limit)?;
    let (text, errors) = (text.join().unwrap_or_default(), errors.join().unwrap_or_default());
    let failure = match status {
        None => Some(format!("not done after {} s", limit.as_secs())),
        Some(status) if status.success() => None,
        Some(_) => {
            let last =
                errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Some(format!("failed: {}", last.chars().take(160).collect::<String>()))
        }
    };
    Ok(Heard { text, failure })
}

/// Reads on a thread, so that a full pipe stops nobody.
fn reader(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // What could be read is all there is to show.
            let _ = from.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn ended(child: &mut Child, limit: Duration) -> anyhow::Result<Option<std::process::ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns once nobody else computes.
pub(super) fn wait_until_idle() -> anyhow::Result<()> {
    let start = Instant::now();
    loop {
        let (since, before) = (Instant::now(), busy_seconds());
        std::thread::sleep(Duration::from_millis(300));
        let Some(busy) = busy_seconds().zip(before).map(|(end, begin)| end - begin) else {
            return Ok(()); // a system that does not tell
        };
        let cores = busy / since.elapsed().as_secs_f64();
        if cores <= OTHERS {
            return Ok(());
        }
        if start.elapsed() > WAIT {
            bail!(
                "other programs keep {cores:.1} cores busy: times would mean nothing; stop them and \
                 run again"
            );
        }
    }
}

/// Processor seconds that the machine has spent on anything so far.
fn busy_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> =
        stat.lines().next()?.split_whitespace().skip(1).filter_map(|t| t.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, in hundredths of a second.
    let busy = [0, 1, 2, 5, 6].map(|at| ticks.get(at).copied().unwrap_or(0.0));
    Some(busy.iter().sum::<f64>() / 100.0)
}

/// Processor seconds of all but the processes that this one has started and seen end. Their beginning
/// and end count as theirs, which they could not tell themselves.
pub(super) fn others_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in brackets: state, …, own time in user mode and in the kernel, those of children.
    let behind = &stat[stat.rfind(')')? + 1..];
    let ticks: Vec<f64> =
        behind.split_whitespace().skip(11).map_while(|word| word.parse().ok()).collect();
    let own = ticks.get(..4)?.iter().sum::<f64>() / 100.0;
    Some(busy_seconds()? - own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: f64) -> Heard {
        let limit = Duration::from_secs_f64(limit);
        output(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    #[cfg(unix)]
    fn a_process_is_heard_and_ended() {
        let told = shell("echo told", 10.0);
        assert_eq!((told.text.as_str(), told.failure), ("told\n", None));
        // What was said before the time was over counts.
        let late = shell("echo so far; exec sleep 10", 0.05);
        assert_eq!(late.text, "so far\n");
        assert!(late.failure.unwrap().contains("not done after 0 s"));
        assert_eq!(shell("echo why >&2; exit 3", 10.0).failure.unwrap(), "failed: why");
    }
}
