//! Child processes: how they are started, and what their end means.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::Context;

use crate::command::Exit;
use crate::{cpu, setup};

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A cargo whose builds find OpenBLAS and whose programs run it well.
pub(crate) fn cargo_with_blas() -> Command {
    let mut command = cargo();
    let cpuinfo = cpu::cpuinfo();
    let is_set = |name: &str| std::env::var_os(name).is_some();
    command.envs(cpu::openblas_environment(is_set, cpuinfo.as_deref()));
    command.envs(setup::pkg_config_environment());
    // Tests run in their crate's folder: a path relative to ours would mislead.
    if let Some(folder) = std::env::var_os("GAUSSFIELD_DATA").filter(|folder| !folder.is_empty()) {
        command.env("GAUSSFIELD_DATA", absolute(folder));
    }
    command
}

/// Runs to the end with this program's terminal; the child's status is ours.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<Exit> {
    let status = command.status().with_context(|| cannot_start(command))?;
    Ok(exit_of(status))
}

/// Runs and returns what was printed; a failure carries the child's words.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        anyhow::bail!("`{}` failed:\n{}", line(command), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True if the program exists and ends well; prints nothing.
pub(crate) fn succeeds(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    quiet(Command::new(program).args(arguments))
}

/// True if the command exists and ends well; prints nothing.
pub(crate) fn quiet(command: &mut Command) -> bool {
    let nothing = (Stdio::null(), Stdio::null(), Stdio::null());
    let status = command.stdin(nothing.0).stdout(nothing.1).stderr(nothing.2).status();
    status.is_ok_and(|status| status.success())
}

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    // `cargo run` names this crate's folder; a moved checkout stays right.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_path_buf)
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => absolute(folder),
        None => root().join("target"),
    }
}

fn absolute(folder: OsString) -> PathBuf {
    std::path::absolute(&folder).unwrap_or_else(|_| PathBuf::from(folder))
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", line(command))
}

fn exit_of(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        // The shell's way to report a child that a signal ended.
        return Exit(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    match status.code() {
        Some(code) => Exit(u8::try_from(code).unwrap_or(u8::MAX)),
        None => Exit::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_what_one_would_type() {
        let mut command = Command::new("bin/cargo");
        command.args(["test", "--workspace"]);
        assert_eq!(line(&command), "cargo test --workspace");
    }

    #[test]
    #[cfg(unix)]
    fn the_childs_status_is_kept() {
        let sh = |script: &str| run(Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!(sh("exit 0"), Exit::SUCCESS);
        assert_eq!(sh("exit 7"), Exit(7));
        assert_eq!(sh("kill -TERM $$"), Exit(128 + 15));
        assert!(run(&mut Command::new("no-such-program-here")).is_err());
    }

    #[test]
    fn root_holds_the_workspace() {
        assert!(root().join("Cargo.toml").exists());
        assert!(root().join("xtask").is_dir());
    }
}
