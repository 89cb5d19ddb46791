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

/// A folder with three documents about sport and three about the kitchen, one of each in a sub-folder.
fn documents(folder: &Folder) {
    for place in ["notes/sport", "notes/kitchen", "notes/.git"] {
        std::fs::create_dir_all(folder.path().join(place)).unwrap();
    }
    for (name, words) in [
        ("notes/sport/1.txt", "the goalkeeper saved a goal"),
        ("notes/2.txt", "a goal, in the last minute"),
        ("notes/3.txt", "the striker missed the goal"),
        ("notes/kitchen/4.txt", "add butter and flour"),
        ("notes/5.txt", "flour and sugar in a bowl"),
        ("notes/6.txt", "melt the butter in the bowl"),
        ("notes/.git/7.txt", "hidden"),
    ] {
        folder.file(name, words);
    }
}

#[test]
fn a_folder_of_text_files() {
    let folder = Folder::new();
    documents(&folder);
    facts(&folder, &["label", "notes", "-k", "2", "--save", "notes.model"]);
    let rows = |name: &str| -> Vec<(String, String)> {
        let mut reader = csv::Reader::from_reader(folder.read(name).into_bytes().leak() as &[u8]);
        let at = reader.headers().unwrap().iter().position(|name| name == "class").unwrap();
        reader.records().map(Result::unwrap).map(|r| (r[0].to_owned(), r[at].to_owned())).collect()
    };
    let told = rows("notes.labelled.csv");
    let expected = [
        ("2.txt", "sport"),
        ("3.txt", "sport"),
        ("5.txt", "kitchen"),
        ("6.txt", "kitchen"),
        ("kitchen/4.txt", "kitchen"),
        ("sport/1.txt", "sport"),
    ];
    assert_eq!(told, expected.map(|(id, class)| (id.to_owned(), class.to_owned())));
    // The words are found again in other documents: a folder of them, or a column.
    std::fs::create_dir(folder.path().join("new")).unwrap();
    folder.file("new/a.txt", "no goal for the striker");
    folder.file("new/b.txt", "unheard words with flour and butter");
    facts(&folder, &["predict", "notes.model", "new"]);
    let expected = [("a.txt", "sport"), ("b.txt", "kitchen")];
    let expected = expected.map(|(id, class)| (id.to_owned(), class.to_owned()));
    assert_eq!(rows("new.predicted.csv"), expected);
    folder.file("new.csv", "said\nno goal for the striker\nflour and butter\n");
    facts(&folder, &["predict", "notes.model", "new.csv", "--text", "said", "-o", "p.csv"]);
    let classes: Vec<String> = rows("p.csv").into_iter().map(|(_, class)| class).collect();
    assert_eq!(classes, ["sport", "kitchen"]);
    // Labels beside the folder: sub-folders mean nothing then.
    folder.file("labels.csv", "id,label\n3.txt,S\n6.txt,K\n");
    let beside = ["label", "notes", "--labels", "labels.csv", "-k", "2", "-o", "beside.csv"];
    let told = facts(&folder, &beside);
    assert_eq!(told["input"]["labelled"], 2);
    assert_eq!(rows("beside.csv")[5], ("sport/1.txt".to_owned(), "S".to_owned()));
}

#[test]
fn folders_that_cannot_be_used_are_told() {
    let folder = Folder::new();
    documents(&folder);
    folder.file("lines.csv", crate::support::two_lines());
    facts(&folder, &["label", "lines.csv", "-l", "kind", "-i", "name", "--save", "lines.model"]);
    facts(&folder, &["label", "notes", "-k", "2", "--save", "notes.model"]);
    std::fs::create_dir_all(folder.path().join("flat")).unwrap();
    folder.file("flat/a.txt", "words");
    folder.file("flat/b.txt", "others");
    folder.file("labels.csv", "id,label\nz.txt,S\n");
    folder.file("new.csv", "said\nno goal\n");
    std::fs::create_dir_all(folder.path().join("binary/x")).unwrap();
    folder.file("binary/x/y.png", b"\x89PNG\xff");
    for (arguments, words) in [
        (&["label", "flat"][..], &["no row has a label", "sub-folders"][..]),
        (&["label", "flat", "--labels", "labels.csv"], &["\"z.txt\"", "flat"]),
        (&["label", "binary"], &["y.png", "not UTF-8"]),
        (&["label", "notes", "--text", "what"], &["folder", "leave --text out"]),
        (&["label", "notes", "--features", "x*"], &["leave --features out"]),
        (&["predict", "lines.model", "flat"], &["folder of text", "columns of numbers"]),
        (&["predict", "notes.model", "new.csv"], &["--text"]),
    ] {
        let output = folder.run(&[arguments, &["-o", "never.csv"]].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {message}");
        for word in words {
            assert!(message.contains(word), "{arguments:?}: {message} lacks {word}");
        }
        assert!(!folder.names().contains(&"never.csv".to_owned()));
    }
}

/// A sparse matrix as scipy saves it, of whole numbers.
fn npz(format: &str, shape: [i64; 2], indptr: &[i64], indices: &[i64], data: &[i64]) -> Vec<u8> {
    let member = |descr: &str, shape: String, bytes: Vec<u8>| {
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &bytes].concat()
    };
    let whole = |numbers: &[i64]| {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        member("<i8", format!("({},)", numbers.len()), bytes)
    };
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [
        ("indices.npy", whole(indices)),
        ("indptr.npy", whole(indptr)),
        ("format.npy", member("|S3", "()".to_owned(), format.as_bytes().to_vec())),
        ("shape.npy", whole(&shape)),
        ("data.npy", whole(data)),
    ] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, &bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// `X` in three dimensions, and `y` as numpy keeps text: four bytes a letter.
#[test]
fn arrays_of_numpy_with_names_as_labels() {
    let member = |descr: &str, shape: &str, bytes: Vec<u8>| {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &bytes].concat()
    };
    let folder = Folder::new();
    let archive = |x: Vec<u8>, y: Vec<u8>| {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in [("X.npy", x), ("y.npy", y)] {
            archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut archive, &bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    };
    let x = member("|u1", "(4, 1, 2)", vec![0, 0, 1, 0, 9, 9, 8, 9]);
    let letters = ["ab", "", "", "c"].map(|text| format!("{text:\0<2}"));
    let y = letters.iter().flat_map(|text| text.chars().flat_map(|c| u32::from(c).to_le_bytes()));
    folder.file("xy.npz", archive(x, member("<U2", "(4,)", y.collect())));
    let told = facts(&folder, &["label", "xy.npz", "-k", "1"]);
    assert_eq!((&told["input"]["labelled"], &told["input"]["classes"]), (&2.into(), &2.into()));
    assert_eq!(classes(&folder, "xy.labelled.csv"), ["ab", "ab", "c", "c"]);
    let gap = [1.0, 2.0, 3.0, f64::NAN].map(f64::to_le_bytes).concat();
    folder.file("gap.npy", member("<f8", "(2, 2)", gap));
    let output = folder.run(&["graph", "gap.npy"]);
    let message = text(&output.stderr);
    assert!(message.contains("gap.npy: row 2, column 2 is NaN; fill in"), "{message}");
    for (shape, words) in [("(0, 2)", "there is no row"), ("(4, 0)", "no features")] {
        let (x, y) = (member("|u1", shape, vec![]), member("|u1", "(4,)", vec![1; 4]));
        folder.file("none.npz", archive(x, y));
        let output = folder.run(&["label", "none.npz"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

#[test]
fn a_sparse_matrix_of_scipy_is_rows_or_a_graph() {
    let folder = Folder::new();
    // The path 1 - 2 - 3 - 4, weak in the middle.
    let path = npz("csr", [4, 4], &[0, 1, 3, 5, 6], &[1, 0, 2, 1, 3, 2], &[9, 9, 1, 1, 9, 9]);
    folder.file("g.npz", path);
    // Nodes are numbered from 0, as in Python, rows from 1, as in any table.
    folder.file("nodes.csv", "id,label\n0,left\n3,right\n");
    folder.file("rows.csv", "id,label\n1,left\n4,right\n");
    let as_graph =
        ["label", "g.npz", "--format", "npz-graph", "--labels", "nodes.csv", "-o", "g.csv"];
    assert_eq!(facts(&folder, &as_graph)["input"]["content"], "a graph of 3 edges");
    assert_eq!(classes(&folder, "g.csv"), ["left", "left", "right", "right"]);
    let as_rows = ["label", "g.npz", "--labels", "rows.csv", "-k", "1", "-o", "r.csv"];
    assert_eq!(facts(&folder, &as_rows)["input"]["content"], "4 features");
    // Labels beside rows may have another character between cells, and then it is named.
    folder.file("rows.txt", "id;label\n1;left\n4;right\n");
    let as_rows = ["label", "g.npz", "--labels", "rows.txt", "-k", "1", "-o", "r.csv"];
    let output = folder.run(&[&as_rows[..], &["--force"]].concat());
    assert!(text(&output.stderr).contains("--delimiter ';'"), "{}", text(&output.stderr));
    facts(&folder, &[&as_rows[..], &["--delimiter", ";"]].concat());
    let uneven = npz("csr", [2, 2], &[0, 1, 2], &[1, 0], &[1, 2]);
    folder.file("uneven.npz", uneven);
    folder.file("oblong.npz", npz("csr", [1, 2], &[0, 1], &[1], &[1]));
    for (file, words) in [("uneven.npz", "uneven.npz"), ("oblong.npz", "1 x 2")] {
        let output = folder.run(&["graph", file, "--format", "npz-graph"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}
