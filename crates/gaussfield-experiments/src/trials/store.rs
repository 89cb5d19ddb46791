//! Finished trials on disk.

use anyhow::{Context as _, Result};
use gaussfield_core::files::write_atomically;
use gaussfield_report::files::safe_name;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

/// Where finished trials are kept: one JSON file each, under
/// `trials/EXPERIMENT/HASH/TRIAL.json`.
///
/// HASH covers the experiment's parameters, the seed and this crate's version, so changed
/// parameters never meet old results. The file itself names the build of the program that wrote
/// it; another build's trials are computed again unless the user asks otherwise.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The experiment.
    pub experiment: String,
    /// How many parameter settings it had.
    pub settings: usize,
    /// Trials of all settings.
    pub trials: usize,
    /// Those among them that an earlier run had kept.
    pub kept: usize,
}

#[derive(Serialize, Deserialize)]
struct Kept<T> {
    experiment: String,
    trial: usize,
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

    /// Notes that a setting of an experiment was run.
    pub(crate) fn note(&self, experiment: &str, trials: usize, kept: usize) {
        let mut runs = self.runs.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match runs.iter_mut().find(|ran| ran.experiment == experiment) {
            Some(ran) => {
                ran.settings += 1;
                ran.trials += trials;
                ran.kept += kept;
            }
            None => {
                let experiment = experiment.to_owned();
                runs.push(Ran { experiment, settings: 1, trials, kept });
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

    /// The folder of one experiment with these parameters.
    ///
    /// # Errors
    /// The parameters cannot be written as JSON.
    pub fn folder_of(&self, experiment: &str, parameters: &impl Serialize) -> Result<PathBuf> {
        let key =
            serde_json::to_string(&(experiment, parameters, self.seed, env!("CARGO_PKG_VERSION")))
                .with_context(|| {
                    format!("the parameters of {experiment} cannot be written as JSON")
                })?;
        let hash = hex(&Sha256::digest(key.as_bytes()), 16);
        Ok(self.folder.join(safe_name(experiment)).join(hash))
    }

    /// A kept trial, or `None` if there is none that can be used. A file that cannot be read is
    /// reported as a warning and counts as none.
    pub fn load<T: DeserializeOwned>(
        &self,
        folder: &Path,
        experiment: &str,
        trial: usize,
    ) -> Option<T> {
        let path = trial_path(folder, trial);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!("cannot read {}: {error}; computing it again", path.display());
                return None;
            }
        };
        match serde_json::from_slice::<Kept<T>>(&text) {
            Ok(kept) if kept.experiment != experiment || kept.trial != trial => {
                tracing::warn!(
                    "{} holds trial {} of {}; computing it again",
                    path.display(),
                    kept.trial,
                    kept.experiment
                );
                None
            }
            Ok(kept) if kept.build == self.build => Some(kept.value),
            Ok(kept) if self.any_build => {
                self.used_other_build.store(true, Ordering::Relaxed);
                Some(kept.value)
            }
            Ok(_) => None,
            Err(error) => {
                tracing::warn!("{} is damaged ({error}); computing it again", path.display());
                None
            }
        }
    }

    /// Keeps a finished trial.
    ///
    /// # Errors
    /// It cannot be written, or JSON cannot hold it (a NaN or an infinity: use `Option<f64>`).
    pub fn save<T: Serialize + DeserializeOwned>(
        &self,
        folder: &Path,
        experiment: &str,
        trial: usize,
        value: T,
    ) -> Result<T> {
        let kept =
            Kept { experiment: experiment.to_owned(), trial, build: self.build.clone(), value };
        let text = serde_json::to_vec_pretty(&kept)
            .with_context(|| format!("trial {trial} of {experiment} cannot be written as JSON"))?;
        serde_json::from_slice::<Kept<T>>(&text).with_context(|| {
            format!(
                "trial {trial} of {experiment} does not survive JSON; a number in it is NaN or \
                 infinite"
            )
        })?;
        write_atomically(&trial_path(folder, trial), &text)?;
        Ok(kept.value)
    }
}

fn trial_path(folder: &Path, trial: usize) -> PathBuf {
    folder.join(format!("{trial}.json"))
}

fn hex(bytes: &[u8], digits: usize) -> String {
    bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>()
        .chars()
        .take(digits)
        .collect()
}

/// Names the running program by the hash of its file; "unknown" where it cannot be read.
fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let hash = std::env::current_exe().and_then(|path| -> std::io::Result<String> {
            let mut file = fs::File::open(path)?;
            let mut hash = Sha256::new();
            let mut block = vec![0; 1 << 20];
            loop {
                match file.read(&mut block)? {
                    0 => return Ok(hex(&hash.finalize(), 16)),
                    count => hash.update(&block[..count]),
                }
            }
        });
        hash.unwrap_or_else(|_| "unknown".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(folder: &Path) -> TrialStore {
        TrialStore::new(folder.to_owned(), 7, false)
    }

    #[test]
    fn a_kept_trial_comes_back_to_the_last_bit() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = store(root.path());
        let folder = store.folder_of("fig", &(1, "a")).expect("plain parameters");
        let value = vec![0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE];
        store.save(&folder, "fig", 3, value.clone()).expect("writable");
        assert_eq!(store.load::<Vec<f64>>(&folder, "fig", 3), Some(value));
        assert_eq!(store.load::<Vec<f64>>(&folder, "fig", 4), None);
        assert_eq!(store.load::<Vec<f64>>(&folder, "other", 3), None);
    }

    #[test]
    fn parameters_seed_and_experiment_part_the_folders() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = |seed, experiment: &str, parameter: i32| {
            TrialStore::new(root.path().to_owned(), seed, false)
                .folder_of(experiment, &parameter)
                .expect("plain parameters")
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
        let folder = old.folder_of("fig", &()).expect("plain parameters");
        old.save(&folder, "fig", 0, 1.5).expect("writable");
        assert_eq!(store(root.path()).load::<f64>(&folder, "fig", 0), None);
        let lenient = TrialStore::new(root.path().to_owned(), 7, true);
        assert_eq!(lenient.load::<f64>(&folder, "fig", 0), Some(1.5));
        assert!(lenient.used_other_build());
    }

    #[test]
    fn a_nan_is_refused_and_leaves_nothing() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = store(root.path());
        let folder = store.folder_of("fig", &()).expect("plain parameters");
        let error = store.save(&folder, "fig", 0, f64::NAN).expect_err("JSON has no NaN");
        assert!(format!("{error:#}").contains("NaN"), "{error:#}");
        assert_eq!(store.load::<f64>(&folder, "fig", 0), None);
    }
}
