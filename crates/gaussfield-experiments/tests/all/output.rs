//! What a run writes.

use crate::paper::{broken_run, full_run, options, paper, run};
use gaussfield_data::catalog::{Catalog, Places};
use gaussfield_experiments::{Context, RunOptions, reproduce};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// A run that sees no data folder and no cache.
fn isolated(ctx: &mut Context) -> anyhow::Result<()> {
    let places = Places { data: None, cache: ctx.out().join("nowhere") };
    let catalog = Catalog::builtin()?.with_places(places);
    *ctx = Context::new(ctx.options(), ctx.out())?.with_catalog(catalog);
    full_run(ctx)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_run_leaves_report_figures_data_and_claims() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let outcome = run(paper(isolated), &options(folder.path())).expect("a good run");
    let out = folder.path().join("tiny1999");
    assert_eq!(outcome.folder, out);
    assert_eq!(
        outcome.tally.to_string(),
        "on the paper's data 3 claims: 1 holds, 1 differs, 1 not run"
    );

    let svg = read(&out.join("figures/means.svg"));
    assert!(svg.starts_with("<svg") && svg.contains("viewBox"));
    let csv = read(&out.join("data/means.csv"));
    assert_eq!(csv.lines().count(), 9, "a header and eight trials: {csv}");
    assert!(read(&out.join("data/numbers.csv")).starts_with("trial,mean\n0,0."));
    assert_eq!(fs::read_dir(out.join("trials/uniform")).expect("kept trials").count(), 1);

    let report = read(&out.join("report.html"));
    for part in [
        "<!DOCTYPE html>",
        "Tiny &lt;experiments&gt; &amp; &quot;more&quot;",
        "One &lt;b&gt;half&lt;/b&gt;.",
        "Means &lt;by&gt; trial.",
        "on the paper's data 3 claims: 1 holds, 1 differs, 1 not run",
        "<svg width=",
        "class=\"badge holds\"",
        "class=\"badge differs\"",
        "class=\"badge not-run\"",
        "cargo xtask data fetch usps",
        "class=\"stand-in\"",
        "cargo xtask reproduce tiny1999 --seed 0",
        "prefers-color-scheme: dark",
    ] {
        assert!(report.contains(part), "the report lacks {part}");
    }
    for foreign in ["<script", "<link", "<img", "src=", "@import", "url("] {
        assert!(!report.contains(foreign), "the report is not self-contained: {foreign}");
    }
}

#[test]
fn claims_json_has_the_agreed_form() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(paper(isolated), &options(folder.path())).expect("a good run");
    let claims: Value = serde_json::from_str(&read(&folder.path().join("tiny1999/claims.json")))
        .expect("claims.json is JSON");
    let claims = claims.as_array().expect("a list");
    assert_eq!(claims.len(), 3);
    let keys = [
        "id",
        "where",
        "text",
        "paper",
        "ours",
        "spread",
        "tolerance",
        "verdict",
        "reason",
        "kind",
        "rule",
        "trials",
    ];
    for claim in claims {
        let object = claim.as_object().expect("objects");
        assert_eq!(object.len(), keys.len());
        for key in keys {
            assert!(object.contains_key(key), "{claim} lacks {key}");
        }
    }
    let verdicts: Vec<&str> = claims.iter().filter_map(|claim| claim["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["holds", "differs", "not run"]);
    assert!(claims[0]["ours"].is_number() && claims[0]["spread"].is_number());
    assert!(claims[2]["ours"].is_null() && claims[2]["reason"].is_string());
}

#[test]
fn an_unwritable_folder_is_an_error_before_anything_runs() {
    static RAN: AtomicBool = AtomicBool::new(false);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let blocked = folder.path().join("file");
    fs::write(&blocked, "in the way").expect("writable");
    let paper = paper(|_| {
        RAN.store(true, Ordering::Relaxed);
        Ok(())
    });
    let error = reproduce(&[paper], &["tiny1999".to_owned()], &options(&blocked))
        .expect_err("a file is no folder");
    let message = format!("{error:#}");
    assert!(message.contains("--out") && message.contains("file"), "{message}");
    assert!(!RAN.load(Ordering::Relaxed));
}

#[test]
fn a_failing_paper_leaves_the_earlier_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(paper(isolated), &options(folder.path())).expect("a good run");
    let path = folder.path().join("tiny1999/report.html");
    let before = read(&path);
    let error = run(paper(broken_run), &options(folder.path())).expect_err("nothing to draw");
    assert!(format!("{error:#}").contains("nothing to draw"), "{error:#}");
    assert_eq!(read(&path), before);
}

#[test]
fn quick_and_trials_set_the_number_of_trials() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines = |options: &RunOptions| {
        run(paper(isolated), options).expect("a good run");
        read(&folder.path().join("tiny1999/data/means.csv")).lines().count() - 1
    };
    let base = options(folder.path());
    assert_eq!(lines(&RunOptions { quick: true, ..base.clone() }), 2);
    assert_eq!(lines(&RunOptions { quick: true, trials: Some(5), ..base.clone() }), 5);
    assert_eq!(lines(&base), 8);
}
