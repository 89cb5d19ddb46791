//! Files that are there whole or not at all.

use crate::{ReportError, Result};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Writes a file so that no reader, and no later run, ever sees half of it: the text goes to a
/// temporary file in the same folder, which is then renamed. The folder is created if need be.
///
/// # Errors
/// The folder or the file cannot be written; the message names the file.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".partial-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.flush()?;
        // Temporary files are private; what we leave behind should be as readable as any other.
        make_readable(file.as_file())?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    };
    write().map_err(|source| ReportError::Write { path: path.to_owned(), source })
}

#[cfg(unix)]
fn make_readable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_file: &fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Makes the folder and proves that a file can be written into it.
///
/// # Errors
/// It cannot be made or written; the message names the folder.
pub fn ensure_writable(folder: &Path) -> Result<()> {
    let probe = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".probe-").tempfile_in(folder)?;
        file.write_all(b"probe")?;
        file.close()
    };
    probe().map_err(|source| ReportError::Folder { folder: folder.to_owned(), source })
}

/// A name that is safe as one path component: letters, digits, `-`, `_` and `.`; every other
/// character becomes `_`, and so does a leading dot.
pub fn safe_name(name: &str) -> String {
    let mut safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' })
        .collect();
    if safe.is_empty() || safe.starts_with('.') {
        safe.insert(0, '_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_replaces_whole_files_and_leaves_no_scraps() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("deep/er/file.txt");
        write_atomic(&path, b"one").expect("first write");
        write_atomic(&path, b"two").expect("second write");
        assert_eq!(fs::read(&path).expect("readable"), b"two");
        let left = fs::read_dir(path.parent().expect("has a parent")).expect("listing").count();
        assert_eq!(left, 1);
    }

    #[test]
    fn a_file_in_the_way_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let blocked = folder.path().join("file");
        fs::write(&blocked, b"in the way").expect("writable");
        let error = ensure_writable(&blocked.join("out")).expect_err("a file is no folder");
        let message = error.to_string();
        assert!(message.contains("file/out"), "{message}");
    }

    #[test]
    fn names_become_one_path_component() {
        for (name, safe) in
            [("fig3-left", "fig3-left"), ("../up", "_.._up"), ("a b/c", "a_b_c"), ("", "_")]
        {
            assert_eq!(safe_name(name), safe);
        }
    }
}
