//! Members of a downloaded package, each read into memory up to its known size.

use crate::DataError;
use crate::catalog::Package;
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::{Cursor, Error, Read};

/// The bytes of the package's members, in the order of the catalogue.
///
/// Nothing is unpacked to disk, so a member's name cannot lead outside a folder. No more bytes
/// than the catalogue states, and one, are read of any member.
///
/// # Errors
/// [`DataError::Format`] for a damaged archive; [`DataError::NoSuchMember`].
pub(super) fn members(bytes: &[u8], package: &Package) -> Result<Vec<Vec<u8>>, DataError> {
    let zipped = [".whl", ".zip"].iter().any(|end| package.archive.ends_with(end));
    let found = if zipped { from_zip(bytes, package) } else { from_tar(bytes, package) };
    let mut found = found.map_err(|error| DataError::Format {
        path: package.archive.clone().into(),
        problem: format!("the archive is damaged or cut short ({error})"),
        remedy: "fetch it again".to_owned(),
    })?;
    let take = |name: &String| {
        found.remove(name).ok_or_else(|| DataError::NoSuchMember {
            path: package.archive.clone().into(),
            name: name.clone(),
            available: found.keys().cloned().collect(),
        })
    };
    package.members.iter().map(|member| &member.path).map(take).collect()
}

type Found = BTreeMap<String, Vec<u8>>;

fn from_zip(bytes: &[u8], package: &Package) -> Result<Found, Error> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))?;
    let mut found = Found::new();
    for member in &package.members {
        match archive.by_name(&member.path) {
            Ok(entry) => {
                found.insert(member.path.clone(), limited(entry, member.bytes)?);
            }
            Err(zip::result::ZipError::FileNotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

fn from_tar(bytes: &[u8], package: &Package) -> Result<Found, Error> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    let mut found = Found::new();
    for entry in archive.entries()? {
        let entry = entry?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if let Some(member) = package.members.iter().find(|member| member.path == name) {
            found.insert(name, limited(entry, member.bytes)?);
        }
        if found.len() == package.members.len() {
            break; // the rest of the archive is of no use
        }
    }
    Ok(found)
}

fn limited(from: impl Read, bytes: u64) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    from.take(bytes.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}
