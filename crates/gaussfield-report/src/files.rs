//! Folders that take a report, and names that are file names.

use crate::{ReportError, Result};
use gaussfield_core::files::write_atomically;
use std::path::{Path, PathBuf};

/// Makes the folder and proves that a file can be written into it.
///
/// # Errors
/// It cannot be made or written; the message names the folder.
pub fn ensure_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let written = write_atomically(&probe, b"probe").map_err(|error| error.source);
    written
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|source| ReportError::Folder { folder: folder.to_owned(), source })
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

/// Files and folders that were not there before.
#[derive(Debug, Default)]
pub(crate) struct Made {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Made {
    /// Notes a file that is about to be written, and the folders made for it.
    pub(crate) fn will_be(&mut self, path: &Path) {
        if !path.exists() {
            self.files.push(path.to_owned());
        }
        let new = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        self.folders.extend(new.map(Path::to_owned));
    }

    /// Takes them away; what cannot be removed stays, as nobody could be told more than that.
    pub(crate) fn remove(self) {
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
        // The deepest first; a folder that holds anything else is not removed.
        let mut folders = self.folders;
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in &folders {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_way_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let blocked = folder.path().join("file");
        std::fs::write(&blocked, b"in the way").expect("writable");
        let error = ensure_writable(&blocked.join("out")).expect_err("a file is no folder");
        let message = error.to_string();
        assert!(message.contains("file/out"), "{message}");
    }

    #[test]
    fn a_probe_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        ensure_writable(&folder.path().join("out")).expect("writable");
        assert_eq!(std::fs::read_dir(folder.path().join("out")).expect("a folder").count(), 0);
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
