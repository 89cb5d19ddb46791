//! Wrong input: the same error on all members, with place and remedy, and all of them end.

use crate::points::npy;
use crate::support::{Edges, clouds, own, ring, share};
use gaussfield_core::Budget;
use gaussfield_distributed::{
    Crew, DistributedError, Engine, LearnScale, Method, Part, RowLabels, Search, SolveOptions,
    Stages, World, decide, read_labels, read_points, together,
};
use gaussfield_labels::Decision;

/// What all members say, which must be the same.
fn said<T>(members: usize, work: impl Fn(&Crew) -> Result<T, DistributedError> + Sync) -> String {
    let all = together(members, |world| work(world).err().map(|error| error.to_string()));
    assert!(all.iter().all(|one| one == &all[0] && one.is_some()), "{all:?}");
    all[0].clone().unwrap()
}

fn fitted(
    world: &Crew,
    edges: &[(u64, u64, f64)],
    labels: &[(u64, u32)],
) -> Result<(), DistributedError> {
    let part = Part::from_edges(world, 8, edges)?;
    let options = SolveOptions::default();
    Method::Harmonic.fit(world, &part, labels, 2, &options).map(|_| ())
}

#[test]
fn edges_and_labels() {
    let path: Vec<(u64, u64, f64)> = (0..7).map(|i| (i, i + 1, 1.0)).collect();
    let table: [(&str, Edges, RowLabels); 9] = [
        ("there are 8 rows", vec![(0, 8, 1.0)], vec![]),
        ("leads to another row", vec![(3, 3, 1.0)], vec![]),
        ("its weight is -1", vec![(3, 4, -1.0)], vec![]),
        ("between 3 and 4: give each edge once", vec![(3, 4, 1.0), (4, 3, 1.0)], vec![]),
        ("no labelled row", path.clone(), vec![]),
        ("node 9", path.clone(), vec![(9, 0)]),
        ("node 1 was named twice", path.clone(), vec![(1, 0), (1, 1)]),
        // An island on the last member.
        ("3 row(s), for example row 5", path[..4].to_vec(), vec![(0, 0), (1, 1)]),
        ("between rows 6 and 7", [&path[..6], &[(6, 7, 1e-60)]].concat(), vec![(0, 0), (7, 1)]),
    ];
    for (words, edges, labels) in table {
        let error = said(3, |world| {
            let own = if world.rank() == 1 { &edges[..] } else { &[] };
            fitted(world, own, &labels)
        });
        assert!(error.contains(words), "{error}");
    }
    let error = said(9, |world| fitted(world, &[], &[(0, 0)]));
    assert!(error.contains("member 8 of 9 would have no rows"), "{error}");
    let error = said(2, |world| fitted(world, &[], &[(world.rank() as u64, 0)]));
    assert!(error.contains("member 1 sees another list of labels"), "{error}");
}

#[test]
fn options() {
    let edges = ring(40, 1);
    let with = |method: Method, options: SolveOptions| {
        said(2, |world| {
            let part = Part::from_edges(world, 40, &share(world, &edges))?;
            method.fit(world, &part, &[(0, 0), (20, 1)], 2, &options)
        })
    };
    let options = SolveOptions::default();
    assert!(with(Method::Consistency { alpha: 1.0 }, options).contains('α'));
    assert!(with(Method::Dynamics { steps: 0, rounds: 1 }, options).contains("steps"));
    let none = SolveOptions { tolerance: 0.0, ..options };
    assert!(with(Method::Harmonic, none).contains("tolerance"));
    let few = SolveOptions { max_iterations: 1, engine: Engine::Block, ..options };
    assert!(with(Method::Harmonic, few).contains("conjugate gradients"));
    // Members are threads here.
    let words = if cfg!(feature = "hypre") { "ranks of an MPI job" } else { "--features hypre" };
    let hypre = SolveOptions { engine: Engine::Hypre, ..options };
    assert!(with(Method::Harmonic, hypre).contains(words));
    let error = said(2, |world| {
        let part = Part::from_edges(world, 40, &share(world, &edges))?;
        let fit = Method::Harmonic.fit(world, &part, &[(0, 0), (20, 1)], 2, &options)?;
        decide(world, &fit.scores, &fit.labelled, &Decision::Median)
    });
    assert!(error.contains("the median needs all scores on one machine"), "{error}");
    let rows = clouds(30, 2);
    for (search, words) in [
        (Search { k: 0, ..Search::default() }, "neighbours"),
        (Search { k: 30, ..Search::default() }, "30"),
        (Search { probes: 0, ..Search::default() }, "probed"),
    ] {
        let error = said(2, |world| search.graph(world, own(world, &rows)));
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(path(name), bytes).unwrap();
        path(name)
    };
    let good = write("good.npy", &npy(clouds(20, 3).view()));
    let narrow = write("narrow.npy", &npy(clouds(20, 2).view()));
    let cut = write("cut.npy", &npy(clouds(20, 3).view())[..300]);
    let text = write("text.npy", b"1,2,3\n4,5,6\n");
    let mut holes = clouds(20, 3);
    holes[[17, 1]] = f64::NAN;
    let holes = write("holes.npy", &npy(holes.view()));
    let numbered = write("p-00002-of-00003.npy", &npy(clouds(5, 3).view()));
    for (files, words) in [
        (vec![], "no file was named"),
        (vec![good.clone(), path("gone.npy")], "gone.npy"),
        (vec![good.clone(), narrow], "narrow.npy: has 2 columns, but"),
        (vec![cut], "do not fit 20 x 3"),
        (vec![text], "is no .npy file"),
        (vec![holes], "holes.npy: row 17, column 1"),
        (vec![numbered], "p-00000-of-00003.npy: is missing: 1 of 3"),
    ] {
        let error = said(2, |world| read_points(world, &files, Budget::default()));
        assert!(error.contains(words), "{error}");
    }
    let error = said(3, |world| {
        let files =
            if world.rank() == 2 { vec![good.clone(), good.clone()] } else { vec![good.clone()] };
        read_points(world, &files, Budget::default())
    });
    assert!(error.contains("member 2 sees another list of files"), "{error}");
    for (text, words) in [
        ("class,row\n", "name them row and class"),
        ("row,class\nx,a\n", "line 2: the row is \"x\""),
        ("row,class\n3,a\n3,b\n", "row 3 was labelled in line 2 already"),
    ] {
        let file = write("labels.csv", text.as_bytes());
        let error = said(2, |world| read_labels(world, &file));
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn too_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.npy");
    let rows = clouds(400, 3);
    std::fs::write(&file, npy(rows.view())).unwrap();
    let files = [file];
    // 200 rows of 3 numbers a member.
    let all = together(2, |world| read_points(world, &files, Budget { bytes: 4800 }).is_ok());
    assert_eq!(all, [true, true]);
    let error = said(2, |world| read_points(world, &files, Budget { bytes: 4799 }));
    assert!(error.contains("the points of a member take 4.8 kB"), "{error}");
    for (bytes, words) in
        [(20_000, "points on their way"), (50_000, "the lists of neighbours take")]
    {
        let search = Search { budget: Budget { bytes }, ..Search::default() };
        let error = said(2, |world| search.graph(world, own(world, &rows)));
        assert!(error.contains(words), "{error}");
    }
    let edges = ring(400, 1);
    for (bytes, words) in [
        (1000, "the rows of the system"),
        (24_000, "the scores"),
        (32_000, "the vectors of conjugate gradients"),
    ] {
        let options = SolveOptions { budget: Budget { bytes }, ..SolveOptions::default() };
        let error = said(2, |world| {
            let part = Part::from_edges(world, 400, &share(world, &edges))?;
            Method::Harmonic.fit(world, &part, &[(0, 0), (200, 1)], 2, &options)
        });
        assert!(error.contains(words), "{error}");
        let error = said(2, |world| {
            let mut part = Part::from_edges(world, 400, &share(world, &edges))?;
            let labels = [(0, 0), (200, 1)];
            LearnScale::default().run(world, &mut part, &labels, 2, 0.5, &options)
        });
        assert!(error.contains("take"), "{error}");
    }
    let stages = Stages::new(folder.path().join("stages"));
    together(2, |world| {
        stages.keep(world, "one", ("k", serde_json::json!({})), &[7; 5000]).unwrap();
    });
    let error =
        said(2, |world| stages.clone().within(Budget { bytes: 4000 }).kept(world, "one").map(drop));
    assert!(error.contains("one-00000-of-00002.shard"), "{error}");
}

#[test]
#[should_panic(expected = "on purpose")]
fn a_panic_on_one_member_ends_all() {
    together(3, |world| {
        assert!(world.rank() != 1, "on purpose");
        world.gather(&[1.0])
    });
}
