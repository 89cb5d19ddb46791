//! Finished trials on disk.

use anyhow::{Context as _, Result};
use gaussfield_core::Budget;
use gaussfield_core::files::{Format, ReadFault, read_whole, sha256, write_atomically};
use gaussfield_report::files::safe_name;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// The file of a trial: JSON behind a line with its checksum.
const FORMAT: Format = Format { name: "gaussfield-trial", oldest: 1, newest: 1 };

/// Where finished trials are kept: one sealed file each, under
/// `trials/EXPERIMENT/HASH/TRIAL.trial`.
///
/// HASH covers the experiment's parameters, the seed and this crate's version, so changed
/// parameters never meet old results. The file itself names the build of the program that wrote
/// it; another build's trials are computed again unless the user asks otherwise. It carries the
/// checksum of its content and the whole sum of its inputs: a trial that was changed by a single
/// digit, or moved from other parameters, is computed again.
#[derive(Debug)]
pub struct TrialStore {
    folder: PathBuf,
    seed: u64,
    build: String,
    any_build: bool,
    used_other_build: AtomicBool,
    runs: Mutex<Vec<Ran>>,
}

/// How many trials of an experiment a run used, over all its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The experiment.
    pub experiment: String,
    /// How many parameter settings it had.
    pub settings: usize,
    /// Trials of all settings.
    pub trials: usize,
    /// Those among them that an earlier run had kept.
    pub kept: usize,
    /// Wall time of the others.
    pub time: Duration,
}

/// An experiment with its parameters: where its trials are, and the sum of what they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    experiment: String,
    folder: PathBuf,
    inputs: String,
}

impl Setting {
    fn path(&self, trial: usize) -> PathBuf {
        self.folder.join(format!("{trial}.trial"))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept<T> {
    experiment: String,
    trial: usize,
    inputs: String,
    build: String,
    value: T,
}

impl TrialStore {
    /// A store below `folder`, for runs with this seed.
    pub fn new(folder: PathBuf, seed: u64, any_build: bool) -> Self {
        let build = build().to_owned();
        let used_other_build = AtomicBool::new(false);
        Self { folder, seed, build, any_build, used_other_build, runs: Mutex::default() }
    }

    /// The same store as another build of the program would see it.
    #[cfg(test)]
    fn of_build(mut self, build: &str) -> Self {
        self.build = build.to_owned();
        self
    }

    /// Whether a trial of another build was used.
    pub fn used_other_build(&self) -> bool {
        self.used_other_build.load(Ordering::Relaxed)
    }

    /// Notes that a setting of an experiment was run, and how long it took.
    pub(crate) fn note(&self, experiment: &str, trials: usize, kept: usize, time: Duration) {
        let mut runs = self.runs.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match runs.iter_mut().find(|ran| ran.experiment == experiment) {
            Some(ran) => {
                ran.settings += 1;
                ran.trials += trials;
                ran.kept += kept;
                ran.time += time;
            }
            None => {
                let experiment = experiment.to_owned();
                runs.push(Ran { experiment, settings: 1, trials, kept, time });
            }
        }
    }

    /// What was run so far, experiment by experiment.
    pub fn runs(&self) -> Vec<Ran> {
        self.runs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Forgets all trials.
    ///
    /// # Errors
    /// The folder cannot be removed.
    pub fn clear(&self) -> Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error)
                .with_context(|| format!("cannot discard old trials in {}", self.folder.display())),
            _ => Ok(()),
        }
    }

    /// One experiment with these parameters.
    ///
    /// # Errors
    /// The parameters cannot be written as JSON.
    pub fn setting(&self, experiment: &str, parameters: &impl Serialize) -> Result<Setting> {
        let key =
            serde_json::to_string(&(experiment, parameters, self.seed, env!("CARGO_PKG_VERSION")))
                .with_context(|| {
                    format!("the parameters of {experiment} cannot be written as JSON")
                })?;
        let inputs = sha256(key.as_bytes())?;
        let folder = self.folder.join(safe_name(experiment)).join(short(&inputs));
        Ok(Setting { experiment: experiment.to_owned(), folder, inputs })
    }

    /// A kept trial, or `None` if there is none that can be used. A file that cannot be read, or is
    /// not what was written, is reported as a warning and counts as none.
    pub fn load<T: DeserializeOwned>(&self, setting: &Setting, trial: usize) -> Option<T> {
        let path = setting.path(trial);
        let again = |why: &dyn std::fmt::Display| {
            tracing::warn!("{}: {why}; computing the trial again", path.display());
            None
        };
        let file = match read_whole(&path, Budget::default()) {
            Ok(file) => file,
            Err(error) => match error.source {
                ReadFault::Io(error) if error.kind() == ErrorKind::NotFound => return None,
                source => return again(&source),
            },
        };
        let content = match FORMAT.open(&file) {
            Ok(opened) => opened.content,
            Err(refused) => return again(&refused),
        };
        let kept: Kept<T> = match serde_json::from_slice(content) {
            Ok(kept) => kept,
            Err(error) => return again(&error),
        };
        let Kept { experiment, trial: found, inputs, build, value } = kept;
        if (&experiment, found, &inputs) != (&setting.experiment, trial, &setting.inputs) {
            let inputs = short(&inputs);
            return again(&format!("it holds trial {found} of {experiment} with inputs {inputs}"));
        }
        match build == self.build {
            true => Some(value),
            false if self.any_build => {
                self.used_other_build.store(true, Ordering::Relaxed);
                Some(value)
            }
            false => None,
        }
    }

    /// Keeps a finished trial.
    ///
    /// # Errors
    /// It cannot be written, or JSON cannot hold it (a NaN or an infinity: use `Option<f64>`).
    pub fn save<T: Serialize + DeserializeOwned>(
        &self,
        setting: &Setting,
        trial: usize,
        value: T,
    ) -> Result<T> {
        let Setting { experiment, inputs, .. } = setting.clone();
        let kept = Kept { experiment, trial, inputs, build: self.build.clone(), value };
        let name = &kept.experiment;
        let text = serde_json::to_vec_pretty(&kept)
            .with_context(|| format!("trial {trial} of {name} cannot be written as JSON"))?;
        serde_json::from_slice::<Kept<T>>(&text).with_context(|| {
            format!(
                "trial {trial} of {name} does not survive JSON; a number in it is NaN or infinite"
            )
        })?;
        write_atomically(&setting.path(trial), &FORMAT.seal(&text))?;
        Ok(kept.value)
    }
}

/// As many digits of a sum as tell it from others.
fn short(sum: &str) -> &str {
    sum.get(..16).unwrap_or(sum)
}

/// Names the running program by the hash of its file; "unknown" where it cannot be read.
fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let sum = std::env::current_exe().and_then(fs::File::open).and_then(sha256);
        sum.map_or_else(|_| "unknown".to_owned(), |sum| short(&sum).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_core::files::faults::{Fault, Faults};
    use std::path::Path;

    fn store(folder: &Path) -> TrialStore {
        TrialStore::new(folder.to_owned(), 7, false)
    }

    #[test]
    fn a_kept_trial_comes_back_to_the_last_bit() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = store(root.path());
        let setting = store.setting("fig", &(1, "a")).expect("plain parameters");
        let value = vec![0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE];
        store.save(&setting, 3, value.clone()).expect("writable");
        assert_eq!(store.load::<Vec<f64>>(&setting, 3), Some(value));
        assert_eq!(store.load::<Vec<f64>>(&setting, 4), None);
    }

    #[test]
    fn a_trial_that_was_changed_or_moved_is_none() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = store(root.path());
        let setting = store.setting("fig", &1).expect("plain parameters");
        store.save(&setting, 0, 0.684_93).expect("writable");
        let file = fs::read(setting.path(0)).expect("kept");
        // One digit, as an editor would change it; and every single bit.
        let edited = String::from_utf8(file.clone()).expect("text").replace("0.684", "0.123");
        fs::write(setting.path(0), edited).expect("writable");
        assert_eq!(store.load::<f64>(&setting, 0), None);
        for bit in 0..8 * file.len() {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(setting.path(0), flipped).expect("writable");
            assert_eq!(store.load::<f64>(&setting, 0), None, "bit {bit}");
        }
        // Unchanged, but of another trial, other parameters or another experiment.
        let moved = [("fig", 1, 1), ("fig", 2, 0), ("other", 1, 0)];
        for (experiment, parameter, trial) in moved {
            let other = store.setting(experiment, &parameter).expect("plain parameters");
            fs::create_dir_all(&other.folder).expect("writable");
            fs::write(other.path(trial), &file).expect("writable");
            assert_eq!(store.load::<f64>(&other, trial), None, "{experiment} {parameter}");
        }
        fs::write(setting.path(0), file).expect("writable");
        assert_eq!(store.load::<f64>(&setting, 0), Some(0.684_93));
    }

    /// What lies behind a checksum that fits is read, or the trial is computed again.
    #[test]
    fn changed_content_under_a_new_seal_ends_nothing() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = store(root.path());
        let setting = store.setting("fig", &1).expect("plain parameters");
        store.save(&setting, 0, vec![0.5, -1e300]).expect("writable");
        let file = fs::read(setting.path(0)).expect("kept");
        let start = file.iter().position(|&byte| byte == b'\n').expect("a line of its own") + 1;
        let words = ["", "1e999", "-1", "18446744073709551616", "null", "[", "\"", "\u{0}"];
        let (mut read, mut tried) = (0, 0);
        for at in start..file.len() {
            for word in words {
                let content = [&file[start..at], word.as_bytes(), &file[at + 1..]].concat();
                fs::write(setting.path(0), FORMAT.seal(&content)).expect("writable");
                let found = store.load::<Vec<f64>>(&setting, 0);
                let finite = |values: &Vec<f64>| values.iter().all(|value| value.is_finite());
                assert!(found.as_ref().is_none_or(finite), "{found:?}");
                read += usize::from(found.is_some());
                tried += 1;
            }
        }
        assert!(read > 0 && read < tried / 4, "{read} of {tried}");
    }

    #[test]
    fn whatever_fails_a_trial_is_whole_or_absent() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let value = vec![1.0 / 3.0; 20];
        let calls = {
            let store = store(&root.path().join("counted"));
            let setting = store.setting("fig", &1).expect("plain parameters");
            let counting = Faults::counting(root.path());
            store.save(&setting, 0, value.clone()).expect("writable");
            assert!(counting.all_synced(), "a trial that is kept outlasts a loss of power");
            counting.calls()
        };
        for fault in Fault::ALL {
            for call in 0..calls {
                let store = store(&root.path().join(format!("{fault:?}-{call}")));
                let setting = store.setting("fig", &1).expect("plain parameters");
                let faults = Faults::below(root.path(), fault, call);
                let saved = store.save(&setting, 0, value.clone());
                assert!(faults.struck());
                drop(faults);
                let found = store.load::<Vec<f64>>(&setting, 0);
                assert!(found.as_ref().is_none_or(|found| *found == value), "{fault:?} at {call}");
                assert!(found.is_some() || saved.is_err(), "{fault:?} at {call}");
            }
        }
    }

    #[test]
    fn parameters_seed_and_experiment_part_the_folders() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = |seed, experiment: &str, parameter: i32| {
            TrialStore::new(root.path().to_owned(), seed, false)
                .setting(experiment, &parameter)
                .expect("plain parameters")
                .folder
        };
        assert_eq!(folder(1, "a", 1), folder(1, "a", 1));
        assert_ne!(folder(1, "a", 1), folder(2, "a", 1));
        assert_ne!(folder(1, "a", 1), folder(1, "b", 1));
        assert_ne!(folder(1, "a", 1), folder(1, "a", 2));
    }

    #[test]
    fn another_build_counts_only_when_asked_for() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let old = store(root.path()).of_build("old");
        let setting = old.setting("fig", &()).expect("plain parameters");
        old.save(&setting, 0, 1.5).expect("writable");
        assert_eq!(store(root.path()).load::<f64>(&setting, 0), None);
        let lenient = TrialStore::new(root.path().to_owned(), 7, true);
        assert_eq!(lenient.load::<f64>(&setting, 0), Some(1.5));
        assert!(lenient.used_other_build());
    }

    #[test]
    fn a_nan_is_refused_and_leaves_nothing() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = store(root.path());
        let setting = store.setting("fig", &()).expect("plain parameters");
        let error = store.save(&setting, 0, f64::NAN).expect_err("JSON has no NaN");
        assert!(format!("{error:#}").contains("NaN"), "{error:#}");
        assert_eq!(store.load::<f64>(&setting, 0), None);
    }
}
