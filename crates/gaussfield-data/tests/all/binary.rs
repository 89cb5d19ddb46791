//! npy, npz, idx, MATLAB and USPS.

use crate::support as build;
use gaussfield_data::DataError;
use gaussfield_data::read::{idx, mat, npy, scipy, usps};
use ndarray::{Array2, array};
use std::path::Path;

fn path() -> &'static Path {
    Path::new("file")
}

#[test]
fn npy_reads_every_number_type_in_either_order() {
    macro_rules! stored {
        ($type:ty, $to:ident) => {
            [3, 1, 2, 0, 5, 7].iter().flat_map(|&v: &i8| (v as $type).$to()).collect::<Vec<u8>>()
        };
    }
    let types = [
        ("|u1", stored!(u8, to_le_bytes)),
        ("|i1", stored!(i8, to_le_bytes)),
        ("<u2", stored!(u16, to_le_bytes)),
        (">i2", stored!(i16, to_be_bytes)),
        ("<u4", stored!(u32, to_le_bytes)),
        ("<i4", stored!(i32, to_le_bytes)),
        ("<i8", stored!(i64, to_le_bytes)),
        (">u8", stored!(u64, to_be_bytes)),
        ("<f4", stored!(f32, to_le_bytes)),
        ("<f8", stored!(f64, to_le_bytes)),
        (">f8", stored!(f64, to_be_bytes)),
    ];
    let rows = array![[3.0, 1.0, 2.0], [0.0, 5.0, 7.0]];
    let columns = array![[3.0, 2.0, 5.0], [1.0, 0.0, 7.0]];
    for (descr, bytes) in types {
        let c = npy::parse(path(), &build::npy(descr, false, "(2, 3)", &bytes)).unwrap();
        assert_eq!(c, rows, "{descr}");
        let fortran = npy::parse(path(), &build::npy(descr, true, "(2, 3)", &bytes)).unwrap();
        assert_eq!(fortran, columns, "{descr}");
        assert!(fortran.is_standard_layout());
        let column = npy::parse(path(), &build::npy(descr, false, "(6,)", &bytes)).unwrap();
        assert_eq!(column.dim(), (6, 1));
    }
}

#[test]
fn npy_labels_are_numbers_in_ascending_order() {
    let bytes: Vec<u8> = [7_i64, -1, 7, 3].iter().flat_map(|v| v.to_le_bytes()).collect();
    let labels = npy::parse_labels(path(), &build::npy("<i8", false, "(4,)", &bytes)).unwrap();
    assert_eq!(labels.names(), ["-1", "3", "7"]);
    assert_eq!(labels.as_slice(), [Some(2), Some(0), Some(2), Some(1)]);
}

#[test]
fn npy_negative_wide_numbers_keep_their_value() {
    let bytes: Vec<u8> = [-5_i64, 1 << 53].iter().flat_map(|v| v.to_le_bytes()).collect();
    let array = npy::parse(path(), &build::npy("<i8", false, "(2,)", &bytes)).unwrap();
    assert_eq!(array, array![[-5.0], [9_007_199_254_740_992.0]]);
}

/// Two images of 2 × 3: in either order of the bytes the same rows.
#[test]
fn npy_items_of_more_dimensions_become_rows() {
    let c: Vec<u8> = (0..12).collect();
    let at = |image: u8, row: u8, column: u8| 6 * image + 3 * row + column;
    let places = (0..3).flat_map(|z| (0..2).flat_map(move |y| (0..2).map(move |x| (x, y, z))));
    let fortran: Vec<u8> = places.map(|(x, y, z)| at(x, y, z)).collect();
    let read = |bytes: &[u8], fortran| {
        npy::parse(path(), &build::npy("|u1", fortran, "(2, 2, 3)", bytes)).unwrap()
    };
    let expected = array![[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]];
    assert_eq!(read(&c, false), expected);
    assert_eq!(read(&fortran, true), expected);
}

#[test]
fn npz_texts_are_those_of_numpy() {
    let wide = |big: bool| -> Vec<u8> {
        let letters = ['\u{e9}', 'a', '\0', '\0', 'b', '\0'].map(u32::from);
        letters.iter().flat_map(|&l| if big { l.to_be_bytes() } else { l.to_le_bytes() }).collect()
    };
    for (descr, shape, bytes, expected) in [
        ("<U2", "(3,)", wide(false), Some(vec!["\u{e9}a", "", "b"])),
        (">U2", "(3,)", wide(true), Some(vec!["\u{e9}a", "", "b"])),
        ("|S2", "(2,)", b"ab\0\0".to_vec(), Some(vec!["ab", ""])),
        ("<U0", "(2,)", vec![], Some(vec!["", ""])),
        ("|u1", "(2,)", vec![1, 2], None),
    ] {
        let archive = build::zip(&[("y.npy", build::npy(descr, false, shape, &bytes))]);
        let texts = npy::parse_npz_texts(path(), &archive, "y").unwrap();
        assert_eq!(
            texts,
            expected.map(|all| all.into_iter().map(str::to_owned).collect()),
            "{descr}"
        );
    }
}

#[test]
fn npz_members_are_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toy.npz");
    let x = build::npy("|u1", false, "(3, 2)", &[1, 2, 3, 4, 5, 6]);
    let y = build::npy("|u1", false, "(3,)", &[4, 9, 4]);
    std::fs::write(&file, build::zip(&[("x.npy", x), ("y.npy", y)])).unwrap();
    assert_eq!(npy::read_npz(&file, "x").unwrap(), array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    assert_eq!(npy::read_npz(&file, "y.npy").unwrap(), array![[4.0], [9.0], [4.0]]);
    assert!(matches!(
        npy::read_npz(&file, "z").unwrap_err(),
        DataError::NoSuchMember { available, .. } if available == ["x", "y"]
    ));
}

#[test]
fn idx_images_become_rows() {
    let folder = tempfile::tempdir().unwrap();
    let images = folder.path().join("toy-images.gz");
    let labels = folder.path().join("toy-labels");
    let bytes = build::idx(0x08, &[2, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 255]);
    std::fs::write(&images, build::gzip(&bytes)).unwrap();
    std::fs::write(&labels, build::idx(0x08, &[2], &[8, 3])).unwrap();
    let data = idx::read_dataset(&images, &labels).unwrap();
    assert_eq!(data.points.to_dense(), array![[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 255.0]]);
    assert_eq!(data.labels.names(), ["3", "8"]);
    assert_eq!(data.labels.as_slice(), [Some(1), Some(0)]);

    let wide =
        build::idx(0x0e, &[1, 2], &[1.5_f64.to_be_bytes(), (-2.0_f64).to_be_bytes()].concat());
    assert_eq!(idx::parse(path(), &wide).unwrap(), array![[1.5, -2.0]]);
}

#[test]
fn mat_arrays_are_read_packed_or_not() {
    let doubles: Vec<u8> = [1.5_f64, -2.0, 0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
    let arrays = [
        build::mat_array("data", 9, &[2, 3, 2], 2, &(0..12).collect::<Vec<u8>>()),
        // Class 4 is text and is passed over.
        build::mat_array("note", 4, &[1, 2], 4, &[b'h', 0, b'i', 0]),
        // Doubles that are whole are stored as bytes; three of them fit the small format.
        build::mat_array("small", 6, &[1, 3], 2, &[7, 8, 9]),
        build::mat_array("a_longer_name", 6, &[3, 1], 9, &doubles),
    ];
    for compressed in [false, true] {
        let found = mat::parse(path(), &build::mat(&arrays, compressed)).unwrap();
        let names: Vec<&str> = found.iter().map(|array| array.name.as_str()).collect();
        assert_eq!(names, ["data", "small", "a_longer_name"]);
        assert_eq!(found[0].shape, [2, 3, 2]);
        assert_eq!(found[0].values, (0..12).map(f64::from).collect::<Vec<_>>());
        assert_eq!(found[1].values, [7.0, 8.0, 9.0]);
        assert_eq!(found[2].values, [1.5, -2.0, 0.25]);
    }
}

#[test]
fn usps_images_are_turned_upright_and_classes_end_with_nought() {
    // Two 2 × 2 images for each of ten digits, stored column by column.
    let stored: Vec<u8> = (0..80).collect();
    let array = build::mat_array("data", 9, &[4, 2, 10], 2, &stored);
    let data = usps::parse(path(), &build::mat(&[array], true)).unwrap();
    assert_eq!((data.len(), data.dim()), (20, 4));
    let expected =
        Array2::from_shape_fn((20, 4), |(row, pixel)| (4 * row + [0, 2, 1, 3][pixel]) as f64);
    assert_eq!(data.points.to_dense(), expected);
    let digits: Vec<&str> = data
        .labels
        .as_slice()
        .iter()
        .map(|class| data.labels.names()[class.unwrap()].as_str())
        .collect();
    assert_eq!(digits[..4], ["1", "1", "2", "2"]);
    assert_eq!(digits[16..], ["9", "9", "0", "0"]);
}

/// A square matrix as scipy saves it: [[0, 2, 0], [2, 0, 1], [0, 1, 0]].
fn square() -> Vec<u8> {
    let whole = |numbers: &[i64]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        build::npy("<i8", false, &format!("({},)", numbers.len()), &bytes)
    };
    let data: Vec<u8> = [2.0, 2.0, 1.0, 1.0_f32].iter().flat_map(|x| x.to_le_bytes()).collect();
    build::zip(&[
        ("indices.npy", whole(&[1, 0, 2, 1])),
        ("indptr.npy", whole(&[0, 1, 3, 4])),
        ("format.npy", build::npy("|S3", false, "()", b"csr")),
        ("shape.npy", whole(&[3, 3])),
        ("data.npy", build::npy("<f4", false, "(4,)", &data)),
    ])
}

#[test]
fn a_square_sparse_matrix_is_a_graph() {
    let graph = scipy::parse_graph(path(), &square()).unwrap();
    assert_eq!((graph.nodes, graph.ids), (3, None));
    assert_eq!(graph.edges, [(0, 1, 2.0), (1, 0, 2.0), (1, 2, 1.0), (2, 1, 1.0)]);
    let oblong = sparse("csr", &[0, 1, 3], &[1, 0, 2]);
    let error = scipy::parse_graph(path(), &oblong).unwrap_err().to_string();
    assert!(error.contains("2 x 3") && error.contains("; "), "{error}");
}

/// [[0, 2, 0], [1, 0, 3]] as scipy saves it, with other row pointers if need be.
fn sparse(format: &str, indptr: &[i32], indices: &[i32]) -> Vec<u8> {
    let whole = |numbers: &[i32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        build::npy("<i4", false, &format!("({},)", numbers.len()), &bytes)
    };
    let data = if format == "csc" { [1.0, 2.0, 3.0_f64] } else { [2.0, 1.0, 3.0] };
    let data: Vec<u8> = data.iter().flat_map(|number| number.to_le_bytes()).collect();
    build::zip(&[
        ("indices.npy", whole(indices)),
        ("indptr.npy", whole(indptr)),
        ("format.npy", build::npy("|S3", false, "()", format.as_bytes())),
        ("shape.npy", whole(&[2, 3])),
        ("data.npy", build::npy("<f8", false, "(3,)", &data)),
    ])
}

#[test]
fn sparse_matrices_of_scipy() {
    let parse = |bytes: &[u8]| scipy::parse(Path::new("m.npz"), bytes);
    let dense = array![[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]];
    assert_eq!(parse(&sparse("csr", &[0, 1, 3], &[1, 0, 2])).unwrap().to_dense(), dense);
    assert_eq!(parse(&sparse("csc", &[0, 1, 2, 3], &[1, 0, 1])).unwrap().to_dense(), dense);
    for (bytes, words) in [
        (sparse("coo", &[0, 1, 3], &[1, 0, 2]), "tocsr"),
        (sparse("csr", &[0, 3], &[1, 0, 2]), "indptr"),
        (sparse("csr", &[0, 1, 9], &[1, 0, 2]), "save_npz"),
        (sparse("csr", &[0, 1, 3], &[1, 0, 7]), "save_npz"),
        (sparse("csr", &[0, 1, 3], &[1, -1, 2]), "indices"),
    ] {
        let error = parse(&bytes).unwrap_err().to_string();
        assert!(error.contains("m.npz") && error.contains(words), "{error}");
    }
}
