//! `gaussfield label`, where all is well.

use crate::support::{Folder, text, two_lines};
use std::collections::HashMap;

/// The cells of a CSV text by column, rows in order.
fn columns(csv: &str) -> HashMap<String, Vec<String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let mut columns: HashMap<String, Vec<String>> = HashMap::new();
    for record in reader.records() {
        for (name, cell) in names.iter().zip(record.unwrap().iter()) {
            columns.entry(name.clone()).or_default().push(cell.to_owned());
        }
    }
    columns
}

const ARGUMENTS: [&str; 6] = ["label", "lines.csv", "--label", "kind", "--id", "name"];

#[test]
fn every_row_gets_its_class_and_probabilities() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let output = folder.run(&ARGUMENTS);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    for words in ["40 rows, 2 features, 2 of 40 rows labelled", "high", "because", "lines.labelled"]
    {
        assert!(summary.contains(words), "{summary} lacks {words}");
    }
    assert!(!summary.contains('\u{1b}'), "no colours outside a terminal");
    let columns = columns(&folder.read("lines.labelled.csv"));
    for row in 0..40 {
        let expected = if row % 2 == 1 { "high" } else { "low" };
        assert_eq!(columns["class"][row], expected, "row {row}");
        assert_eq!(columns["id"][row], format!("row-{row}"));
        let share = |name: &str| columns[name][row].parse::<f64>().unwrap();
        assert!((share("p_low") + share("p_high") - 1.0).abs() < 2e-6);
        assert!((share("probability") - share(&format!("p_{expected}"))).abs() < 1e-12);
        assert!((0.0..=0.7).contains(&share("entropy")));
    }
    assert_eq!(columns["label"][..3], ["low", "high", ""]);
}

#[test]
fn facts_come_as_json_and_threads_change_nothing() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let mut tables = Vec::new();
    for threads in ["1", "3"] {
        let more = ["--json", "--force", "--threads", threads];
        let output = folder.run(&[&ARGUMENTS[..], &more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(facts["input"]["rows"], 40);
        assert_eq!(facts["classes"][1]["name"], "high");
        assert!(facts["description"]["weights"]["self-tuning"]["factor"].as_f64().unwrap() > 0.0);
        assert!(facts["choices"].as_array().unwrap().len() >= 4);
        tables.push(folder.read("lines.labelled.csv"));
    }
    assert_eq!(tables[0], tables[1]);
}

#[test]
fn a_printed_description_runs_to_the_same_answer() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let printed = folder.run(&[&ARGUMENTS[..], &["--print-config", "-k", "5"]].concat());
    assert!(printed.status.success());
    assert_eq!(folder.names(), ["lines.csv"], "nothing was run");
    let config = folder.file("model.toml", &printed.stdout);
    assert!(text(&printed.stdout).contains("k = 5"));
    let by_hand = folder.run(&[&ARGUMENTS[..], &["-k", "5", "-q", "-o", "a.csv"]].concat());
    let config = config.to_str().unwrap();
    let by_file = folder.run(&[&ARGUMENTS[..], &["-c", config, "-q", "-o", "b.csv"]].concat());
    assert!(by_hand.status.success() && by_file.status.success(), "{}", text(&by_file.stderr));
    assert!(by_hand.stdout.is_empty() && by_hand.stderr.is_empty(), "quiet");
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
}

/// Columns that are not used go into the answer as they stand, in every layout.
#[test]
fn columns_are_handed_on() {
    let folder = Folder::new();
    let mut table = String::from("name,x,y,city,kind\n");
    for (i, line) in two_lines().lines().skip(1).enumerate() {
        let (rest, kind) = line.rsplit_once(',').unwrap();
        table += &format!("{rest},\"city, {}\",{kind}\n", i % 3);
    }
    folder.file("t.csv", table);
    let label = ["label", "t.csv", "-l", "kind", "-i", "name", "--ignore", "city", "--force"];
    let run = |more: &[&str]| folder.run(&[&label[..], more].concat());
    let output = run(&["--keep", "city,x", "--save", "t.model"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answer = columns(&folder.read("t.labelled.csv"));
    assert_eq!(answer["city"][..3], ["city, 0", "city, 1", "city, 2"]);
    assert_eq!(answer["x"][5], "2.2");
    assert!(run(&["--keep", "c*", "-o", "t.parquet"]).status.success());
    // Into an answer that was kept, and into predictions; a text column has others beside it.
    let predict = ["predict", "t.model", "t.csv", "-i", "name", "--keep", "city", "-o", "p.csv"];
    let output = folder.run(&predict);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(columns(&folder.read("p.csv"))["city"], answer["city"]);
    let words = ["label", "t.csv", "-l", "kind", "--text", "city", "--keep", "y", "-qo", "w.csv"];
    assert!(folder.run(&words).status.success());
    assert_eq!(columns(&folder.read("w.csv"))["y"][..2], ["0", "12"]);
    // What the answer has itself, what is not there, what has no columns.
    folder.file("own.csv", two_lines().replace("name,x,", "entropy,x,"));
    folder.file("g.edges", "a b\nb c\n");
    let own = ["label", "own.csv", "-l", "kind", "--ignore", "entropy", "--keep", "entropy"];
    for (arguments, words) in [
        (own.to_vec(), &["--keep", "\"entropy\"", "rename"][..]),
        ([&label[..], &["--keep", "town"]].concat(), &["\"town\"", "--keep"]),
        (vec!["label", "g.edges", "--labels", "own.csv", "--keep", "x"], &["leave --keep out"]),
    ] {
        let output = folder.run(&arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{message}");
        words.iter().for_each(|word| assert!(message.contains(word), "{message} lacks {word}"));
    }
}

/// Once, what is done; twice, every stage with its time; not at all, nothing but the summary.
#[test]
fn logs_say_more_the_more_they_are_asked() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let told = |more: &[&str]| {
        let output = folder.run(&[&ARGUMENTS[..], &["--force"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let (none, once, twice) = (told(&[]), told(&["-v"]), told(&["-vv"]));
    assert_eq!(none, "");
    let stage = |text: &str| {
        text.lines().any(|line| {
            line.contains("neighbour search: ")
                && line.contains(" of 40 in ")
                && line.ends_with(" s")
        })
    };
    assert!(once.contains("reading lines.csv") && !stage(&once), "{once}");
    assert!(twice.contains("reading lines.csv") && stage(&twice), "{twice}");
    assert!(twice.contains("reading: "), "{twice}");
}

#[test]
fn features_are_prepared_by_name() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let chosen = |more: &[&str]| {
        let output = folder.run(&[&ARGUMENTS[..], &["--force", "--json"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let choice = facts["choices"][0].clone();
        assert_eq!(choice["part"], "features");
        (facts["description"]["prepare"].clone(), choice["chosen"].as_str().unwrap().to_owned())
    };
    let (described, words) = chosen(&["--prepare", "min-max,unit-rows"]);
    assert_eq!(described, serde_json::json!(["min-max", "unit-rows"]));
    assert_eq!(words, "mapped to [0, 1], then every row divided by its length");
    let (described, words) = chosen(&["--prepare", "none"]);
    assert_eq!((described, words), (serde_json::Value::Null, "as they are".to_owned()));
    // The search and the solver that were chosen are told with their reasons.
    let facts = folder.run(&[&ARGUMENTS[..], &["--force", "--json"]].concat()).stdout;
    let facts: serde_json::Value = serde_json::from_slice(&facts).unwrap();
    for (part, words) in
        [("search", "few dimensions"), ("solver", "small"), ("sharpness", "left out")]
    {
        let choices = facts["choices"].as_array().unwrap();
        let choice = choices.iter().find(|choice| choice["part"] == part);
        let because = choice.and_then(|choice| choice["because"].as_str());
        assert!(because.is_some_and(|because| because.contains(words)), "{part}: {choices:?}");
    }
}

#[test]
fn a_stream_goes_in_and_out() {
    let folder = Folder::new();
    let mut program = folder.program(&["label", "-", "--label", "kind", "--id", "name"]);
    let output = program.write_stdin(two_lines()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("id,label,class,probability,p_low,p_high,"));
    assert!(text(&output.stderr).contains("40 rows"), "the summary stands beside");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn islands_and_wrong_labels_are_flagged() {
    // Two far groups: no label in the second; in the first one label among many is another's.
    let mut table = String::from("x,label\n");
    for i in 0..30 {
        let label = if i == 15 { "b" } else { "a" };
        table += &format!("{}.0,{}\n", i, if i % 3 == 0 { label } else { "" });
    }
    for i in 0..15 {
        table += &format!("{}.0,{}\n", 500 + i, if i % 3 == 0 { "b" } else { "" });
    }
    for i in 0..15 {
        table += &format!("{}.0,\n", 9000 + i);
    }
    let folder = Folder::new();
    folder.file("t.csv", table);
    let output = folder.run(&["label", "t.csv", "-k", "3", "--json", "--scale", "mean"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(facts["islands"], 15);
    assert_eq!(facts["suspects"][0]["id"], "16");
    let columns = columns(&folder.read("t.labelled.csv"));
    assert_eq!(columns["flags"][15], "suspect");
    assert!((45..60).all(|row| columns["flags"][row] == "island"));
    assert!((0..15).all(|row| columns["flags"][row].is_empty()));
}

/// A label that is the only one of its class cannot be found again, and so says nothing of how good the
/// others are.
#[test]
fn labels_alone_in_their_class_judge_nothing() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let run = |folder: &Folder, more: &[&str]| {
        let output = folder.run(&[&ARGUMENTS[..], &["--force"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let told = run(&folder, &["-r", "page"]);
    assert!(told.contains("left out in turn: 2 alone in their class"), "{told}");
    let page = folder.read("page/report.html");
    assert!(
        page.contains("The labels cannot tell"),
        "the page judges by labels that cannot be found"
    );
    let facts: serde_json::Value = serde_json::from_str(&run(&folder, &["--json"])).unwrap();
    assert_eq!(
        facts["leave-one-out"],
        serde_json::json!({"right": 0, "labels": 0, "alone-in-class": 2})
    );
    // With a second label of one class, that class is judged, and not as if it were certain.
    let line = two_lines().lines().find(|line| line.starts_with("row-20,")).unwrap().to_owned();
    folder.file("lines.csv", two_lines().replace(&line, &format!("{line}low")));
    let told = run(&folder, &["-r", "page"]);
    assert!(told.contains("2 of 2 found again; 1 alone in its class"), "{told}");
    let page = folder.read("page/report.html");
    for words in ["2 of 2", "from 34 to 100 % is plausible", "1 more is the only one of a class"] {
        assert!(page.contains(words), "the page lacks {words}");
    }
}

/// Forty classes with long names: figures show the largest, and count the rest.
#[test]
fn many_classes_do_not_fill_the_page_with_their_names() {
    let folder = Folder::new();
    let mut table = String::from("x,label\n");
    for i in 0..400 {
        let class = i / 10;
        let label = if i % 10 < 2 { format!("class of number {class}") } else { String::new() };
        table += &format!("{},{label}\n", f64::from(i) + 3.0 * f64::from(class));
    }
    folder.file("t.csv", table);
    let output = folder.run(&["label", "t.csv", "-r", "page", "-q", "-k", "12"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let balance = folder.read("page/data/balance.csv");
    assert_eq!(balance.lines().count(), 1 + 2 * 12, "{balance}");
    assert!(balance.contains("+ 29"), "{balance}");
}

#[test]
fn help_names_the_exit_codes_and_every_option() {
    let folder = Folder::new();
    let help = text(&folder.run(&["label", "--help"]).stdout);
    for words in ["--label", "--features", "--print-config", "Exit codes", "130", "Examples"] {
        assert!(help.contains(words), "{help} lacks {words}");
    }
    assert_eq!(folder.run(&[]).status.code(), Some(2));
    assert_eq!(folder.run(&["label", "x.csv", "--neighbours", "0"]).status.code(), Some(2));
}

#[test]
fn what_to_label_next_and_which_labels_are_wrong() {
    let folder = Folder::new();
    folder.file("lines.csv", two_lines());
    let query = ["query", "lines.csv", "--label", "kind", "--id", "name", "-n", "3"];
    for by in ["expected-errors", "variance", "survey", "uncertainty"] {
        let output = folder.run(&[&query[..], &["--by", by, "--json"]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = facts["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 3, "{by}");
        assert!(rows.iter().all(|row| row["id"].as_str().unwrap().starts_with("row-")));
    }
    assert_eq!(folder.names(), ["lines.csv"]);
    let shown = text(&folder.run(&query).stdout);
    assert!(shown.contains("rank") && shown.contains("errors expected to go"), "{shown}");

    // Every row labelled, one of them wrongly.
    let mut table = String::from("x,label\n");
    for i in 0..24 {
        let own = if i < 12 { "a" } else { "b" };
        table += &format!("{},{}\n", i + 40 * (i / 12), if i == 6 { "b" } else { own });
    }
    folder.file("all.csv", table);
    let output = folder.run(&["audit", "all.csv", "-k", "4", "-o", "audit.csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 of 24 labels"), "{}", text(&output.stdout));
    let columns = columns(&folder.read("audit.csv"));
    assert_eq!((columns["id"][0].as_str(), columns["likely"][0].as_str()), ("7", "a"));
    assert_eq!(columns["verdict"].iter().filter(|verdict| *verdict == "suspect").count(), 1);
}

#[test]
fn the_demo_is_mostly_right_and_draws_a_page() {
    let folder = Folder::new();
    let output = folder.run(&["demo", "--report", "page", "--labels", "5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let share: f64 = told
        .split_once("are known here: ")
        .and_then(|(_, rest)| rest.split_once(" %"))
        .map(|(number, _)| number.parse().unwrap())
        .unwrap();
    assert!(share > 90.0, "{told}");
    let page = folder.read("page/report.html");
    for title in ["The rows in two dimensions", "What to label next", "Can these probabilities"] {
        assert!(page.contains(title), "the page lacks {title}");
    }
    let again = folder.run(&["demo", "--report", "page"]);
    assert_eq!(again.status.code(), Some(4), "a page is not replaced unasked");
}

#[test]
fn labels_are_held_out_on_request_and_documents_come_from_the_definitions() {
    let folder = Folder::new();
    let table = two_lines();
    let more = |name: &str, kind: &str, table: String| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        table.replace(&line, &format!("{line}{kind}"))
    };
    let table = more("row-20,", "low", more("row-21,", "high", table));
    folder.file("lines.csv", table);
    let output = folder.run(&[&ARGUMENTS[..], &["--validate", "4", "--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(facts["validation"]["accuracy"]["trials"], 4);
    assert!(facts["validation"]["accuracy"]["mean"].as_f64().unwrap() > 0.9, "{facts}");

    for shell in ["bash", "zsh", "fish"] {
        let script = text(&folder.run(&["completions", shell]).stdout);
        assert!(script.contains("audit") && script.contains("features"), "{shell}");
    }
    let manual = text(&folder.run(&["man"]).stdout);
    assert!(manual.contains(".TH gaussfield") && manual.contains("impute"), "{manual}");
}
