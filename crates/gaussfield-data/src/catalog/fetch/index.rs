//! Where package indexes are: what the user's environment or package clients say.
//!
//! No address stands here: pip and npm know theirs, with the user's mirrors. They are asked for
//! nothing else, and nothing of a package is ever run.

use crate::DataError;
use crate::catalog::ClientKind;
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// The variable that names the index of Python packages, for pip and here.
const PIP_VARIABLE: &str = "PIP_INDEX_URL";

/// A program and the arguments that come first, such as `python3 -I -m pip`.
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

    /// What the program prints, if it succeeds.
    fn answer(&self, arguments: &[&str]) -> Option<String> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(arguments).stdin(Stdio::null());
        // Wide, so that no address in a help text is broken.
        command.env("COLUMNS", "1000").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The command line, for messages.
    fn shown(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }
}

/// Where the index of a package client is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Index {
    /// At this address.
    At(String),
    /// Where the first of these commands that knows it says.
    Asked(Vec<ClientCommand>),
}

/// The indexes of the package clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexes {
    /// Of Python packages: pages of links, one for each package (PEP 503).
    pub pip: Index,
    /// Of Node packages.
    pub npm: Index,
}

impl Indexes {
    /// The indexes of this user: `PIP_INDEX_URL`, else what pip and npm are configured for.
    ///
    /// Python is asked in isolated mode, so that no file of the current folder is taken for pip.
    pub fn from_env() -> Self {
        let set = std::env::var(PIP_VARIABLE).ok().filter(|address| !address.is_empty());
        let pip = set.map_or_else(|| Index::Asked(pip_commands()), Index::At);
        let npm =
            Index::Asked(vec![ClientCommand::new("npm", &[]), ClientCommand::new("npm.cmd", &[])]);
        Self { pip, npm }
    }

    /// The address of a client's index.
    ///
    /// # Errors
    /// [`DataError::NoIndex`] if no command knows it.
    pub(super) fn address(&self, kind: ClientKind) -> Result<String, DataError> {
        let (index, ask, remedy): (_, fn(&ClientCommand) -> Option<String>, _) = match kind {
            ClientKind::Pip => (
                &self.pip,
                ask_pip,
                "install Python 3 with pip, or set PIP_INDEX_URL to the address of an index",
            ),
            ClientKind::Npm => (&self.npm, ask_npm, "install Node.js with npm"),
        };
        let ways = match index {
            Index::At(address) => return Ok(address.clone()),
            Index::Asked(ways) => ways,
        };
        ways.iter().find_map(ask).ok_or_else(|| DataError::NoIndex {
            client: kind.to_string(),
            tried: ways.iter().map(ClientCommand::shown).collect::<Vec<_>>().join(", "),
            remedy: remedy.to_owned(),
        })
    }
}

/// The ways to call pip.
fn pip_commands() -> Vec<ClientCommand> {
    vec![
        ClientCommand::new("python3", &["-I", "-m", "pip"]),
        ClientCommand::new("python", &["-I", "-m", "pip"]),
        ClientCommand::new("pip3", &[]),
        ClientCommand::new("pip", &[]),
    ]
}

/// The index in pip's configuration, else the one that pip uses by itself, which only the help on
/// its option `--index-url` tells.
fn ask_pip(client: &ClientCommand) -> Option<String> {
    if let Some(address) = client.answer(&["config", "get", "global.index-url"]).and_then(address) {
        return Some(address);
    }
    let help = client.answer(&["download", "--help"])?;
    let (_, option) = help.split_once("--index-url")?;
    let (_, default) = option.split_once("(default")?;
    address(default.split_once(')')?.0.to_owned())
}

fn ask_npm(client: &ClientCommand) -> Option<String> {
    client.answer(&["config", "get", "registry"]).and_then(address)
}

/// The text without blanks around it, if it is an address that can be asked.
fn address(text: String) -> Option<String> {
    let text = text.trim();
    let known = text.starts_with("https://") || text.starts_with("http://");
    (known && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_named_pip_in_the_current_folder_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let (planted, ran) = (folder.path().join("pip.py"), folder.path().join("ran"));
        std::fs::write(planted, format!("open({ran:?}, 'w')\n")).unwrap();
        let there = |command: ClientCommand| {
            let mut arguments: Vec<OsString> =
                vec!["-c".into(), "cd \"$0\" && exec \"$@\"".into(), folder.path().into()];
            arguments.push(command.program);
            arguments.extend(command.arguments);
            ClientCommand { program: "sh".into(), arguments }
        };
        for command in pip_commands() {
            let _ = ask_pip(&there(command.clone()));
            assert!(!ran.exists(), "{}", command.shown());
        }
        // Without isolation it would be, wherever there is a Python.
        if ClientCommand::new("python3", &[]).answer(&["--version"]).is_some() {
            let _ = ask_pip(&there(ClientCommand::new("python3", &["-m", "pip"])));
            assert!(ran.exists());
        }
    }
}
