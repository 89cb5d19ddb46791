//! What can go wrong with data, with place and remedy.

use gaussfield_core::Cancelled;
use gaussfield_labels::LabelsError;
use gaussfield_points::PointsError;
use std::path::{Path, PathBuf};

/// What can go wrong with data: reading, generating, splitting, fetching.
///
/// Lines are 1-based, as an editor shows them. Every message names the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The operating system refused to read or write.
    #[error("{}: {source}; check that the path exists and may be used", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A value in a text file is not what its place demands.
    #[error(
        "{}, line {line}, {column}: {value:?} is not {expected}; correct the value or remove \
         the line", .path.display()
    )]
    Parse {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// The column's name, or what the value stands for.
        column: String,
        /// The text found.
        value: String,
        /// What should stand there.
        expected: String,
    },
    /// A feature column of a table holds text.
    #[error(
        "{}, line {line}, column {column:?}: {value:?} is not a number; correct the value{}, or \
         ignore the column {column:?}", .path.display(), comma_hint(.value)
    )]
    NotANumber {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// The column's name.
        column: String,
        /// The text found.
        value: String,
    },
    /// Numbers are missing.
    #[error(
        "{}, line {}, column {column:?}: the value is missing, as {cells} {} ({column:?}: {}); fill \
         them in, ignore the column, or ask for imputation (mean, median or zero)",
        .path.display(), .lines.first().copied().unwrap_or_default(),
        if *.cells == 1 { "cell is in all" } else { "cells are in all" }, lines_listed(.lines)
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The first column with a gap that could not be filled.
        column: String,
        /// Missing cells in all feature columns.
        cells: usize,
        /// 1-based lines with a gap in this column.
        lines: Vec<usize>,
    },
    /// A row has more or fewer cells than the rows before it.
    #[error(
        "{}, line {line}: the row has {got} cell{}, but {expected} {} needed; add or remove \
         cells, and quote cells that contain the delimiter", .path.display(),
        if *.got == 1 { "" } else { "s" }, if *.expected == 1 { "is" } else { "are" }
    )]
    Ragged {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// Cells needed.
        expected: usize,
        /// Cells found.
        got: usize,
    },
    /// A column that was asked for is not in the header.
    #[error(
        "{}: there is no column {name:?}; choose one of: {}", .path.display(), listed(.available)
    )]
    NoSuchColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names in the header.
        available: Vec<String>,
    },
    /// The column would be there if cells ended elsewhere.
    #[error(
        "{}: the cells of the header end with {found:?}, not with {used:?}; name the delimiter \
         {found:?}", .path.display()
    )]
    Delimiter {
        /// The file.
        path: PathBuf,
        /// The character that is between the cells, as it seems.
        found: char,
        /// The one that was taken to be.
        used: char,
    },
    /// Two columns have the same name.
    #[error(
        "{}, line {line}: columns {first} and {second} are both named {name:?}; rename one",
        .path.display()
    )]
    DuplicateColumn {
        /// The file.
        path: PathBuf,
        /// 1-based line of the header.
        line: usize,
        /// The name.
        name: String,
        /// 1-based column of its first use.
        first: usize,
        /// 1-based column of its second use.
        second: usize,
    },
    /// There is nothing to read.
    #[error("{}: {what}; {remedy}", .path.display())]
    Empty {
        /// The file or folder.
        path: PathBuf,
        /// What is missing.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// A number in a file is NaN or infinite.
    #[error(
        "{}, line {line}, {column}: {value} is not finite; fill in the value or remove the row",
        .path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// 1-based line; for binary files the 1-based row.
        line: usize,
        /// The column's name.
        column: String,
        /// The value as written.
        value: String,
    },
    /// The bytes do not follow the format.
    #[error("{}: {problem}; {remedy}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// A member of an archive, a variable or a group that was asked for is not there.
    #[error("{}: there is no {name:?}; choose one of: {}", .path.display(), listed(.available))]
    NoSuchMember {
        /// The archive, file or folder.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names present.
        available: Vec<String>,
    },
    /// A file asks for more memory than a reader may use.
    #[error(
        "{}: {what} would need {bytes} bytes of memory with all that comes before, more than the \
         limit of {limit}; split the file, or raise the limit (`read::within`)", .path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is large.
        what: String,
        /// Bytes needed.
        bytes: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// Points and labels that belong together differ in number.
    #[error(
        "{}: {labels} labels for {points} points; give files that belong together",
        .path.display()
    )]
    LengthMismatch {
        /// The file of the labels.
        path: PathBuf,
        /// Number of points.
        points: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A file is not the one the catalogue describes.
    #[error(
        "{}: sha256 is {got}, but {expected} is expected; the file is damaged or another one: \
         remove it and fetch it again", .path.display()
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The sum expected.
        expected: String,
        /// The sum found.
        got: String,
    },
    /// An argument of a function is outside its range.
    #[error("{name} is {value}, but must be {expected}")]
    Argument {
        /// The argument's name.
        name: &'static str,
        /// The value given.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// No draw of the labelled nodes held every class.
    #[error(
        "{tries} draws of {labelled} labelled nodes all missed one of the {classes} classes; \
         ask for more labels or use a stratified split"
    )]
    Redraws {
        /// Labels asked for.
        labelled: usize,
        /// Classes that occur.
        classes: usize,
        /// Draws made.
        tries: usize,
    },
    /// A data set the catalogue does not have.
    #[error("there is no data set {name:?} in the catalogue; choose one of: {}", listed(.known))]
    UnknownDataset {
        /// The name asked for.
        name: String,
        /// The names in the catalogue.
        known: Vec<String>,
    },
    /// A data set that is in the catalogue but not on this machine.
    #[error("the data set {name:?} is not on this machine; {remedy}")]
    Absent {
        /// The data set.
        name: String,
        /// What brings it here.
        remedy: String,
    },
    /// Where packages are is not known.
    #[error("{client} did not say where its package index is (tried: {tried}); {remedy}")]
    NoIndex {
        /// The client, such as pip.
        client: String,
        /// The commands tried.
        tried: String,
        /// How to get it.
        remedy: String,
    },
    /// An address gave nothing.
    #[error(
        "{address}: {problem}; check the network and fetch it again (`SSL_CERT_FILE` names further \
         certificates, `HTTPS_PROXY` a proxy)"
    )]
    Download {
        /// The address, without a password.
        address: String,
        /// What went wrong.
        problem: String,
    },
    /// The cache cannot be written.
    #[error(
        "{} cannot be written: {source}; give write permission, free some space, or set \
         GAUSSFIELD_CACHE to another folder", .path.display()
    )]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The catalogue's text is wrong.
    #[error("the catalogue is not valid: {problem}; correct catalog.toml")]
    Catalog {
        /// What is wrong.
        problem: String,
    },
    /// Reading was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The points are wrong.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// The labels are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
}

impl DataError {
    /// An [`DataError::Io`] for a path: `map_err(DataError::io(path))`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// The first few line numbers of a message.
fn lines_listed(lines: &[usize]) -> String {
    const SHOWN: usize = 5;
    let first: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    let more = match lines.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("line{} {}{more}", if lines.len() == 1 { "" } else { "s" }, first.join(", "))
}

/// What to do about a number whose decimals, or thousands, are set off by a comma.
fn comma_hint(value: &str) -> &'static str {
    match value.replace(',', "").trim().parse::<f64>() {
        Ok(_) if value.contains(',') => {
            " (a decimal point, and nothing between thousands, is understood)"
        }
        _ => "",
    }
}

/// Joins names for a message; long lists are cut so that the message stays readable.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "(none)".to_owned();
    }
    let mut text =
        names.iter().take(SHOWN).map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}
