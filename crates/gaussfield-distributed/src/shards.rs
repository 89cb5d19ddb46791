//! Points in several files, of which each member reads its own rows.

#[cfg(feature = "columnar")]
mod columnar;
mod npy;

use crate::part::even;
use crate::world::{agree, same};
use crate::{DistributedError, World};
use gaussfield_core::Budget;
use gaussfield_core::files::sha256;
use ndarray::Array2;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What to do about a file that cannot be read.
const SHARED: &str = "give the file where all machines can read it";

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

impl OwnPoints {
    /// The checksum of the numbers of all members: of other points, whatever their files are called,
    /// another one. Of the same points on another number of members too. A call of all members.
    ///
    /// # Errors
    /// None: what is in memory can be read.
    pub fn checksum(&self, world: &impl World) -> Result<String, DistributedError> {
        let sum = |bytes: &mut dyn Read| sha256(bytes).map_err(|error| error.to_string());
        let own = agree(world, sum(&mut Bytes { of: self.rows.iter(), rest: ([0; 8], 8) }))?;
        let all = world.swap(vec![own.into_bytes(); world.size()]).concat();
        agree(world, sum(&mut &all[..]))
    }
}

/// Numbers as they would stand in a file.
struct Bytes<I> {
    of: I,
    /// The last number, and how much of it was read.
    rest: ([u8; 8], usize),
}

impl<'a, I: Iterator<Item = &'a f64>> Read for Bytes<I> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut count = 0;
        while count < into.len() {
            if self.rest.1 == 8 {
                let Some(number) = self.of.next() else { break };
                self.rest = (number.to_le_bytes(), 0);
            }
            let take = (8 - self.rest.1).min(into.len() - count);
            into[count..count + take].copy_from_slice(&self.rest.0[self.rest.1..][..take]);
            self.rest.1 += take;
            count += take;
        }
        Ok(count)
    }
}

/// What is known of a shard before its rows are read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Head {
    rows: u64,
    width: usize,
    kind: Kind,
}

/// How a shard is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Npy(npy::Layout),
    /// Column by column, with their names.
    #[cfg(feature = "columnar")]
    Columnar(Vec<String>),
}

/// Reads the rows of this member from shards of equal width, whose rows follow each other in the
/// order of the files: `.npy`, and with the feature `columnar` Parquet and Arrow too. Of an `.npy` file
/// only its own rows are read, of another the whole where it has some of them.
///
/// # Errors
/// A file that cannot be read, a `.npy` file that is no matrix of `float32` or `float64` in C order, files
/// of different width or with other columns, a gap in names that end in `-00000-of-00004`, members that
/// see different files, a number that is missing or not finite, more rows than the memory of this member
/// may hold.
pub fn read_points(
    world: &impl World,
    files: &[PathBuf],
    memory: Budget,
) -> Result<OwnPoints, DistributedError> {
    let heads = agree(world, heads(files))?;
    let told = format!("{files:?} {heads:?}");
    same(world, "list of files, or files of another size,", told.as_bytes())?;
    let total = heads.iter().map(|head| head.rows).sum();
    let offsets = even(total, world.size());
    let (first, end) = (offsets[world.rank()], offsets[world.rank() + 1]);
    let rows = agree(world, read_rows(files, &heads, first..end, memory))?;
    Ok(OwnPoints { rows, first, total })
}

fn heads(files: &[PathBuf]) -> Result<Vec<Head>, DistributedError> {
    let none = || file_error(Path::new("the points"), "no file was named", "name at least one");
    let one = files.first().ok_or_else(none)?;
    check_numbered(files)?;
    let heads = files.iter().map(|path| head(path)).collect::<Result<Vec<_>, _>>()?;
    for (path, head) in files.iter().zip(&heads) {
        if head.width != heads[0].width {
            let (width, here) = (heads[0].width, head.width);
            let problem = format!("has {here} columns, but {} has {width}", one.display());
            return Err(file_error(path, problem, "give all shards the same columns"));
        }
        #[cfg(feature = "columnar")]
        if let (Kind::Columnar(names), Kind::Columnar(wanted)) = (&head.kind, &heads[0].kind)
            && let Some((name, wanted)) = names.iter().zip(wanted).find(|(a, b)| a != b)
        {
            let problem = format!("has the column {name:?} where {} has {wanted:?}", one.display());
            return Err(file_error(path, problem, "give all shards the same columns"));
        }
    }
    Ok(heads)
}

/// Files named `…-00001-of-00004.npy` must be there all.
fn check_numbered(files: &[PathBuf]) -> Result<(), DistributedError> {
    let number = |path: &PathBuf| -> Option<([String; 2], u64, u64)> {
        let (rest, of) = path.file_stem()?.to_str()?.rsplit_once("-of-")?;
        let (name, at) = rest.rsplit_once('-')?;
        let ending = path.extension()?.to_str()?.to_owned();
        Some(([name.to_owned(), ending], at.parse().ok()?, of.parse().ok()?))
    };
    let mut seen: BTreeMap<([String; 2], u64), Vec<u64>> = BTreeMap::new();
    for (name, at, of) in files.iter().filter_map(number) {
        seen.entry((name, of)).or_default().push(at);
    }
    for (([name, ending], of), found) in seen {
        if let Some(missing) = (0..of).find(|at| !found.contains(at)) {
            let shard = format!("{name}-{missing:05}-of-{of:05}.{ending}");
            let problem = format!("is missing: {} of {of} shards were named", found.len());
            return Err(file_error(Path::new(&shard), problem, "name all of them"));
        }
    }
    Ok(())
}

pub(crate) fn file_error(
    path: &Path,
    problem: impl Into<String>,
    remedy: &'static str,
) -> DistributedError {
    DistributedError::File { path: path.to_owned(), problem: problem.into(), remedy }
}

fn head(path: &Path) -> Result<Head, DistributedError> {
    let unread = |error: std::io::Error| file_error(path, error.to_string(), SHARED);
    let mut begin = Vec::new();
    File::open(path).and_then(|file| file.take(6).read_to_end(&mut begin)).map_err(unread)?;
    if begin.starts_with(b"PAR1") || begin.starts_with(b"ARROW1") {
        #[cfg(feature = "columnar")]
        return columnar::head(path);
        #[cfg(not(feature = "columnar"))]
        return Err(file_error(
            path,
            "is stored column by column, which this program was built without",
            "build with --features columnar, or save the rows by numpy.save",
        ));
    }
    npy::head(path)
}

fn read_rows(
    files: &[PathBuf],
    heads: &[Head],
    own: std::ops::Range<u64>,
    memory: Budget,
) -> Result<Array2<f64>, DistributedError> {
    let (width, count) = (heads[0].width, (own.end - own.start) as usize);
    #[cfg_attr(not(feature = "columnar"), expect(unused_variables))]
    let left = memory.matrix("the points of a member", count, width)?;
    let mut numbers = Vec::with_capacity(count * width);
    let mut before = 0;
    for (path, head) in files.iter().zip(heads) {
        let (from, to) = (own.start.max(before), own.end.min(before + head.rows));
        if from < to {
            let (at, rows) = (numbers.len(), from - before..to - before);
            match &head.kind {
                Kind::Npy(layout) => npy::read(path, layout, width, &rows, &mut numbers)?,
                #[cfg(feature = "columnar")]
                Kind::Columnar(_) => columnar::read(path, head, &rows, &mut numbers, left)?,
            }
            if let Some(wrong) = numbers[at..].iter().position(|x| !x.is_finite()) {
                let row = rows.start + (wrong / width) as u64;
                let problem = format!("row {row}, column {} is no finite number", wrong % width);
                return Err(file_error(path, problem, "leave such rows out, or fill them in"));
            }
        }
        before += head.rows;
    }
    Array2::from_shape_vec((count, width), numbers)
        .map_err(|error| file_error(&files[0], error.to_string(), "copy the shards again"))
}
