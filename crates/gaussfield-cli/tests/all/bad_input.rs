//! Bad input: a message that says what to do, the right exit code, and nothing half-written.

use crate::support::{Folder, text, two_lines};

const INPUT: i32 = 3;
const OUTPUT: i32 = 4;

/// A file with its content, what is said beside `label FILE`, and the words of the message.
type Case<'a> = (&'a [u8], &'a [&'a str], &'a [&'a str]);

#[test]
fn files_that_cannot_be_used_are_told_so() {
    let lines = two_lines();
    let constant = "x,c,label\n1,1,a\n2,1,\n8,1,b\n9,1,\n";
    let cases: &[Case<'_>] = &[
        (b"", &[], &["empty", "header"]),
        (b"x,label\n", &[], &["no row", "add rows"]),
        (b"\x00\x01\x02\xff\xfe junk", &[], &["UTF-8"]),
        (b"\xff\xfex\0,\0l\0", &[], &["UTF-16", "UTF-8"]),
        (b"x,label\n1,a\n2\n", &[], &["line 3", "1 cell,", "2 are needed"]),
        (b"x,label\n1,a\n2,\"b\nc\"\n3\n", &[], &["line 5"]),
        (
            b"x,city,label\n1,Paris,a\n",
            &[],
            &["line 2", "\"city\"", "\"Paris\"", "--ignore \"city\""],
        ),
        (
            b"x,label\n1,a\n,b\n3,\n,\n",
            &[],
            &["line 3", "\"x\"", "missing", "lines 3, 5", "--impute"],
        ),
        (b"x,label\n1e999,a\n", &[], &["line 2", "not finite"]),
        (b"x,y\n1,a\n", &[], &["\"label\"", "\"x\", \"y\"", "--label"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["--id", "key"], &["\"key\"", "--id"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["--features", "z*"], &["\"z*\"", "--features"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["--ignore", "x"], &["no column is left"]),
        (b"k,x,label\na,1,a\nb,2,\na,3,b\n", &["--id", "k"], &["rows 1 and 3", "\"a\"", "differ"]),
        (b"x,label\n1,a\n2,a\n3,\n", &[], &["\"a\"", "another class"]),
        (b"x,label\n1,a\n2,b\n", &[], &["every row has a label", "empty"]),
        (b"x,label\n1,\n2,\n", &[], &["no row has a label", "\"label\""]),
        (b"x,label\n", &["--labels", "none.csv"], &["no row"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["--labels", "none.csv"], &["none.csv", "exists"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["--delimiter", "\u{e9}"], &["--delimiter", "ASCII"]),
        (b"x,c,label\n1,1,a\n1,1,\n1,1,b\n1,1,\n", &[], &["the same features", "add a column"]),
        (b"x;label\n1;a\n2;\n", &[], &["';'", "--delimiter ';'"]),
        (b"x\tlabel\n1\ta\n2\t\n", &[], &["--delimiter '\\t'"]),
        (b"x,label\n1,a\n\"1,5\",\n3,b\n", &[], &["line 3", "\"1,5\"", "decimal point"]),
        (b"x,label\n1,a\n2,\"b\n3,\n4,\n", &[], &["line 3", "quotation mark", "close it"]),
        (b"x\0,\0l\0a\0b\0e\0l\0\n\0", &[], &["UTF-16", "UTF-8"]),
        (b"0 1:1\n0 2:1\n", &["--format", "svmlight"], &["no row has a label", "first numbers"]),
        (b"1 1:1\n2 2:1\n", &["--format", "svmlight"], &["every row has a label", "with 0"]),
        (b"x,x,label\n1,1,a\n", &[], &["line 1", "columns 1 and 2", "\"x\"", "rename"]),
        (b"\x1f\x8bnot packed", &[], &["gzip", "damaged"]),
        (b"PAR1 and more", &["--format", "parquet"], &["damaged"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["-k", "3"], &["3 neighbours", "3 rows", "-k"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["-c", "none.toml"], &["none.toml", "exists"]),
        (b"x,label\n1,a\n2,\n3,b\n", &["-c", "table.csv"], &["table.csv", "--print-config"]),
    ];
    for (bytes, more, words) in cases {
        let folder = Folder::new();
        folder.file("table.csv", bytes);
        let output = folder.run(&[&["label", "table.csv"], *more].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(INPUT), "{message}");
        assert!(message.starts_with("error: ") && output.stdout.is_empty(), "{message}");
        for word in *words {
            assert!(message.contains(word), "{message} lacks {word}");
        }
        assert_eq!(folder.names(), ["table.csv"], "{message}");
    }
    // What looks odd and is fine.
    for (name, bytes) in [
        ("bom.csv", format!("\u{feff}{lines}")),
        ("crlf.csv", lines.replace('\n', "\r\n")),
        ("quoted.csv", lines.replace("row-3,", "\"row\n3\",")),
    ] {
        let folder = Folder::new();
        folder.file(name, bytes);
        let output = folder.run(&["label", name, "--label", "kind", "--id", "name"]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    }
    let folder = Folder::new();
    folder.file("constant.csv", constant);
    assert!(folder.run(&["label", "constant.csv"]).status.success());
    assert!(
        folder.run(&["label", "constant.csv", "--delimiter", ",", "-qo", "x"]).status.success()
    );
    folder.file("tabs.txt", lines.replace(',', "\t"));
    for tab in ["\t", "\\t"] {
        let arguments = ["label", "tabs.txt", "-l", "kind", "-i", "name", "-qo", "-"];
        let output = folder.run(&[&arguments[..], &["--delimiter", tab]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    folder.file("gaps.csv", "x,y,label\n1,2,a\n,3,\n5,,b\n2,2,\n");
    assert!(folder.run(&["label", "gaps.csv", "--impute", "median"]).status.success());
}

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

/// For whom nothing is closed there is nothing to see.
#[cfg(unix)]
#[test]
fn files_and_folders_that_are_closed() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let closed = folder.file("closed.csv", two_lines());
    folder.file("lines.csv", two_lines());
    let place = folder.path().join("place");
    std::fs::create_dir(&place).unwrap();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&closed, 0o000);
    set(&place, 0o500);
    if std::fs::read(&closed).is_ok() {
        return;
    }
    let output = folder.run(&["label", "closed.csv"]);
    assert_eq!(output.status.code(), Some(INPUT));
    assert!(text(&output.stderr).contains("ermission"), "{}", text(&output.stderr));
    let arguments = ["label", "lines.csv", "-l", "kind", "-i", "name", "-o", "place/x.csv"];
    let output = folder.run(&arguments);
    assert_eq!(output.status.code(), Some(OUTPUT));
    assert!(text(&output.stderr).contains("cannot be written"), "{}", text(&output.stderr));
    set(&place, 0o700);
}

#[test]
fn islands_are_flagged_and_a_row_of_many_lines_is_counted() {
    let folder = Folder::new();
    let mut table = String::from("x,label\n");
    for i in 0..20 {
        let label = ["a", "b"].get(i).filter(|_| i < 2).unwrap_or(&"");
        table += &format!("{},{label}\n", if i < 10 { i } else { 1000 + i });
    }
    folder.file("islands.csv", table);
    let output = folder.run(&["label", "islands.csv", "-k", "3"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("10 rows that no label reaches"));
    let told = folder.read("islands.labelled.csv");
    assert_eq!(told.lines().filter(|line| line.ends_with(",island")).count(), 10, "{told}");
    // Nodes are called as their file calls them.
    let numbered = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n3 3 0.5\n";
    for (name, graph, words) in [
        ("loop.edges", "a b 1\nb b 2\n", &["\"b\"", "itself", "weight 2", "remove"][..]),
        ("below.edges", "a b 1\nb c -1\n", &["\"b\" and \"c\"", "-1", "not negative"]),
        ("ways.edges", "a b 1\nb a 2\n", &["\"a\" to node \"b\" is 1", "back it is 2", "average"]),
        ("loop.mtx", numbered, &["node 3", "itself", "0.5", "diagonal"]),
    ] {
        folder.file(name, graph);
        let output = folder.run(&["graph", name]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(INPUT), "{message}");
        for word in words {
            assert!(message.contains(word), "{message} lacks {word}");
        }
    }
    // Two labels for one row, beside the table.
    folder.file("g.edges", "a b\nb c\n");
    folder.file("twice.csv", "id,label\na,x\na,y\n");
    let output = folder.run(&["label", "g.edges", "--labels", "twice.csv"]);
    assert_eq!(output.status.code(), Some(INPUT));
    assert!(text(&output.stderr).contains("\"a\" has two labels"), "{}", text(&output.stderr));
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

/// Options that are numbers may be said wrongly too.
#[test]
fn numbers_below_zero_are_values() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    for option in ["--scale", "--noise"] {
        let output = folder.run(&["label", "lines.csv", option, "-1"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(option) && message.contains("it must be"), "{message}");
    }
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
