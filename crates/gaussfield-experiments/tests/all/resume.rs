//! Trials: kept, taken up again, discarded, and the same whatever the threads.

use crate::paper::{Draw, draws, options};
use gaussfield_experiments::{Context, RunOptions};
use gaussfield_report::DataFact;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Runs trials and counts those that were computed.
fn run(folder: &Path, options: &RunOptions, size: usize, count: usize) -> (Vec<Draw>, usize) {
    let computed = AtomicUsize::new(0);
    let ctx = Context::new(options, folder).expect("writable");
    let draws = draws(&ctx, size, count, &computed).expect("good trials");
    (draws, computed.into_inner())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let hashes = fs::read_dir(folder.join("trials/uniform")).expect("kept trials");
    let mut files: Vec<PathBuf> = hashes
        .flat_map(|hash| fs::read_dir(hash.expect("an entry").path()).expect("a folder"))
        .map(|file| file.expect("an entry").path())
        .collect();
    files.sort();
    files
}

#[test]
fn finished_trials_are_not_computed_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = options(folder.path());
    let (first, computed) = run(folder.path(), &options, 10, 4);
    assert_eq!(computed, 4);
    let (more, computed) = run(folder.path(), &options, 10, 7);
    assert_eq!((computed, &more[..4]), (3, &first[..]));
    let (fewer, computed) = run(folder.path(), &options, 10, 2);
    assert_eq!((computed, &fewer[..]), (0, &first[..2]));
    let (_, computed) = run(folder.path(), &options, 11, 2);
    assert_eq!(computed, 2, "other parameters are other trials");
    let other = RunOptions { seed: 1, ..options };
    let (other, computed) = run(folder.path(), &other, 10, 4);
    assert_eq!(computed, 4, "another seed has other trials");
    assert_ne!(other, first);
}

#[test]
fn trials_on_other_data_are_other_trials() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = options(folder.path());
    let on = |digest: &str| {
        let mut ctx = Context::new(&options, folder.path()).expect("writable");
        ctx.report.data_fact(DataFact {
            name: "digits".to_owned(),
            shape: "10 rows".to_owned(),
            found: "here".to_owned(),
            digests: vec![format!("digits.csv: {digest}")],
            checked: Some(true),
            source: "a test".to_owned(),
        });
        let computed = AtomicUsize::new(0);
        draws(&ctx, 10, 3, &computed).expect("good trials");
        computed.into_inner()
    };
    assert_eq!([on("aa"), on("aa"), on("bb"), on("bb")], [3, 0, 3, 0]);
}

#[test]
fn fresh_discards_what_was_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = options(folder.path());
    let (first, _) = run(folder.path(), &options, 10, 4);
    let fresh = RunOptions { fresh: true, ..options };
    let (again, computed) = run(folder.path(), &fresh, 10, 4);
    assert_eq!((computed, again), (4, first));
}

#[test]
fn damaged_trials_are_computed_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = options(folder.path());
    let (first, _) = run(folder.path(), &options, 10, 4);
    let files = files(folder.path());
    assert_eq!(files.len(), 4);
    fs::write(&files[0], "{\"value\": ").expect("writable");
    fs::write(&files[1], "").expect("writable");
    fs::remove_file(&files[2]).expect("removable");
    fs::create_dir(&files[2]).expect("a folder in its place");
    // The folder cannot be read as a file, nor can a file be put in its place.
    let ctx = Context::new(&options, folder.path()).expect("writable");
    let failed = draws(&ctx, 10, 4, &AtomicUsize::new(0)).expect_err("a folder is in the way");
    assert!(format!("{failed:#}").contains("2.trial"), "{failed:#}");
    fs::remove_dir(&files[2]).expect("removable");
    let (again, _) = run(folder.path(), &options, 10, 4);
    assert_eq!(again, first);
    let (_, computed) = run(folder.path(), &options, 10, 4);
    assert_eq!(computed, 0, "the damaged files were written anew");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let runs = [1, 2, 5].map(|threads| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = RunOptions { threads: Some(threads), ..options(folder.path()) };
        run(folder.path(), &options, 10, 9).0
    });
    assert!(runs[0].iter().enumerate().all(|(index, draw)| draw.index == index));
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn an_experiment_limits_how_many_trials_run_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = RunOptions { threads: Some(6), ..options(folder.path()) };
    let ctx = Context::new(&options, folder.path()).expect("writable");
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = ctx
        .experiment("narrow", &())
        .at_most(2)
        .run(8, |_| {
            most.fetch_max(1 + running.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
            // Work inside a trial that other threads could take up.
            let inner = rayon::current_num_threads();
            rayon::join(
                || std::thread::sleep(Duration::from_millis(5)),
                || std::thread::sleep(Duration::from_millis(5)),
            );
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(inner)
        })
        .expect("good trials");
    assert!(most.into_inner() <= 2);
    assert_eq!(threads, [3; 8], "each trial has its share of the threads");
}

#[test]
fn a_failing_trial_is_named_and_the_others_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = RunOptions { threads: Some(1), ..options(folder.path()) };
    let ctx = Context::new(&options, folder.path()).expect("writable");
    let error = ctx
        .trials("frail", &(), 5, |trial| match trial.index() {
            3 => Err(anyhow::anyhow!("no luck")),
            index => Ok(index),
        })
        .expect_err("trial 3 fails");
    let message = format!("{error:#}");
    assert!(message.contains("trial 3 of frail") && message.contains("no luck"), "{message}");
    let computed = AtomicUsize::new(0);
    let all = ctx
        .trials("frail", &(), 5, |trial| {
            computed.fetch_add(1, Ordering::Relaxed);
            Ok(trial.index())
        })
        .expect("good trials");
    assert_eq!(all, [0, 1, 2, 3, 4]);
    assert_eq!(computed.into_inner(), 2, "the first three had been kept");
}
