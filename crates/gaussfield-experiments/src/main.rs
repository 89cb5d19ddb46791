//! The `gaussfield-experiments` program: reproduces papers and looks after data.

mod cli;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::start_logging();
    let asked = cli::Cli::parse();
    let ended = match cli::again_on_one_thread() {
        Ok(Some(code)) => Ok(code),
        Ok(None) => asked.run(),
        Err(error) => Err(error),
    };
    match ended {
        Ok(code) => code,
        Err(error) => {
            cli::complain(&error);
            ExitCode::FAILURE
        }
    }
}
