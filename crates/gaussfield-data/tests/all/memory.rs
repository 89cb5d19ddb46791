//! Readers take no more memory than they may, and say so.

use crate::support as build;
use gaussfield_core::Budget;
use gaussfield_data::DataError;
use gaussfield_data::read::csv::CsvOptions;
use gaussfield_data::read::edges::EdgeListOptions;
use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_data::read::{
    folder, idx, keel, mat, matrix_market, npy, optdigits, reuters, scipy, svmlight, usps, within,
};
use std::path::Path;
use std::time::{Duration, Instant};

const FEW: Budget = Budget { bytes: 40_000_000 };

fn is_too_large<T: std::fmt::Debug>(result: Result<T, DataError>) -> bool {
    matches!(result, Err(DataError::TooLarge { .. }))
}

#[test]
fn lines_that_multiply_when_they_are_read_are_refused_before() {
    let path = Path::new("bomb");
    let edges = build::gzip("0 1\n".repeat(3_000_000).as_bytes());
    assert!(edges.len() < 100_000);
    let parse = || EdgeListOptions::new().parse(path, &edges);
    assert!(is_too_large(within(FEW, parse)));
    assert_eq!(parse().unwrap().edges.len(), 3_000_000);
    let rows = build::gzip("1 1:1\n".repeat(2_000_000).as_bytes());
    assert!(is_too_large(within(FEW, || svmlight::parse(path, &rows, Default::default()))));
}

#[test]
fn a_stream_that_unpacks_to_too_much_is_not_called_damaged() {
    let path = Path::new("bomb");
    let zeros = build::gzip(&vec![0; 60_000_000]);
    for result in [
        within(FEW, || EdgeListOptions::new().parse(path, &zeros).map(drop)),
        within(FEW, || CsvOptions::new().parse(path, &zeros).map(drop)),
        within(FEW, || npy::parse(path, &zeros).map(drop)),
        within(FEW, || Newsgroups::parse(path, &zeros, &[]).map(drop)),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, DataError::TooLarge { .. }), "{error}");
        assert!(!error.to_string().contains("damaged"), "{error}");
    }
}

#[test]
fn one_large_index_does_not_ask_for_all_memory() {
    let text = b"1 2147483647:1\n-1 1:1\n1 5:2\n";
    let error = svmlight::parse(Path::new("x"), text, Default::default()).unwrap_err();
    assert!(error.to_string().contains("2^28"), "{error}");
}

/// Columns that are turned round begin each row somewhere, whatever number of rows the file names; and
/// texts of no letter take room each.
#[test]
fn numbers_of_empty_rows_and_texts_do_not_ask_for_all_memory() {
    let whole = |numbers: &[i64]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        build::npy("<i8", false, &format!("({},)", numbers.len()), &bytes)
    };
    let sparse = build::zip(&[
        ("indices.npy", whole(&[])),
        ("indptr.npy", whole(&[0, 0])),
        ("format.npy", build::npy("|S3", false, "()", b"csc")),
        ("shape.npy", whole(&[8_000_000_000_000_000, 1])),
        ("data.npy", whole(&[])),
    ]);
    let error = scipy::parse(Path::new("m.npz"), &sparse).unwrap_err();
    assert!(matches!(error, DataError::TooLarge { .. }), "{error}");
    for (kind, count) in [("<U0", 1_u64 << 40), ("<U4611686018427387905", 0), ("|S0", 1 << 40)] {
        let texts = build::npy(kind, false, &format!("({count},)"), b"");
        let texts = build::zip(&[("names.npy", texts)]);
        let read = npy::parse_npz_texts(Path::new("t.npz"), &texts, "names");
        assert!(count == 0 || is_too_large(read), "{kind}");
    }
}

#[test]
fn every_reader_keeps_its_limit() {
    let path = Path::new("file");
    let images = build::mat_array("data", 9, &[4, 1, 10], 2, &[5; 40]);
    let plain = build::mat(std::slice::from_ref(&images), false);
    let packed = build::mat(&[images], true);
    let array = build::npy("<f8", true, "(40, 2)", &[0; 640]);
    let zip = build::zip(&[("a.npy", array.clone())]);
    let tar = build::tar(&[("root/h/1", b"some words"), ("root/h/2", b"other words")]);
    let matrix = b"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 0.5\n";
    let row = build::optdigits_row("3", "7");
    let idx_file = build::idx(0x08, &[2, 2, 2], &[9; 8]);
    type Read<'a> = &'a dyn Fn() -> Result<(), DataError>;
    let readers: [(&str, Read<'_>); 12] = [
        ("csv", &|| CsvOptions::new().label("c").parse(path, b"a,c\n1,x\n").map(drop)),
        ("edges", &|| EdgeListOptions::new().parse(path, b"a b\nb c\n").map(drop)),
        ("idx", &|| idx::parse(path, &idx_file).map(drop)),
        ("keel", &|| keel::parse(path, build::KEEL.as_bytes()).map(drop)),
        ("mat", &|| mat::parse(path, &packed).map(drop)),
        ("matrix market", &|| matrix_market::parse(path, matrix).map(drop)),
        ("newsgroups", &|| Newsgroups::parse(path, &tar, &[]).map(drop)),
        ("npy", &|| npy::parse(path, &array).map(drop)),
        ("npz", &|| npy::parse_npz(path, &zip, "a").map(drop)),
        ("optdigits", &|| optdigits::parse(path, row.as_bytes()).map(drop)),
        ("reuters", &|| reuters::parse(path, build::SGML.as_bytes()).map(drop)),
        ("usps", &|| usps::parse(path, &plain).map(drop)),
    ];
    readers.into_iter().for_each(|(name, read)| keeps_its_limit(name, read));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "some words").unwrap();
    keeps_its_limit("folder", &|| folder::read(folder.path()).map(drop));
}

/// There is a limit below which the file itself fits and what is made of it does not.
pub(crate) fn keeps_its_limit(name: &str, read: &dyn Fn() -> Result<(), DataError>) {
    read().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut least = 1;
    while is_too_large(within(Budget { bytes: least }, read)) {
        least *= 2;
    }
    assert!(least > 8, "{name} takes no memory");
    assert!(within(Budget { bytes: least }, read).is_ok(), "{name}");
}

/// A table read row by row takes little beside its numbers, as a stream or packed too.
#[test]
fn a_csv_needs_little_memory_beside_its_numbers() {
    let (rows, columns) = (20_000, 40);
    let header: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    let mut text = header.join(",") + "\n";
    for row in 0..rows {
        let cells: Vec<String> =
            (0..columns).map(|column| format!("{}.123456789012345", (row + column) % 10)).collect();
        text += &(cells.join(",") + "\n");
    }
    let numbers = 8 * rows * columns;
    assert!(text.len() as u64 > 2 * numbers, "the text is the larger of the two");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.csv");
    std::fs::write(&file, &text).unwrap();
    let packed = build::gzip(text.as_bytes());
    let twice = Budget { bytes: 2 * numbers + 2_000_000 };
    let read = within(twice, || CsvOptions::new().read(&file)).unwrap();
    assert_eq!((read.len() as u64, read.dim() as u64), (rows, columns));
    // Nobody knows how many rows follow: old and new room together are three times the numbers.
    let thrice = Budget { bytes: 4 * numbers };
    let path = Path::new("table.csv");
    let stream = || CsvOptions::new().read_from(path, packed.as_slice());
    assert_eq!(within(thrice, stream).unwrap().points, read.points);
    assert!(is_too_large(within(Budget { bytes: numbers }, || CsvOptions::new().read(&file))));
}

/// One row without an end.
#[test]
fn a_row_longer_than_memory_is_refused_while_it_is_read() {
    let endless = std::io::repeat(b'1');
    let read = || CsvOptions::new().read_from(Path::new("endless.csv"), endless);
    assert!(is_too_large(within(FEW, read)));
    let quoted = std::io::Read::chain(&b"x,y\n1,\"2"[..], std::io::repeat(b'\n'));
    let read = || CsvOptions::new().read_from(Path::new("endless.csv"), quoted);
    assert!(is_too_large(within(FEW, read)));
}

#[test]
fn a_long_keel_header_takes_linear_time() {
    let mut text = "@relation long\n".to_owned();
    let names: Vec<String> = (0..60_000).map(|at| format!("name{at}")).collect();
    names.iter().for_each(|name| text += &format!("@attribute {name} real\n"));
    text += &format!("@attribute class {{{}}}\n@data\n", names.join(","));
    for name in names.iter().rev().take(2) {
        text += &format!("{}{name}\n", "1,".repeat(names.len()));
    }
    let start = Instant::now();
    let data = keel::parse(Path::new("long"), text.as_bytes()).unwrap();
    assert_eq!((data.len(), data.dim(), data.labels.names().len()), (2, 60_000, 60_000));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}
