//! Labels as they are given, and answers as they are written.

use crate::part::even;
use crate::shards::file_error;
use crate::world::{agree, same, swap};
use crate::{DistributedError, World};
use gaussfield_core::files::write_atomically;
use std::collections::HashMap;
use std::path::Path;

/// Labels: a row and its class.
pub type RowLabels = Vec<(u64, u32)>;

/// Reads labels from a table with the columns `row` (from 0) and `class`; gives them with the names of
/// the classes, in their order. Every member reads the whole of it.
///
/// # Errors
/// A file that cannot be read, a row that is no number or stands there twice.
pub fn read_labels(
    world: &impl World,
    path: &Path,
) -> Result<(RowLabels, Vec<String>), DistributedError> {
    let (labels, names) = agree(world, parse_labels(path))?;
    same(world, "list of labels", format!("{labels:?} {names:?}").as_bytes())?;
    Ok((labels, names))
}

fn parse_labels(path: &Path) -> Result<(RowLabels, Vec<String>), DistributedError> {
    let wrong = |error: csv::Error| {
        file_error(path, error.to_string(), "give a table with the columns row and class")
    };
    let mut table = csv::Reader::from_path(path).map_err(wrong)?;
    let heads = table.headers().map_err(wrong)?.clone();
    if heads.iter().map(str::trim).ne(["row", "class"]) {
        let problem = format!("has the columns {heads:?}");
        return Err(file_error(path, problem, "name them row and class"));
    }
    let mut found: Vec<(u64, String)> = Vec::new();
    let mut lines: HashMap<u64, u64> = HashMap::new();
    for record in table.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let problem =
            |problem: String| DistributedError::Label { path: path.into(), line, problem };
        let text = record.get(0).unwrap_or_default().trim();
        let row = text.parse().map_err(|_| {
            problem(format!("the row is {text:?}: it must be a whole number, counted from 0"))
        })?;
        if let Some(earlier) = lines.insert(row, line) {
            return Err(problem(format!("row {row} was labelled in line {earlier} already")));
        }
        found.push((row, record.get(1).unwrap_or_default().trim().to_owned()));
    }
    let mut names: Vec<String> = found.iter().map(|(_, name)| name.clone()).collect();
    names.sort();
    names.dedup();
    let class = |name: &String| names.partition_point(|other| other < name) as u32;
    let labels = found.iter().map(|(row, name)| (*row, class(name))).collect();
    Ok((labels, names))
}

/// Writes the class and its share of every row, each member a file of rows that follow each other:
/// `labels-00000-of-00004.csv` and so on.
///
/// # Errors
/// A file that cannot be written.
pub fn write_answers(
    world: &impl World,
    folder: &Path,
    total: u64,
    rows: &[u64],
    answers: (&[usize], &[f64]),
    names: &[String],
) -> Result<(), DistributedError> {
    let offsets = even(total, world.size());
    let mut parcels: Vec<Vec<u64>> = vec![Vec::new(); world.size()];
    for ((&row, &class), share) in rows.iter().zip(answers.0).zip(answers.1) {
        parcels[crate::halo::owner(&offsets, row)].extend([row, class as u64, share.to_bits()]);
    }
    let received = swap(world, parcels).concat();
    let mut own: Vec<&[u64]> = received.chunks_exact(3).collect();
    own.sort_unstable();
    let mut table = csv::Writer::from_writer(Vec::new());
    let wrote = (|| -> Result<Vec<u8>, csv::Error> {
        table.write_record(["row", "class", "share"])?;
        for answer in own {
            let name = names.get(answer[1] as usize).map_or("", String::as_str);
            let share = format!("{:.6}", f64::from_bits(answer[2]));
            table.write_record([answer[0].to_string().as_str(), name, &share])?;
        }
        table.into_inner().map_err(|error| csv::Error::from(error.into_error()))
    })();
    let name = format!("labels-{:05}-of-{:05}.csv", world.rank(), world.size());
    let path = folder.join(name);
    let written = wrote
        .map_err(|error| file_error(&path, error.to_string(), "this should not happen"))
        .and_then(|bytes| Ok(write_atomically(&path, &bytes)?));
    agree(world, written)
}
