//! An experiment, and its trials in parallel.

use super::{Setting, TrialStore};
use crate::seed;
use anyhow::{Context as _, Result, anyhow};
use gaussfield_report::progress::TerminalProgress;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// One repetition of an experiment, with the randomness that belongs to it.
#[derive(Debug, Clone)]
pub struct Trial {
    index: usize,
    seed: u64,
    experiment: String,
}

impl Trial {
    /// Which repetition this is, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// A random stream of this trial. Different purposes give independent streams, so drawing more
    /// for one purpose does not shift another.
    ///
    /// ```
    /// # use gaussfield_experiments::{Trial, RunOptions};
    /// use rand::Rng as _;
    /// # let trial = Trial::new(0, "fig3", 2);
    /// assert_eq!(trial.rng("labels").next_u64(), trial.rng("labels").next_u64());
    /// assert_ne!(trial.rng("labels").next_u64(), trial.rng("noise").next_u64());
    /// ```
    pub fn rng(&self, purpose: &str) -> ChaCha8Rng {
        seed::stream(self.seed, &self.experiment, self.index, purpose)
    }

    /// A seed of this trial, for functions that take a number.
    pub fn seed(&self, purpose: &str) -> u64 {
        seed::number(self.seed, &self.experiment, self.index, purpose)
    }

    /// The trial `index` of an experiment under the run's seed.
    pub fn new(seed: u64, experiment: &str, index: usize) -> Self {
        Self { index, seed, experiment: experiment.to_owned() }
    }
}

/// An experiment about to run its trials.
///
/// Trials are spread over worker threads. Every worker owns a rayon pool with its share of the
/// threads, so at most [`at_most`](Self::at_most) trials are ever in memory at once, and parallel
/// algebra inside a trial never takes up another trial.
#[derive(Debug)]
pub struct Experiment<'a, P> {
    pub(crate) name: &'a str,
    pub(crate) parameters: &'a P,
    /// The data that are there, with the sums of their files.
    pub(crate) data: Vec<(String, Vec<String>)>,
    pub(crate) store: &'a TrialStore,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) parallel: usize,
}

impl<P: Serialize + Sync> Experiment<'_, P> {
    /// At most this many trials at the same time (at least one), for experiments with large
    /// matrices. The default is the number of threads.
    #[must_use]
    pub fn at_most(mut self, trials: usize) -> Self {
        self.parallel = trials.max(1);
        self
    }

    /// Runs trials `0..count`, or takes them from earlier runs, and returns their results in trial
    /// order. Each finished trial is kept at once.
    ///
    /// # Errors
    /// A trial fails (the error of the lowest failed trial, with its number), or cannot be kept.
    ///
    /// # Panics
    /// Goes on with the panic of a trial.
    pub fn run<T, F>(self, count: usize, run: F) -> Result<Vec<T>>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Fn(&Trial) -> Result<T> + Sync,
    {
        let setting = self.store.setting(self.name, &(self.parameters, &self.data))?;
        let mut results: Vec<Option<T>> =
            (0..count).map(|trial| self.store.load(&setting, trial)).collect();
        let missing: Vec<usize> = (0..count).filter(|&trial| results[trial].is_none()).collect();
        let kept = count - missing.len();
        let start = Instant::now();
        if !missing.is_empty() {
            let name = match kept {
                0 => self.name.to_owned(),
                _ => format!("{} ({kept} kept)", self.name),
            };
            let progress = TerminalProgress::new(name, "trials", missing.len());
            for (trial, result) in self.compute(&missing, &setting, &progress, &run)? {
                results[trial] = Some(result);
            }
            progress.finish();
        }
        self.store.note(self.name, count, kept, start.elapsed());
        results
            .into_iter()
            .enumerate()
            .map(|(trial, result)| {
                result.ok_or_else(|| anyhow!("trial {trial} of {} was not computed", self.name))
            })
            .collect()
    }

    fn compute<T, F>(
        &self,
        missing: &[usize],
        setting: &Setting,
        progress: &TerminalProgress,
        run: &F,
    ) -> Result<Vec<(usize, T)>>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Fn(&Trial) -> Result<T> + Sync,
    {
        let workers = self.parallel.min(self.threads).min(missing.len()).max(1);
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let done: Mutex<Vec<(usize, Result<T>)>> = Mutex::new(Vec::new());
        let work = |pool: &rayon::ThreadPool| {
            while !failed.load(Ordering::Relaxed) {
                let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let trial = Trial::new(self.seed, self.name, index);
                let result = pool
                    .install(|| run(&trial))
                    .with_context(|| format!("trial {index} of {} failed", self.name))
                    .and_then(|value| self.store.save(setting, index, value));
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, result));
                progress.step();
            }
        };
        // Threads left over after an even share go to the first workers.
        let share =
            |worker: usize| self.threads / workers + usize::from(worker < self.threads % workers);
        let pools: Vec<rayon::ThreadPool> = (0..workers)
            .map(|worker| rayon::ThreadPoolBuilder::new().num_threads(share(worker)).build())
            .collect::<Result<_, _>>()
            .context("cannot start worker threads; try a smaller --threads")?;
        std::thread::scope(|scope| {
            let handles: Vec<_> = pools.iter().map(|pool| scope.spawn(|| work(pool))).collect();
            for handle in handles {
                if let Err(panic) = handle.join() {
                    resume_unwind(panic);
                }
            }
        });
        let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        done.sort_by_key(|&(trial, _)| trial);
        done.into_iter().map(|(trial, result)| Ok((trial, result?))).collect()
    }
}
