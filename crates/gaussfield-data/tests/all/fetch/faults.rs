//! Fetching onto a disk that fails.

use super::{Toy, fs};
use gaussfield_core::files::faults::{Fault, Faults};
use gaussfield_data::catalog::Location;

#[test]
fn whatever_fails_a_cached_file_is_whole_or_absent() {
    let toy = Toy::new("npm");
    let server = toy.good();
    // Below the folder that the cache is made in, whose names are synced too.
    let counting = Faults::counting(&toy.path(""));
    toy.fetch(&server).unwrap();
    assert!(counting.all_synced(), "a file that was fetched outlasts a loss of power");
    drop(counting);
    fs::remove_dir_all(toy.path("cache")).unwrap();
    let counting = Faults::counting(&toy.path("cache"));
    toy.fetch(&server).unwrap();
    let calls = counting.calls();
    drop(counting);
    assert!(calls >= 8, "{calls}");
    for fault in Fault::ALL {
        for call in 0..calls {
            fs::remove_dir_all(toy.path("cache")).unwrap();
            let faults = Faults::below(&toy.path("cache"), fault, call);
            let fetched = toy.fetch(&server);
            assert!(faults.struck(), "{fault:?} at {call}");
            assert_eq!(fetched.is_ok(), fault == Fault::ShortWrite, "{fault:?} at {call}");
            drop(faults);
            let catalog = toy.catalog(server.indexes());
            if let Location::Cache(_) = catalog.locate("toy").unwrap() {
                assert!(catalog.check("toy").unwrap().is_good(), "{fault:?} at {call}");
            }
            // And the next fetch mends what is missing.
            toy.fetch(&server).unwrap();
            assert!(catalog.check("toy").unwrap().is_good(), "{fault:?} at {call}");
        }
    }
}
