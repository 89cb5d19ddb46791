//! Every reader refuses bad input with a message that names the place and the remedy.

use crate::support as build;
use gaussfield_data::DataError;
use gaussfield_data::read::csv::CsvOptions;
use gaussfield_data::read::edges::{EdgeListOptions, NodeIds};
use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_data::read::svmlight::{self, IndexBase};
use gaussfield_data::read::{
    citation, idx, keel, mat, matrix_market, npy, optdigits, reuters, usps,
};
use std::path::Path;

/// What a reader said about bytes, and the words that must be in it.
type Case<'a> = (Result<(), DataError>, &'a [&'a str]);

fn check(file: &str, cases: Vec<Case<'_>>) {
    for (at, (outcome, words)) in cases.into_iter().enumerate() {
        let error = outcome.expect_err(&format!("case {at} of {file} should be refused"));
        let message = error.to_string();
        for word in words.iter().chain([&file]) {
            assert!(message.contains(word), "case {at}: {message:?} lacks {word:?}");
        }
        assert!(message.contains("; "), "case {at}: {message:?} names no remedy");
    }
}

#[test]
fn csv() {
    let parse = |text: &str| {
        let options = CsvOptions::new().label("class");
        options.parse(Path::new("toy.csv"), text.as_bytes()).map(drop)
    };
    let long = format!("a,class\n{},x\n", "y".repeat(5000));
    check(
        "toy.csv",
        vec![
            (parse(""), &["empty", "header"]),
            (parse("\n \n"), &["empty"]),
            (parse("a,class\n"), &["no row", "add rows"]),
            (parse("a,b\n1,2\n"), &["\"class\"", "\"a\", \"b\""]),
            (parse("a,class,a\n1,x,2\n"), &["line 1", "columns 1 and 3", "\"a\"", "rename"]),
            (parse("a,class\n1,x\n1,x,2\n"), &["line 3", "3 cells", "2 are needed"]),
            (parse("a,class\n1\n"), &["line 2", "1 cell,"]),
            (parse("a,class\n1,x\none,x\n"), &["line 3", "column \"a\"", "\"one\"", "a number"]),
            (parse("a,class\n1,x\none,x\n"), &["ignore the column \"a\""]),
            (parse("a,class\n,x\n"), &["line 2", "column \"a\"", "missing", "imputation"]),
            (parse("a,class\n1,x\n?,x\nNA,\n"), &["line 3", "2 cells", "lines 3, 4"]),
            (parse("a,class\nNaN,x\n"), &["line 2", "column \"a\"", "1 cell is"]),
            (parse("a,class\n1,x\n-inf,x\n"), &["line 3", "-inf", "not finite"]),
            (parse("a,class\n1e999,x\n"), &["1e999", "not finite", "fill in"]),
            (parse("class\nx\n"), &["no column is left"]),
            (parse("a,,class\n1,2,x\n"), &["line 1", "column 2 has no name", "ignoring"]),
            (parse(&long), &["line 2", "yyy…"]),
            (parse("a;class\n1;x\n"), &["end with ';', not with ','", "name the delimiter ';'"]),
            (parse("a\t\"class\"\n1\tx\n"), &["end with '\\t'"]),
            (parse("a;b\n1;2\n"), &["there is no column \"class\""]),
            (parse("a,class\n\"1,5\",x\n"), &["\"1,5\" is not a number", "decimal point"]),
            (parse("a,class\n1,x\n2,\"y\n3,x\n4,\n"), &["line 3", "quotation mark", "close it"]),
            (parse("a,class\n1,x\n\"2,y\n3,x\n4,\n"), &["line 3", "quotation mark", "close it"]),
        ],
    );
    let unlabelled = |text: &[u8]| CsvOptions::new().parse(Path::new("x.csv"), text).map(drop);
    check(
        "x.csv",
        vec![
            (unlabelled(b"0.5,1.5\n2,3\n"), &["line 1", "numbers", "add a header"]),
            (unlabelled(b"a,b\n1,2\n1,\xff\n"), &["line 3", "UTF-8"]),
            (unlabelled(b"\xff\xfea\0,\0b\0"), &["UTF-16", "save it as UTF-8"]),
            (unlabelled(b"a\0,\0b\0\n\0"), &["UTF-16", "save it as UTF-8"]),
            (unlabelled(b"\0a\0,\0b\0\n"), &["UTF-16", "save it as UTF-8"]),
            (unlabelled(b"\x1f\x8bnot gzip"), &["gzip", "damaged", "fetch"]),
            (CsvOptions::new().ignore("z").parse(Path::new("x.csv"), b"a\n1\n").map(drop), &["z"]),
        ],
    );
}

#[test]
fn npy_and_npz() {
    let parse = |bytes: &[u8]| npy::parse(Path::new("x.npy"), bytes).map(drop);
    let labels = |bytes: &[u8]| npy::parse_labels(Path::new("x.npy"), bytes).map(drop);
    let huge = "(4611686018427387904, 4611686018427387904)";
    let nan = [1.0, f64::NAN].map(f64::to_le_bytes).concat();
    let mut version = build::npy("|u1", false, "(1,)", &[1]);
    version[6] = 9;
    check(
        "x.npy",
        vec![
            (parse(b""), &["magic", "cut short"]),
            (parse(b"hello, world"), &["does not start", "numpy.save"]),
            (parse(&version), &["version 9"]),
            (parse(&build::npy("|u1", false, "(2, 3)", &[0; 5])), &["6 bytes", "5 bytes"]),
            (parse(&build::npy("|u1", false, "(2,)", &[0; 5])), &["2 bytes", "5 bytes"]),
            (parse(&build::npy("<f8", false, "(1000000000000,)", &[0; 8])), &["8000000000000"]),
            (parse(&build::npy("<f8", false, huge, &[0; 8])), &["more bytes than can be counted"]),
            (parse(&build::npy("|u1", false, "(1, 2, 3)", &[0])), &["6 bytes", "1 bytes"]),
            (parse(&build::npy("|u1", false, "()", &[0])), &["0 dimensions"]),
            (parse(&build::npy("<U3", false, "(1,)", &[0; 12])), &["<U3", "astype"]),
            (parse(&build::npy("|u1", false, "(-1,)", &[0])), &["shape"]),
            (
                parse(&build::npy("<i8", false, "(1,)", &i64::MIN.to_le_bytes())),
                &["-9223372036854775808", "2^53"],
            ),
            (labels(&build::npy("|u1", false, "(1, 2)", &[0, 1])), &["one column", "has 2"]),
            (
                labels(&build::npy("<f8", false, "(1,)", &0.5_f64.to_le_bytes())),
                &["label 0.5 of row 1"],
            ),
            (labels(&build::npy("<f8", false, "(2,)", &nan)), &["label NaN of row 2"]),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = (folder.path().join("x.npy"), folder.path().join("y.npy"));
    std::fs::write(&y, build::npy("|u1", false, "(3,)", &[0, 1, 0])).unwrap();
    std::fs::write(&x, build::npy("<f8", false, "(1, 2)", &nan)).unwrap();
    let unequal = npy::read_dataset(&x, &y).map(drop);
    std::fs::write(&y, build::npy("|u1", false, "(1,)", &[0])).unwrap();
    let not_finite = npy::read_dataset(&x, &y).map(drop);
    std::fs::write(&x, build::npy("<f8", false, "(0, 2)", &[])).unwrap();
    let empty = npy::read_dataset(&x, &y).map(drop);
    check("y.npy", vec![(unequal, &["3 labels for 1 points", "belong together"])]);
    check(
        "x.npy",
        vec![(not_finite, &["line 1", "column 2", "NaN"]), (empty, &["the array is empty"])],
    );
    let texts = |descr: &str, shape: &str, bytes: &[u8]| {
        let archive = build::zip(&[("y.npy", build::npy(descr, false, shape, bytes))]);
        npy::parse_npz_texts(Path::new("x.npz"), &archive, "y").map(drop)
    };
    check(
        "x.npz/y",
        vec![
            (texts("<U1", "(2,)", &[65, 0, 0, 0]), &["4 bytes", "2 texts"]),
            (texts("<U1", "(1, 1)", &[65, 0, 0, 0]), &["2 dimensions"]),
            (texts("<U1", "(1,)", &[0, 0, 0, 65]), &["text 1", "Unicode"]),
            (texts("|S1", "(1,)", b"\xff"), &["text 1", "Unicode"]),
            (texts("|O", "(1,)", b"\xff"), &["|O"]),
        ],
    );
    let npz = |bytes: &[u8]| npy::parse_npz(Path::new("x.npz"), bytes, "a").map(drop);
    check(
        "x.npz",
        vec![
            (npz(b"PK"), &["archive is damaged", "fetch"]),
            (npz(&build::zip(&[("b.npy", vec![])])), &["\"a\"", "choose one of: \"b\""]),
            (npz(&build::zip(&[("a.npy", vec![])])), &["magic"]),
        ],
    );
}

#[test]
fn idx_mat_and_usps() {
    let parse = |bytes: &[u8]| idx::parse(Path::new("x-idx"), bytes).map(drop);
    check(
        "x-idx",
        vec![
            (parse(b""), &["magic number"]),
            (parse(b"hello"), &["does not start"]),
            (parse(&build::idx(0x07, &[1], &[0])), &["0x07"]),
            (parse(&[0, 0, 8, 2, 0, 0]), &["a dimension", "cut short"]),
            (parse(&build::idx(0x08, &[2, 2], &[0; 3])), &["4 bytes", "3 bytes"]),
            (parse(&build::idx(0x08, &[u32::MAX; 9], &[0; 3])), &["more bytes than"]),
        ],
    );
    let parse = |bytes: &[u8]| mat::parse(Path::new("x.mat"), bytes).map(drop);
    let one = |shape: &[i32], kind| {
        build::mat(&[build::mat_array("a", 6, shape, kind, &[1, 2, 3])], true)
    };
    let whole = one(&[1, 3], 2);
    let mut big_endian = whole.clone();
    big_endian[124..128].copy_from_slice(&[0x01, 0x00, b'M', b'I']);
    let digits = |bytes: &[u8]| usps::parse(Path::new("x.mat"), bytes).map(drop);
    let wrong_shape = build::mat(&[build::mat_array("data", 9, &[1, 3], 2, &[1, 2, 3])], false);
    check(
        "x.mat",
        vec![
            (parse(b"MATLAB"), &["the header", "128 bytes"]),
            (parse(&[b' '; 200]), &["no MATLAB 5 file", "-v7"]),
            (parse(&big_endian), &["big-endian"]),
            (parse(&whole[..whole.len() - 9]), &["cut short"]),
            (parse(&one(&[2, 3], 2)), &["6 bytes", "3 bytes"]),
            (parse(&one(&[i32::MAX; 9], 2)), &["more bytes than"]),
            (parse(&one(&[-1, 3], 2)), &["\"a\"", "dimension of -1"]),
            (parse(&one(&[1, 3], 99)), &["\"a\"", "type 99"]),
            (digits(&whole), &["\"data\"", "\"a\""]),
            (digits(&wrong_shape), &["[1, 3]", "256 x 1100 x 10"]),
        ],
    );
}

#[test]
fn rows_of_text() {
    let auto = |text: &[u8]| svmlight::parse(Path::new("x.svm"), text, IndexBase::Auto).map(drop);
    let one = |text: &[u8]| svmlight::parse(Path::new("x.svm"), text, IndexBase::One).map(drop);
    check(
        "x.svm",
        vec![
            (auto(b"# nothing\n"), &["no row"]),
            (auto(b"a\nb\n"), &["no row has a feature"]),
            (auto(b"a 1:1\n1:2 2:3\n"), &["line 2", "label", "\"1:2\""]),
            (auto(b"a 1:1\na 12\n"), &["line 2", "\"12\"", "index:value"]),
            (auto(b"a x:1\n"), &["line 1", "\"x:1\"", "whole number"]),
            (auto(b"a 99999999999:1\n"), &["up to 2^28"]),
            (auto(b"a 1:one\n"), &["line 1", "feature 1", "\"one\"", "a number"]),
            (auto(b"a 1:inf\n"), &["feature 1", "inf", "not finite"]),
            (auto(b"a 1:1 1:2\n"), &["line 1", "\"1\"", "occurs once"]),
            (one(b"a 0:1\n"), &["line 1", "IndexBase::Zero"]),
        ],
    );
    let row = build::optdigits_row;
    let digits = |text: String| optdigits::parse(Path::new("x.tra"), text.as_bytes()).map(drop);
    check(
        "x.tra",
        vec![
            (digits("\n".to_owned()), &["no rows"]),
            (digits("1,2,3\n".to_owned()), &["line 1", "3 cells", "65"]),
            (digits(format!("{}\n\n{}\n", row("0", "1"), row("17", "1"))), &["line 3", "pixel 1"]),
            (digits(row("0.5", "1")), &["\"0.5\"", "from 0 to 16"]),
            (digits(row("0", "10")), &["class", "\"10\"", "digit"]),
        ],
    );
    let keel = |text: &str| keel::parse(Path::new("x.dat"), text.as_bytes()).map(drop);
    check(
        "x.dat",
        vec![
            (keel("@relation x\n@data\n"), &["no row"]),
            (keel("@attribute a real\n@attribute a real\n"), &["line 2", "columns 1 and 2"]),
            (keel("@attribute a real\n@outputs c\n@data\n1\n"), &["\"c\"", "\"a\""]),
            (keel("@attribute a real\n@attribute c {x}\n@data\n1\n"), &["line 4", "1 cell,"]),
            (keel("@attribute a real\n@attribute c {x}\n@data\n1,y\n"), &["\"y\"", "declared"]),
            (keel("@attribute a real\n@attribute c {x}\n@data\n?,x\n"), &["\"a\"", "\"?\""]),
            (keel("@attribute c {x,x}\n"), &["line 1", "declared once"]),
            (keel("@attribute {x}\n"), &["line 1", "a name"]),
            (keel("@what\n"), &["line 1", "@what", "@relation"]),
            (keel("x\ny\n"), &["no attribute besides the class"]),
        ],
    );
}

#[test]
fn graphs() {
    let list = |options: EdgeListOptions, text: &str| {
        options.parse(Path::new("x.edges"), text.as_bytes()).map(drop)
    };
    let zero = || EdgeListOptions::new().ids(NodeIds::Zero);
    let one = || EdgeListOptions::new().ids(NodeIds::One);
    check(
        "x.edges",
        vec![
            (list(EdgeListOptions::new(), "# none\n"), &["no edge"]),
            (list(EdgeListOptions::new(), "0 1 2 3\n"), &["line 1", "4 cells"]),
            (list(EdgeListOptions::new(), "0\n"), &["line 1", "1 cell,"]),
            (list(EdgeListOptions::new(), "0 1\n\n1 2 0.5\n"), &["line 3", "3 cells", "2 are"]),
            (list(EdgeListOptions::new(), "0 1 heavy\n"), &["line 1", "weight", "\"heavy\""]),
            (list(EdgeListOptions::new(), "0 1 1\n0 2 nan\n"), &["line 2", "weight", "nan"]),
            (list(EdgeListOptions::new(), "0,,1\n"), &["line 1", "node"]),
            (list(zero(), "0 x\n"), &["line 1", "\"x\"", "as text"]),
            (list(zero(), "0 999999999999\n"), &["line 1", "\"999999999999\"", "as text"]),
            (list(zero().nodes(2), "0 1\n1 2\n"), &["line 2", "\"2\"", "from 0 to 1"]),
            (list(one(), "1 0\n"), &["line 1", "\"0\"", "from 1"]),
        ],
    );
    let few = EdgeListOptions::new().ids(NodeIds::Text).nodes(1);
    let error = few.parse(Path::new("x.edges"), b"a b\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "nodes is 1, but must be at least 2, the number of nodes the edges name"
    );
    let market = |rest: &str| {
        let text = format!("%%MatrixMarket matrix {rest}");
        matrix_market::parse(Path::new("x.mtx"), text.as_bytes()).map(drop)
    };
    let bare = matrix_market::parse(Path::new("x.mtx"), b"3 3 1\n1 2 1\n").map(drop);
    check(
        "x.mtx",
        vec![
            (bare, &["line 1", "banner"]),
            (market("array real general\n2 2\n"), &["line 1", "\"array\"", "coordinate"]),
            (market("coordinate complex general\n"), &["\"complex\"", "pattern"]),
            (market("coordinate real hermitian\n"), &["\"hermitian\"", "symmetric"]),
            (market("coordinate real general\n"), &["no size line"]),
            (market("coordinate real general\n% c\n2 3 1\n"), &["line 3", "2 3 1", "square"]),
            (market("coordinate real general\n99999999999 99999999999 1\n"), &["line 2"]),
            (market("coordinate real general\n2 2 1\n1 3 1\n"), &["line 3", "column", "1 to 2"]),
            (market("coordinate real general\n2 2 1\n0 1 1\n"), &["line 3", "row", "\"0\""]),
            (market("coordinate real general\n2 2 1\n1 2\n"), &["line 3", "2 cells", "3"]),
            (market("coordinate real general\n2 2 1\n1 2 x\n"), &["line 3", "value", "\"x\""]),
            (market("coordinate real general\n2 2 9\n1 2 1\n"), &["9 entries", "1 follow"]),
        ],
    );
}

#[test]
fn documents_and_folders() {
    let news = |bytes: &[u8]| Newsgroups::parse(Path::new("x.tar"), bytes, &["g"]).map(drop);
    let other = build::tar(&[("root/h/1", b"text")]);
    check(
        "x.tar",
        vec![
            (news(&[7; 1000]), &["archive is damaged"]),
            (news(&other), &["\"g\"", "choose one of: \"h\""]),
            (
                Newsgroups::parse(Path::new("x.tar"), &build::tar(&[("h", b"")]), &[]).map(drop),
                &["no message", "<root>/<group>/<document>"],
            ),
        ],
    );
    let sgml = |text: &str| reuters::parse(Path::new("x.sgm"), text.as_bytes()).map(drop);
    let head = r#"<REUTERS TOPICS="YES" LEWISSPLIT="TEST""#;
    check(
        "x.sgm",
        vec![
            (sgml("<nothing>"), &["no document", "reut2-000.sgm"]),
            (sgml(&format!("<x>\n{head} NEWID=\"1\">\n")), &["line 2", "closed"]),
            (sgml(&format!("{head} NEWID=\"one\">\n</REUTERS>")), &["NEWID", "\"one\""]),
            (sgml(r#"<REUTERS TOPICS="YES" NEWID="1"></REUTERS>"#), &["LEWISSPLIT", "NOT-USED"]),
            (sgml(r#"<REUTERS TOPICS="?" LEWISSPLIT="TEST"></REUTERS>"#), &["TOPICS", "BYPASS"]),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let read = || citation::read(folder.path()).map(drop);
    check("labels.txt", vec![(read(), &["check that the path exists"])]);
    for (name, text) in
        [("labels.txt", "0\n1\n"), ("edges.tsv", "0\t1\n"), ("train_index.txt", "0\n")]
    {
        write(name, text);
    }
    write("test_index.txt", "0\n2\n");
    check("test_index.txt", vec![(read(), &["line 2", "\"2\"", "below 2"])]);
    write("test_index.txt", "1\n");
    write("features.txt", "0\n");
    check("features.txt", vec![(read(), &["2 labels for 1 points"])]);
    write("features.txt", "0\n1 x\n");
    check("features.txt", vec![(read(), &["line 2", "\"x\""])]);
    write("edges.tsv", "0\t2\n");
    check("edges.tsv", vec![(read(), &["line 1", "\"2\"", "from 0 to 1"])]);
    write("labels.txt", "0\n\n");
    check("labels.txt", vec![(read(), &["line 2", "class"])]);
}

#[test]
fn missing_files_are_named() {
    let absent = Path::new("no/such/file");
    let cases: Vec<Case<'_>> = vec![
        (CsvOptions::new().read(absent).map(drop), &[]),
        (EdgeListOptions::new().read(absent).map(drop), &[]),
        (npy::read(absent).map(drop), &[]),
        (npy::read_npz(absent, "x").map(drop), &[]),
        (idx::read(absent).map(drop), &[]),
        (mat::read(absent).map(drop), &[]),
        (usps::read(absent).map(drop), &[]),
        (svmlight::read(absent, IndexBase::Auto).map(drop), &[]),
        (optdigits::read(absent).map(drop), &[]),
        (optdigits::read_all(&[absent]).map(drop), &[]),
        (keel::read(absent).map(drop), &[]),
        (matrix_market::read(absent).map(drop), &[]),
        (reuters::read(absent).map(drop), &[]),
        (Newsgroups::read(absent, &[]).map(drop), &[]),
        (citation::read(absent).map(drop), &[]),
    ];
    check("no/such/file", cases);
}

#[test]
fn folders_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("notes");
    std::fs::create_dir_all(place.join("empty")).unwrap();
    std::fs::write(place.join(".hidden"), "words").unwrap();
    let empty = gaussfield_data::read::folder::read(&place).map(drop);
    std::fs::write(place.join("one.png"), b"\x89PNG\n\xff").unwrap();
    let binary = gaussfield_data::read::folder::read(&place).map(drop);
    check(
        "notes",
        vec![
            (empty, &["no file", "put a text file"]),
            (binary, &["one.png", "line 1", "not UTF-8"]),
        ],
    );
    let nowhere = gaussfield_data::read::folder::read(folder.path().join("gone")).map(drop);
    check("gone", vec![(nowhere, &["exists"])]);
}
