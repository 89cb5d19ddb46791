//! Points, labels and answers in several files.

use crate::part::even;
use crate::world::{agree, same, swap};
use crate::{DistributedError, World};
use gaussfield_core::files::write_atomically;
use ndarray::Array2;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The points of this member: rows `first`… of all.
#[derive(Debug)]
pub struct OwnPoints {
    /// A point a row.
    pub rows: Array2<f64>,
    /// The number of the first.
    pub first: u64,
    /// How many all members have.
    pub total: u64,
}

/// Labels: a row and its class.
pub type RowLabels = Vec<(u64, u32)>;

/// What the head of a `.npy` file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    /// Where the numbers begin.
    at: u64,
    rows: u64,
    width: usize,
    /// Bytes of a number: 4 or 8.
    bytes: usize,
}

/// Reads the rows of this member from `.npy` files of equal width, whose rows follow each other in the
/// order of the files. Only its own rows are read.
///
/// # Errors
/// A file that cannot be read or is no matrix of `float32` or `float64` in C order, files of different
/// width, a gap in names that end in `-00000-of-00004.npy`, members that see different files, a number
/// that is not finite.
pub fn read_points(world: &impl World, files: &[PathBuf]) -> Result<OwnPoints, DistributedError> {
    let heads = agree(world, heads(files))?;
    let told = format!("{files:?} {heads:?}");
    same(world, "list of files, or files of another size,", told.as_bytes())?;
    let total = heads.iter().map(|head| head.rows).sum();
    let offsets = even(total, world.size());
    let (first, end) = (offsets[world.rank()], offsets[world.rank() + 1]);
    let rows = agree(world, read_rows(files, &heads, first, end))?;
    Ok(OwnPoints { rows, first, total })
}

fn heads(files: &[PathBuf]) -> Result<Vec<Head>, DistributedError> {
    let none = || file_error(Path::new("the points"), "no file was named", "name at least one");
    let (Some(one), false) = (files.first(), files.is_empty()) else { return Err(none()) };
    check_numbered(files)?;
    let heads = files.iter().map(|path| head(path)).collect::<Result<Vec<_>, _>>()?;
    let other = heads.iter().position(|head| head.width != heads[0].width);
    if let Some(at) = other {
        let (width, here) = (heads[0].width, heads[at].width);
        let problem = format!("has {here} columns, but {} has {width}", one.display());
        return Err(file_error(&files[at], problem, "give all shards the same columns"));
    }
    Ok(heads)
}

/// Files named `…-00001-of-00004.npy` must be there all.
fn check_numbered(files: &[PathBuf]) -> Result<(), DistributedError> {
    let number = |path: &PathBuf| -> Option<(String, u64, u64)> {
        let stem = path.file_stem()?.to_str()?;
        let (rest, of) = stem.rsplit_once("-of-")?;
        let (name, at) = rest.rsplit_once('-')?;
        Some((name.to_owned(), at.parse().ok()?, of.parse().ok()?))
    };
    let mut seen: BTreeMap<(String, u64), Vec<u64>> = BTreeMap::new();
    for (name, at, of) in files.iter().filter_map(number) {
        seen.entry((name, of)).or_default().push(at);
    }
    for ((name, of), found) in seen {
        if let Some(missing) = (0..of).find(|at| !found.contains(at)) {
            let shard = format!("{name}-{missing:05}-of-{of:05}.npy");
            let problem = format!("is missing: {} of {of} shards were named", found.len());
            return Err(file_error(Path::new(&shard), problem, "name all of them"));
        }
    }
    Ok(())
}

fn file_error(path: &Path, problem: impl Into<String>, remedy: &'static str) -> DistributedError {
    DistributedError::File { path: path.to_owned(), problem: problem.into(), remedy }
}

fn head(path: &Path) -> Result<Head, DistributedError> {
    const SAVE: &str = "save a matrix of float32 or float64 by numpy.save, in C order";
    let unread = |error: std::io::Error| {
        file_error(path, error.to_string(), "give the file where all machines can read it")
    };
    let mut file = File::open(path).map_err(unread)?;
    let mut begin = [0; 10];
    file.read_exact(&mut begin).map_err(|_| file_error(path, "is no .npy file", SAVE))?;
    if &begin[..6] != b"\x93NUMPY" || begin[6] != 1 {
        return Err(file_error(path, "is no .npy file of version 1", SAVE));
    }
    let mut text = vec![0; usize::from(u16::from_le_bytes([begin[8], begin[9]]))];
    file.read_exact(&mut text).map_err(|_| file_error(path, "ends within its head", SAVE))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let value = |name: &str| {
        let at = text.find(&format!("'{name}':"))? + name.len() + 3;
        Some(text[at..].trim_start().to_owned())
    };
    let bytes = match value("descr").as_deref() {
        Some(descr) if descr.starts_with("'<f4'") => 4,
        Some(descr) if descr.starts_with("'<f8'") => 8,
        _ => return Err(file_error(path, format!("has numbers of another kind ({text})"), SAVE)),
    };
    if !value("fortran_order").is_some_and(|order| order.starts_with("False")) {
        return Err(file_error(path, "is in Fortran order", SAVE));
    }
    let shape = value("shape").unwrap_or_default();
    let shape: Vec<u64> = shape
        .trim_start_matches('(')
        .split(')')
        .next()
        .unwrap_or_default()
        .split(',')
        .filter_map(|number| number.trim().parse().ok())
        .collect();
    let [rows, width] = shape[..] else {
        return Err(file_error(path, format!("has {} dimensions", shape.len()), SAVE));
    };
    let at = 10 + u64::from(u16::from_le_bytes([begin[8], begin[9]]));
    let length = file.metadata().map_err(unread)?.len();
    let needed = rows.checked_mul(width).and_then(|numbers| numbers.checked_mul(bytes as u64));
    if needed.and_then(|needed| needed.checked_add(at)) != Some(length) || width == 0 {
        let problem = format!("has {length} bytes, which do not fit {rows} x {width} numbers");
        return Err(file_error(path, problem, "copy it again: it may be cut"));
    }
    Ok(Head { at, rows, width: width as usize, bytes })
}

fn read_rows(
    files: &[PathBuf],
    heads: &[Head],
    first: u64,
    end: u64,
) -> Result<Array2<f64>, DistributedError> {
    let width = heads[0].width;
    let mut numbers = Vec::with_capacity((end - first) as usize * width);
    let mut before = 0;
    for (path, head) in files.iter().zip(heads) {
        let (from, to) = (first.max(before), end.min(before + head.rows));
        if from < to {
            let row = (head.bytes * width) as u64;
            let mut bytes = vec![0; ((to - from) * row) as usize];
            let read = File::open(path).and_then(|mut file| {
                file.seek(SeekFrom::Start(head.at + (from - before) * row))?;
                file.read_exact(&mut bytes)
            });
            let again = "give the file where all machines can read it";
            read.map_err(|error| file_error(path, error.to_string(), again))?;
            let at = numbers.len();
            match head.bytes {
                4 => {
                    let read = crate::world::unpacked::<f32>(&bytes);
                    numbers.extend(read.into_iter().map(f64::from));
                }
                _ => numbers.extend(crate::world::unpacked::<f64>(&bytes)),
            }
            if let Some(wrong) = numbers[at..].iter().position(|x| !x.is_finite()) {
                let row = from - before + (wrong / width) as u64;
                let problem = format!("row {row}, column {} is no finite number", wrong % width);
                return Err(file_error(path, problem, "leave such rows out, or fill them in"));
            }
        }
        before += head.rows;
    }
    Ok(Array2::from_shape_fn(((end - first) as usize, width), |(i, d)| numbers[i * width + d]))
}

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
