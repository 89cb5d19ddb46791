//! Whatever fails while a table is written, the file is whole or not there.

use crate::output::{Sheet, Target};
use crate::run::Console;
use gaussfield_core::files::faults::{Fault, Faults};
use std::fs;

/// A table of some rows in the layout of a file's ending.
fn table(target: &Target, first: f64) -> Vec<u8> {
    let mut sheet = Sheet::of_probabilities();
    sheet.texts("id", (0..40).map(|row| Some(format!("row {row}"))));
    sheet.numbers("p", (0..40).map(|row| Some(first + f64::from(row))));
    sheet.bytes(target).expect("a table")
}

#[test]
fn whatever_fails_a_table_is_whole_or_absent() {
    let (console, mut struck) = (Console::default(), 0);
    for name in ["table.csv", "table.tsv", "table.parquet", "table.arrow"] {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join(name);
        let target = Target::given(&path);
        let (old, new) = (table(&target, 0.0), table(&target, 0.5));
        let counting = Faults::counting(root.path());
        target.write(&old, &console).expect("writable");
        assert!(counting.all_synced(), "{name}: a table that is written outlasts a loss of power");
        let calls = counting.calls();
        drop(counting);
        for fault in Fault::ALL {
            for call in 0..calls {
                for before in [None, Some(&old)] {
                    match before {
                        None => drop(fs::remove_file(&path)),
                        Some(old) => target.write(old, &console).expect("writable"),
                    }
                    let faults = Faults::below(root.path(), fault, call);
                    let written = target.write(&new, &console);
                    assert!(faults.struck(), "{name}: {fault:?} at {call}");
                    drop(faults);
                    let found = fs::read(&path).ok();
                    let whole = found.as_ref() == Some(&new);
                    let untouched = written.is_err() && found.as_ref() == before;
                    assert!(whole || untouched, "{name}: {fault:?} at {call}");
                    struck += 1;
                }
            }
        }
    }
    assert!(struck >= 240, "{struck}");
}
