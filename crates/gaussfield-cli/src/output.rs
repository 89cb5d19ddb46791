//! The labelled table, and where it goes.

use crate::arguments::Output;
use crate::failure::Failure;
use crate::label::Labelled;
use crate::run::Console;
use gaussfield::core::files::write_atomically;
use gaussfield::labels::Scores;
use std::path::{Path, PathBuf};

/// Where a table goes.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

impl Target {
    /// As the options say, or beside the input.
    pub(crate) fn new(output: &Output, input: &Path) -> Self {
        match &output.output {
            Some(path) if path == Path::new("-") => Self::Stdout,
            Some(path) => Self::File(path.clone()),
            None if input == Path::new("-") => Self::Stdout,
            None => Self::File(beside(input, "labelled")),
        }
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
            Self::File(path) if !force && path.exists() => Err(Failure::exists(path)),
            _ => Ok(()),
        }
    }

    /// Writes all of it, or nothing.
    pub(crate) fn write(&self, bytes: &[u8], console: &Console) -> Result<(), Failure> {
        match self {
            Self::Stdout => console.bytes(bytes),
            Self::File(path) => {
                tracing::info!("writing {}", path.display());
                write_atomically(path, bytes).map_err(Failure::unwritable)
            }
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// `flowers.csv.gz` gives `flowers.labelled.csv`.
pub(crate) fn beside(input: &Path, what: &str) -> PathBuf {
    let name = input.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    input.with_file_name(format!("{stem}.{what}.csv"))
}

/// A line for each row: name, label, class, probabilities, entropy, flags.
pub(crate) fn csv(labelled: &Labelled) -> Result<Vec<u8>, Failure> {
    let Labelled { table, probabilities, classes, entropy, islands, .. } = labelled;
    let unwritten = |error: csv::Error| Failure::Output(error.to_string());
    let mut suspects: Vec<usize> = labelled.suspects().iter().map(|label| label.node).collect();
    suspects.sort_unstable();
    let names = table.labels.names();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut record: Vec<String> = ["id", "label", "class", "probability"].map(str::to_owned).into();
    record.extend(names.iter().map(|name| format!("p_{name}")));
    record.extend(["entropy", "flags"].map(str::to_owned));
    writer.write_record(&record).map_err(unwritten)?;
    for (row, id) in table.ids.iter().enumerate() {
        let own = probabilities.values();
        let own = own.row(row);
        let class = classes[row];
        record.clear();
        record.push(id.clone());
        record.push(table.labels.get(row).map(|label| names[label].clone()).unwrap_or_default());
        record.push(names[class].clone());
        record.push(shown(own[class]));
        record.extend(own.iter().map(|&p| shown(p)));
        record.push(shown(entropy[row]));
        let flags = [("island", islands), ("suspect", &suspects)];
        let flags = flags.into_iter().filter(|(_, rows)| rows.binary_search(&row).is_ok());
        record.push(flags.map(|(flag, _)| flag).collect::<Vec<_>>().join(";"));
        writer.write_record(&record).map_err(unwritten)?;
    }
    writer.into_inner().map_err(|error| Failure::Output(error.to_string()))
}

/// A line for each new row: name, class, probabilities, entropy.
pub(crate) fn predicted(
    ids: &[String],
    names: &[String],
    classes: &[usize],
    scores: &Scores,
) -> Result<Vec<u8>, Failure> {
    let unwritten = |error: csv::Error| Failure::Output(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut record: Vec<String> = ["id", "class", "probability"].map(str::to_owned).into();
    record.extend(names.iter().map(|name| format!("p_{name}")));
    record.push("entropy".to_owned());
    writer.write_record(&record).map_err(unwritten)?;
    let (values, entropy) = (scores.values(), scores.entropy());
    for (row, (id, &class)) in ids.iter().zip(classes).enumerate() {
        record.clear();
        record.extend([id.clone(), names[class].clone(), shown(values[[row, class]])]);
        record.extend(values.row(row).iter().map(|&p| shown(p)));
        record.push(shown(entropy[row]));
        writer.write_record(&record).map_err(unwritten)?;
    }
    writer.into_inner().map_err(|error| Failure::Output(error.to_string()))
}

/// Six digits after the point, which is more than any of them is worth.
fn shown(number: f64) -> String {
    format!("{number:.6}")
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
