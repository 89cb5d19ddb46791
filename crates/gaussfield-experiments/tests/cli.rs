//! The program, from the outside.

use assert_cmd::Command;
use openblas_src as _;
use std::fs;
use std::path::Path;

/// The program with `folder` as its only place for data.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gaussfield-experiments"));
    command
        .env("GAUSSFIELD_DATA", folder.join("data"))
        .env("GAUSSFIELD_CACHE", folder.join("cache"))
        .env_remove("RUST_LOG");
    command
}

/// What it prints, and whether it succeeded.
fn answer(command: &mut Command) -> (bool, String, String) {
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn an_unknown_paper_is_answered_with_the_keys() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, _, error) = answer(program(folder.path()).args(["reproduce", "nobody1900"]));
    assert!(!success);
    assert!(error.contains("nobody1900") && error.contains("all"), "{error}");
}

#[test]
fn bad_numbers_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [["--trials", "0"], ["--threads", "0"], ["--seed", "x"]] {
        let mut command = program(folder.path());
        let (success, _, error) = answer(command.args(["reproduce", "all"]).args(arguments));
        assert!(!success && error.contains(arguments[0]), "{arguments:?}: {error}");
    }
}

#[test]
fn data_list_names_every_data_set_and_where_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, list, error) = answer(program(folder.path()).args(["data", "list"]));
    assert!(success, "{error}");
    for part in ["usps", "11000 rows", "optdigits", "embedded", "licence:"] {
        assert!(list.contains(part), "{part} in {list}");
    }
}

#[test]
fn data_check_fails_on_a_wrong_file_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, report, _) = answer(program(folder.path()).args(["data", "check"]));
    assert!(success, "absent data sets are no fault: {report}");
    assert!(report.contains("ok "), "the embedded data set is checked: {report}");
    let usps = folder.path().join("data/usps");
    fs::create_dir_all(&usps).expect("writable");
    fs::write(usps.join("images.npy"), "not images").expect("writable");
    let (success, report, _) = answer(program(folder.path()).args(["data", "check", "usps"]));
    assert!(!success);
    assert!(report.contains("wrong    images.npy"), "{report}");
    assert!(report.contains("missing  labels.npy"), "{report}");
}

#[test]
fn fetching_an_unknown_data_set_names_the_known_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, _, error) = answer(program(folder.path()).args(["data", "fetch", "nothing"]));
    assert!(!success);
    assert!(error.contains("nothing") && error.contains("usps"), "{error}");
}
