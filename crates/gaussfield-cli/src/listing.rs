//! A list of rows: a table on the terminal, a table in a file, JSON for programs.

use crate::failure::Failure;
use crate::output::{Sheet, Target};
use crate::run::Console;
use console::{Alignment, measure_text_width, pad_str};
use serde_json::{Map, Value};

/// Rows shown on a terminal; a file has all.
const SHOWN: usize = 30;

/// A list with named columns.
#[derive(Debug)]
pub(crate) struct List {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Entry>>,
}

/// One cell.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Text(String),
    Number(f64),
    Count(usize),
    Nothing,
}

impl From<&str> for Entry {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Entry {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => format!("{number:.3}"),
            Self::Count(count) => count.to_string(),
            Self::Nothing => "–".to_owned(),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Count(count) => Some(*count as f64),
            Self::Text(_) | Self::Nothing => None,
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => text.clone().into(),
            Self::Number(number) => (*number).into(),
            Self::Count(count) => (*count).into(),
            Self::Nothing => Value::Null,
        }
    }

    fn side(&self) -> Alignment {
        if matches!(self, Self::Text(_)) { Alignment::Left } else { Alignment::Right }
    }
}

impl List {
    pub(crate) fn new(columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row of as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Entry>) {
        let mut cells: Vec<Entry> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Entry::Nothing);
        self.rows.push(cells);
    }

    /// A column is one of texts if any of its cells is.
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        for (at, name) in self.columns.iter().enumerate() {
            let cells = || self.rows.iter().map(|row| &row[at]);
            if cells().any(|cell| matches!(cell, Entry::Text(_))) {
                let text = |cell: &Entry| (!matches!(cell, Entry::Nothing)).then(|| cell.shown());
                sheet.texts(name, cells().map(text));
            } else {
                sheet.numbers(name, cells().map(Entry::number));
            }
        }
        sheet
    }

    fn json(&self) -> Value {
        let object = |row: &Vec<Entry>| {
            let cells = self.columns.iter().zip(row);
            cells.map(|(name, cell)| ((*name).to_owned(), cell.json())).collect::<Map<_, _>>()
        };
        self.rows.iter().map(object).collect()
    }

    /// Columns side by side; what does not fit the terminal is cut.
    pub(crate) fn text(&self, console: &Console) -> String {
        let rows = &self.rows[..self.rows.len().min(SHOWN)];
        let width_of = |column: usize| {
            let cells = rows.iter().map(|row| measure_text_width(&row[column].shown()));
            cells.max().unwrap_or_default().max(self.columns[column].len())
        };
        let mut widths: Vec<usize> = (0..self.columns.len()).map(width_of).collect();
        fit(&mut widths, console.width());
        let side = |column: usize| rows.first().map_or(Alignment::Left, |row| row[column].side());
        let line = |cells: Vec<String>| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                pad_str(cell, width, side(column), Some("…")).into_owned()
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let heading = line(self.columns.iter().map(|&name| name.to_owned()).collect());
        let mut text = console.bold(&heading);
        for row in rows {
            text.push('\n');
            text.push_str(&line(row.iter().map(Entry::shown).collect()));
        }
        if self.rows.len() > SHOWN {
            text.push_str(&format!("\n… and {} more; --output has all", self.rows.len() - SHOWN));
        }
        text
    }
}

/// Spaces between columns.
const BETWEEN: usize = 2;
/// No column becomes narrower.
const NARROWEST: usize = 6;

/// Takes from the widest columns, again and again, until all fit or none can give more.
fn fit(widths: &mut [usize], most: usize) {
    let all = |widths: &[usize]| widths.iter().sum::<usize>() + BETWEEN * (widths.len().max(1) - 1);
    while all(widths) > most {
        // Of equally wide ones the last gives: texts that may be cut stand there.
        match widths.iter_mut().rev().max_by_key(|width| **width) {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => return,
        }
    }
}

/// Hands the list over, with a sentence before it and facts for programs.
pub(crate) fn hand_over(
    list: &List,
    sentence: &str,
    mut facts: Map<String, Value>,
    (json, target): (bool, Option<Target>),
    console: &Console,
) -> Result<(), Failure> {
    if let Some(target) = &target {
        target.write(&list.sheet().bytes(target)?, console)?;
    }
    let beside = target.as_ref().is_some_and(Target::is_stdout);
    if json {
        facts.insert("rows".to_owned(), list.json());
        return console.json(facts, beside);
    }
    let mut text = sentence.to_owned();
    match &target {
        Some(target) => text.push_str(&format!("\nwritten to {target}")),
        None if list.rows.is_empty() => {}
        None => text.push_str(&format!("\n\n{}", list.text(console))),
    }
    console.tell_unless_quiet(&text, beside)
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn wide_columns_give_first() {
        let mut widths = [4, 40, 11, 30];
        fit(&mut widths, 60);
        assert_eq!(widths.iter().sum::<usize>() + 3 * 2, 60);
        assert_eq!((widths[0], widths[2]), (4, 11), "narrow ones stay");
        assert!(widths[1].abs_diff(widths[3]) <= 1, "{widths:?}");
        let mut few = [5, 6, 30];
        fit(&mut few, 10);
        assert_eq!(few, [5, 6, 6], "what cannot fit is as narrow as may be");
        let mut fitting = [20, 30];
        fit(&mut fitting, 52);
        assert_eq!(fitting, [20, 30]);
    }
}
