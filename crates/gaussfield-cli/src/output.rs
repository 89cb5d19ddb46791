//! The labelled table, and where it goes.

use crate::arguments::Written;
use crate::failure::Failure;
use crate::formats::Format;
use crate::input::is_stdin;
use crate::label::Labelled;
use crate::names::Names;
use crate::run::Console;
use gaussfield::Error;
use gaussfield::core::Progress;
use gaussfield::core::files::{NotWritten, write_atomically};
use gaussfield::data::KeptColumn;
use gaussfield::data::read::columnar::{self, Column, Layout};
use gaussfield::labels::Scores;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Rows between two reports.
const HEARD: usize = 1 << 12;

impl Written {
    /// Where the answer goes, if it goes to a file or a stream; what is there is not replaced, which is
    /// found out before any work is done.
    pub(crate) fn target(&self) -> Result<Option<Target>, Failure> {
        let target = self.output.as_deref().map(Target::given);
        target.iter().try_for_each(|target| target.check(self.force))?;
        Ok(target)
    }
}

/// Where a table goes.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

impl Target {
    /// As the option says.
    pub(crate) fn given(output: &Path) -> Self {
        if is_stdin(output) { Self::Stdout } else { Self::File(output.to_owned()) }
    }

    /// As the option says, or beside the input.
    pub(crate) fn new(output: Option<&PathBuf>, input: &Path, what: &str) -> Self {
        match output {
            Some(path) => Self::given(path),
            None if is_stdin(input) => Self::Stdout,
            None => Self::File(beside(input, what)),
        }
    }

    /// How a table is stored there, if not as CSV.
    fn layout(&self) -> Option<Layout> {
        let Self::File(path) = self else { return None };
        match Format::of_file(path) {
            Format::Parquet => Some(Layout::Parquet),
            Format::Arrow => Some(Layout::Arrow),
            _ => None,
        }
    }

    /// What is between the cells of a text.
    fn delimiter(&self) -> u8 {
        match self {
            Self::File(path) if Format::of_file(path) == Format::Tsv => b'\t',
            _ => b',',
        }
    }

    /// Refuses a name that promises what is not written, before any work is done.
    pub(crate) fn check_table(&self) -> Result<(), Failure> {
        const OTHERS: [&str; 4] = [".gz", ".json", ".xls", ".xlsx"];
        let Self::File(path) = self else { return Ok(()) };
        let name = path.to_string_lossy().to_lowercase();
        let table = matches!(
            Format::of_file(path),
            Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow
        );
        if path.is_dir() || (table && !OTHERS.iter().any(|ending| name.ends_with(ending))) {
            return Ok(());
        }
        Err(Failure::Output(format!(
            "{}: tables are written as CSV, TSV, Parquet or Arrow; let the name in --output end with \
             .csv, .tsv, .parquet or .arrow",
            path.display()
        )))
    }

    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// Refuses to replace what is there, before any work is done.
    pub(crate) fn check(&self, force: bool) -> Result<(), Failure> {
        match self {
            Self::File(path) if path.is_dir() => Err(Failure::Output(format!(
                "{}: this is a folder; name a file in it with --output",
                path.display()
            ))),
            Self::File(path) if !force && path.exists() && !is_special(path) => {
                Err(Failure::exists(path))
            }
            _ => Ok(()),
        }
    }

    /// Writes all of it, or nothing.
    pub(crate) fn write(&self, bytes: &[u8], console: &Console) -> Result<(), Failure> {
        match self {
            Self::Stdout => console.bytes(bytes),
            Self::File(path) => {
                tracing::info!("writing {}", path.display());
                if is_special(path) {
                    let written = OpenOptions::new().write(true).open(path);
                    let written = written.and_then(|mut file| file.write_all(bytes));
                    return written.map_err(|source| {
                        Failure::unwritable(NotWritten { path: path.clone(), source })
                    });
                }
                write_atomically(path, bytes).map_err(Failure::unwritable)
            }
        }
    }
}

impl Target {
    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(path),
        }
    }
}

/// Whether this is a device or a pipe: what is written there replaces nothing, and no other file may
/// take its name.
pub(crate) fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// `flowers.csv.gz` gives `flowers.labelled.csv`, the folder `notes` gives `notes.labelled.csv`.
pub(crate) fn beside(input: &Path, what: &str) -> PathBuf {
    // `.` and `..` have names too, somewhere else.
    let whole = input.canonicalize().ok().filter(|_| input.file_name().is_none());
    let input = whole.as_deref().unwrap_or(input);
    let name = input.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    input.with_file_name(format!("{stem}.{what}.csv"))
}

/// A table to be written: columns with names, all of the same length.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    columns: Vec<(String, Column)>,
    /// Digits after the point in CSV; all that a number has if none are said.
    digits: Option<usize>,
}

impl Sheet {
    /// Six digits after the point in CSV, which is more than any probability is worth.
    pub(crate) fn of_probabilities() -> Self {
        Self { columns: Vec::new(), digits: Some(6) }
    }

    pub(crate) fn texts(&mut self, name: &str, texts: impl Iterator<Item = Option<String>>) {
        self.columns.push((name.to_owned(), Column::Text(texts.collect())));
    }

    pub(crate) fn numbers(&mut self, name: &str, numbers: impl Iterator<Item = Option<f64>>) {
        self.columns.push((name.to_owned(), Column::Numbers(numbers.collect())));
    }

    /// Columns of the input, as they stand there; an empty cell is none.
    pub(crate) fn keep(&mut self, kept: &[KeptColumn]) {
        for KeptColumn { name, cells } in kept {
            let cell = |cell: &String| Some(cell.clone()).filter(|cell| !cell.is_empty());
            self.texts(name, cells.iter().map(cell));
        }
    }

    /// The bytes, laid out as the target's ending says.
    pub(crate) fn bytes(self, target: &Target) -> Result<Vec<u8>, Failure> {
        match target.layout() {
            None => self.csv(target.delimiter()),
            Some(layout) => Ok(columnar::write(self.columns, layout).map_err(Error::from)?),
        }
    }

    fn csv(&self, delimiter: u8) -> Result<Vec<u8>, Failure> {
        let unwritten = |error: csv::Error| Failure::Output(error.to_string());
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|(name, _)| name)).map_err(unwritten)?;
        let rows = self.columns.first().map_or(0, |(_, column)| match column {
            Column::Text(texts) => texts.len(),
            Column::Numbers(numbers) => numbers.len(),
        });
        let shown = |number: f64| match self.digits {
            Some(digits) => format!("{number:.digits$}"),
            None => number.to_string(),
        };
        let stage = Progress::stage("writing", Some(rows as u64));
        for row in 0..rows {
            if row % HEARD == HEARD - 1 {
                stage.advance(HEARD as u64).map_err(|_| Failure::Interrupted)?;
            }
            for (_, column) in &self.columns {
                let cell = match column {
                    Column::Text(texts) => texts[row].clone(),
                    Column::Numbers(numbers) => numbers[row].map(shown),
                };
                writer.write_field(cell.unwrap_or_default()).map_err(unwritten)?;
            }
            writer.write_record(None::<&[u8]>).map_err(unwritten)?;
        }
        stage.end();
        writer.into_inner().map_err(|error| Failure::Output(error.to_string()))
    }
}

/// The columns that an answer has beside the probabilities of the classes.
pub(crate) const LABELLED: &[&str] = &["id", "label", "class", "probability", "entropy", "flags"];
pub(crate) const PREDICTED: &[&str] = &["id", "class", "probability", "entropy"];

/// Refuses to hand on a column whose name the answer has already, before any work is done.
pub(crate) fn check_kept(
    kept: &[KeptColumn],
    classes: &[String],
    own: &[&str],
) -> Result<(), Failure> {
    let of_class = |name: &str| {
        let class = name.strip_prefix("p_");
        class.is_some_and(|class| classes.iter().any(|own| own == class))
    };
    match kept.iter().find(|column| own.contains(&&*column.name) || of_class(&column.name)) {
        None => Ok(()),
        Some(KeptColumn { name, .. }) => Err(Failure::Input(format!(
            "--keep: the answer has a column {name:?} of its own; rename the one of the input, or \
             leave it out"
        ))),
    }
}

/// A line for each row: name, label, class, probabilities, entropy, flags.
pub(crate) fn labelled(labelled: &Labelled) -> Sheet {
    let Labelled { table, probabilities, classes, entropy, islands, .. } = labelled;
    let mut suspects: Vec<usize> = labelled.suspects().iter().map(|label| label.node).collect();
    suspects.sort_unstable();
    let names = table.labels.names();
    let name = |class: usize| Some(names[class].clone());
    let rows = 0..table.ids.len();
    let mut sheet = Sheet::of_probabilities();
    sheet.texts("id", table.ids.iter().map(|id| Some(id.into_owned())));
    sheet.texts("label", rows.clone().map(|row| table.labels.get(row).and_then(name)));
    answer(&mut sheet, names, classes, probabilities);
    sheet.numbers("entropy", entropy.iter().copied().map(Some));
    sheet.texts(
        "flags",
        rows.map(|row| {
            let flags = [("island", islands), ("suspect", &suspects)];
            let flags = flags.into_iter().filter(|(_, rows)| rows.binary_search(&row).is_ok());
            Some(flags.map(|(flag, _)| flag).collect::<Vec<_>>().join(";"))
        }),
    );
    sheet.keep(&table.kept);
    sheet
}

/// A line for each new row: name, class, probabilities, entropy.
pub(crate) fn predicted(
    ids: &Names,
    names: &[String],
    classes: &[usize],
    scores: &Scores,
) -> Sheet {
    let mut sheet = Sheet::of_probabilities();
    sheet.texts("id", ids.iter().map(|id| Some(id.into_owned())));
    answer(&mut sheet, names, classes, scores);
    sheet.numbers("entropy", scores.entropy().iter().copied().map(Some));
    sheet
}

/// Class, its probability, and the probability of each class.
fn answer(sheet: &mut Sheet, names: &[String], classes: &[usize], scores: &Scores) {
    let values = scores.values();
    sheet.texts("class", classes.iter().map(|&class| Some(names[class].clone())));
    let own = classes.iter().enumerate().map(|(row, &class)| Some(values[[row, class]]));
    sheet.numbers("probability", own);
    for (class, name) in names.iter().enumerate() {
        sheet.numbers(&format!("p_{name}"), values.column(class).iter().copied().map(Some));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_lies_beside_the_question() {
        for (input, output) in [
            ("a/flowers.csv", "a/flowers.labelled.csv"),
            ("flowers.tsv.gz", "flowers.labelled.csv"),
            ("flowers", "flowers.labelled.csv"),
            ("v1.2.csv", "v1.2.labelled.csv"),
        ] {
            assert_eq!(beside(Path::new(input), "labelled"), Path::new(output));
        }
    }
}
