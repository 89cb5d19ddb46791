//! The `gaussfield-experiments` program: reproduces papers and looks after data.

mod cli;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::start_logging();
    match cli::Cli::parse().run() {
        Ok(code) => code,
        Err(error) => {
            cli::complain(&error);
            ExitCode::FAILURE
        }
    }
}
