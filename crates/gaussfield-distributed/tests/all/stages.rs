//! What a job has kept: whatever fails, a restart finds it whole or not at all.

use crate::support::{Edges, clouds, own, ring, share};
use gaussfield_core::files::faults::{Fault, Faults};
use gaussfield_distributed::{
    Columns, DistributedError, Method, Part, SolveOptions, Stages, World, together,
};
use std::path::Path;

const NODES: u64 = 90;
/// One group of columns that are solved together, and another.
const CLASSES: usize = 20;
const MEMBERS: usize = 2;

/// The bits of the scores of each member, and how many columns were known.
type Found = (Vec<u64>, usize);

fn fitted(edges: &Edges, folder: Option<&Path>, key: &str) -> Vec<Result<Found, DistributedError>> {
    // Two members that make a folder at once make more calls or fewer.
    folder.iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    let labels: Vec<(u64, u32)> = (0..CLASSES as u32).map(|c| (2 * u64::from(c), c)).collect();
    together(MEMBERS, |world| {
        let part = Part::from_edges(world, NODES, &share(world, edges))?;
        let stages = folder.map(Stages::new);
        let columns = stages.as_ref().map(|stages| Columns::new(stages, key));
        let options = SolveOptions::default();
        let kept = columns.as_ref();
        let fit = Method::Harmonic.fit_on(world, &part, &labels, CLASSES, &options, kept)?;
        Ok((fit.scores.iter().map(|x| x.to_bits()).collect(), fit.facts.columns_kept))
    })
}

fn all_well(found: Vec<Result<Found, DistributedError>>) -> Vec<Found> {
    found.into_iter().map(|own| own.unwrap()).collect()
}

#[test]
fn columns_are_solved_once_whatever_ends_the_job() {
    let edges = ring(NODES, 2);
    let bits = |found: &[Found]| found.iter().map(|own| own.0.clone()).collect::<Vec<_>>();
    let wanted = bits(&all_well(fitted(&edges, None, "k")));
    let folder = tempfile::tempdir().unwrap();
    let calls = {
        let counting = Faults::counting(folder.path());
        all_well(fitted(&edges, Some(&folder.path().join("all")), "k"));
        counting.calls()
    };
    assert!(calls > 2 * 3 * 3, "three files of two groups: {calls} calls");
    for fault in Fault::ALL {
        let mut taken_up = [0; 3];
        // Every write waits for the disk: all calls once, and of the other faults a part.
        let step = if fault == Fault::Killed { 1 } else { 4 };
        for call in (0..calls).step_by(step) {
            let place = folder.path().join(format!("{fault:?}-{call}"));
            let faults = Faults::below(&place, fault, call);
            let ended = fitted(&edges, Some(&place), "k");
            assert!(faults.struck());
            let failed = ended.iter().filter(|own| own.is_err()).count();
            assert!(failed == 0 || failed == MEMBERS, "{ended:?}");
            drop(faults);
            let again = all_well(fitted(&edges, Some(&place), "k"));
            assert_eq!(bits(&again), wanted, "{fault:?} at call {call}");
            assert!(again.iter().all(|own| own.1 == again[0].1));
            if failed > 0 {
                taken_up[again[0].1.div_ceil(16)] += 1;
            }
        }
        if fault != Fault::ShortWrite {
            assert!(taken_up[..2].iter().all(|&runs| runs > 0), "{fault:?}: {taken_up:?}");
        }
    }
}

#[test]
fn columns_of_another_fit_are_not_taken_and_kept_ones_go() {
    let edges = ring(NODES, 2);
    let folder = tempfile::tempdir().unwrap();
    let known = |key: &str| all_well(fitted(&edges, Some(folder.path()), key))[0].1;
    assert_eq!([known("a"), known("a"), known("b"), known("b")], [0, CLASSES, 0, CLASSES]);
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files(), 2 * (MEMBERS + 1));
    let stages = Stages::new(folder.path());
    together(MEMBERS, |world| {
        stages.keep(world, "scores", ("k", serde_json::json!({})), b"s").unwrap();
        Columns::new(&stages, "b").forget(world).unwrap();
    });
    assert_eq!(files(), MEMBERS + 1, "the other stage stays");
    assert_eq!(known("b"), 0);
}

#[test]
fn a_stage_is_that_of_before_or_the_new_one_or_none() {
    let keep = |stages: &Stages, key: &str| {
        together(MEMBERS, |world| {
            let own = format!("{key} of {}", world.rank()).repeat(100);
            stages.keep(world, "one", (key, serde_json::json!({})), own.as_bytes())
        })
    };
    let kept = |stages: &Stages| {
        let found = together(MEMBERS, |world| {
            let found = stages.kept(world, "one").unwrap();
            found.map(|(stage, own)| {
                let wanted = format!("{} of {}", stage.key, world.rank()).repeat(100);
                assert_eq!(own, wanted.as_bytes());
                stage.key
            })
        });
        assert_eq!(found[0], found[1]);
        found[0].clone()
    };
    let folder = tempfile::tempdir().unwrap();
    let calls = {
        let counting = Faults::counting(folder.path());
        let stages = Stages::new(folder.path().join("count"));
        assert!(keep(&stages, "old").iter().all(Result::is_ok));
        counting.calls()
    };
    let mut seen = Vec::new();
    for fault in Fault::ALL {
        for call in 0..calls {
            let place = folder.path().join(format!("{fault:?}-{call}"));
            let stages = Stages::new(&place);
            assert!(keep(&stages, "old").iter().all(Result::is_ok));
            let faults = Faults::below(&place, fault, call);
            let ended = keep(&stages, "new");
            drop(faults);
            let found = kept(&stages);
            if ended.iter().all(Result::is_ok) {
                assert_eq!(found.as_deref(), Some("new"));
            }
            // The same again goes well.
            assert!(keep(&stages, "new").iter().all(Result::is_ok));
            assert_eq!(kept(&stages).as_deref(), Some("new"));
            seen.push(found);
        }
    }
    assert!(seen.contains(&None) && seen.contains(&Some("new".into())));
}

#[test]
fn points_are_known_by_their_numbers() {
    let rows = clouds(40, 3);
    let sums = |rows: &ndarray::Array2<f64>| {
        together(3, |world| own(world, rows).checksum(world).unwrap())
    };
    let first = sums(&rows);
    assert!(first.iter().all(|sum| *sum == first[0]));
    assert_eq!(sums(&rows), first);
    for at in [[0, 0], [20, 1], [39, 2]] {
        let mut other = rows.clone();
        other[at] = f64::from_bits(other[at].to_bits() ^ 1);
        assert_ne!(sums(&other)[0], first[0], "{at:?}");
    }
}
