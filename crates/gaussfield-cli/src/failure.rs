//! Why the program ended without doing its work, as a message and an exit code.

use crate::output::Target;
use gaussfield::Error;
use gaussfield::core::files::NotWritten;
use gaussfield::description::DescriptionError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What went wrong. Each kind has an exit code of its own, which `--help` lists.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The data cannot be used as it is.
    #[error("{0}")]
    Input(String),
    /// The output cannot be written, or is there already.
    #[error("{0}")]
    Output(String),
    /// The computation failed.
    #[error("{0}")]
    Work(String),
    /// The user stopped it.
    #[error("interrupted: nothing was written")]
    Interrupted,
}

impl Failure {
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Work(_) => 1,
            Self::Input(_) => 3,
            Self::Output(_) => 4,
            Self::Interrupted => 130,
        })
    }

    /// The same, said after the table was written, which is no reason to throw it away.
    pub(crate) fn though_written(self, target: &Target) -> Self {
        match self {
            Self::Output(problem) => {
                Self::Output(format!("{problem} (the table is written to {target})"))
            }
            other => other,
        }
    }

    /// The output is there and was not to be replaced.
    pub(crate) fn exists(path: &Path) -> Self {
        Self::Output(format!(
            "{}: there is such a file already; choose another name with --output, or replace it with \
             --force",
            path.display()
        ))
    }

    /// The system did not let a file be written.
    pub(crate) fn unwritable(NotWritten { path, source }: NotWritten) -> Self {
        Self::Output(format!(
            "{}: cannot be written ({source}); check that the folder may be written and has space, \
             or choose another place with --output",
            path.display()
        ))
    }

    /// The system did not let a file be read.
    pub(crate) fn unreadable(path: PathBuf, source: &std::io::Error) -> Self {
        Self::Input(format!(
            "{}: {source}; check that the path exists and may be read",
            path.display()
        ))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::NotWritten(error) => Self::unwritable(error),
            Error::Data(_) | Error::Points(_) | Error::Labels(_) | Error::Model(_) => {
                Self::Input(message(&error))
            }
            // What the description says does not go together with itself or with the rows.
            Error::Description(ref told) if is_said_wrongly(told) => Self::Input(message(&error)),
            _ => Self::Work(message(&error)),
        }
    }
}

impl From<DescriptionError> for Failure {
    fn from(error: DescriptionError) -> Self {
        Self::from(Error::from(error))
    }
}

/// Whether a description, or the rows that it is run on, must change before it can be run.
fn is_said_wrongly(error: &DescriptionError) -> bool {
    !matches!(error, DescriptionError::Method { .. } | DescriptionError::Tuning(_))
}

/// The message of an error in one line; what is said of the library becomes what is said here.
fn message(error: &Error) -> String {
    let text = format!("{error:?}").replace("\n  because: ", ": ");
    text.replace("ask for imputation (mean, median or zero)", "use --impute mean, median or zero")
        .replace("or ignore the column", "or leave it out with --ignore")
        .replace("; name the delimiter '", "; say so with --delimiter '")
}
