//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that could not be written. What was there before is still there.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", .path.display())]
pub struct NotWritten {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

/// Writes a file so that no reader, and no later run, ever sees half of it: the bytes go to a
/// temporary file in the same folder and to the disk, and only then does the file get its name. The
/// folder is made if need be.
///
/// # Errors
/// The folder or the file cannot be written; nothing is left behind.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), NotWritten> {
    let not_written = |source| NotWritten { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(not_written)?;
    let (partial, file) = partial_in(folder).map_err(not_written)?;
    let written = fill(file, bytes).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        // The first failure is what there is to tell.
        let _ = fs::remove_file(&partial);
    }
    written.map_err(not_written)?;
    // The new name itself reaches the disk with the folder; not every system can do it.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// A new file in the folder, and its path. Its name is nobody else's: neither another process's
/// nor another thread's.
fn partial_in(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".partial-{}-{number}", std::process::id()));
        match File::create_new(&path) {
            // Left by a process of the same number that was interrupted.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return Ok((path, created?)),
        }
    }
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    /// A folder of this test, empty at first and removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("gaussfield-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_replaced_whole_and_leaves_no_scraps() {
        let folder = Folder::new("replace");
        let path = folder.0.join("deep/er/file.txt");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_named_and_leaves_nothing() {
        let folder = Folder::new("blocked");
        let blocked = folder.0.join("taken");
        fs::create_dir_all(blocked.join("inside")).unwrap();
        let error = write_atomically(&blocked, b"x").unwrap_err();
        assert!(error.to_string().ends_with("taken") && error.source().is_some(), "{error}");
        assert_eq!(folder.names(), ["taken"]);
        let under_a_file = folder.0.join("file/below");
        write_atomically(&folder.0.join("file"), b"x").unwrap();
        assert!(write_atomically(&under_a_file, b"y").is_err());
    }

    #[test]
    fn many_threads_may_write_one_file() {
        let folder = Folder::new("threads");
        let path = folder.0.join("file");
        std::thread::scope(|scope| {
            for number in 0..8_u8 {
                let path = &path;
                scope.spawn(move || write_atomically(path, &[number; 1000]).unwrap());
            }
        });
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() == 1000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(folder.names(), ["file"]);
    }
}
