//! What a paper's module works with.

use crate::RunOptions;
use crate::run::OTHER_FOLDER;
use crate::texts::Collection;
use crate::trials::{Experiment, Trial, TrialStore};
use anyhow::{Context as _, Result};
use gaussfield_data::catalog::Catalog;
use gaussfield_report::Report;
use gaussfield_report::files::ensure_writable;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A running reproduction: the user's options, the kept trials, and the report being filled.
///
/// ```
/// use gaussfield_experiments::{Context, RunOptions};
/// use gaussfield_report::Claim;
/// use rand::RngExt as _;
///
/// # fn main() -> anyhow::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("gaussfield-doc-{}", std::process::id()));
/// let mut ctx = Context::new(&RunOptions::default(), &folder)?;
/// let draws: Vec<f64> =
///     ctx.trials("coin", &"fair", 10, |trial| Ok(trial.rng("toss").random::<f64>()))?;
/// ctx.report.section("A coin", "Ten draws from the unit interval.");
/// ctx.report.claim(
///     Claim::new("coin-range", "Section 1", "draws lie in [0, 1)")
///         .holds_if(draws.iter().all(|d| (0.0..1.0).contains(d)), "all ten looked at"),
/// );
/// assert_eq!(ctx.report.tally().own.holds, 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Context {
    /// The report, filled section by section.
    pub report: Report,
    options: RunOptions,
    out: PathBuf,
    store: TrialStore,
    catalog: Catalog,
    collection: Option<Arc<Collection>>,
}

impl Context {
    /// A context that writes into `out`. With [`RunOptions::fresh`] the trials kept there are
    /// discarded.
    ///
    /// # Errors
    /// `out` cannot be written, or old trials cannot be discarded.
    pub fn new(options: &RunOptions, out: &Path) -> Result<Self> {
        ensure_writable(out).context(OTHER_FOLDER)?;
        let store = TrialStore::new(out.join("trials"), options.seed, options.any_build);
        if options.fresh {
            store.clear()?;
        }
        Ok(Self {
            report: Report::default(),
            options: options.clone(),
            out: out.to_owned(),
            store,
            catalog: Catalog::builtin()?,
            collection: None,
        })
    }

    /// The same with another catalogue of data, or other places to look for them.
    #[must_use]
    pub fn with_catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = catalog;
        self
    }

    /// The catalogue data are asked from.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Whether the user asked for a short run.
    pub fn quick(&self) -> bool {
        self.options.quick
    }

    /// The user's options.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// The output folder of this paper.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// How many trials to run: the user's `--trials`, else `quick` in a short run, else the
    /// `paper`'s number.
    pub fn trial_count(&self, paper: usize, quick: usize) -> usize {
        self.options.trials.unwrap_or(if self.options.quick { quick } else { paper })
    }

    /// An experiment: a name and the parameters its results depend on besides the seed and the data
    /// that were loaded so far, which count among them: a trial on one data set is none on another.
    ///
    /// Random streams depend on the name but not on the parameters: two settings compared under
    /// one name see the same draws.
    pub fn experiment<'a, P: Serialize + Sync>(
        &'a self,
        name: &'a str,
        parameters: &'a P,
    ) -> Experiment<'a, P> {
        let threads = self.options.thread_count();
        let data = self.report.data_facts().iter();
        Experiment {
            name,
            parameters,
            data: data.map(|fact| (fact.name.clone(), fact.digests.clone())).collect(),
            store: &self.store,
            seed: self.options.seed,
            threads,
            parallel: threads,
        }
    }

    /// Runs `count` trials in parallel and returns their results in order; finished trials are kept
    /// and taken up again by the next run. Short for [`experiment`](Self::experiment) and
    /// [`Experiment::run`].
    ///
    /// # Errors
    /// A trial fails or cannot be kept.
    pub fn trials<P, T, F>(
        &self,
        experiment: &str,
        parameters: &P,
        count: usize,
        run: F,
    ) -> Result<Vec<T>>
    where
        P: Serialize + Sync,
        T: Serialize + DeserializeOwned + Send,
        F: Fn(&Trial) -> Result<T> + Sync,
    {
        self.experiment(experiment, parameters).run(count, run)
    }

    /// The messages that were read in this run.
    pub(crate) fn collection(&self) -> Option<Arc<Collection>> {
        self.collection.clone()
    }

    /// Keeps messages for the rest of the run: tasks take groups out of one collection.
    pub(crate) fn keep_collection(&mut self, all: Arc<Collection>) {
        self.collection = Some(all);
    }

    pub(crate) fn store(&self) -> &TrialStore {
        &self.store
    }
}
