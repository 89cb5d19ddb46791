//! Reproductions of the papers behind gaussfield.
//!
//! A paper makes statements: in a figure, in a table, in a sentence. Each that can be checked is a
//! [`Claim`](gaussfield_report::Claim) here, with the paper's number, ours and a verdict. A
//! [`Paper`] is a function that runs the experiments and fills a
//! [`Report`](gaussfield_report::Report); [`reproduce`] runs papers by their keys and writes
//!
//! - `report.html`: figures, tables and claims beside what the paper says, in one page,
//! - `figures/*.svg` and `data/*.csv`: every figure and the numbers behind it,
//! - `claims.json`: the claims as a list for programs, and `run.json`: what the run was,
//! - `trials/`: every finished trial, so that an interrupted run goes on where it was.
//!
//! A paper's module works with a [`Context`]:
//!
//! ```
//! use gaussfield_experiments::{Context, Paper, RunOptions, reproduce};
//! use gaussfield_report::Claim;
//! use gaussfield_report::plot::{LineChart, Series};
//! use rand::RngExt as _;
//!
//! fn run(ctx: &mut Context) -> anyhow::Result<()> {
//!     let tosses = ctx.trial_count(10, 3);
//!     let heads: Vec<f64> = ctx.trials("coin", &"1000 tosses", tosses, |trial| {
//!         let mut rng = trial.rng("toss");
//!         Ok((0..1000).filter(|_| rng.random::<bool>()).count() as f64 / 1000.0)
//!     })?;
//!     let mean = heads.iter().sum::<f64>() / heads.len() as f64;
//!     ctx.report.section("Section 1: a coin", "Share of heads in each trial.");
//!     let points = heads.iter().enumerate().map(|(trial, &share)| (trial as f64, share));
//!     let chart = LineChart::new("trial", "share of heads").series(Series::new("", points));
//!     ctx.report.plot("heads", "Heads by trial.", &chart)?;
//!     ctx.report.claim(
//!         Claim::new("fair", "Section 1", "the coin is fair").paper(0.5).ours(mean, 0.02).within(0.05),
//!     );
//!     Ok(())
//! }
//!
//! # fn main() -> anyhow::Result<()> {
//! let coin = Paper {
//!     key: "coin1933",
//!     title: "On a coin",
//!     authors: "A. N. Author",
//!     venue: "Journal of Tosses, 1933",
//!     summary: "A coin is tossed many times.",
//!     data: &[],
//!     run,
//! };
//! # let folder = std::env::temp_dir().join(format!("gaussfield-coin-{}", std::process::id()));
//! let options = RunOptions { out: Some(folder.clone()), quick: true, ..RunOptions::default() };
//! for (_, outcome) in reproduce(&[coin], &["coin1933".to_owned()], &options)? {
//!     assert_eq!(outcome?.tally.own.holds, 1);
//! }
//! assert!(folder.join("coin1933/report.html").is_file());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! Randomness belongs to a trial, not to a thread: a [`Trial`] derives its streams from the run's
//! seed, the experiment's name and its own number, so results do not depend on the number of
//! threads or on which trials an earlier run had finished.

mod context;
mod data;
pub mod kapoor2005;
mod options;
mod paper;
pub mod results;
mod run;
mod seed;
pub mod sindhwani2007;
mod tasks;
mod texts;
mod trials;
pub mod zhu2003;
pub mod zhu2003gp;
pub mod zhu2005;

pub use context::Context;
pub use data::{Found, Source, shape_words};
pub use options::RunOptions;
pub use paper::{Paper, papers, select};
pub use run::{Outcome, folder_of, repository, reproduce, reproduce_one, runs_folder};
pub use trials::{Experiment, Ran, Setting, Trial, TrialStore};
