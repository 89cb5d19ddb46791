//! `reproduce`: the papers.

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use gaussfield_experiments::{RunOptions, papers, reproduce, select};
use gaussfield_report::format;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The papers to reproduce
    #[arg(value_name = "KEY", required = true, value_parser = keys())]
    keys: Vec<String>,

    /// A short run: fewer trials, smaller grids
    #[arg(long)]
    quick: bool,

    /// Trials per experiment [default: the paper's number]
    #[arg(long, value_name = "T")]
    trials: Option<NonZeroUsize>,

    /// Seed of all random draws
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Folder for the output, which goes to DIR/KEY [default: target/reproduce]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Worker threads; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Fetch nothing: run on what is on this machine (`GAUSSFIELD_OFFLINE=1` says the same)
    #[arg(long)]
    offline: bool,

    /// Discard the trials kept by earlier runs
    #[arg(long)]
    fresh: bool,

    /// Also use trials kept by another build of this version
    #[arg(long)]
    any_build: bool,
}

fn keys() -> PossibleValuesParser {
    let papers = papers().iter().map(|paper| {
        PossibleValue::new(paper.key).help(format!("{}, {}", paper.title, paper.venue))
    });
    let all = PossibleValue::new("all").help("Every paper");
    PossibleValuesParser::new(papers.chain([all]).collect::<Vec<_>>())
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let options = RunOptions {
            quick: self.quick,
            trials: self.trials.map(NonZeroUsize::get),
            seed: self.seed,
            out: self.out,
            threads: self.threads.map(NonZeroUsize::get),
            fresh: self.fresh,
            any_build: self.any_build,
        };
        super::fetch::before(&select(papers(), &self.keys)?, self.offline)?;
        let mut out = std::io::stdout();
        let mut code = ExitCode::SUCCESS;
        for (key, outcome) in reproduce(papers(), &self.keys, &options)? {
            match outcome {
                Ok(outcome) => {
                    let report = outcome.folder.join("report.html");
                    writeln!(out, "{key}: {} ({})", outcome.tally, format::duration(outcome.time))?;
                    writeln!(out, "  {}", report.display())?;
                }
                Err(error) => {
                    code = ExitCode::FAILURE;
                    super::complain(&error.context(format!("{key} was not reproduced")));
                }
            }
        }
        Ok(code)
    }
}
