//! Folders of text: one document a file.
//!
//! The name of a document is its path below the folder, with `/` between its parts. The sub-folder in
//! which it lies is its class, if it lies in one; what lies in the folder itself has none. Files and
//! folders whose names begin with a dot are passed over, and so are links to folders.
//!
//! ```
//! use gaussfield_data::read::folder;
//! # let place = std::env::temp_dir().join(format!("gaussfield-folder-{}", std::process::id()));
//! # std::fs::create_dir_all(place.join("sport")).unwrap();
//! std::fs::write(place.join("sport/one.txt"), "a goal").unwrap();
//! std::fs::write(place.join("two.txt"), "flour and butter").unwrap();
//!
//! let documents = folder::read(&place)?;
//! assert_eq!(documents.ids, ["sport/one.txt", "two.txt"]);
//! assert_eq!(documents.classes, [Some("sport".to_owned()), None]);
//! assert_eq!(documents.texts[0], "a goal");
//! # std::fs::remove_dir_all(&place).unwrap();
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

use super::memory::Memory;
use super::source;
use crate::DataError;
use gaussfield_core::Budget;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The documents of a folder, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// Their names.
    pub ids: Vec<String>,
    /// What they say.
    pub texts: Vec<String>,
    /// The sub-folder of each, if it lies in one.
    pub classes: Vec<Option<String>>,
}

/// Reads all files below a folder. O(bytes).
///
/// # Errors
/// A folder without a file, a file that is not UTF-8 text or cannot be read, a name that is no text,
/// more than memory allows.
pub fn read(folder: impl AsRef<Path>) -> Result<Documents, DataError> {
    let folder = folder.as_ref();
    let mut memory = Memory::of(folder);
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let place = folder.join(&below);
        for entry in std::fs::read_dir(&place).map_err(DataError::io(&place))? {
            let entry = entry.map_err(DataError::io(&place))?;
            let name = entry.file_name();
            let path = below.join(&name);
            let Some(text) = name.to_str() else {
                return Err(DataError::Format {
                    path: folder.join(&path),
                    problem: "the name is no UTF-8 text".to_owned(),
                    remedy: "rename it".to_owned(),
                });
            };
            let kind = entry.file_type().map_err(DataError::io(&place))?;
            if text.starts_with('.') {
                continue;
            }
            memory.items("the names of the files", 1, 200 + 3 * path.as_os_str().len())?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() || folder.join(&path).is_file() {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        let what = "there is no file in the directory";
        return Err(source::empty(folder, what, "put a text file there for each document"));
    }
    let mut named: Vec<(String, PathBuf)> =
        files.into_iter().map(|at| (name_of(&at), at)).collect();
    named.sort_unstable();
    let mut all = Documents { ids: Vec::new(), texts: Vec::new(), classes: Vec::new() };
    for (name, below) in named {
        let path = folder.join(&below);
        let left = Budget { bytes: memory.left() };
        let text = super::within(left, || text_of(&path))?;
        memory.items("the documents", 1, text.len())?;
        all.texts.push(text);
        all.classes.push(name.split_once('/').map(|(class, _)| class.to_owned()));
        all.ids.push(name);
    }
    Ok(all)
}

/// A document, which may be packed by gzip.
fn text_of(path: &Path) -> Result<String, DataError> {
    let bytes = source::bytes(path)?;
    let mut memory = Memory::holding(path, &bytes)?;
    memory.take("the text", bytes.len() as u64)?;
    source::utf8(&mut memory, &bytes).map(Cow::into_owned)
}

/// The parts of a path with `/` between them.
fn name_of(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
