//! OpenBLAS on one thread, however the program was started.
//!
//! Trials run in parallel, and each calls LAPACK. OpenBLAS threads inside that fight for the same
//! cores, and its drivers for several threads put half a megabyte on the stack of whoever calls them:
//! deep in a worker thread that has ended a run by a fault of memory. The variable is read once, when
//! the library is loaded, so it has to be there before the process begins: a program that was started
//! without it starts itself again with it.

use anyhow::{Context as _, Result};
use std::process::{Command, ExitCode};

const THREADS: &str = "OPENBLAS_NUM_THREADS";

/// Whether the program has to start again, given what the variable is set to: only a number is a
/// setting of the user's own.
fn unset(value: Option<&str>) -> bool {
    value.is_none_or(|value| value.trim().parse::<usize>().is_err())
}

/// Runs the program again with one thread for OpenBLAS where the environment names no number, and
/// tells how that ended; nothing where this is that run, or the user has a setting.
///
/// # Errors
/// The program's own file cannot be found or started.
pub(crate) fn again_on_one_thread() -> Result<Option<ExitCode>> {
    if !unset(std::env::var(THREADS).ok().as_deref()) {
        return Ok(None);
    }
    let remedy = || format!("cannot start again with {THREADS}=1; set it and run the program anew");
    let program = std::env::current_exe().with_context(remedy)?;
    let mut again = Command::new(program);
    again.args(std::env::args_os().skip(1)).env(THREADS, "1");
    finish(again).with_context(remedy).map(Some)
}

/// In place of this process, so that signals reach it.
#[cfg(unix)]
fn finish(mut again: Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(again.exec().into())
}

#[cfg(not(unix))]
fn finish(mut again: Command) -> Result<ExitCode> {
    let code = again.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_is_a_setting() {
        for value in [None, Some(""), Some("many")] {
            assert!(unset(value), "{value:?}");
        }
        for value in ["1", " 2 ", "16"] {
            assert!(!unset(Some(value)), "{value}");
        }
    }
}
