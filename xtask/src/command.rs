//! What a command is, and how it says that it was misused.

use std::ffi::OsString;

/// One `cargo xtask` command.
pub(crate) struct Command {
    /// The word after `cargo xtask`.
    pub(crate) name: &'static str,
    /// One line for the overview.
    pub(crate) summary: &'static str,
    /// The text of `--help`.
    pub(crate) help: &'static str,
    /// Parses the arguments after the name and does the work.
    pub(crate) run: fn(Vec<OsString>) -> anyhow::Result<Exit>,
}

/// The exit status to end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(pub(crate) u8);

impl Exit {
    pub(crate) const SUCCESS: Exit = Exit(0);
    pub(crate) const FAILURE: Exit = Exit(1);
    pub(crate) const USAGE: Exit = Exit(2);

    pub(crate) fn is_success(self) -> bool {
        self == Exit::SUCCESS
    }
}

/// A misuse of the command line: the command's help follows it, status 2.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    lexopt::Error::from(message.into()).into()
}

/// True for [`usage`] errors and for those of the argument parser itself.
pub(crate) fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<lexopt::Error>()
}
