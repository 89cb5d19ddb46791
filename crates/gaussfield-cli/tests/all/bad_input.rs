//! Bad input: a message that says what to do, the right exit code, and nothing half-written.

use crate::support::{Folder, text, two_lines};

const INPUT: i32 = 3;

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

/// A description that can be read and does not suit the rows, or itself.
#[test]
fn descriptions_that_do_not_fit_are_told_so() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    for (config, words) in [
        ("graph.knn.k = 99\nmethod.harmonic = {}", &["graph", "99", "40"][..]),
        ("graph.knn.k = 3\nmethod.nearest-neighbours.k = 1", &["graph", "leave it out"]),
        ("method.harmonica = {}", &["config.toml", "harmonica", "--print-config"]),
        ("method.harmonic = {}\n[decision]\nclass-mass = [0.2, 0.3, 0.5]", &["decision"]),
    ] {
        folder.file("config.toml", config);
        let arguments = ["label", "lines.csv", "-l", "kind", "-i", "name", "-c", "config.toml"];
        let output = folder.run(&arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(INPUT), "{config}: {message}");
        for word in words {
            assert!(message.contains(word), "{config}: {message} lacks {word}");
        }
        assert_eq!(folder.names(), ["config.toml", "lines.csv"]);
    }
}
