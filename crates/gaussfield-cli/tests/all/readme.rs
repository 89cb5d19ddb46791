//! Every command and option that the README names, in a folder with two tables of flowers.

use crate::support::{Folder, text};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
const COMMANDS: [&str; 10] =
    ["label", "predict", "tune", "query", "audit", "graph", "report", "demo", "completions", "man"];

/// Two kinds of flowers, a few of them named.
fn flowers(rows: std::ops::Range<u32>, named: bool) -> String {
    let mut table =
        String::from(if named { "name,length,width,species\n" } else { "name,length,width\n" });
    for i in rows {
        let (kind, t) = (i % 2, f64::from(i / 2) * 0.1);
        let label = ["setosa", "virginica"][kind as usize];
        let label =
            if named && i < 12 { format!(",{label}") } else { ",".repeat(usize::from(named)) };
        table += &format!("f{i},{},{}{label}\n", t + 9.0 * f64::from(kind), t * t);
    }
    table
}

fn readme() -> String {
    std::fs::read_to_string(README).expect("the repository has a README")
}

#[test]
fn every_command_of_the_readme_works() {
    let folder = Folder::new();
    folder.file("flowers.csv", flowers(0..60, true));
    folder.file("more.csv", flowers(60..70, false));
    let text_of_all = readme();
    let commands: Vec<&str> =
        text_of_all.lines().filter_map(|line| line.strip_prefix("    gaussfield ")).collect();
    for command in &commands {
        let (words, to) = match command.split_once(" > ") {
            Some((words, file)) => (words, Some(file)),
            None => (*command, None),
        };
        let arguments: Vec<&str> = words.split_whitespace().collect();
        let output = folder.run(&arguments);
        assert!(output.status.success(), "gaussfield {command}: {}", text(&output.stderr));
        if let Some(file) = to {
            folder.file(file, &output.stdout);
        }
    }
    for (at, command) in COMMANDS.iter().enumerate().take(8) {
        let shown = commands.iter().any(|line| line.split_whitespace().next() == Some(command));
        assert!(shown, "the README shows no line of {command}, command {at}");
    }
    let labelled = folder.read("flowers.labelled.csv");
    assert_eq!(labelled.lines().count(), 61);
    assert!(folder.read("page/report.html").contains("virginica"));
    assert_eq!(folder.read("more.predicted.csv").lines().count(), 11);
}

/// What stands between backticks and begins with two dashes, in the part on tables, is an option of
/// `label`; every command has its row.
#[test]
fn every_option_and_command_is_known() {
    let all = readme();
    let (_, part) = all.split_once("## On a file of your own").expect("the part on tables");
    let part = part.split_once("\n## ").expect("a part after it").0;
    let folder = Folder::new();
    let help = text(&folder.run(&["label", "--help"]).stdout);
    for code in part.split('`').skip(1).step_by(2) {
        if let Some(option) = code.split_whitespace().find(|word| word.starts_with("--")) {
            assert!(help.contains(option), "label knows no {option}");
        }
    }
    for command in COMMANDS {
        assert!(part.contains(&format!("`gaussfield {command}")), "no row for {command}");
        let known = folder.run(&[command, "--help"]);
        assert!(known.status.success(), "{command}: {}", text(&known.stderr));
    }
}
