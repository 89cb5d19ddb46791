//! Members of archives.

use super::{memory::Memory, source};
use crate::DataError;
use std::io::Cursor;
use std::path::Path;

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> DataError {
    DataError::Format {
        path: path.to_owned(),
        problem: format!("the archive is damaged or cut short ({error})"),
        remedy: "fetch the file again".to_owned(),
    }
}

/// The bytes of one member of a zip archive; `suffix` may be left out of its name.
pub(super) fn zip_member(
    memory: &mut Memory<'_>,
    bytes: &[u8],
    name: &str,
    suffix: &str,
) -> Result<Vec<u8>, DataError> {
    let path = memory.path;
    let mut archive =
        zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(path, &error))?;
    let full = format!("{name}{suffix}");
    let found = archive.file_names().find(|member| *member == name || **member == full);
    let Some(found) = found.map(str::to_owned) else {
        let mut available: Vec<String> = archive
            .file_names()
            .map(|member| member.strip_suffix(suffix).unwrap_or(member).to_owned())
            .collect();
        available.sort_unstable();
        return Err(DataError::NoSuchMember {
            path: path.to_owned(),
            name: name.to_owned(),
            available,
        });
    };
    let member = archive.by_name(&found).map_err(|error| damaged(path, &error))?;
    memory.unpack("the unpacked zip stream", member)
}

/// Calls `visit` with the name and the bytes of every plain file of a tar archive, gzipped or
/// not; `wanted` chooses by name before the bytes are read.
pub(super) fn tar_members(
    memory: &mut Memory<'_>,
    bytes: &[u8],
    wanted: impl Fn(&str) -> bool,
    mut visit: impl FnMut(&mut Memory<'_>, &str, Vec<u8>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let path = memory.path;
    let bytes = source::unpacked(memory, bytes)?;
    let mut archive = tar::Archive::new(&*bytes);
    let entries = archive.entries().map_err(|error| damaged(path, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| damaged(path, &error))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !entry.header().entry_type().is_file() || !wanted(&name) {
            continue;
        }
        let content = memory.unpack("a file of the tar archive", entry)?;
        visit(memory, &name, content)?;
    }
    Ok(())
}
