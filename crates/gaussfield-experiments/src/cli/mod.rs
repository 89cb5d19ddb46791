//! The command line.

mod blas;
mod data;
mod fetch;
mod reproduce;
mod results;

pub(crate) use blas::again_on_one_thread;

use clap::{Parser, Subcommand};
use gaussfield_report::progress::LogWriter;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// Reproduces the papers behind gaussfield.
#[derive(Debug, Parser)]
#[command(name = "gaussfield-experiments", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the experiments of papers and write report, figures, data and claims
    Reproduce(reproduce::Arguments),
    /// Keep runs in the repository, or compare short runs with those kept
    Results(results::Arguments),
    /// List, fetch and check the data sets of the catalogue
    Data {
        #[command(subcommand)]
        command: data::Command,
    },
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::Reproduce(arguments) => arguments.run(),
            Command::Results(arguments) => arguments.run(),
            Command::Data { command } => command.run(),
        }
    }
}

/// Log lines go to standard error: warnings and progress unless `RUST_LOG` says otherwise.
pub(crate) fn start_logging() {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("warn,gaussfield_report::progress=info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(LogWriter::default)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .init();
}

/// Prints an error with its causes.
pub(crate) fn complain(error: &anyhow::Error) {
    // If even standard error is closed there is nowhere left to say so.
    drop(writeln!(std::io::stderr(), "error: {error:#}"));
}
