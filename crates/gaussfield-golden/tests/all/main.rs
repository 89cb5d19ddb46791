//! The golden files in the repository, files made wrong on purpose, and the program.

use assert_cmd::Command;
use gaussfield_golden::{self as golden, Verdict};
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Every case of a file agrees, and there are this many.
fn agrees(name: &str, cases: usize) {
    let mut wrong = Vec::new();
    let tally = golden::run(&[file(name)], |name, verdict| {
        if !matches!(verdict, Verdict::Ok(_)) {
            wrong.push(format!("{name}: {verdict}"));
        }
    })
    .expect("the file is there");
    assert!(tally.is_clean(), "{}", wrong.join("\n"));
    assert_eq!(tally.ok, cases);
}

#[test]
fn every_case_of_zhu2003_agrees() {
    agrees("zhu2003_harmonic.json", 27);
}

#[test]
fn every_case_of_zhu2003gp_agrees() {
    agrees("zhu2003_gp_laplace.json", 9);
}

#[test]
fn every_case_of_zhu2005_agrees() {
    agrees("zhu2005_harmonic_mixtures.json", 8);
    agrees("zhu2005_rank_deficient.json", 1);
}

#[test]
fn every_case_of_kapoor2005_agrees() {
    agrees("kapoor2005_ep.json", 10);
}

#[test]
fn every_case_of_sindhwani2007_agrees() {
    agrees("sindhwani2007_ssgp.json", 7);
}

/// Runs one case on three nodes in a row, ends labelled, with a changed part.
fn one_case(expected: &str, tolerance: &str, extra: &str) -> Verdict {
    let text = format!(
        r#"{{"schema_version": 1, "paper": "made up", "cases": [{{
            "name": "path", "type": "harmonic", "description": "", {extra}
            "input": {{"graph": {{"kind": "matrix", "W": [[0, 1, 0], [1, 0, 1], [0, 1, 0]]}},
                       "labeled": [0, 2], "labels": [0, 1], "classes": 2}},
            "expected": {expected}, "tolerance": {tolerance}}}]}}"#
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("case.json");
    std::fs::write(&path, text).expect("writable");
    let mut seen = None;
    golden::run(&[path], |_, verdict| seen = Some(verdict.clone())).expect("a golden file");
    seen.expect("one case")
}

#[test]
fn verdicts_tell_right_from_wrong() {
    let tight = r#"{"rtol": 1e-9, "atol": {"f": 1e-12}}"#;
    assert!(matches!(one_case(r#"{"f": [0.0, 0.5, 1.0]}"#, tight, ""), Verdict::Ok(_)));
    let Verdict::Fail(words) = one_case(r#"{"f": [0.0, 0.501, 1.0]}"#, tight, "") else {
        panic!("a wrong number must fail");
    };
    assert!(words.contains("f: error 1.00e-3"), "{words}");
    let short = one_case(r#"{"f": [0.0, 0.5]}"#, tight, "");
    assert!(matches!(short, Verdict::Fail(words) if words.contains("2 values expected, 3 got")));
    let unknown = one_case(r#"{"g": 1.0}"#, tight, "");
    assert!(matches!(unknown, Verdict::Fail(words) if words.contains("not computed")));
    let exact = one_case(r#"{"thresh": [1]}"#, tight, "");
    assert!(matches!(exact, Verdict::Fail(words) if words.contains("1 expected, 0 got")));
}

#[test]
fn files_that_are_not_golden_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("missing.json");
    let error = golden::run(&[&missing], |_, _| {}).expect_err("no such file");
    assert!(format!("{error:#}").contains("missing.json"));
    for text in ["", "{}", "[1, 2]", r#"{"schema_version": 2, "cases": []}"#] {
        let path = folder.path().join("other.json");
        std::fs::write(&path, text).expect("writable");
        let error = golden::run(&[&path], |_, _| {}).expect_err("not a golden file");
        assert!(format!("{error:#}").contains("other.json"), "{text}: {error:#}");
    }
}

#[test]
fn the_program_prints_a_line_a_case_and_fails_without_its_file() {
    let program = || Command::new(assert_cmd::cargo::cargo_bin!("golden"));
    let output = program().arg(file("sindhwani2007_ssgp.json")).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert_eq!(text.lines().count(), 8, "{text}");
    assert!(text.ends_with("7 cases: 7 ok, 0 failed, 0 unsupported\n"), "{text}");
    let output = program().arg("no-such-file.json").output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("no-such-file.json"), "{error}");
}
