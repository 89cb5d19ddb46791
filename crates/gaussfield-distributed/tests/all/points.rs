//! From points to answers, and from one stage to the next.

use crate::support::{clouds, own};
use gaussfield_core::Budget;
use gaussfield_distributed::{
    Method, Part, Search, SolveOptions, Stages, World, decide, read_labels, read_points, together,
    write_answers,
};
use gaussfield_graph::{Metric, Neighbours};
use gaussfield_points::Points;
use std::collections::BTreeSet;

#[test]
fn the_graph_is_that_of_one_machine_where_recall_is_one() {
    let rows = clouds(900, 4);
    let points = Points::dense(rows.clone()).unwrap();
    let lists =
        Neighbours::search(&points, Metric::Euclidean, 6, gaussfield_graph::Search::Auto).unwrap();
    let mut wanted = BTreeSet::new();
    for i in 0..900 {
        for &j in lists.indices(i) {
            wanted.insert((i as u64, u64::from(j)));
            wanted.insert((u64::from(j), i as u64));
        }
    }
    for members in [1, 2, 4] {
        let search = Search { k: 6, probes: 10_000, ..Search::default() };
        let parts = together(members, |world| {
            let found = search.graph(world, own(world, &rows)).unwrap();
            assert!(found.recall.share > 0.999 && found.recall.sample >= 400, "{:?}", found.recall);
            assert!((0.0..0.9).contains(&found.part.cut(world)));
            let kept = Part::from_bytes(world, &found.part.to_bytes()).unwrap();
            assert_eq!(kept.to_bytes(), found.part.to_bytes());
            kept.directed().into_iter().map(|(from, to, _)| (from, to)).collect::<Vec<_>>()
        });
        let found: BTreeSet<(u64, u64)> = parts.into_iter().flatten().collect();
        assert_eq!(found, wanted, "{members} members");
    }
}

#[test]
fn few_probes_find_most_and_say_how_many() {
    let rows = clouds(1500, 6);
    let shares = together(3, |world| {
        let search = Search { k: 8, probes: 2, ..Search::default() };
        let found = search.graph(world, own(world, &rows)).unwrap();
        (found.recall.share, found.shipped)
    });
    assert!(shares.iter().all(|share| share == &shares[0]));
    assert!(shares[0].0 > 0.7 && shares[0].1 < 2.0, "{shares:?}");
}

/// A `.npy` file of doubles.
pub(crate) fn npy(rows: ndarray::ArrayView2<f64>) -> Vec<u8> {
    let (n, d) = rows.dim();
    let head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {d}), }}");
    let head = format!("{head:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    rows.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}

#[test]
fn shards_stages_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let rows = clouds(300, 3);
    let mut files = Vec::new();
    for (at, block) in rows.axis_chunks_iter(ndarray::Axis(0), 110).enumerate() {
        files.push(folder.path().join(format!("points-{at:05}-of-00003.npy")));
        std::fs::write(&files[at], npy(block)).unwrap();
    }
    let labels = folder.path().join("labels.csv");
    std::fs::write(&labels, "row,class\n0,a\n1,b\n2,c\n3,\"d, e\"\n4,a\n").unwrap();
    let stages = Stages::new(folder.path().join("stages"));
    let run = || {
        together(2, |world| {
            let (labels, names) = read_labels(world, &labels).unwrap();
            assert_eq!(names, ["a", "b", "c", "d, e"]);
            let part = match stages.kept(world, "graph").unwrap() {
                Some((stage, bytes)) => {
                    assert_eq!(stage.key, "k");
                    Part::from_bytes(world, &bytes).unwrap()
                }
                None => {
                    let points = read_points(world, &files, Budget::default()).unwrap();
                    let found = Search { k: 12, ..Search::default() }.graph(world, points).unwrap();
                    let bytes = found.part.to_bytes();
                    stages.keep(world, "graph", ("k", serde_json::json!({})), &bytes).unwrap();
                    found.part
                }
            };
            let scale = part.root_mean_square(world);
            let part = part.weighted(world, scale).unwrap();
            let options = SolveOptions::default();
            let fit = Method::Harmonic.fit(world, &part, &labels, 4, &options).unwrap();
            let decision = gaussfield_labels::Decision::Argmax;
            let answer = decide(world, &fit.scores, &fit.labelled, &decision).unwrap();
            let out = folder.path().join("out");
            let answer = (&answer.0[..], &answer.1[..]);
            write_answers(world, &out, part.nodes(), part.rows(), answer, &names).unwrap();
            world.rank()
        });
        let read = |at| {
            let name = format!("out/labels-{at:05}-of-00002.csv");
            std::fs::read_to_string(folder.path().join(name)).unwrap()
        };
        read(0) + &read(1)
    };
    let first = run();
    assert_eq!(first.lines().count(), 302);
    assert!(first.starts_with("row,class,share\n0,a,1.000000\n1,b,1.000000\n"));
    assert!(first.contains("\n3,\"d, e\",1.000000\n"));
    // Once more, from the stage that was kept.
    assert_eq!(run(), first);
    let shard = folder.path().join("stages/graph-00001-of-00002.shard");
    let mut bytes = std::fs::read(&shard).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&shard, bytes).unwrap();
    let errors = together(2, |world| stages.kept(world, "graph").unwrap_err().to_string());
    assert!(errors.iter().all(|error| error.contains("graph-00001") && error.contains("member 1")));
    let other = together(3, |world| stages.kept(world, "graph").unwrap_err().to_string());
    assert!(other[2].contains("made by 2 members, not 3"), "{}", other[2]);
}
