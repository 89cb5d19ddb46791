//! Text: tokens, tf-idf, newsgroups and Reuters.

use crate::support as build;
use gaussfield_data::DataError;
use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_data::read::reuters::{self, LewisSplit, TopicsStatus};
use gaussfield_data::read::text::{DocumentFrequencies, Idf, TermCounts, Tf, TfIdf, tokens};
use std::path::Path;

#[test]
fn a_token_is_a_run_of_letters_digits_and_underscores() {
    let found: Vec<String> = tokens("It's 25MHz—Ça_va?\nX² ...").collect();
    assert_eq!(found, ["it", "s", "25mhz", "ça_va", "x²"]);
    assert_eq!(tokens(" .,\t\n").count(), 0);
}

#[test]
fn counts_and_weights_follow_the_formula() {
    let terms = TermCounts::new(["b a b", "a c", "", "a"]).unwrap();
    assert_eq!(terms.vocabulary(), ["a", "b", "c"]);
    assert_eq!(terms.document_frequency(), [3, 1, 1]);
    let counts = terms.count_points().unwrap().to_dense();
    assert_eq!(counts, ndarray::array![[1., 2., 0.], [1., 0., 1.], [0., 0., 0.], [1., 0., 0.]]);
    let weights = terms.tf_idf(TfIdf::default()).unwrap().to_dense();
    let idf = [(4.0_f64 / 3.0).ln(), 4.0_f64.ln(), 4.0_f64.ln()];
    for ((document, word), weight) in weights.indexed_iter() {
        assert!((weight - counts[[document, word]] * idf[word]).abs() < 1e-15);
    }
    let smooth = terms.tf_idf(TfIdf { idf: Idf::Smooth, ..TfIdf::default() }).unwrap().to_dense();
    assert!((smooth[[0, 1]] - 2.0 * (2.5_f64.ln() + 1.0)).abs() < 1e-15);
    assert!((smooth[[3, 0]] - (1.25_f64.ln() + 1.0)).abs() < 1e-15);
}

#[test]
fn damped_counts_and_a_larger_collection_follow_their_formula() {
    let terms = TermCounts::new(["b a b", "a c", "a b d"]).unwrap();
    let all = DocumentFrequencies::count(["b a b", "a c", "x", "y B", "", "b x"]);
    assert_eq!(all.documents(), 6);
    assert_eq!(["a", "b", "c", "d", "x"].map(|word| all.of(word)), [2, 3, 1, 0, 2]);
    let weights = TfIdf { tf: Tf::Log, over: Some(&all), ..TfIdf::default() };
    let weights = terms.tf_idf(weights).unwrap().to_dense();
    let (twice, six) = (1.0 + 2_f64.ln(), 6_f64.ln());
    // A word that the collection lacks counts as being in one document.
    let expected = ndarray::array![
        [3_f64.ln(), twice * 2_f64.ln(), 0.0, 0.0],
        [3_f64.ln(), 0.0, six, 0.0],
        [3_f64.ln(), 2_f64.ln(), 0.0, six]
    ];
    assert!((&weights - &expected).iter().all(|gap| gap.abs() < 1e-15), "{weights}");
}

const MEMBERS: [(&str, &[u8]); 4] = [
    ("news/rec.b/10", b"ten"),
    ("news/rec.b/9", b"nine caf\xe9"),
    ("news/alt.a/3", b"three"),
    ("news/sci.c/1", b"one"),
];

#[test]
fn newsgroups_from_archive_and_folder_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("news.tar.gz");
    std::fs::write(&archive, build::gzip(&build::tar(&MEMBERS))).unwrap();
    let root = tempfile::tempdir().unwrap();
    for (name, contents) in MEMBERS {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }
    let groups = ["rec.b", "alt.a"];
    let news = Newsgroups::read(&archive, &groups).unwrap();
    assert_eq!(news, Newsgroups::read(root.path(), &groups).unwrap());
    assert_eq!(news, Newsgroups::read(root.path().join("news"), &groups).unwrap());
    let ids: Vec<&str> = news.messages().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["9", "10", "3"], "by group as asked, then by number");
    assert_eq!(news.messages().next().unwrap().text, "nine café");
    let data = news.tf_idf(TfIdf::default()).unwrap();
    assert_eq!((data.len(), data.dim()), (3, 4));
    assert_eq!(data.labels.names(), groups);

    let all = Newsgroups::read(&archive, &[]).unwrap();
    let names = ["alt.a", "rec.b", "sci.c"];
    assert_eq!(all.labels().names(), names);
    assert_eq!(all.choose(&groups).unwrap(), news);
    assert!(matches!(all.choose(&["rec.x"]), Err(DataError::NoSuchMember { .. })));
    assert_eq!(all.document_frequencies().documents(), 4);
    for path in [archive.as_path(), root.path()] {
        match Newsgroups::read(path, &["rec.b", "rec.x"]) {
            Err(DataError::NoSuchMember { name, available, .. }) => {
                assert_eq!(
                    (name.as_str(), available),
                    ("rec.x", names.iter().map(|s| s.to_string()).collect())
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn reuters_documents_are_taken_apart() {
    let documents = reuters::parse(Path::new("reut2-000.sgm"), build::SGML.as_bytes()).unwrap();
    let [unprocessed, wheat] = documents.as_slice() else { panic!("{documents:?}") };
    assert_eq!((unprocessed.new_id, wheat.new_id), (1, 2));
    assert_eq!(unprocessed.lewis_split, LewisSplit::NotUsed);
    assert_eq!(unprocessed.topics_status, TopicsStatus::No);
    assert_eq!((unprocessed.title.as_str(), unprocessed.body.as_str()), ("", "all of it"));
    assert_eq!(wheat.lewis_split, LewisSplit::Train);
    assert_eq!(wheat.topics_status, TopicsStatus::Yes);
    assert_eq!(wheat.topics, ["grain", "wheat"]);
    assert_eq!(wheat.title, "WHEAT <W> UP & AWAY");
    assert_eq!(wheat.body, "Prices rose&hellip; 5 &lt; 6.", "decoded once, unknown ones kept");
    assert_eq!(wheat.text(), format!("{}\n{}", wheat.title, wheat.body));
}

#[test]
fn reuters_archives_and_folders_are_equal() {
    let (first, second) = build::SGML.split_at(build::SGML.rfind("<REUTERS").unwrap());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("reut2-000.sgm"), first).unwrap();
    std::fs::write(folder.path().join("reut2-001.sgm"), second).unwrap();
    std::fs::write(folder.path().join("README.txt"), "<REUTERS").unwrap();
    let archive = build::tar(&[
        ("r/reut2-000.sgm", first.as_bytes()),
        ("r/README.txt", b"<REUTERS"),
        ("r/reut2-001.sgm", second.as_bytes()),
    ]);
    let from_folder = reuters::read(folder.path()).unwrap();
    assert_eq!(from_folder.len(), 2);
    for bytes in [build::gzip(&archive), archive] {
        assert_eq!(reuters::parse(Path::new("r.tar"), &bytes).unwrap(), from_folder);
    }
}
