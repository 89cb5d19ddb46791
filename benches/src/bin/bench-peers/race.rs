//! Contestants one after the other, each in a process of its own, on a machine that does nothing else.

mod machine;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::bail;
use machine::{OTHERS, others_seconds, output, wait_until_idle};
use serde::{Deserialize, Serialize};

use crate::plan::{Contestant, Race};

/// Rounds in which every contestant runs once; the fastest run counts.
const ROUNDS: usize = 3;
/// A contestant whose run took so many seconds is not asked again.
const SLOW: f64 = 15.0;
/// The most that one timed run may take.
const LIMIT: Duration = Duration::from_secs(110);
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
    /// How long splits could begin, for accuracy.
    #[serde(default)]
    pub(crate) patience: f64,
}

impl Entry {
    /// The fastest run.
    pub(crate) fn best(&self) -> Option<&Told> {
        self.runs.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    fn new(contestant: &Contestant) -> Self {
        Self { key: contestant.key.into(), runs: Vec::new(), failure: None, patience: 0.0 }
    }

    /// Adds the splits that follow those that are there.
    fn go_on(&mut self, more: Told) {
        let Some(told) = self.runs.first_mut() else {
            self.runs.push(more);
            return;
        };
        told.seconds += more.seconds;
        for (rate, numbers) in more.accuracies {
            told.accuracies.entry(rate).or_default().extend(numbers);
        }
    }
}

impl Told {
    /// Splits that were done with every number of labels.
    pub(crate) fn splits(&self) -> usize {
        self.accuracies.values().map(Vec::len).min().unwrap_or(0)
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

/// Runs a timed race in rounds.
pub(crate) fn timed(race: Race, places: &Places) -> anyhow::Result<Vec<Entry>> {
    let contestants = race.stage.contestants();
    let mut entries: Vec<Entry> = contestants.iter().map(Entry::new).collect();
    for _ in 0..ROUNDS {
        for (contestant, entry) in contestants.iter().zip(&mut entries) {
            let slow = entry.runs.iter().any(|told| told.seconds > SLOW);
            if slow || entry.failure.is_some() {
                continue;
            }
            match once(race, contestant, places)? {
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

/// Runs a race for accuracy from where it stands: rows that have all splits, or had as much patience,
/// are left as they are, the others go on. `keep` is called with all rows whenever one has ended.
pub(crate) fn accuracy(
    race: Race,
    places: &Places,
    splits: usize,
    patience: f64,
    before: Vec<Entry>,
    mut keep: impl FnMut(&[Entry]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let contestants = race.stage.contestants();
    let stands =
        |contestant: &Contestant| before.iter().find(|entry| entry.key == contestant.key).cloned();
    let mut entries: Vec<Entry> =
        contestants.iter().map(|c| stands(c).unwrap_or_else(|| Entry::new(c))).collect();
    keep(&entries)?;
    for (at, contestant) in contestants.iter().enumerate() {
        let entry = &mut entries[at];
        let done = entry.best().map_or(0, Told::splits);
        if done >= splits || entry.patience >= patience {
            continue;
        }
        let mut command = command(race, contestant, places);
        command.arg(patience.to_string()).arg(done.to_string());
        let heard = output(&mut command, Duration::from_secs_f64(3.0 * patience))?;
        (entry.patience, entry.failure) = (patience, heard.failure);
        if let Ok(more) = figures(&heard.text) {
            entry.go_on(more);
        }
        let done = entry.best().map_or(0, Told::splits);
        let failure = entry.failure.as_deref().unwrap_or_default();
        tell(&format!("{race}: {}: {done} splits {failure}", contestant.name));
        keep(&entries)?;
    }
    Ok(())
}

/// The program of a contestant with the words that say what to do.
fn command(race: Race, contestant: &Contestant, places: &Places) -> Command {
    let mut command = match contestant.against {
        None => Command::new(&places.contestant),
        Some(_) => Command::new(&places.python),
    };
    if contestant.against.is_some() {
        command.arg(&places.script);
    }
    command.arg(race.stage.to_string()).arg(contestant.key).arg(&places.data).arg(race.set);
    command
}

/// The last line of figures.
fn figures(text: &str) -> Result<Told, String> {
    let line = text.lines().rev().find(|line| line.starts_with('{')).unwrap_or_default();
    serde_json::from_str(line).map_err(|error| format!("no figures: {error}"))
}

/// One timed run; the inner error is the contestant's, the outer one that of the machine.
fn once(
    race: Race,
    contestant: &Contestant,
    places: &Places,
) -> anyhow::Result<Result<Told, String>> {
    let mut command = command(race, contestant, places);
    for _ in 0..ROUNDS {
        wait_until_idle()?;
        let (start, before) = (Instant::now(), others_seconds());
        let heard = output(&mut command, LIMIT)?;
        let wall = start.elapsed().as_secs_f64();
        let told = match heard.failure.map_or_else(|| figures(&heard.text), Err) {
            Ok(told) => told,
            Err(failure) => return Ok(Err(failure)),
        };
        let others = others_seconds().zip(before).map_or(0.0, |(end, begin)| (end - begin) / wall);
        if others <= OTHERS {
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

#[expect(clippy::print_stderr, reason = "what is going on, on a terminal")]
fn tell(line: &str) {
    eprintln!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does two splits of three, or what is left, and writes down where it began.
    const PROGRAM: &str = r#"#!/bin/sh
echo "$2 $6" >> "$3/begun"
[ "$6" = 0 ] && numbers=0.5,0.75 || numbers=0.25
echo "{\"seconds\": 2, \"accuracies\": {\"1\": [$numbers]}}"
"#;

    #[test]
    #[cfg(unix)]
    fn an_accuracy_race_goes_on_where_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("program.sh");
        std::fs::write(&script, PROGRAM).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        let race = Race { stage: crate::plan::Stage::Labels, set: "digits" };
        let rows = race.stage.contestants().len();
        let data = folder.path().to_path_buf();
        let (python, contestant) = ("/bin/sh".into(), script.clone());
        let places = Places { python, script, contestant, data };
        let run = |patience: f64, before: &[Entry]| {
            let mut kept = Vec::new();
            accuracy(race, &places, 3, patience, before.to_vec(), |entries| {
                kept.push(entries.to_vec());
                Ok(())
            })
            .unwrap();
            let begun = std::fs::read_to_string(folder.path().join("begun")).unwrap();
            std::fs::write(folder.path().join("begun"), "").unwrap();
            (kept, begun)
        };
        let (kept, begun) = run(10.0, &[]);
        assert_eq!(kept.len(), rows + 1);
        assert_eq!(begun.lines().count(), rows);
        // Stopped after two rows: those are kept, and nobody is asked for them again.
        let (after, begun) = run(10.0, &kept[2]);
        assert_eq!(begun.lines().count(), rows - 2);
        assert_eq!(after.last(), kept.last());
        // With more patience each goes on with the split that is missing, and then is complete.
        let (longer, begun) = run(20.0, &kept[rows]);
        assert!(begun.lines().count() == rows && begun.lines().all(|line| line.ends_with(" 2")));
        let told = longer[rows][0].best().unwrap();
        assert_eq!((told.seconds, &told.accuracies["1"][..]), (4.0, &[0.5, 0.75, 0.25][..]));
        assert_eq!(run(90.0, &longer[rows]).1, "");
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
            patience: 0.0,
        };
        let three = entry(&[3.0, 1.0, 2.0]);
        assert_eq!(three.best(), Some(&three.runs[1]));
        assert!(entry(&[]).best().is_none());
    }
}
