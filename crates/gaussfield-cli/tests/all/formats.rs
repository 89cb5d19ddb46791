//! Rows that are no table of numbers: text, arrays, sparse rows, graphs.

use crate::support::{Folder, text};

fn facts(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    let output = folder.run(&[arguments, &["--json", "--force"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The second column after the name of each row: its class.
fn classes(folder: &Folder, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(folder.read(name).into_bytes().leak() as &[u8]);
    reader.records().map(|row| row.unwrap()[2].to_owned()).collect()
}

#[test]
fn words_of_a_column() {
    let folder = Folder::new();
    folder.file(
        "notes.csv",
        "what,kind\n\
         \"the goalkeeper saved a goal\",sport\n\"a goal, in the last minute\",\n\
         \"the striker missed the goal\",\nadd butter and flour,kitchen\n\
         flour and sugar in a bowl,\nmelt the butter in the bowl,\n",
    );
    let arguments = ["label", "notes.csv", "--label", "kind", "--text", "what"];
    let told = facts(&folder, &arguments);
    assert!(told["choices"][0]["chosen"].as_str().unwrap().contains("length"), "{told}");
    let expected = ["sport", "sport", "sport", "kitchen", "kitchen", "kitchen"];
    assert_eq!(classes(&folder, "notes.labelled.csv"), expected);
}

#[test]
fn a_graph_with_labels_beside_it() {
    let folder = Folder::new();
    folder.file("g.edges", "source,target,weight\na,b,1\nb,c,0.1\nc,d,1\nd,e,1\n");
    folder.file("labels.csv", "id,label\na,left\ne,right\n");
    let arguments = ["label", "g.edges", "--labels", "labels.csv"];
    assert_eq!(facts(&folder, &arguments)["input"]["content"], "a graph of 4 edges");
    assert_eq!(classes(&folder, "g.labelled.csv"), ["left", "left", "right", "right", "right"]);

    folder.file("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
    folder.file("ends.csv", "id,label\n1,x\n3,y\n");
    let told = facts(&folder, &["label", "g.mtx", "--labels", "ends.csv"]);
    assert_eq!(told["input"]["rows"], 3);
    for (more, words) in [
        (&["-k", "3"][..], "this is a graph"),
        (&["--labels", "g.mtx"], "no column"),
        (&["--labels", "labels.csv", "--label", "id"], "no row"),
    ] {
        let arguments = ["label", "g.mtx", "-o", "x.csv"];
        let beside = ["--labels", "ends.csv"];
        let beside = if more[0] == "--labels" { &[][..] } else { &beside };
        let output = folder.run(&[&arguments[..], beside, more].concat());
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
    let output = folder.run(&["label", "g.mtx", "-o", "x.csv"]);
    assert!(text(&output.stderr).contains("--labels"), "{}", text(&output.stderr));
}

#[test]
fn sparse_rows_with_classes_before_them() {
    let folder = Folder::new();
    let mut rows = String::new();
    for i in 0..12 {
        let (class, feature) = (i % 2, 1 + 4 * (i % 2) + i % 3);
        let label = if i < 2 { class + 1 } else { 0 };
        rows += &format!("{label} {feature}:1 {}:0.5\n", 4 + 4 * class);
    }
    folder.file("rows.svmlight", rows);
    facts(&folder, &["label", "rows.svmlight", "-k", "3"]);
    let told = classes(&folder, "rows.labelled.csv");
    assert!(
        told.iter().enumerate().all(|(i, class)| *class == (i % 2 + 1).to_string()),
        "{told:?}"
    );
}
