//! CSV and TSV with a header line.
//!
//! Every column is a feature, or those that are chosen by name or pattern, but for the label column,
//! the column of the rows' names and the columns that are left out. A cell of a feature column is a
//! finite number; a missing one (empty, `NA`, `?`, …) is an error that names its row, unless
//! [`CsvOptions::impute`] says what takes its place. A cell of the label column is a class name, kept
//! as text; an empty one means that the row has no label. The classes stand in the order in which
//! their names first appear.

use super::missing::{Gaps, Impute, is_missing};
use super::{memory::Memory, names, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// How to read a CSV or TSV file.
///
/// See the example of the [module above](super).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsvOptions {
    label: Option<String>,
    id: Option<String>,
    #[serde(rename = "ignore")]
    ignored: Vec<String>,
    features: Vec<String>,
    impute: Option<Impute>,
    /// The byte's number, such as 59 for a semicolon.
    delimiter: Option<u8>,
}

impl CsvOptions {
    /// No column of labels or names, nothing left out, the delimiter by the file's extension: a tab for
    /// `.tsv` and `.tab` (also before `.gz`), a comma otherwise.
    pub fn new() -> Self {
        Self::default()
    }

    /// The column of the class names.
    #[must_use]
    pub fn label(mut self, column: impl Into<String>) -> Self {
        self.label = Some(column.into());
        self
    }

    /// The column of the rows' own names, kept as text in [`Dataset::ids`].
    #[must_use]
    pub fn id(mut self, column: impl Into<String>) -> Self {
        self.id = Some(column.into());
        self
    }

    /// Columns that are features, by name or by pattern (`*` for any text, `?` for a character); may be
    /// called several times. Without a call, every column that has no other role.
    #[must_use]
    pub fn feature(mut self, pattern: impl Into<String>) -> Self {
        self.features.push(pattern.into());
        self
    }

    /// What takes the place of a missing number. Default: nothing, it is an error.
    #[must_use]
    pub fn impute(mut self, impute: Impute) -> Self {
        self.impute = Some(impute);
        self
    }

    /// A column, or all that fit a pattern, that is neither feature, label nor name.
    #[must_use]
    pub fn ignore(mut self, column: impl Into<String>) -> Self {
        self.ignored.push(column.into());
        self
    }

    /// The byte between cells, whatever the extension says.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Reads a file. O(bytes).
    ///
    /// # Errors
    /// As [`CsvOptions::parse`], and [`DataError::Io`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Dataset, DataError> {
        let path = path.as_ref();
        self.parse(path, &source::bytes(path)?)
    }

    /// Reads bytes; `path` names them in messages and gives the delimiter.
    ///
    /// # Errors
    /// An empty file, a header only, a column without a name or named twice, an unknown label,
    /// name or ignored column, no feature column, a row of another length, a feature that is no finite
    /// number.
    pub fn parse(&self, path: &Path, bytes: &[u8]) -> Result<Dataset, DataError> {
        let mut memory = Memory::holding(path, bytes)?;
        let text = source::utf8(&mut memory, bytes)?;
        if text.trim().is_empty() {
            return Err(source::empty(path, "the file is empty", "write a header and rows"));
        }
        let delimiter = self.delimiter.unwrap_or_else(|| delimiter_of(path));
        let most = Most::of(&text, delimiter);
        most.take_for_records(&mut memory)?;
        let mut lines = LineCounter::new(text.as_bytes());
        let mut records = records_of(&text, delimiter);
        let mut record = ::csv::StringRecord::new();

        next_record(path, &mut records, &mut record)?;
        let header: Vec<String> = record.iter().map(str::to_owned).collect();
        let columns = self.columns(path, lines.line_of(&record), header)?;

        let named = usize::from(columns.label.is_some()) + usize::from(columns.id.is_some());
        most.take_for_rows(&mut memory, named)?;
        let rows = (most.cells / columns.names.len()).min(most.lines);
        let mut features = Vec::with_capacity(rows * columns.features.len());
        let (mut labels, mut ids) = (Vec::with_capacity(rows), Vec::new());
        if columns.id.is_some() {
            ids.reserve_exact(rows);
        }
        let mut gaps = Gaps::default();
        while next_record(path, &mut records, &mut record)? {
            let line = lines.line_of(&record);
            if record.len() != columns.names.len() {
                let (expected, got) = (columns.names.len(), record.len());
                return Err(DataError::Ragged { path: path.to_owned(), line, expected, got });
            }
            for &column in &columns.features {
                let cell = record.get(column).unwrap_or_default();
                if is_missing(cell) {
                    gaps.note(line, column);
                    features.push(f64::NAN);
                    continue;
                }
                let name = || columns.names[column].clone();
                features.push(feature(path, line, name, cell)?);
            }
            if let Some(id) = columns.id.and_then(|column| record.get(column)) {
                ids.push(id.to_owned());
            }
            let label = columns.label.and_then(|column| record.get(column));
            labels.push(label.filter(|label| !label.is_empty()).map(str::to_owned));
        }
        if labels.is_empty() {
            return Err(source::empty(path, "there is a header but no row", "add rows"));
        }
        let shape = (labels.len(), columns.features.len());
        let mut rows =
            Array2::from_shape_vec(shape, features).map_err(|error| DataError::Format {
                path: path.to_owned(),
                problem: error.to_string(),
                remedy: "give every row the same number of cells".to_owned(),
            })?;
        gaps.fill(path, &columns.names, &columns.features, self.impute, &mut rows)?;
        let name = |&column: &usize| columns.names[column].clone();
        Ok(Dataset {
            feature_names: Some(columns.features.iter().map(name).collect()),
            ids: columns.id.map(|_| ids),
            ..Dataset::new(source::stem(path), Points::dense(rows)?, Labels::from_names(labels))
        })
    }

    /// The cells of some columns as text, for what is no number: words, names, classes. A list for
    /// each of the columns, in the order asked for.
    ///
    /// # Errors
    /// A column that is not there, a row of another length.
    pub fn parse_text(
        &self,
        path: &Path,
        bytes: &[u8],
        columns: &[&str],
    ) -> Result<Vec<Vec<String>>, DataError> {
        let mut memory = Memory::holding(path, bytes)?;
        let text = source::utf8(&mut memory, bytes)?;
        let delimiter = self.delimiter.unwrap_or_else(|| delimiter_of(path));
        let most = Most::of(&text, delimiter);
        most.take_for_records(&mut memory)?;
        most.take_for_rows(&mut memory, columns.len())?;
        let mut lines = LineCounter::new(text.as_bytes());
        let mut records = records_of(&text, delimiter);
        let mut record = ::csv::StringRecord::new();
        next_record(path, &mut records, &mut record)?;
        let header: Vec<String> = record.iter().map(str::to_owned).collect();
        let place = |name: &&str| {
            header.iter().position(|own| own == name).ok_or_else(|| DataError::NoSuchColumn {
                path: path.to_owned(),
                name: (*name).to_owned(),
                available: header.iter().map(|name| source::shown(name)).collect(),
            })
        };
        let places = columns.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let mut found = vec![Vec::new(); columns.len()];
        while next_record(path, &mut records, &mut record)? {
            let line = lines.line_of(&record);
            if record.len() != header.len() {
                let (expected, got) = (header.len(), record.len());
                return Err(DataError::Ragged { path: path.to_owned(), line, expected, got });
            }
            for (cells, &place) in found.iter_mut().zip(&places) {
                cells.push(record.get(place).unwrap_or_default().to_owned());
            }
        }
        Ok(found)
    }

    /// Sorts the header's columns into features, label and ignored ones.
    fn columns(&self, path: &Path, line: usize, names: Vec<String>) -> Result<Columns, DataError> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (column, name) in names.iter().enumerate() {
            if let Some(&first) = places.get(name.as_str()) {
                return Err(DataError::DuplicateColumn {
                    path: path.to_owned(),
                    line,
                    name: source::shown(name),
                    first: first + 1,
                    second: column + 1,
                });
            }
            places.insert(name, column);
        }
        let find = |name: &String| {
            places.get(name.as_str()).copied().ok_or_else(|| DataError::NoSuchColumn {
                path: path.to_owned(),
                name: name.clone(),
                available: names.iter().map(|name| source::shown(name)).collect(),
            })
        };
        let label = self.label.as_ref().map(find).transpose()?;
        let id = self.id.as_ref().map(find).transpose()?;
        let fitting = |pattern: &String| match find(pattern) {
            Ok(column) => Ok(vec![column]),
            Err(unknown) => {
                let fits = |&column: &usize| names::fits(pattern, &names[column]);
                let all: Vec<usize> = (0..names.len()).filter(fits).collect();
                if all.is_empty() { Err(unknown) } else { Ok(all) }
            }
        };
        let mut others: Vec<usize> = Vec::new();
        for pattern in &self.ignored {
            others.extend(fitting(pattern)?);
        }
        others.extend(label.iter().chain(&id));
        let mut chosen = vec![self.features.is_empty(); names.len()];
        for pattern in &self.features {
            fitting(pattern)?.into_iter().for_each(|column| chosen[column] = true);
        }
        others.into_iter().for_each(|column| chosen[column] = false);
        let features: Vec<usize> = (0..names.len()).filter(|&column| chosen[column]).collect();
        if let Some(column) = features.iter().find(|&&column| names[column].is_empty()) {
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: format!("line {line}: column {} has no name", column + 1),
                remedy: "name it, or leave it out by ignoring the column \"\"".to_owned(),
            });
        }
        if features.is_empty() {
            let what = "no column is left as a feature";
            return Err(source::empty(path, what, "add a column of numbers"));
        }
        let numbers: Vec<f64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        if numbers.len() == names.len() && numbers.iter().any(|number| number.fract() != 0.0) {
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: format!("line {line} holds numbers where the column names should stand"),
                remedy: "add a header line".to_owned(),
            });
        }
        Ok(Columns { features, label, id, names })
    }
}

/// How much of everything there may be in a text.
struct Most {
    bytes: usize,
    lines: usize,
    cells: usize,
    /// Bytes of one record; a quote may run over lines.
    record: usize,
}

impl Most {
    fn of(text: &str, delimiter: u8) -> Self {
        let lines = source::most_lines(text);
        let cells = lines + source::occurrences(text, delimiter);
        let quoted = text.contains('"');
        let longest = || text.split(['\n', '\r']).map(str::len).max().unwrap_or(0);
        let record = if quoted { text.len() } else { longest() };
        Self { bytes: text.len(), lines, cells, record }
    }

    /// A record and its bounds, which grow by doubling, and the names of the columns.
    fn take_for_records(&self, memory: &mut Memory<'_>) -> Result<(), DataError> {
        memory.items("a row", self.record, 3)?;
        memory.items("the columns", self.cells.min(self.record + 1), 24 + 120)
    }

    /// All numbers, and the texts of `named` columns.
    fn take_for_rows(&self, memory: &mut Memory<'_>, named: usize) -> Result<(), DataError> {
        memory.items("the numbers", self.cells, 8)?;
        memory.items("the rows", self.lines, 40 + named * (40 + source::NAMED_ROW))?;
        memory.items("the names of the rows", named * self.bytes, 3)
    }
}

/// A finite number from a cell of a feature column, whose name is only made for the message.
fn feature(
    path: &Path,
    line: usize,
    column: impl Fn() -> String,
    cell: &str,
) -> Result<f64, DataError> {
    source::finite(path, line, || format!("column {:?}", column()), cell).map_err(|error| {
        match error {
            DataError::Parse { path, line, value, .. } => {
                DataError::NotANumber { path, line, column: column(), value }
            }
            other => other,
        }
    })
}

/// The roles of the columns.
struct Columns {
    names: Vec<String>,
    features: Vec<usize>,
    label: Option<usize>,
    id: Option<usize>,
}

fn delimiter_of(path: &Path) -> u8 {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if name.ends_with(".tsv") || name.ends_with(".tab") { b'\t' } else { b',' }
}

fn records_of(text: &str, delimiter: u8) -> ::csv::Reader<&[u8]> {
    ::csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(::csv::Trim::All)
        .from_reader(text.as_bytes())
}

fn next_record(
    path: &Path,
    records: &mut ::csv::Reader<&[u8]>,
    record: &mut ::csv::StringRecord,
) -> Result<bool, DataError> {
    records.read_record(record).map_err(|error| DataError::Format {
        path: path.to_owned(),
        problem: error.to_string(),
        remedy: "save the file as plain CSV in UTF-8".to_owned(),
    })
}

/// Turns the byte at which a record starts into the line an editor shows.
///
/// The parser's own line number is that of the place where it stopped before the record, which
/// is a line or more too small after blank lines and after CR LF.
struct LineCounter<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1 }
    }

    fn line_of(&mut self, record: &::csv::StringRecord) -> usize {
        let start = record.position().map_or(0, ::csv::Position::byte);
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(self.text.len());
        while let Some(&byte) = self.text.get(self.at)
            && (self.at < start || byte == b'\n' || byte == b'\r')
        {
            self.at += 1;
            // CR LF is one line end, and a lone CR is one too.
            if byte == b'\n' || (byte == b'\r' && self.text.get(self.at) != Some(&b'\n')) {
                self.line += 1;
            }
        }
        self.line
    }
}
