//! The real collections, where the folder in `GAUSSFIELD_DATA` holds them.
//!
//! Without that variable, or without a collection in the folder, a test says so and passes.

use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_data::read::reuters::{self, LewisSplit, TopicsStatus};
use gaussfield_data::read::text::{Idf, Tf, TfIdf};
use gaussfield_data::read::{citation, idx, npy, optdigits};
use gaussfield_points::Rows;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

/// A path in the data folder, or none with a note.
fn data(relative: &str) -> Option<PathBuf> {
    let found = std::env::var_os("GAUSSFIELD_DATA")
        .map(|folder| PathBuf::from(folder).join(relative))
        .filter(|path| path.exists());
    if found.is_none() {
        let note = format!("skipped: GAUSSFIELD_DATA names no folder with {relative}\n");
        std::io::stderr().write_all(note.as_bytes()).unwrap();
    }
    found
}

/// Leave-one-out accuracy of the nearest neighbour by cosine, ties to the first.
fn nearest_neighbour_accuracy(rows: &sprs::CsMat<f64>, classes: &[Option<usize>]) -> f64 {
    let norms: Vec<f64> = rows.outer_iterator().map(|row| row.dot(&row).sqrt()).collect();
    let words = rows.to_csc();
    let mut right = 0;
    for (document, row) in rows.outer_iterator().enumerate() {
        let mut products = vec![0.0; rows.rows()];
        for (word, weight) in row.iter() {
            for (other, value) in words.outer_view(word).unwrap().iter() {
                products[other] += weight * value;
            }
        }
        let mut best = (f64::NEG_INFINITY, 0);
        for (other, product) in products.iter().enumerate() {
            let cosine = product / norms[other];
            if other != document && cosine > best.0 {
                best = (cosine, other);
            }
        }
        right += usize::from(classes[best.1] == classes[document]);
    }
    right as f64 / rows.rows() as f64
}

#[test]
fn newsgroups_have_the_recorded_vocabulary_and_accuracy() {
    let Some(path) = data("newsgroups/20news-18828.tar.gz") else { return };
    // Groups, sizes, words, and the leave-one-out accuracies: with smooth idf as recorded with
    // the data, with plain idf, and with damped counts and df over all groups, as computed by an
    // independent program.
    let tasks = [
        (
            ["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"],
            [982, 961],
            22318,
            0.903,
            0.912,
            0.9377,
        ),
        (["rec.sport.baseball", "rec.sport.hockey"], [994, 999], 23151, 0.968, 0.970, 0.9824),
        (["talk.religion.misc", "alt.atheism"], [628, 799], 22862, 0.909, 0.931, 0.9390),
    ];
    let all = Newsgroups::read(&path, &[]).unwrap();
    let frequencies = all.document_frequencies();
    assert_eq!(frequencies.documents(), 18828);
    for (groups, sizes, words, smooth, plain, damped) in tasks {
        let news = Newsgroups::read(&path, &groups).unwrap();
        assert_eq!(all.choose(&groups).unwrap(), news);
        let labels = news.labels();
        assert_eq!(labels.names(), groups);
        assert_eq!(labels.counts(), sizes);
        let terms = news.term_counts().unwrap();
        assert_eq!(terms.vocabulary().len(), words, "{groups:?}");
        let over = Some(&frequencies);
        for (weights, expected) in [
            (TfIdf { idf: Idf::Smooth, ..TfIdf::default() }, smooth),
            (TfIdf::default(), plain),
            (TfIdf { tf: Tf::Log, over, ..TfIdf::default() }, damped),
        ] {
            let points = terms.tf_idf(weights).unwrap();
            let Rows::Sparse(rows) = points.rows() else { panic!("tf-idf is sparse") };
            let ours = nearest_neighbour_accuracy(rows, labels.as_slice());
            assert!((ours - expected).abs() < 6e-4, "{groups:?}: {ours}, not {expected}");
        }
    }
}

#[test]
fn reuters_has_the_published_counts() {
    let Some(path) = data("reuters21578/reuters21578.tar.gz") else { return };
    let documents = reuters::read(&path).unwrap();
    assert_eq!(documents.len(), 21578);
    assert!((1..).zip(&documents).all(|(id, document)| document.new_id == id));
    // The ModApte split: indexed documents by LEWISSPLIT (the collection's README, section VIII.B).
    let indexed = documents.iter().filter(|d| d.topics_status == TopicsStatus::Yes);
    let side = |side| indexed.clone().filter(|d| d.lewis_split == side).count();
    assert_eq!((side(LewisSplit::Train), side(LewisSplit::Test)), (9603, 3299));
    let mut topics: HashMap<&str, usize> = HashMap::new();
    for topic in documents.iter().flat_map(|document| &document.topics) {
        *topics.entry(topic).or_default() += 1;
    }
    let recorded = [
        ("earn", 3987),
        ("acq", 2448),
        ("money-fx", 801),
        ("crude", 634),
        ("grain", 628),
        ("trade", 552),
        ("interest", 513),
        ("wheat", 306),
        ("ship", 305),
        ("corn", 254),
    ];
    for (topic, count) in recorded {
        assert_eq!(topics[topic], count, "{topic}");
    }
    // One document of the collection has no text at all.
    let blank = documents.iter().filter(|d| d.title.is_empty() && d.body.is_empty());
    assert_eq!(blank.map(|d| d.new_id).collect::<Vec<_>>(), [12793]);
    assert_eq!(documents[0].title, "BAHIA COCOA REVIEW");
    assert!(documents[0].body.starts_with("Showers continued throughout the week in"));
}

#[test]
fn mnist_has_the_recorded_counts() {
    let Some(folder) = data("mnist") else { return };
    let test = idx::read_dataset(
        folder.join("t10k-images-idx3-ubyte.gz"),
        folder.join("t10k-labels-idx1-ubyte.gz"),
    )
    .unwrap();
    assert_eq!((test.len(), test.dim()), (10000, 784));
    assert_eq!(test.labels.counts(), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    let train = idx::read_labels(folder.join("train-labels-idx1-ubyte.gz")).unwrap();
    let recorded = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949];
    assert_eq!(train.counts(), recorded);
}

#[test]
fn optdigits_has_the_recorded_counts() {
    let Some(folder) = data("optdigits") else { return };
    let train = optdigits::read(folder.join("optdigits.tra")).unwrap();
    let test = optdigits::read(folder.join("optdigits.tes")).unwrap();
    assert_eq!((train.len(), test.len()), (3823, 1797));
    assert_eq!(train.labels.counts(), [376, 389, 380, 389, 387, 376, 377, 387, 380, 382]);
    assert_eq!(test.labels.counts(), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    let both = ["optdigits.tra", "optdigits.tes"].map(|name| folder.join(name));
    assert_eq!(optdigits::read_all(&both).unwrap().len(), 5620);
}

#[test]
fn usps_and_coil_have_the_recorded_shapes() {
    if let Some(folder) = data("usps") {
        let usps = npy::read_dataset(folder.join("images.npy"), folder.join("labels.npy")).unwrap();
        assert_eq!((usps.name.as_str(), usps.len(), usps.dim()), ("usps", 11000, 256));
        assert_eq!(usps.labels.counts(), [1100; 10]);
        assert_eq!(usps.labels.get(0), Some(1), "the first class is the digit 1");
        let mean = usps.points.to_dense().mean().unwrap();
        assert!((mean - 63.334).abs() < 5e-4);
    }
    if let Some(folder) = data("coil20") {
        let coil = npy::read_dataset(folder.join("images.npy"), folder.join("labels.npy")).unwrap();
        assert_eq!((coil.len(), coil.dim()), (1440, 1024));
        assert_eq!(coil.labels.counts(), [72; 20]);
    }
}

#[test]
fn citation_graphs_have_the_recorded_counts() {
    type Recorded<'a> = (&'a str, usize, usize, &'a [usize], Option<(usize, usize)>, usize, usize);
    // Name, nodes, edges, class counts, (features, ones), unlabelled, training nodes.
    let graphs: [Recorded<'_>; 3] = [
        ("cora", 2708, 5278, &[351, 217, 418, 818, 426, 298, 180], Some((1433, 49216)), 0, 140),
        ("citeseer", 3327, 4552, &[249, 590, 668, 701, 596, 508], Some((3703, 105165)), 15, 120),
        ("pubmed", 19717, 44324, &[4103, 7739, 7875], None, 0, 60),
    ];
    for (name, nodes, edges, counts, features, unlabelled, train) in graphs {
        let Some(folder) = data(&format!("citation/{name}")) else { return };
        let graph = citation::read(&folder).unwrap();
        assert_eq!(graph.name, name);
        assert_eq!((graph.graph.nodes, graph.graph.edges.len()), (nodes, edges));
        assert_eq!(graph.labels.counts(), counts);
        assert_eq!(graph.labels.unlabelled().len(), unlabelled);
        assert_eq!((graph.train.len(), graph.test.len()), (train, 1000));
        let found = graph.points.map(|points| {
            let Rows::Sparse(rows) = points.rows() else { panic!("features are sparse") };
            (points.dim(), rows.nnz())
        });
        assert_eq!(found, features);
    }
}
