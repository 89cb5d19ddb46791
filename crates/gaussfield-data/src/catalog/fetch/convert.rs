//! Recipes: from the members of a package to the files of a data set, all in memory.

use crate::catalog::{Package, Recipe};
use crate::{DataError, read};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;

/// Rows of `optdigits.tra`; those of `optdigits.tes` follow.
const TRAINING_ROWS: usize = 3823;

/// File names with their bytes.
pub(super) type Files = Vec<(String, Vec<u8>)>;

/// Follows the package's recipe.
///
/// # Errors
/// [`DataError::Format`] if a member is not what the recipe needs.
pub(super) fn files(package: &Package, members: Vec<Vec<u8>>) -> Result<Files, DataError> {
    let names = package.members.iter().map(|member| Path::new(&member.path));
    let mut named = names.zip(members);
    match package.recipe {
        Recipe::Gzip => named.map(|(path, bytes)| gzip(path, &bytes)).collect(),
        Recipe::NewsgroupTables => newsgroups(named),
        Recipe::OptdigitsRows => optdigits(package, named.next()),
        Recipe::UspsMat => usps(package, named.next()),
    }
}

fn gzip(path: &Path, bytes: &[u8]) -> Result<(String, Vec<u8>), DataError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    Ok((format!("{name}.gz"), packed.map_err(DataError::io(path))?))
}

/// Lines `group<TAB>text` as files `<group>/<table>-<number>`.
fn newsgroups<'a>(tables: impl Iterator<Item = (&'a Path, Vec<u8>)>) -> Result<Files, DataError> {
    const HEADER: usize = 3;
    let name = "20news-bydate.tar.gz";
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, bytes) in tables {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let table = stem.rsplit('-').next().unwrap_or_default();
        let lines = bytes.split(|&byte| byte == b'\n').enumerate().skip(HEADER);
        let messages = lines.filter(|(_, line)| !line.is_empty());
        for (number, (at, line)) in messages.enumerate() {
            let mut cells = line.split(|&byte| byte == b'\t');
            let (group, text) = match (cells.next(), cells.next(), cells.next()) {
                (Some(group), Some(text), None) if group.iter().all(is_of_a_name) => (group, text),
                _ => {
                    return Err(DataError::Format {
                        path: path.to_owned(),
                        problem: format!("line {} is not a group, a tab and a text", at + 1),
                        remedy: "fetch it again".to_owned(),
                    });
                }
            };
            let group = String::from_utf8_lossy(group);
            let mut header = tar::Header::new_ustar();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            let place = format!("20news-bydate/{group}/{table}-{:05}", number + 1);
            tar.append_data(&mut header, place, text).map_err(DataError::io(Path::new(name)))?;
        }
    }
    let packed = tar.into_inner().and_then(GzEncoder::finish);
    Ok(vec![(name.to_owned(), packed.map_err(DataError::io(Path::new(name)))?)])
}

/// Whether a byte may stand in the name of a group, which becomes a folder.
fn is_of_a_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || [b'.', b'-'].contains(byte)
}

fn optdigits(package: &Package, member: Option<(&Path, Vec<u8>)>) -> Result<Files, DataError> {
    let (path, mut bytes) = member.ok_or_else(|| no_member(package))?;
    let ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let Some((end, _)) = ends.into_iter().nth(TRAINING_ROWS - 1) else {
        return Err(DataError::Format {
            path: path.to_owned(),
            problem: format!("there are fewer than {TRAINING_ROWS} lines"),
            remedy: "fetch it again".to_owned(),
        });
    };
    let test = bytes.split_off(end + 1);
    Ok(vec![("optdigits.tra".to_owned(), bytes), ("optdigits.tes".to_owned(), test)])
}

fn usps(package: &Package, member: Option<(&Path, Vec<u8>)>) -> Result<Files, DataError> {
    let (path, bytes) = member.ok_or_else(|| no_member(package))?;
    let data = read::usps::parse(path, &bytes)?;
    let grey = |value: &f64| {
        let whole = (0.0..=255.0).contains(value) && value.fract().abs() < f64::EPSILON;
        whole.then_some(*value as u8).ok_or_else(|| DataError::Format {
            path: path.to_owned(),
            problem: format!("{value} is not a grey value from 0 to 255"),
            remedy: "fetch it again".to_owned(),
        })
    };
    let pixels = data.points.to_dense().iter().map(grey).collect::<Result<Vec<u8>, _>>()?;
    // The classes are the digits in ascending order, so a class's number is the digit.
    let digits: Vec<u8> = data.labels.as_slice().iter().flatten().map(|&c| c as u8).collect();
    let (rows, columns) = (data.len(), data.dim());
    Ok(vec![
        ("images.npy".to_owned(), npy(&format!("({rows}, {columns})"), &pixels)),
        ("labels.npy".to_owned(), npy(&format!("({},)", digits.len()), &digits)),
    ])
}

fn no_member(package: &Package) -> DataError {
    DataError::Catalog { problem: format!("the package {} names no member", package.name) }
}

/// A NumPy file, version 1.0, of bytes; laid out as NumPy does, so that the sum of the file is
/// the same whoever writes it.
fn npy(shape: &str, values: &[u8]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}");
    let unpadded = 10 + dictionary.len() + 1;
    let padding = unpadded.next_multiple_of(64) - unpadded;
    let header = format!("{dictionary}{}\n", " ".repeat(padding));
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(values);
    file
}
