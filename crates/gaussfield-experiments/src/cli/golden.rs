use anyhow::Result;
use clap::Args;
use gaussfield_experiments::golden;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files of the golden schema
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let mut out = std::io::stdout();
        let tally = golden::run(&self.files, |name, verdict| {
            // The status at the end counts even if nobody reads the lines.
            drop(writeln!(out, "{name}: {verdict}"));
        })?;
        writeln!(std::io::stdout(), "{tally}")?;
        Ok(if tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
