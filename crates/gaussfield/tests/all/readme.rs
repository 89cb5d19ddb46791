//! What the README shows is what the examples run, and the ten lines end in names and probabilities.

use gaussfield::description::Description;
use std::process::Command;

/// The ten lines, as a function of this program.
#[path = "../../examples/ten_lines.rs"]
mod ten_lines;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");

/// What stands between fences of a language.
fn blocks(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(README).expect("the repository has a README");
    let (open, close) = (format!("\n```{language}\n"), "\n```");
    let parts: Vec<&str> = text.split(&open).skip(1).collect();
    parts.iter().filter_map(|part| Some(part.split_once(close)?.0.to_owned())).collect()
}

/// Lines, without comments of their own and what every program ends with.
fn lines(code: &str) -> Vec<&str> {
    let bare = code.lines().map(|line| line.trim().trim_start_matches("pub(crate) "));
    let of_all = |line: &&str| ["", "Ok(())", "}"].contains(line) || line.starts_with("//");
    bare.filter(|line| !of_all(line)).collect()
}

#[test]
fn every_line_of_rust_stands_in_an_example() {
    let examples =
        [include_str!("../../examples/ten_lines.rs"), include_str!("../../examples/two_moons.rs")];
    let blocks = blocks("rust");
    assert!(blocks.len() >= 3, "the README has its examples");
    for block in blocks {
        let shown = lines(&block);
        let runs = |example: &&str| lines(example).windows(shown.len()).any(|part| part == shown);
        assert!(examples.iter().any(runs), "no example has\n{block}");
    }
}

#[test]
fn the_description_can_be_read() {
    let blocks = blocks("toml");
    let described: Vec<_> = blocks.iter().filter(|block| block.contains("[method")).collect();
    assert!(!described.is_empty(), "the README has a description");
    for block in described {
        Description::from_toml(block).expect(block);
    }
}

/// Runs where a folder has a `flowers.csv`: the test below starts it there.
#[test]
#[ignore = "the next test starts it, in a folder of its own"]
fn the_ten_lines_here() {
    ten_lines::main().expect("flowers.csv can be read");
}

#[test]
fn the_ten_lines_end_in_names_and_probabilities() {
    let folder = std::env::temp_dir().join(format!("gaussfield-readme-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut table = String::from("name,length,width,species\n");
    for i in 0..40_u32 {
        let (kind, t) = (i % 2, f64::from(i / 2) * 0.1);
        let label = ["setosa", "virginica"].get(i as usize).unwrap_or(&"");
        table += &format!("f{i},{},{},{label}\n", t + 9.0 * f64::from(kind), t * t);
    }
    std::fs::write(folder.join("flowers.csv"), table).unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["readme::the_ten_lines_here", "--exact", "--ignored", "--nocapture"]);
    let output = again.current_dir(&folder).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}");
    for i in 2..40 {
        let class = ["setosa", "virginica"][i % 2];
        let line = told.lines().find(|line| line.starts_with(&format!("f{i}: {class} (")));
        let share = line.and_then(|line| line.split_once('(')?.1.strip_suffix(')')?.parse().ok());
        assert!(share.is_some_and(|share: f64| (0.5..=1.0).contains(&share)), "{told}");
    }
}
