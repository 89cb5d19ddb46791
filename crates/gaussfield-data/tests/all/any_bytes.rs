//! No reader panics, whatever the bytes: noise, cut files, files with bytes changed.

use crate::support as build;
use gaussfield_data::DataError;
use gaussfield_data::read::csv::CsvOptions;
use gaussfield_data::read::edges::{EdgeListOptions, NodeIds};
use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_data::read::svmlight::{self, IndexBase};
use gaussfield_data::read::text::TfIdf;
use gaussfield_data::read::{
    citation, idx, keel, mat, matrix_market, npy, optdigits, reuters, scipy, usps,
};
use proptest::prelude::*;
use std::path::Path;

/// Calls every reader. A reader may succeed or refuse; that is all that is asked.
fn read_with_all(bytes: &[u8]) -> usize {
    let path = Path::new("noise");
    let csv = |options: CsvOptions| options.parse(path, bytes).map(drop);
    let edges = |ids| EdgeListOptions::new().ids(ids).parse(path, bytes).map(drop);
    let outcomes: Vec<Result<(), DataError>> = vec![
        csv(CsvOptions::new()),
        csv(CsvOptions::new().label("class")),
        csv(CsvOptions::new().delimiter(b' ')),
        npy::parse(path, bytes).map(drop),
        npy::parse_labels(path, bytes).map(drop),
        npy::parse_npz(path, bytes, "a").map(drop),
        npy::parse_npz_texts(path, bytes, "a").map(drop),
        scipy::parse(path, bytes).map(drop),
        scipy::parse_graph(path, bytes).map(drop),
        CsvOptions::new().keep("*").parse_text(path, bytes, &["class"]).map(drop),
        idx::parse(path, bytes).map(drop),
        mat::parse(path, bytes).map(drop),
        usps::parse(path, bytes).map(drop),
        svmlight::parse(path, bytes, IndexBase::Auto).map(drop),
        svmlight::parse(path, bytes, IndexBase::One).map(drop),
        optdigits::parse(path, bytes).map(drop),
        keel::parse(path, bytes).map(drop),
        edges(NodeIds::Auto),
        edges(NodeIds::Zero),
        edges(NodeIds::One),
        edges(NodeIds::Text),
        matrix_market::parse(path, bytes).map(drop),
        reuters::parse(path, bytes).map(drop),
        Newsgroups::parse(path, bytes, &[])
            .and_then(|news| news.tf_idf(TfIdf::default()))
            .map(drop),
        Newsgroups::parse(path, bytes, &["h"]).map(drop),
    ];
    let columnar = read_columnar(path, bytes);
    outcomes.iter().chain(&columnar).filter(|outcome| outcome.is_ok()).count()
}

#[cfg(feature = "columnar")]
fn read_columnar(path: &Path, bytes: &[u8]) -> Vec<Result<(), DataError>> {
    use gaussfield_data::read::columnar;
    vec![
        columnar::parse(path, bytes, &CsvOptions::new().label("class")).map(drop),
        columnar::parse_text(path, bytes, &["class"], &CsvOptions::new().keep("*")).map(drop),
    ]
}

#[cfg(not(feature = "columnar"))]
fn read_columnar(_: &Path, _: &[u8]) -> Vec<Result<(), DataError>> {
    Vec::new()
}

/// Small tables in every layout.
#[cfg(feature = "columnar")]
fn columnar_files() -> Vec<Vec<u8>> {
    use arrow_array::builder::StringDictionaryBuilder;
    use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, types::Int8Type};
    use std::sync::Arc;
    let mut words = StringDictionaryBuilder::<Int8Type>::new();
    ["a", "b", "a"].iter().for_each(|word| words.append_value(word));
    let columns: [(&str, ArrayRef); 3] = [
        ("x", Arc::new(Float64Array::from(vec![0.5, 1.5, 2.5]))),
        ("i", Arc::new(Int32Array::from(vec![7, 8, 9]))),
        ("class", Arc::new(words.finish())),
    ];
    build::columnar(&RecordBatch::try_from_iter(columns).unwrap())
}

#[cfg(not(feature = "columnar"))]
fn columnar_files() -> Vec<Vec<u8>> {
    Vec::new()
}

/// A good file of every format.
fn good_files() -> Vec<Vec<u8>> {
    let array = build::npy("<f4", true, "(2, 2)", &[0; 16]);
    let images = build::mat_array("data", 9, &[4, 1, 10], 2, &[5; 40]);
    let tar = build::tar(&[("root/h/1", b"some words"), ("root/h/2", b"other words")]);
    let sgml = build::tar(&[("r/reut2-000.sgm", build::SGML.as_bytes())]);
    let mut files = vec![
        b"a,b,class\n1,2,x\n3,\"4\",\n".to_vec(),
        build::npy("<i8", false, "(2,)", &[0; 16]),
        build::zip(&[("a.npy", array.clone())]),
        array,
        build::idx(0x08, &[2, 2, 2], &[9; 8]),
        build::mat(std::slice::from_ref(&images), false),
        build::mat(&[images], true),
        b"+1 qid:1 1:0.5 3:2 # c\n-1 2:1\n".to_vec(),
        build::optdigits_row("3", "7").into_bytes(),
        build::KEEL.as_bytes().to_vec(),
        b"# c\n0\t1\t0.5\n1\t2\t1\n".to_vec(),
        b"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 0.5\n".to_vec(),
        build::SGML.as_bytes().to_vec(),
        build::gzip(&tar),
        tar,
        sgml,
    ];
    files.extend(columnar_files());
    files
}

#[test]
fn the_good_files_are_good() {
    for (at, file) in good_files().iter().enumerate() {
        assert!(read_with_all(file) > 0, "file {at} is refused by every reader");
    }
}

#[test]
fn files_may_be_cut_anywhere() {
    for file in good_files() {
        for end in (0..file.len().min(600)).chain((600..file.len()).step_by(13)) {
            read_with_all(&file[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_with_all(&bytes);
    }

    #[test]
    fn noise_made_of_the_formats_own_words_is_read_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "a", "class", "1", "-1", "0", "4294967296", "1e999", "nan", ",", "\t", " ", "\n", "\r",
            "\"", ":", "#", "%", "@data\n", "@attribute a real\n", "@outputs", "{", "}", "1:2 ",
            "%%MatrixMarket matrix coordinate real general\n", "<REUTERS", " TOPICS=\"YES\"",
            " LEWISSPLIT=\"TEST\"", " NEWID=\"7\"", ">", "</REUTERS>", "<TEXT", "</TEXT>", "&#3;",
            "&", ";", "é", "\u{feff}",
        ]), 0..60)
    ) {
        read_with_all(words.concat().as_bytes());
    }

    #[test]
    fn changed_files_are_read_or_refused(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let files = good_files();
        let mut file = which.get(&files).clone();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        read_with_all(&file);
    }

    #[test]
    fn citation_folders_are_read_or_refused(
        labels in "[-0-9\n ]{0,12}", edges in "[0-9\t\n]{0,12}", features in "[0-9 \n]{0,12}",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("labels.txt", labels), ("edges.tsv", edges), ("features.txt", features),
            ("train_index.txt", "0\n".to_owned()), ("test_index.txt", "0\n".to_owned()),
        ];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        if let Ok(graph) = citation::read(folder.path()) {
            prop_assert_eq!(graph.graph.nodes, graph.labels.len());
            prop_assert!(graph.graph.edges.iter().all(|&(u, v, _)| u.max(v) < graph.graph.nodes));
        }
    }
}
