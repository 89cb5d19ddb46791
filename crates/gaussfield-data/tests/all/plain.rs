//! svmlight, optdigits, KEEL, edge lists, Matrix Market and citation folders.

use crate::support as build;
use gaussfield_data::read::edges::{EdgeListOptions, NodeIds};
use gaussfield_data::read::svmlight::{self, IndexBase};
use gaussfield_data::read::{citation, keel, matrix_market, optdigits};
use ndarray::array;
use std::path::Path;

fn path() -> &'static Path {
    Path::new("toy.txt")
}

#[test]
fn svmlight_rows_are_sparse_and_labels_text() {
    let text = b"# a comment\n+1 qid:3 1:0.5 3:2 # tail\n\n-1 3:4 2:-1\n+1\n";
    let data = svmlight::parse(path(), text, IndexBase::Auto).unwrap();
    assert!(data.points.as_dense().is_none(), "sparse");
    let expected = array![[0.5, 0.0, 2.0], [0.0, -1.0, 4.0], [0.0, 0.0, 0.0]];
    assert_eq!(data.points.to_dense(), expected);
    assert_eq!(data.labels.names(), ["+1", "-1"]);
    assert_eq!(data.labels.as_slice(), [Some(0), Some(1), Some(0)]);
}

#[test]
fn svmlight_counting_is_found_or_given() {
    let dim = |text: &[u8], base| svmlight::parse(path(), text, base).unwrap().dim();
    assert_eq!(dim(b"a 1:1 2:1\n", IndexBase::Auto), 2);
    assert_eq!(dim(b"a 0:1 2:1\n", IndexBase::Auto), 3);
    assert_eq!(dim(b"a 1:1 2:1\n", IndexBase::Zero), 3);
    assert_eq!(dim(b"a 1:1 2:1\n", IndexBase::One), 2);
}

#[test]
fn optdigits_rows_of_one_file_and_of_several() {
    let (one, two) = (build::optdigits_row("16", "9"), build::optdigits_row("0", "4"));
    let data = optdigits::parse(path(), format!("{one}\n{two}\n").as_bytes()).unwrap();
    assert_eq!((data.len(), data.dim()), (2, 64));
    assert_eq!(data.labels.names(), ["4", "9"]);
    let folder = tempfile::tempdir().unwrap();
    let files = ["optdigits.tra", "optdigits.tes"].map(|name| folder.path().join(name));
    std::fs::write(&files[0], &one).unwrap();
    std::fs::write(&files[1], &two).unwrap();
    assert_eq!(optdigits::read_all(&files).unwrap(), data);
    assert!(optdigits::read_all(&[""; 0]).is_err());
}

#[test]
fn keel_takes_the_declared_output_and_classes() {
    let data = keel::parse(path(), build::KEEL.as_bytes()).unwrap();
    assert_eq!(data.name, "toy");
    assert_eq!(data.points.to_dense(), array![[0.5, 3.0], [1.5, 4.0]]);
    assert_eq!(data.feature_names.as_deref().unwrap(), ["width", "height"]);
    assert_eq!(data.labels.names(), ["b", "a"], "in the declared order");
    assert_eq!(data.labels.as_slice(), [Some(1), None]);
    let bare = keel::parse(path(), b"1,2,x\n3,4,y\n").unwrap();
    assert_eq!(bare.points.to_dense(), array![[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(bare.labels.names(), ["x", "y"]);
    assert_eq!(bare.feature_names, None);
}

#[test]
fn edge_lists_by_number_and_by_name() {
    let list = EdgeListOptions::new().parse(path(), b"# u v w\n0 3 0.5\n3 1 -2\n").unwrap();
    assert_eq!((list.nodes, list.ids), (4, None));
    assert_eq!(list.edges, [(0, 3, 0.5), (3, 1, -2.0)], "negative weights are the graph's affair");

    let from_one = EdgeListOptions::new().ids(NodeIds::One).nodes(9);
    let list = from_one.parse(path(), b"1,3\n3,2\n1,3\n").unwrap();
    assert_eq!((list.nodes, list.edges.len()), (9, 3));
    assert_eq!(list.edges[0], (0, 2, 1.0));

    let list = EdgeListOptions::new().parse(path(), b"new york\trome\t2\nrome\t7\t1\n").unwrap();
    assert_eq!(list.ids.as_deref().unwrap(), ["new york", "rome", "7"]);
    assert_eq!(list.edges, [(0, 1, 2.0), (1, 2, 1.0)]);

    // Numbers too large to be indices are names.
    let list = EdgeListOptions::new().parse(path(), b"99999999999999999999 5\n").unwrap();
    assert_eq!((list.nodes, list.edges.as_slice()), (2, [(0, 1, 1.0)].as_slice()));
}

#[test]
fn matrix_market_kinds() {
    let real = b"%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 2\n2 1 0.5\n3 3 1\n";
    let list = matrix_market::parse(path(), real).unwrap();
    assert_eq!((list.nodes, list.edges), (3, vec![(1, 0, 0.5), (2, 2, 1.0)]));
    let pattern = b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n";
    let list = matrix_market::parse(path(), pattern).unwrap();
    assert_eq!(list.edges, [(0, 1, 1.0), (1, 0, 1.0)]);
    let integer = b"%%matrixmarket MATRIX coordinate integer general\n2 2 1\n1 2 7\n";
    assert_eq!(matrix_market::parse(path(), integer).unwrap().edges, [(0, 1, 7.0)]);
}

#[test]
fn citation_folders_with_and_without_features() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("edges.tsv", "0\t2\n");
    write("labels.txt", "1\n-1\n0\n2\n");
    write("train_index.txt", "0\n");
    write("test_index.txt", "3\n2\n");
    let graph = citation::read(folder.path()).unwrap();
    assert_eq!((graph.graph.nodes, graph.graph.edges.len()), (4, 1), "isolated nodes count");
    assert_eq!(graph.labels.as_slice(), [Some(1), None, Some(0), Some(2)]);
    assert_eq!((graph.train, graph.test, graph.points), (vec![0], vec![3, 2], None));
    write("features.txt", "0 2\n\n1\n2\n");
    let points = citation::read(folder.path()).unwrap().points.unwrap();
    let expected = array![[1., 0., 1.], [0., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    assert_eq!(points.to_dense(), expected);
}

#[test]
fn an_edge_list_may_name_its_columns() {
    let plain = EdgeListOptions::new().parse(Path::new("x"), b"a,b,0.5\nb,c,2\n").unwrap();
    for header in ["source,target,weight\n", "# note\nfrom,to,similarity\n", "x,y,Weight\n"] {
        let text = format!("{header}a,b,0.5\nb,c,2\n");
        let named = EdgeListOptions::new().parse(Path::new("x"), text.as_bytes()).unwrap();
        assert_eq!(named, plain, "{header}");
    }
    // Only once, and only where it is one.
    assert!(EdgeListOptions::new().parse(Path::new("x"), b"a,b,c\nb,c,2\n").is_err());
    let twice = b"u v\nu v\n";
    assert_eq!(EdgeListOptions::new().parse(Path::new("x"), twice).unwrap().edges.len(), 1);
}
