//! KEEL `.dat` files: a header of `@` lines, then comma-separated rows.
//!
//! ```text
//! @relation iris
//! @attribute petalLength real [1.0, 6.9]
//! @attribute class {setosa, virginica}
//! @inputs petalLength
//! @outputs class
//! @data
//! 1.4, setosa
//! ```
//!
//! The label is the column that `@outputs` (or `@output`) names, or the last one. Its classes
//! stand in the declared order. The other columns are features and must be numbers. A file
//! without any `@` line has its class last and names nothing.

use super::{memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Array2;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Reads a file. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Dataset, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// Reads bytes; `path` names them in messages. KEEL writes a missing value as `<null>` or `?`:
/// in the label column it means that the row has no label, in a feature column it is an error.
///
/// # Errors
/// An empty file, an unknown or repeated attribute, a row of another length, a feature that is no
/// finite number, a class that is not declared.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Dataset, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let text = source::utf8(&mut memory, bytes)?;
    let (lines, commas) = (source::most_lines(&text), source::occurrences(&text, b','));
    memory.items("the numbers", lines + commas, 3 * 8)?;
    memory.items("the line at hand", longest(&text), 3 * 16)?;
    memory.items("the names", lines, 160 + source::NAMED_ROW)?;
    memory.items("the names", commas + 6 * text.len(), 1)?;
    let (mut header, mut in_data) = (Header::default(), false);
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    let (mut width, mut label_at) = (0, 0);
    for (line, content) in source::content_lines(&text, &['%']) {
        if content.starts_with('@') && !in_data {
            in_data = header.line(path, line, content)?;
            continue;
        }
        let cells: Vec<&str> = content.split(',').map(str::trim).collect();
        if labels.is_empty() {
            in_data = true;
            width = if header.names.is_empty() { cells.len() } else { header.names.len() };
            label_at = header.label(path, width)?;
        }
        if cells.len() != width {
            let (expected, got) = (width, cells.len());
            return Err(DataError::Ragged { path: path.to_owned(), line, expected, got });
        }
        for (at, cell) in cells.iter().enumerate() {
            if at == label_at {
                labels.push(header.class(path, line, cell)?);
            } else {
                let name = || format!("attribute {}", header.name(at));
                features.push(source::finite(path, line, name, cell)?);
            }
        }
    }
    if labels.is_empty() {
        return Err(source::empty(path, "there is no row of data", "add rows after @data"));
    }
    let dim = width.saturating_sub(1);
    if dim == 0 {
        let what = "there is no attribute besides the class";
        return Err(source::empty(path, what, "add an attribute of numbers"));
    }
    let rows = Array2::from_shape_vec((labels.len(), dim), features).map_err(|error| {
        DataError::Format {
            path: path.to_owned(),
            problem: error.to_string(),
            remedy: "give every row the same number of cells".to_owned(),
        }
    })?;
    header.dataset(path, Points::dense(rows)?, labels, label_at)
}

/// What the `@` lines say.
#[derive(Default)]
struct Header {
    relation: Option<String>,
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// The declared values of nominal attributes.
    values: Vec<Option<Vec<String>>>,
    output: Option<String>,
    label_values: Option<Vec<String>>,
    label_places: HashMap<String, usize>,
}

impl Header {
    /// Takes one `@` line; true for `@data`.
    fn line(&mut self, path: &Path, line: usize, content: &str) -> Result<bool, DataError> {
        let (keyword, rest) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        let rest = rest.trim();
        match keyword.to_ascii_lowercase().as_str() {
            "@relation" => self.relation = Some(rest.to_owned()),
            "@attribute" => {
                let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
                let (name, kind) = rest.split_at(end);
                if name.is_empty() {
                    return Err(source::refused(path, line, "@attribute", rest, "a name"));
                }
                if let Some(&first) = self.places.get(name) {
                    return Err(DataError::DuplicateColumn {
                        path: path.to_owned(),
                        line,
                        name: source::shown(name),
                        first: first + 1,
                        second: self.names.len() + 1,
                    });
                }
                self.places.insert(name.to_owned(), self.names.len());
                self.names.push(name.to_owned());
                self.values.push(nominal(path, line, kind)?);
            }
            "@output" | "@outputs" => self.output = Some(rest.to_owned()),
            "@input" | "@inputs" => {}
            "@data" => return Ok(true),
            _ => {
                let expected = "@relation, @attribute, @inputs, @outputs or @data";
                return Err(source::refused(path, line, "header", keyword, expected));
            }
        }
        Ok(false)
    }

    /// The place of the label among `width` columns.
    fn label(&mut self, path: &Path, width: usize) -> Result<usize, DataError> {
        let at = match &self.output {
            None => width.saturating_sub(1),
            Some(name) => {
                self.places.get(name).copied().ok_or_else(|| DataError::NoSuchColumn {
                    path: path.to_owned(),
                    name: source::shown(name),
                    available: self.names.clone(),
                })?
            }
        };
        self.label_values = self.values.get_mut(at).and_then(Option::take);
        let declared = self.label_values.iter().flatten().enumerate();
        self.label_places = declared.map(|(at, value)| (value.clone(), at)).collect();
        Ok(at)
    }

    fn name(&self, at: usize) -> String {
        match self.names.get(at) {
            Some(name) => format!("{name:?}"),
            None => (at + 1).to_string(),
        }
    }

    /// The class a cell names, or none.
    fn class(&self, path: &Path, line: usize, cell: &str) -> Result<Option<String>, DataError> {
        if matches!(cell, "" | "?" | "<null>") {
            return Ok(None);
        }
        if let Some(values) = &self.label_values
            && !self.label_places.contains_key(cell)
        {
            let some: Vec<&str> = values.iter().take(9).map(String::as_str).collect();
            let expected = format!("one of the declared classes {}", some.join(", "));
            return Err(source::refused(path, line, "class", cell, source::shown(&expected)));
        }
        Ok(Some(cell.to_owned()))
    }

    fn dataset(
        self,
        path: &Path,
        points: Points,
        labels: Vec<Option<String>>,
        label_at: usize,
    ) -> Result<Dataset, DataError> {
        let labels = match self.label_values {
            None => Labels::from_names(labels),
            Some(names) => {
                let number = |label: &Option<String>| {
                    label.as_ref().and_then(|label| self.label_places.get(label).copied())
                };
                Labels::new(labels.iter().map(number).collect(), names)?
            }
        };
        let mut names = self.names;
        let feature_names = (!names.is_empty()).then(|| {
            names.remove(label_at);
            names
        });
        let name = self.relation.unwrap_or_else(|| source::stem(path));
        Ok(Dataset { feature_names, ..Dataset::new(name, points, labels) })
    }
}

/// Characters of the longest line.
fn longest(text: &str) -> usize {
    text.lines().map(str::len).max().unwrap_or(0)
}

/// The values in braces, if the attribute is nominal.
fn nominal(path: &Path, line: usize, kind: &str) -> Result<Option<Vec<String>>, DataError> {
    let Some(inside) = kind.trim().strip_prefix('{') else { return Ok(None) };
    let inside = inside.split('}').next().unwrap_or_default();
    let values: Vec<String> = inside
        .split(',')
        .map(|value| value.trim().to_owned())
        .filter(|value| !value.is_empty())
        .collect();
    let mut seen = HashSet::new();
    if let Some(twice) = values.iter().find(|value| !seen.insert(value.as_str())) {
        return Err(source::refused(path, line, "@attribute", twice, "declared once"));
    }
    Ok(Some(values))
}
