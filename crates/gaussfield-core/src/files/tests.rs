//! What is written is there whole or not at all, whatever fails.

use super::*;
use std::error::Error as _;
use std::fs;
use std::path::PathBuf;

/// A folder of this test, empty at first and removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gaussfield-{name}-{}", std::process::id()));
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
    let path = folder.0.join("new/file");
    std::thread::scope(|scope| {
        for number in 0..8_u8 {
            let path = &path;
            scope.spawn(move || write_atomically(path, &[number; 1000]).unwrap());
        }
    });
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() == 1000 && bytes.iter().all(|byte| *byte == bytes[0]));
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_file_larger_than_the_budget_is_not_read() {
    let folder = Folder::new("large");
    let path = folder.0.join("file");
    write_atomically(&path, &[7; 100]).unwrap();
    assert_eq!(read_whole(&path, crate::Budget { bytes: 100 }).unwrap(), [7; 100]);
    let error = read_whole(&path, crate::Budget { bytes: 99 }).unwrap_err();
    assert!(matches!(error.source, ReadFault::OverBudget(_)), "{error}");
    assert!(read_whole(&folder.0, crate::Budget::default()).is_err());
}

#[cfg(feature = "faults")]
mod with_faults {
    use super::*;
    use faults::{Fault, Faults};

    /// Two files written one after the other, the second in place of an older one.
    fn work(folder: &Folder) -> Result<(), NotWritten> {
        write_atomically(&folder.0.join("new/folder/first"), b"first, and long enough")?;
        write_atomically(&folder.0.join("second"), b"second, as it is now")
    }

    fn prepared(name: &str) -> Folder {
        let folder = Folder::new(name);
        fs::write(folder.0.join("second"), b"second, as it was").unwrap();
        folder
    }

    #[test]
    fn whatever_fails_files_are_whole_or_absent() {
        let calls = {
            let folder = prepared("counted");
            let counting = Faults::counting(&folder.0);
            work(&folder).unwrap();
            assert!(counting.all_synced(), "what is written is synced when the call returns");
            counting.calls()
        };
        assert!(calls >= 14, "{calls}");
        for fault in Fault::ALL {
            for call in 0..calls {
                let folder = prepared(&format!("fault-{fault:?}-{call}"));
                let faults = Faults::below(&folder.0, fault, call);
                let done = work(&folder);
                assert!(faults.struck() && done.is_ok() == (fault == Fault::ShortWrite));
                drop(faults);
                let first = fs::read(folder.0.join("new/folder/first")).ok();
                let second = fs::read(folder.0.join("second")).unwrap();
                assert!(first.is_none() || first.as_deref() == Some(b"first, and long enough"));
                let is_new = second == b"second, as it is now";
                assert!(is_new || second == b"second, as it was", "{fault:?} at {call}");
                assert!(!is_new || first.is_some(), "the first was there before the second");
                if matches!(fault, Fault::NoSpace | Fault::InputOutput) {
                    let scraps = folder.names().iter().any(|name| name.starts_with(".partial"));
                    assert!(!scraps, "{fault:?} at {call} leaves scraps");
                }
                work(&folder).unwrap();
            }
        }
    }

    /// Two files one after the other, and the power lost before the second is synced: the first
    /// outlasts it because it was, the second does not because it was not. Without the latter the
    /// test above could pass for want of anything to lose.
    #[test]
    fn what_was_synced_outlasts_the_power_and_nothing_else() {
        for fault in [Fault::PowerCut, Fault::PowerCutBeforeNames] {
            let folder = Folder::new(&format!("unsynced-{fault:?}"));
            let (first, second) = (folder.0.join("first"), folder.0.join("second"));
            let each = {
                let counting = Faults::counting(&folder.0);
                write_atomically(&first, b"earlier").unwrap();
                counting.calls()
            };
            // Created and written, then synced.
            let faults = Faults::below(&folder.0, fault, each + 2);
            write_atomically(&first, b"0123456789").unwrap();
            assert!(write_atomically(&second, b"0123456789").is_err() && faults.struck());
            drop(faults);
            assert_eq!(fs::read(&first).unwrap(), b"0123456789", "{fault:?}");
            assert!(!second.exists(), "{fault:?}");
            let scrap = folder.names().into_iter().find(|name| name.starts_with(".partial"));
            let left = scrap.map(|scrap| fs::read(folder.0.join(scrap)).unwrap());
            let names_last = fault == Fault::PowerCut;
            assert_eq!(left.as_deref(), names_last.then_some(&b"01234"[..]), "{fault:?}");
        }
    }
}
