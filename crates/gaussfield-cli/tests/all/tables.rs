//! Tables that are stored column by column, in and out.

use crate::support::{Folder, text, two_lines};
use gaussfield::data::read::columnar::{self, Column, Layout};
use gaussfield::data::read::csv::CsvOptions;

/// A CSV as columns: numbers where all cells are, text where not, a null for an empty cell.
fn stored(csv: &str, layout: Layout) -> Vec<u8> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |at: usize| {
        let cells = || rows.iter().map(|row| Some(&row[at]).filter(|cell| !cell.is_empty()));
        if cells().all(|cell| cell.is_none_or(|cell| cell.parse::<f64>().is_ok())) {
            Column::Numbers(cells().map(|cell| cell.map(|x| x.parse().unwrap())).collect())
        } else {
            Column::Text(cells().map(|cell| cell.map(str::to_owned)).collect())
        }
    };
    let columns = names.iter().enumerate().map(|(at, name)| (name.clone(), column(at))).collect();
    columnar::write(columns, layout).unwrap()
}

fn succeeds(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

const LABEL: [&str; 4] = ["-l", "kind", "-i", "name"];

#[test]
fn every_command_reads_them_as_it_reads_a_csv() {
    let folder = Folder::new();
    let mut table = two_lines();
    for (row, kind) in [(18, "low"), (19, "high"), (24, "low"), (25, "high")] {
        let line = table.lines().find(|line| line.starts_with(&format!("row-{row},"))).unwrap();
        table = table.replace(line, &format!("{line}{kind}"));
    }
    folder.file("t.csv", &table);
    folder.file("t.parquet", stored(&table, Layout::Parquet));
    folder.file("t.feather", stored(&table, Layout::Arrow));
    let all: [(&str, &[&str]); 6] = [
        ("label", &["-o", "-"]),
        ("query", &["-o", "-"]),
        ("audit", &["-o", "-"]),
        ("graph", &["-o", "-"]),
        ("tune", &["-o", "-", "-k", "3", "--repeats", "2"]),
        ("report", &["-q", "--force"]),
    ];
    for (command, more) in all {
        let run = |file: &str| succeeds(&folder, &[&[command, file], &LABEL[..], more].concat());
        let expected = run("t.csv");
        assert!(command == "report" || expected.len() > 100, "{command}: {expected}");
        for file in ["t.parquet", "t.feather"] {
            assert_eq!(run(file), expected, "{command} {file}");
        }
    }
    succeeds(&folder, &[&["label", "t.parquet", "--save", "t.model", "-q"], &LABEL[..]].concat());
    let predict =
        |file: &str| succeeds(&folder, &["predict", "t.model", file, "-i", "name", "-o", "-"]);
    assert_eq!(predict("t.parquet"), predict("t.csv"));
    // Without their ending, and as a stream.
    std::fs::copy(folder.path().join("t.parquet"), folder.path().join("table")).unwrap();
    let stream = std::fs::read(folder.path().join("t.parquet")).unwrap();
    let arguments = [&["label", "table", "--format", "parquet", "-o", "-"], &LABEL[..]].concat();
    let expected = succeeds(&folder, &arguments);
    let arguments = [&["label", "-", "--format", "arrow"], &LABEL[..]].concat();
    let output = folder.program(&arguments).write_stdin(stream).output().unwrap();
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn answers_are_written_in_the_layout_of_the_ending() {
    let folder = Folder::new();
    folder.file("t.csv", two_lines());
    succeeds(&folder, &[&["label", "t.csv", "-o", "a.csv"], &LABEL[..]].concat());
    succeeds(&folder, &[&["label", "t.csv", "-o", "a.tsv"], &LABEL[..]].concat());
    assert_eq!(folder.read("a.tsv").replace('\t', ","), folder.read("a.csv"));
    for file in ["a.parquet", "a.arrow"] {
        succeeds(&folder, &[&["label", "t.csv", "-o", file], &LABEL[..]].concat());
        let options = CsvOptions::new().label("class").id("id").ignore("label").ignore("flags");
        let written = columnar::read(folder.path().join(file), &options).unwrap();
        let as_text = options.read(folder.path().join("a.csv")).unwrap();
        assert_eq!((&written.ids, &written.labels), (&as_text.ids, &as_text.labels));
        let names = ["probability", "p_low", "p_high", "entropy"];
        assert_eq!(written.feature_names.as_deref().unwrap(), names);
        let (exact, rounded) = (written.points.to_dense(), as_text.points.to_dense());
        assert!(exact.iter().zip(&rounded).all(|(a, b)| (a - b).abs() <= 5.1e-7));
        let bytes = std::fs::read(folder.path().join(file)).unwrap();
        let cells = columnar::parse_text(file.as_ref(), &bytes, &["label"], &CsvOptions::new());
        assert_eq!(cells.unwrap().columns[0][..3], ["low", "high", ""]);
    }
    let query = [&["query", "t.csv", "-n", "4", "-o", "q.parquet"], &LABEL[..]].concat();
    succeeds(&folder, &query);
    let listed = CsvOptions::new().id("id").feature("rank").feature("gain");
    let listed = columnar::read(folder.path().join("q.parquet"), &listed).unwrap();
    assert_eq!(listed.points.to_dense().column(0).to_vec(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn tables_that_cannot_be_used_are_told() {
    let folder = Folder::new();
    let whole = stored(&two_lines(), Layout::Parquet);
    folder.file("cut.parquet", &whole[..whole.len() / 2]);
    let mut torn = whole.clone();
    torn[4..300].fill(0xff);
    folder.file("torn.parquet", torn);
    folder.file("text.parquet", "x,label\n1,a\n");
    folder.file("gap.parquet", stored("x,label\n1,a\n,b\n3,\n", Layout::Parquet));
    folder.file("city.arrow", stored("x,city,label\n1,Rome,a\n2,Oslo,b\n3,Bonn,\n", Layout::Arrow));
    folder.file("none.parquet", stored("x,label\n1,\n2,\n", Layout::Parquet));
    folder.file("keys.parquet", stored("k,x,label\nu,1,a\nu,2,b\nv,3,\n", Layout::Parquet));
    let before = folder.names();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["cut.parquet"], &["damaged"]),
        (&["torn.parquet", "-l", "kind", "-i", "name"], &["damaged"]),
        (&["text.parquet"], &["neither Parquet nor"]),
        (&["gap.parquet"], &["row 2", "\"x\"", "missing", "--impute"]),
        (&["city.arrow"], &["\"city\"", "no number", "--ignore"]),
        (&["none.parquet"], &["no row has a label"]),
        (&["keys.parquet", "-i", "k"], &["rows 1 and 2", "\"u\""]),
        (&["keys.parquet", "-i", "key"], &["\"key\"", "--id", "\"k\""]),
    ];
    for (arguments, words) in cases {
        let output = folder.run(&[&["label"], arguments].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {message}");
        assert!(message.starts_with("error: ") && output.stdout.is_empty(), "{message}");
        for word in words.iter().chain(&[arguments[0], "; "]) {
            assert!(message.contains(word), "{arguments:?}: {message} lacks {word}");
        }
        assert_eq!(folder.names(), before);
    }
    let filled = folder.run(&["label", "gap.parquet", "--impute", "mean", "-k", "1"]);
    assert!(filled.status.success(), "{}", text(&filled.stderr));
}
