//! Models that are kept and asked, graphs that are written, searches, pages: with the real program.

use crate::support::{Folder, text, two_lines};

const INPUT: i32 = 3;
const OUTPUT: i32 = 4;

fn succeeds(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeeds(folder, arguments)).unwrap()
}

/// The cells of a column.
fn column(table: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let at = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

/// A folder with the two lines and a model of them.
fn kept() -> Folder {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let label = ["label", "lines.csv", "-l", "kind", "-i", "name", "--save", "lines.model", "-q"];
    succeeds(&folder, &label);
    folder
}

#[test]
fn a_model_predicts_new_rows_whatever_the_order_of_their_columns() {
    let folder = kept();
    folder.file("new.csv", "y,note,x,name\n0.2,far,3.3,p\n11.8,near,7.1,q\n");
    let told = json(&folder, &["predict", "lines.model", "new.csv", "-i", "name", "--json"]);
    assert_eq!(told["rows"], 2);
    assert!(told["new-points"].as_str().unwrap().contains("nearest points"), "{told}");
    let table = folder.read("new.predicted.csv");
    assert_eq!(column(&table, "id"), ["p", "q"]);
    assert_eq!(column(&table, "class"), ["low", "high"]);
    let sure: Vec<f64> = column(&table, "p_low").iter().map(|p| p.parse().unwrap()).collect();
    assert!(sure[0] > 0.5 && sure[1] < 0.5, "{sure:?}");
    // A row that was fitted is told what it was told, and standard input will do.
    let mut program = folder.program(&["predict", "lines.model", "-"]);
    let output = program.write_stdin("x,y\n3.1,0\n").output().unwrap();
    assert_eq!(column(&text(&output.stdout), "class"), ["low"], "{}", text(&output.stderr));
}

#[test]
fn words_are_found_again_in_new_documents() {
    let folder = Folder::new();
    folder.file(
        "notes.csv",
        "what,kind\n\
         \"the goalkeeper saved a goal\",sport\n\"a goal, in the last minute\",\n\
         \"the striker missed the goal\",\nadd butter and flour,kitchen\n\
         flour and sugar in a bowl,\nmelt the butter in the bowl,\n",
    );
    let label =
        ["label", "notes.csv", "-l", "kind", "--text", "what", "-s", "notes.model", "-k", "2"];
    succeeds(&folder, &label);
    folder.file("new.csv", "what\nno goal for the striker\nunheard words with flour and butter\n");
    succeeds(&folder, &["predict", "notes.model", "new.csv"]);
    assert_eq!(column(&folder.read("new.predicted.csv"), "class"), ["sport", "kitchen"]);
}

#[test]
fn models_and_rows_that_do_not_go_together_are_told() {
    let folder = kept();
    folder.file("new.csv", "x,y\n1,0\n");
    folder.file("other.csv", "x,z\n1,0\n");
    folder.file("text.csv", "x,y\n1,high\n");
    folder.file("graph.edges", "a b 1\n");
    folder.file("taken.csv", "mine");
    let model = std::fs::read(folder.path().join("lines.model")).unwrap();
    folder.file("cut.model", &model[..model.len() - 5]);
    let mut changed = model.clone();
    changed[model.len() - 20] ^= 4;
    folder.file("changed.model", changed);
    let before = folder.names();
    let predict = |model: &'static str, file: &'static str| vec!["predict", model, file];
    let cases: &[(Vec<&str>, i32, &[&str])] = &[
        (predict("none.model", "new.csv"), INPUT, &["none.model", "No such file"]),
        (predict("lines.csv", "new.csv"), INPUT, &["lines.csv", "no file of gaussfield's"]),
        (predict("cut.model", "new.csv"), INPUT, &["cut.model", "bytes after its first line"]),
        (predict("changed.model", "new.csv"), INPUT, &["changed.model", "was changed"]),
        (predict("lines.model", "none.csv"), INPUT, &["none.csv", "exists"]),
        (
            predict("lines.model", "other.csv"),
            INPUT,
            &["\"y\"", "other.csv", "the model was fitted"],
        ),
        (predict("lines.model", "text.csv"), INPUT, &["line 2", "\"high\"", "\"y\""]),
        (predict("lines.model", "graph.edges"), INPUT, &["this is a graph"]),
        (vec!["predict", "lines.model", "new.csv", "-i", "key"], INPUT, &["\"key\"", "--id"]),
        (
            vec!["predict", "lines.model", "new.csv", "-o", "taken.csv"],
            OUTPUT,
            &["taken.csv", "--force"],
        ),
        (
            vec![
                "label",
                "lines.csv",
                "-l",
                "kind",
                "-i",
                "name",
                "--save",
                "lines.model",
                "-o",
                "x.csv",
            ],
            OUTPUT,
            &["lines.model", "--save", "--force"],
        ),
        (
            vec!["graph", "lines.csv", "-i", "name", "-l", "kind", "-k", "40"],
            INPUT,
            &["-k", "40 rows"],
        ),
        (vec!["graph", "graph.edges", "-k", "2"], INPUT, &["this is a graph", "-k"]),
        (vec!["graph", "graph.edges", "-o", "taken.csv"], OUTPUT, &["--force"]),
        (vec!["tune", "lines.csv", "-l", "kind", "-i", "name"], INPUT, &["2 labels", "held out"]),
        (
            vec!["tune", "lines.csv", "-l", "kind", "-i", "name", "-k", "40,50"],
            INPUT,
            &["-k", "below the number of rows, 40"],
        ),
        (
            vec!["tune", "lines.csv", "-l", "kind", "-i", "name", "-o", "taken.csv"],
            OUTPUT,
            &["--force"],
        ),
        (
            vec!["report", "lines.csv", "-l", "kind", "-i", "name", "-o", "taken.csv"],
            OUTPUT,
            &["this is a file"],
        ),
    ];
    for (arguments, code, words) in cases {
        let output = folder.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {message}");
        assert!(message.starts_with("error: ") && output.stdout.is_empty(), "{message}");
        for word in *words {
            assert!(message.contains(word), "{arguments:?}: {message} lacks {word}");
        }
        assert_eq!((folder.names(), folder.read("taken.csv")), (before.clone(), "mine".to_owned()));
    }
}

#[test]
fn a_graph_is_written_and_told_and_read_again() {
    let folder = kept();
    let arguments = ["graph", "lines.csv", "-i", "name", "-l", "kind", "-k", "3", "--json"];
    let told = json(&folder, &[&arguments[..], &["-o", "lines.edges"]].concat());
    assert_eq!((&told["nodes"], &told["parts"]), (&40.into(), &2.into()), "{told}");
    assert_eq!(told["rows-no-label-reaches"], 0);
    let edges = column(&folder.read("lines.edges"), "weight").len();
    assert_eq!(told["edges"], edges);
    let again = json(&folder, &["graph", "lines.edges", "--json"]);
    assert_eq!(again["edges"], edges);
    succeeds(&folder, &["graph", "lines.csv", "-i", "name", "-l", "kind", "-o", "lines.mtx"]);
    let again = json(&folder, &["graph", "lines.mtx", "--json"]);
    assert_eq!((&again["nodes"], &again["parts"]), (&40.into(), &2.into()));
    // Rows without any label have a graph too.
    folder.file("bare.csv", "x\n1\n2\n3\n9\n");
    assert!(succeeds(&folder, &["graph", "bare.csv"]).contains("4 nodes"));
}

#[test]
fn a_search_writes_a_description_that_label_runs() {
    let folder = Folder::new();
    let mut table = String::from("x,y,label\n");
    for i in 0..40 {
        let label = match i % 8 {
            0 => "low",
            1 => "high",
            _ => "",
        };
        table += &format!("{},{},{label}\n", i / 2, 12 * (i % 2));
    }
    folder.file("t.csv", table);
    let told = json(&folder, &["tune", "t.csv", "-k", "3,5", "-o", "best.toml", "--json"]);
    assert_eq!(told["tried"].as_array().unwrap().len(), 24);
    succeeds(&folder, &["label", "t.csv", "--config", "best.toml"]);
    assert_eq!(column(&folder.read("t.labelled.csv"), "class")[20..22], ["low", "high"]);
    let others = ["--weights", "self-tuning", "--methods", "poisson,gaussian-process"];
    let decisions = ["--decisions", "largest,equal-mass", "--json", "--repeats", "2"];
    let told = json(&folder, &[&["tune", "t.csv", "-k", "3"], &others[..], &decisions].concat());
    let methods: Vec<&str> = told["tried"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods.len(), 6, "{methods:?}");
    assert!(methods.contains(&"Gaussian process, normalised Δ, equal masses"), "{methods:?}");
    let wrong = folder.run(&["tune", "t.csv", "--methods", "harmonica"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("harmonic"), "a suggestion");
    let shown = succeeds(&folder, &["tune", "t.csv", "-k", "3", "--repeats", "2"]);
    for words in ["log loss", "±", "self-tuning", "[method"] {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn a_page_of_a_model_is_that_of_its_table() {
    let folder = kept();
    succeeds(&folder, &["report", "lines.csv", "-l", "kind", "-i", "name", "-o", "table"]);
    succeeds(&folder, &["report", "lines.model", "-o", "model"]);
    let page = |name: &str| {
        let page = folder.read(&format!("{name}/report.html"));
        assert!(page.contains("row-7") && page.contains("few neighbours"), "{name}");
        // The one line that tells when it was drawn, if there is one, and nothing else differs.
        page.lines().filter(|line| !line.contains("Drawn")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(page("model"), page("table"));
    // Rows without names are numbered, and a graph is not kept.
    folder.file("bare.csv", two_lines().replace("name,", "n,").replace("row-", ""));
    let bare = ["label", "bare.csv", "-l", "kind", "--ignore", "n", "--save", "bare.model", "-q"];
    succeeds(&folder, &bare);
    succeeds(&folder, &["report", "bare.model", "-o", "bare"]);
    folder.file("g.edges", "a b\nb c\nc d\n");
    folder.file("ends.csv", "id,label\na,x\nd,y\n");
    let graph = ["label", "g.edges", "--labels", "ends.csv", "--save", "g.model", "-q"];
    succeeds(&folder, &graph);
    for (arguments, words) in [
        (&["report", "g.model"][..], &["fitted to a graph", "the file of the graph"][..]),
        (&["report", "lines.model", "-k", "3"], &["saved model", "leave -k out"]),
        (&["label", "lines.model", "-o", "x.csv"], &["saved model", "predict"]),
    ] {
        let output = folder.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(INPUT), "{arguments:?}: {message}");
        words.iter().for_each(|word| assert!(message.contains(word), "{message} lacks {word}"));
    }
}

#[test]
fn a_page_alone() {
    let folder = kept();
    let arguments = ["report", "lines.csv", "-l", "kind", "-i", "name", "-o", "page"];
    succeeds(&folder, &arguments);
    assert!(folder.read("page/report.html").contains("The rows in two dimensions"));
    assert_eq!(
        folder.run(&arguments).status.code(),
        Some(OUTPUT),
        "a page is not replaced unasked"
    );
}
