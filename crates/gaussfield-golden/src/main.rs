//! The `golden` program: computes every case of golden files and compares.

use clap::Parser;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Computes every case of golden files and compares with the numbers in them.
#[derive(Debug, Parser)]
#[command(name = "golden", version, about)]
struct Arguments {
    /// Files of the golden schema
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

fn main() -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    let tally = gaussfield_golden::run(&Arguments::parse().files, |name, verdict| {
        // The status at the end counts even if nobody reads the lines.
        drop(writeln!(out, "{name}: {verdict}"));
    })?;
    writeln!(std::io::stdout(), "{tally}")?;
    Ok(if tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
