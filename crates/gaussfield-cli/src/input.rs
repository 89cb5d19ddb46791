//! From a file to rows with names and labels, checked for what a command needs.

use crate::arguments::Input;
use crate::failure::Failure;
use crate::formats::{self, FIRST_ROW, Format};
use crate::names::Names;
use crate::{folder, model, table};
use gaussfield::Error;
use gaussfield::data::read::csv::CsvOptions;
use gaussfield::data::read::text::Vocabulary;
use gaussfield::data::{DataError, KeptColumn};
use gaussfield::graph::Graph;
use gaussfield::labels::Labels;
use gaussfield::points::Points;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The rows of a file.
#[derive(Debug)]
pub(crate) struct Table {
    /// The file, as it is named in messages.
    pub(crate) name: String,
    /// What each row is called.
    pub(crate) ids: Names,
    pub(crate) rows: Rows,
    pub(crate) labels: Labels,
    /// What new rows need to be read alike.
    pub(crate) columns: Columns,
    /// Columns that go into the answer as they stand.
    pub(crate) kept: Vec<KeptColumn>,
}

/// What the features are, so that new rows can be read alike.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    /// Their names, in order.
    pub(crate) features: Option<Vec<String>>,
    /// The words of a text column.
    pub(crate) vocabulary: Option<Vocabulary>,
}

/// What the rows are.
#[derive(Debug)]
pub(crate) enum Rows {
    Points(Points),
    /// Nodes of a graph that is there already.
    Graph(Graph),
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Graph(graph) => graph.nodes(),
        }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points(points) if points.dim() == 1 => f.write_str("1 feature"),
            Self::Points(points) => write!(f, "{} features", points.dim()),
            Self::Graph(graph) => write!(f, "a graph of {} edges", graph.edges()),
        }
    }
}

/// What a file holds.
pub(crate) struct Known {
    pub(crate) rows: Rows,
    /// If the file has any.
    pub(crate) labels: Option<Labels>,
    pub(crate) ids: Option<Vec<String>>,
    pub(crate) columns: Columns,
    pub(crate) kept: Vec<KeptColumn>,
}

impl Known {
    /// Rows of which nothing else is known.
    pub(crate) fn of(rows: Rows) -> Self {
        let (labels, ids, kept) = (None, None, Vec::new());
        Self { rows, labels, ids, columns: Columns::default(), kept }
    }
}

/// What a command needs of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Rows; labels if there are any.
    Rows,
    /// Labels of two classes.
    Labels,
    /// And a row without a label.
    Unlabelled,
}

/// Reads the rows and checks that there is something to learn from and about.
pub(crate) fn read(input: &Input, needs: Needs) -> Result<Table, Failure> {
    if model::is_model(&input.file) {
        return Err(Failure::Input(format!(
            "{}: this is a saved model, not rows; `gaussfield predict MODEL FILE` asks it about new \
             ones, and `gaussfield report MODEL` shows it",
            input.file.display()
        )));
    }
    let format = Format::of(input);
    let Known { rows, labels, ids, columns, kept } = match format {
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow => {
            table::read(input, format, needs)?
        }
        Format::Folder => folder::read(input)?,
        _ => {
            refuse_kept(input)?;
            let (path, bytes) = bytes_of(&input.file)?;
            formats::read(format, &path, &bytes)?
        }
    };
    let name = name_of(&input.file).display().to_string();
    check_rows(&name, &rows)?;
    let named = ids.is_some();
    let ids = match ids {
        Some(ids) => Names::distinct(&name, ids, input.id.as_deref().unwrap_or("id"))?,
        // The nodes of a graph are numbered as its file numbers them, rows from 1.
        None if matches!(rows, Rows::Graph(_)) => {
            let first = if format == Format::MatrixMarket { FIRST_ROW } else { 0 };
            Names::Numbered { first, rows: rows.len() }
        }
        None => Names::of_rows(rows.len()),
    };
    let (labels, place) = match (&input.labels, labels) {
        (Some(file), _) => (beside(input, file, &ids, named)?, Place::beside(file)),
        (None, Some(labels)) => (labels, Place::inside(format, input)),
        (None, None) if needs == Needs::Rows => (none(rows.len()), Place::default()),
        (None, None) => {
            return Err(Failure::Input(format!(
                "{name}: the file has no labels; give a table of names and labels with --labels"
            )));
        }
    };
    if labels.len() != rows.len() {
        return Err(Failure::Input(format!(
            "{name}: {} labels for {} rows; give one, or none, for each row",
            labels.len(),
            rows.len()
        )));
    }
    if needs != Needs::Rows {
        check_labels(&name, &labels, &place, needs)?;
    }
    Ok(Table { name, ids, rows, labels, columns, kept })
}

/// No label at all.
fn none(rows: usize) -> Labels {
    Labels::from_names(std::iter::repeat_n(None::<&str>, rows))
}

/// What is no table has no columns that could be handed on.
pub(crate) fn refuse_kept(input: &Input) -> Result<(), Failure> {
    if input.keep.is_empty() {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{}: this is no table with named columns; leave --keep out",
        name_of(&input.file).display()
    )))
}

/// Whether standard input is meant.
pub(crate) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// What to call a file, or standard input.
pub(crate) fn name_of(file: &Path) -> &Path {
    if is_stdin(file) { Path::new("standard input") } else { file }
}

/// The bytes of a file or of standard input, and what to call it.
pub(crate) fn bytes_of(file: &Path) -> Result<(PathBuf, Vec<u8>), Failure> {
    let (path, mut bytes) = (name_of(file).to_owned(), Vec::new());
    let read = match is_stdin(file) {
        true => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        false => std::fs::read(file).map(|all| bytes = all),
    };
    read.map_err(|error| Failure::unreadable(path.clone(), &error))?;
    Ok((path, bytes))
}

/// Labels from a table of names and labels.
fn beside(input: &Input, file: &Path, ids: &Names, named: bool) -> Result<Labels, Failure> {
    let path = name_of(file);
    let id = input.id.as_deref().unwrap_or("id");
    let columns = [id, input.label.as_str()];
    let read = |options| table::texts(&options, Format::of_file(file), file, &columns);
    // The two files need not be alike: what is said of cells is taken where it is needed.
    let asked = input.delimiter.and_then(|asked| u8::try_from(asked).ok());
    let found = match (read(CsvOptions::new()), asked) {
        (Err(DataError::Delimiter { found, .. }), Some(asked)) if found == char::from(asked) => {
            read(CsvOptions::new().delimiter(asked))
        }
        (read, _) => read,
    };
    let found = found.map_err(Error::from)?.columns;
    let [names, classes] = found.as_slice() else { return Ok(none(ids.len())) };
    let mut labels: Vec<Option<&str>> = vec![None; ids.len()];
    let rows = ids.find_each(names.iter().map(String::as_str));
    for ((name, class), row) in names.iter().zip(classes).zip(rows) {
        let Some(row) = row else {
            let rows = if named { "its names" } else { "its row or node numbers" };
            return Err(Failure::Input(format!(
                "{}: there is no row {name:?} in {}; use {rows} in the column {id:?}",
                path.display(),
                input.file.display()
            )));
        };
        if labels[row].is_some() {
            return Err(Failure::Input(format!(
                "{}: the row {name:?} has two labels; remove one of them",
                path.display()
            )));
        }
        labels[row] = Some(class.as_str()).filter(|class| !class.is_empty());
    }
    Ok(Labels::from_names(labels))
}

/// Where labels stand, and how it is said there that one is not known.
#[derive(Debug, Default)]
struct Place {
    at: String,
    unknown: String,
}

impl Place {
    fn beside(file: &Path) -> Self {
        let at = format!("file {}", file.display());
        Self { unknown: format!("leave rows out of the {at}"), at }
    }

    fn inside(format: Format, input: &Input) -> Self {
        let (at, unknown) = match format {
            Format::Folder => (
                "sub-folders that are the names of the classes".to_owned(),
                "put documents into the folder itself".to_owned(),
            ),
            Format::Svmlight => {
                ("first numbers of the lines".to_owned(), "begin lines with 0".to_owned())
            }
            Format::Npz => {
                ("array \"y\"".to_owned(), "write -1, or \"\" among texts, in \"y\"".to_owned())
            }
            _ => {
                let at = format!("column {:?}", input.label);
                (at.clone(), format!("leave labels in the {at} empty"))
            }
        };
        Self { at, unknown }
    }
}

/// Whether there are rows, with something that tells them apart.
fn check_rows(name: &str, rows: &Rows) -> Result<(), Failure> {
    let refuse = |problem: &str| Err(Failure::Input(format!("{name}: {problem}")));
    let Rows::Points(points) = rows else { return Ok(()) };
    if points.is_empty() {
        return refuse("there is no row; add rows");
    }
    if points.dim() == 0 {
        return refuse("the rows have no features; add at least one number to each");
    }
    let Some(all) = points.as_dense() else { return Ok(()) };
    let first = all.row(0);
    if all.nrows() > 1 && all.outer_iter().all(|row| row == first) {
        return refuse(
            "every row has the same features, so that nothing tells the rows apart; add a column in \
             which they differ",
        );
    }
    Ok(())
}

/// Labels of at least two classes, and a row without one if the command is about such.
fn check_labels(name: &str, labels: &Labels, place: &Place, needs: Needs) -> Result<(), Failure> {
    let labelled = labels.labelled().len();
    let refuse = |problem: String| Err(Failure::Input(format!("{name}: {problem}")));
    let Place { at, unknown } = place;
    if labelled == 0 {
        return refuse(format!(
            "no row has a label; fill in a few in the {at}, at least one for each class"
        ));
    }
    if let [only] = labels.names() {
        return refuse(format!(
            "all {labelled} labels are {only:?}; add at least one label of another class to the {at}"
        ));
    }
    if labelled == labels.len() && needs == Needs::Unlabelled {
        return refuse(format!(
            "every row has a label, so that there is nothing to label; {unknown} where the class is \
             not known, or look for wrong labels with `gaussfield audit`"
        ));
    }
    Ok(())
}
