//! Contestants one after the other, each in a process of its own, on a machine that does nothing else.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::plan::{Contestant, Race};

/// Rounds in which every contestant runs once; the fastest run counts.
const ROUNDS: usize = 3;
/// A contestant whose run took so many seconds is not asked again.
const SLOW: f64 = 15.0;
/// The most that one timed run may take.
const LIMIT: Duration = Duration::from_secs(110);
/// Cores that others may keep busy.
const OTHERS: f64 = 0.2;
/// How long to wait for an idle machine.
const WAIT: Duration = Duration::from_secs(60);

/// Where everything is.
pub(crate) struct Places {
    pub(crate) python: PathBuf,
    pub(crate) script: PathBuf,
    pub(crate) contestant: PathBuf,
    pub(crate) data: PathBuf,
}

/// What one run told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) seconds: f64,
    /// Processor seconds of all threads.
    pub(crate) cpu: Option<f64>,
    pub(crate) peak_mib: Option<f64>,
    /// Largest relative residual of a class.
    pub(crate) residual: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) accuracy: Option<f64>,
    /// By labels of each class, one number for each split.
    #[serde(default)]
    pub(crate) accuracies: BTreeMap<String, Vec<f64>>,
}

/// All runs of one contestant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) runs: Vec<Told>,
    /// Why there is none, or no further one.
    pub(crate) failure: Option<String>,
}

impl Entry {
    /// The fastest run.
    pub(crate) fn best(&self) -> Option<&Told> {
        self.runs.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }
}

/// A race that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) stage: String,
    pub(crate) set: String,
    /// Points and features.
    pub(crate) shape: (usize, usize),
    pub(crate) entries: Vec<Entry>,
}

impl Outcome {
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The fastest run of a contestant.
    pub(crate) fn best(&self, key: &str) -> Option<&Told> {
        self.entry(key)?.best()
    }
}

/// Runs a race in rounds. `patience` is how long splits may begin, for accuracy.
pub(crate) fn run(race: Race, places: &Places, patience: f64) -> anyhow::Result<Vec<Entry>> {
    let contestants = race.stage.contestants();
    let blank = |c: &Contestant| Entry { key: c.key.into(), runs: Vec::new(), failure: None };
    let mut entries: Vec<Entry> = contestants.iter().map(blank).collect();
    let rounds = if race.stage.timed() { ROUNDS } else { 1 };
    for _ in 0..rounds {
        for (contestant, entry) in contestants.iter().zip(&mut entries) {
            let slow = entry.runs.iter().any(|told| told.seconds > SLOW);
            if slow || entry.failure.is_some() {
                continue;
            }
            let limit =
                if race.stage.timed() { LIMIT } else { Duration::from_secs_f64(3.0 * patience) };
            match once(race, contestant, places, patience, limit)? {
                Ok(told) => {
                    tell(&format!("{race}: {}: {:.3} s", contestant.name, told.seconds));
                    entry.runs.push(told);
                }
                Err(failure) => {
                    tell(&format!("{race}: {}: {failure}", contestant.name));
                    entry.failure = Some(failure);
                }
            }
        }
    }
    Ok(entries)
}

/// One run; the inner error is the contestant's, the outer one that of the machine.
fn once(
    race: Race,
    contestant: &Contestant,
    places: &Places,
    patience: f64,
    limit: Duration,
) -> anyhow::Result<Result<Told, String>> {
    let mut command = match contestant.against {
        None => Command::new(&places.contestant),
        Some(_) => Command::new(&places.python),
    };
    if contestant.against.is_some() {
        command.arg(&places.script);
    }
    command.arg(race.stage.to_string()).arg(contestant.key).arg(&places.data).arg(race.set);
    command.arg(patience.to_string());
    for _ in 0..ROUNDS {
        if race.stage.timed() {
            wait_until_idle()?;
        }
        let (start, before) = (Instant::now(), others_seconds());
        let text = match output(&mut command, limit)? {
            Ok(text) => text,
            Err(failure) => return Ok(Err(failure)),
        };
        let wall = start.elapsed().as_secs_f64();
        let line = text.lines().rev().find(|line| line.starts_with('{')).unwrap_or_default();
        let told: Told = match serde_json::from_str(line) {
            Ok(told) => told,
            Err(error) => return Ok(Err(format!("no figures: {error}"))),
        };
        let others = others_seconds().zip(before).map_or(0.0, |(end, begin)| (end - begin) / wall);
        if !race.stage.timed() || others <= OTHERS {
            return Ok(Ok(told));
        }
        tell(&format!("{race}: {}: others took {others:.1} cores, again", contestant.name));
    }
    bail!(
        "other programs kept the machine busy while {} ran on {}: times would mean nothing; stop \
         them and name the races that are missing",
        contestant.name,
        race.set
    )
}

/// What a process printed, or how it failed.
fn output(command: &mut Command, limit: Duration) -> anyhow::Result<Result<String, String>> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let program = || command.get_program().to_string_lossy().into_owned();
    let mut child = child.with_context(|| format!("cannot start {}", program()))?;
    let text = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let Some(status) = ended(&mut child, limit)? else {
        return Ok(Err(format!("not done after {} s", limit.as_secs())));
    };
    let (text, errors) = (text.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if status.success() {
        return Ok(Ok(text));
    }
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Ok(Err(format!("failed: {}", last.chars().take(160).collect::<String>())))
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
fn wait_until_idle() -> anyhow::Result<()> {
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
fn others_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in brackets: state, …, own time in user mode and in the kernel, those of children.
    let behind = &stat[stat.rfind(')')? + 1..];
    let ticks: Vec<f64> =
        behind.split_whitespace().skip(11).map_while(|word| word.parse().ok()).collect();
    let own = ticks.get(..4)?.iter().sum::<f64>() / 100.0;
    Some(busy_seconds()? - own)
}

#[expect(clippy::print_stderr, reason = "what is going on, on a terminal")]
fn tell(line: &str) {
    eprintln!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: f64) -> Result<String, String> {
        let limit = Duration::from_secs_f64(limit);
        output(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    #[cfg(unix)]
    fn a_process_is_heard_and_ended() {
        assert_eq!(shell("echo told", 10.0).unwrap(), "told\n");
        assert!(shell("exec sleep 10", 0.05).unwrap_err().contains("not done after 0 s"));
        assert_eq!(shell("echo why >&2; exit 3", 10.0).unwrap_err(), "failed: why");
    }

    #[test]
    fn a_line_of_figures() {
        let told: Told =
            serde_json::from_str(r#"{"seconds": 0.5, "accuracies": {"1": [0.25, 0.75]}}"#).unwrap();
        assert_eq!(told.accuracies["1"], [0.25, 0.75]);
        assert_eq!(told.residual, None);
        let entry = |runs: &[f64]| Entry {
            key: "x".into(),
            runs: runs.iter().map(|&seconds| Told { seconds, ..Told::default() }).collect(),
            failure: None,
        };
        let three = entry(&[3.0, 1.0, 2.0]);
        assert_eq!(three.best(), Some(&three.runs[1]));
        assert!(entry(&[]).best().is_none());
    }
}
