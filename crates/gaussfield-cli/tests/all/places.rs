//! Places that cannot be read or written: a message, an exit code, and nothing half-written.

use crate::support::{Folder, text, two_lines};

const INPUT: i32 = 3;
const OUTPUT: i32 = 4;

#[test]
fn places_that_cannot_be_read() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for (file, words) in [("nowhere.csv", "exists"), ("folder", "no file in the directory")] {
        let output = folder.run(&["label", file]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(INPUT), "{message}");
        assert!(message.contains(file) && message.contains(words), "{message}");
    }
    assert_eq!(folder.names(), ["folder"]);
}

/// Somebody who may not do everything: root runs the program as the user of no rights, from a folder
/// that this user may enter.
#[cfg(unix)]
fn as_somebody(folder: &Folder, arguments: &[&str]) -> std::process::Output {
    use std::os::unix::process::CommandExt as _;
    /// The number of `nobody`.
    const NOBODY: u32 = 65534;
    let program = assert_cmd::cargo::cargo_bin("gaussfield");
    if std::fs::read(folder.path().join("closed.csv")).is_err() {
        return folder.run(arguments);
    }
    let place = Folder::new();
    set(place.path(), 0o755);
    let copy = place.path().join("gaussfield");
    std::fs::copy(program, &copy).unwrap();
    let mut command = std::process::Command::new(copy);
    command.args(arguments).current_dir(folder.path()).env_remove("RUST_LOG");
    command.uid(NOBODY).gid(NOBODY).output().unwrap()
}

#[cfg(unix)]
fn set(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn files_and_folders_that_are_closed() {
    let folder = Folder::new();
    set(folder.path(), 0o755);
    set(&folder.file("closed.csv", two_lines()), 0o000);
    set(&folder.file("lines.csv", two_lines()), 0o644);
    let place = folder.path().join("place");
    std::fs::create_dir(&place).unwrap();
    set(&place, 0o555);
    let before = folder.names();
    let label = |more: &[&'static str]| {
        [&["label", "lines.csv", "-l", "kind", "-i", "name"][..], more].concat()
    };
    for (arguments, code, words) in [
        (vec!["label", "closed.csv"], INPUT, &["closed.csv", "ermission", "may be used"][..]),
        (label(&["-o", "place/x.csv"]), OUTPUT, &["place/x.csv", "cannot be written", "--output"]),
        (label(&["-o", "-", "--save", "place/m"]), OUTPUT, &["place/m", "cannot be written"]),
        (label(&["-o", "-", "-r", "place/page"]), OUTPUT, &["place/page", "cannot be written"]),
        (label(&["-c", "closed.csv"]), INPUT, &["closed.csv", "ermission", "may be read"]),
        (label(&["--labels", "closed.csv"]), INPUT, &["closed.csv", "ermission", "may be used"]),
        (vec!["predict", "closed.csv", "lines.csv"], INPUT, &["closed.csv", "ermission"]),
    ] {
        let output = as_somebody(&folder, &arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(words.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
        assert_eq!(folder.names(), before);
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0, "{arguments:?}");
    }
}

/// A page whose numbers have no place: the figures that were written before them are taken away.
#[test]
fn half_a_page_is_none() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    std::fs::create_dir(folder.path().join("page")).unwrap();
    folder.file("page/data", "in the way");
    let arguments = ["label", "lines.csv", "-l", "kind", "-i", "name", "-r", "page"];
    let output = folder.run(&arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(OUTPUT), "{message}");
    for word in ["page/data/", "cannot be written", "check", "written to lines.labelled.csv"] {
        assert!(message.contains(word), "{message} lacks {word}");
    }
    let left = std::fs::read_dir(folder.path().join("page")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["data"]);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    folder.file("taken.csv", "mine");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let before = folder.names();
    for (place, words) in [
        ("taken.csv", "--force"),
        ("folder", "this is a folder"),
        ("taken.csv/below.csv", "cannot be written"),
        ("x.npy", "tables are written as CSV"),
        ("x.csv.gz", "tables are written as CSV"),
        ("x.xlsx", "tables are written as CSV"),
    ] {
        let output = folder.run(&["label", "lines.csv", "-l", "kind", "-i", "name", "-o", place]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(OUTPUT), "{message}");
        assert!(message.contains(words) && message.contains("--output"), "{message}");
        assert_eq!((folder.names(), folder.read("taken.csv")), (before.clone(), "mine".to_owned()));
    }
    // Two outputs of one name; a page that cannot be written whole leaves nothing of it.
    for (options, words) in [
        (["-o", "z", "--save", "./z"], &["--output", "--save", "its own"][..]),
        (["-o", "z", "--report", "z"], &["--output", "--report", "its own"]),
        (
            ["-o", "/dev/null", "-r", "taken.csv/page"],
            &["figures", "cannot be written", "the page is not"],
        ),
    ] {
        let output = folder
            .run(&[&["label", "lines.csv", "-l", "kind", "-i", "name"][..], &options].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(OUTPUT), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert_eq!(folder.names(), before);
    }
    let forced =
        ["label", "lines.csv", "-l", "kind", "-i", "name", "-o", "taken.csv", "--force", "-q"];
    assert!(folder.run(&forced).status.success());
    assert!(folder.read("taken.csv").starts_with("id,"));
}

/// A full disk: the device that never has space, behind standard output.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let program = assert_cmd::cargo::cargo_bin("gaussfield");
    let output = std::process::Command::new(program)
        .current_dir(folder.path())
        .args(["label", "lines.csv", "-l", "kind", "-i", "name", "-o", "-"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(OUTPUT), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("standard output"));
    assert_eq!(folder.names(), ["lines.csv"]);
    // By name it is written to, and never replaced.
    for (place, code) in [("/dev/full", Some(OUTPUT)), ("/dev/null", Some(0))] {
        let output = folder.run(&["label", "lines.csv", "-l", "kind", "-i", "name", "-o", place]);
        assert_eq!(output.status.code(), code, "{}", text(&output.stderr));
        let kind = std::fs::metadata(place).unwrap().file_type();
        assert!(std::os::unix::fs::FileTypeExt::is_char_device(&kind), "{place} is what it was");
        assert_eq!(folder.names(), ["lines.csv"]);
    }
    let save = ["label", "lines.csv", "-l", "kind", "-i", "name", "--save", "/dev/null", "--force"];
    assert_eq!(folder.run(&save).status.code(), Some(OUTPUT));
}

/// A disk on which no file may grow past a few blocks: whatever is too long is not there at all.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_holds_nothing_by_halves() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    // A limit told by a signal would end the program; as an error it is a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    for (more, words) in [
        (&["-o", "x.csv"][..], &["x.csv", "cannot be written", "has space", "--output"][..]),
        (&["-o", "x.parquet"], &["x.parquet", "cannot be written", "has space"]),
        (&["-o", "-", "--save", "x.model"], &["x.model", "cannot be written", "has space"]),
        (&["-o", "-", "--report", "page"], &["page", "cannot be written", "has space"]),
    ] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", limited]).arg(assert_cmd::cargo::cargo_bin("gaussfield"));
        command.args(["label", "lines.csv", "-l", "kind", "-i", "name"]).args(more);
        let output = command.current_dir(folder.path()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(OUTPUT), "{more:?}: {message}");
        assert!(words.iter().all(|word| message.contains(word)), "{more:?}: {message}");
        let left = folder.names();
        assert!(left.iter().all(|name| ["lines.csv", "page"].contains(&name.as_str())), "{left:?}");
        if left.iter().any(|name| name == "page") {
            assert_eq!(std::fs::read_dir(folder.path().join("page")).unwrap().count(), 0);
        }
    }
}
