//! Parquet and Arrow files.

use crate::memory::keeps_its_limit;
use crate::support as build;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::{Float16Type, Int8Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int8Array, Int64Array, LargeStringArray, NullArray, PrimitiveArray, RecordBatch, StringArray,
    StringViewArray, UInt64Array,
};
use gaussfield_core::Budget;
use gaussfield_data::read::columnar::{self, Column, Layout};
use gaussfield_data::read::csv::CsvOptions;
use gaussfield_data::read::{Impute, within};
use gaussfield_data::{DataError, Dataset};
use ndarray::array;
use std::path::Path;
use std::sync::Arc;

type Columns = Vec<(&'static str, ArrayRef)>;

fn parse(bytes: &[u8], options: &CsvOptions) -> Result<Dataset, DataError> {
    columnar::parse(Path::new("t.parquet"), bytes, options)
}

/// Columns of every kind, three rows.
fn every_kind() -> Vec<(&'static str, ArrayRef)> {
    let mut words = StringDictionaryBuilder::<Int8Type>::new();
    words.append_value("cat");
    words.append_null();
    words.append_value("dog");
    let halves = [1.5, 2.5, -3.5].map(|x| Some(half(x)));
    let decimals = Decimal128Array::from(vec![110, -225, 5]);
    vec![
        ("name", Arc::new(StringViewArray::from(vec!["a", "b", "c"]))),
        ("i8", Arc::new(Int8Array::from(vec![1, -2, 3]))),
        ("u64", Arc::new(UInt64Array::from(vec![1 << 53, 0, 7]))),
        ("f16", Arc::new(PrimitiveArray::<Float16Type>::from(halves.to_vec()))),
        ("f32", Arc::new(Float32Array::from(vec![0.5, 1.0, 2.0]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("price", Arc::new(decimals.with_precision_and_scale(9, 2).unwrap())),
        ("kind", Arc::new(words.finish())),
        ("__index_level_0__", Arc::new(Int64Array::from(vec![10, 20, 30]))),
    ]
}

fn half(x: f64) -> <Float16Type as arrow_array::ArrowPrimitiveType>::Native {
    <Float16Type as arrow_array::ArrowPrimitiveType>::Native::from_f64(x)
}

fn table(columns: Vec<(&'static str, ArrayRef)>) -> RecordBatch {
    let nullable = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(nullable).unwrap()
}

#[test]
fn columns_of_every_kind_become_numbers_labels_and_names() {
    let table = table(every_kind());
    let options = CsvOptions::new().label("kind").id("name");
    let expected = array![
        [1.0, 9_007_199_254_740_992.0, 1.5, 0.5, 1.0, 1.1],
        [-2.0, 0.0, 2.5, 1.0, 0.0, -2.25],
        [3.0, 7.0, -3.5, 2.0, 1.0, 0.05],
    ];
    for bytes in build::columnar(&table) {
        let data = parse(&bytes, &options).unwrap();
        assert_eq!(data.points.to_dense(), expected);
        let names = ["i8", "u64", "f16", "f32", "flag", "price"];
        assert_eq!(data.feature_names.as_deref().unwrap(), names, "the index is no feature");
        assert_eq!(data.ids.as_deref().unwrap(), ["a", "b", "c"]);
        assert_eq!(data.labels.names(), ["cat", "dog"]);
        assert_eq!(data.labels.as_slice(), [Some(0), None, Some(1)]);
        let data = parse(&bytes, &options.clone().keep("p*").keep("flag")).unwrap();
        let kept: Vec<_> =
            data.kept.iter().map(|kept| (&*kept.name, kept.cells.join("|"))).collect();
        assert_eq!(kept, [("flag", "true|false|true".into()), ("price", "1.1|-2.25|0.05".into())]);
        // By name or by pattern it is one.
        let index = parse(&bytes, &options.clone().feature("__*")).unwrap();
        assert_eq!(index.points.to_dense(), array![[10.0], [20.0], [30.0]]);
    }
}

#[test]
fn a_head_tells_rows_and_features_without_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t");
    let options = CsvOptions::new().label("kind").id("name");
    let head = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        columnar::head(&file, &options)
    };
    let table = table(every_kind());
    for bytes in build::columnar(&table) {
        let found = head(&bytes).unwrap();
        assert_eq!(found.rows, 3);
        assert_eq!(found.features, ["i8", "u64", "f16", "f32", "flag", "price"]);
        for length in (0..bytes.len()).step_by(1 + bytes.len() / 20) {
            head(&bytes[..length]).unwrap_err();
        }
        // A footer of any length is told by its last bytes.
        for byte in bytes.len().saturating_sub(12)..bytes.len() {
            let mut changed = bytes.clone();
            changed[byte] ^= 0x81;
            let _ = head(&changed);
        }
        std::fs::write(&file, &bytes).unwrap();
        let said = columnar::head(&file, &CsvOptions::new()).unwrap_err().to_string();
        assert!(said.contains("\"name\"") && said.contains("no number"), "{said}");
        let small = || columnar::head(&file, &options);
        within(Budget { bytes: 100 }, small).unwrap_err();
    }
    assert!(matches!(
        columnar::head(folder.path().join("gone"), &options),
        Err(DataError::Io { .. })
    ));
}

#[test]
fn labels_may_be_numbers_truth_values_or_bytes() {
    let table = table(vec![
        ("x", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        ("f", Arc::new(Float64Array::from(vec![Some(3.0), None, Some(f64::NAN)]))),
        ("b", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("i", Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(-1)]))),
        ("old", Arc::new(BinaryArray::from(vec![Some(&b"yes"[..]), None, Some(b"")]))),
        ("large", Arc::new(LargeStringArray::from(vec![Some("x y"), None, Some("")]))),
        ("none", Arc::new(NullArray::new(3))),
    ]);
    let first: &[(&str, &[&str])] = &[
        ("f", &["3"]),
        ("b", &["true", "false"]),
        ("i", &["9223372036854775807", "-1"]),
        ("old", &["yes"]),
        ("large", &["x y"]),
        ("none", &[]),
    ];
    for bytes in build::columnar(&table) {
        for (column, names) in first {
            let data = parse(&bytes, &CsvOptions::new().label(*column).feature("x")).unwrap();
            assert_eq!(data.labels.names(), *names, "{column}");
        }
        let texts =
            columnar::parse_text(Path::new("t"), &bytes, &["large", "f"], &CsvOptions::new());
        assert_eq!(texts.unwrap().columns, [["x y", "", ""], ["3", "", ""]]);
    }
}

#[test]
fn gaps_are_errors_that_name_the_row_or_are_filled() {
    let table = table(vec![
        ("x", Arc::new(Int64Array::from(vec![Some(1), None, Some(5), None]))),
        ("y", Arc::new(Float64Array::from(vec![f64::NAN, 1.0, 2.0, 3.0]))),
    ]);
    for bytes in build::columnar(&table) {
        let said = parse(&bytes, &CsvOptions::new()).unwrap_err().to_string();
        for words in ["t.parquet", "row 2", "\"x\"", "3 values are in all", "imputation"] {
            assert!(said.contains(words), "{said} lacks {words}");
        }
        let data = parse(&bytes, &CsvOptions::new().impute(Impute::Mean)).unwrap();
        let filled = array![[1.0, 2.0], [3.0, 1.0], [5.0, 2.0], [3.0, 3.0]];
        assert_eq!(data.points.to_dense(), filled);
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let numbers = |numbers: Vec<f64>| -> ArrayRef { Arc::new(Float64Array::from(numbers)) };
    let days: ArrayRef = Arc::new(Date32Array::from(vec![1]));
    let cases: Vec<(Columns, &[&str])> = vec![
        (vec![("day", days.clone())], &["\"day\"", "Date32", "ignore the column"]),
        (
            vec![("x", numbers(vec![1.0])), ("city", Arc::new(StringArray::from(vec!["Rome"])))],
            &["\"city\"", "Utf8", "no number", "ignore the column \"city\""],
        ),
        (vec![("x", numbers(vec![1.0, f64::INFINITY]))], &["row 2", "\"x\"", "inf", "fill in"]),
        (
            vec![("key", Arc::new(Int64Array::from(vec![-(1 << 53) - 1])))],
            &["row 1", "\"key\"", "-9007199254740993", "2^53"],
        ),
        (vec![("x", numbers(vec![]))], &["no row", "add rows"]),
    ];
    for (columns, words) in cases {
        for bytes in build::columnar(&table(columns.clone())) {
            let said = parse(&bytes, &CsvOptions::new()).unwrap_err().to_string();
            for word in words.iter().chain(&["t.parquet", "; "]) {
                assert!(said.contains(word), "{said} lacks {word}");
            }
        }
    }
    for bytes in build::columnar(&table(vec![("x", numbers(vec![1.0])), ("day", days)])) {
        let label = CsvOptions::new().label("day").feature("x");
        let said = parse(&bytes, &label).unwrap_err().to_string();
        assert!(said.contains("neither text nor number"), "{said}");
        let said = parse(&bytes, &CsvOptions::new().label("kind")).unwrap_err().to_string();
        assert!(said.contains("\"kind\"") && said.contains("\"x\", \"day\""), "{said}");
    }
    for (bytes, words) in [
        (&b"x,label\n1,a\n"[..], "neither Parquet nor an Arrow file"),
        (b"", "neither"),
        (b"FEA1....", "version 2"),
        (&[0xff, 0xff, 0xff, 0xff, 0x10], "damaged"),
        (&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], "there is no schema"),
        (b"PAR1PAR1", "damaged"),
        (b"ARROW1\0\0ARROW1", "damaged"),
    ] {
        let said = parse(bytes, &CsvOptions::new()).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let columns = || {
        vec![
            ("id".to_owned(), Column::Text(vec![Some("a".to_owned()), Some("b".to_owned())])),
            ("x".to_owned(), Column::Numbers(vec![Some(0.1), Some(-1e300)])),
            ("label".to_owned(), Column::Text(vec![None, Some("é".to_owned())])),
            ("gain".to_owned(), Column::Numbers(vec![None, Some(1.0)])),
        ]
    };
    for layout in [Layout::Parquet, Layout::Arrow] {
        let bytes = columnar::write(columns(), layout).unwrap();
        assert_eq!(bytes, columnar::write(columns(), layout).unwrap(), "the same bytes");
        let options = CsvOptions::new().label("label").id("id").ignore("gain");
        let data = parse(&bytes, &options).unwrap();
        assert_eq!(data.points.to_dense(), array![[0.1], [-1e300]]);
        assert_eq!((data.labels.get(0), data.labels.names()), (None, &["é".to_owned()][..]));
        let twice = [columns(), columns()].concat();
        assert!(columnar::write(twice, layout).is_err());
    }
}

#[test]
fn many_rows_come_in_parts() {
    let n = 150_000;
    let columns = vec![
        ("x".to_owned(), Column::Numbers((0..n).map(|i| Some(f64::from(i))).collect())),
        ("k".to_owned(), Column::Text((0..n).map(|i| Some((i % 7).to_string())).collect())),
    ];
    for layout in [Layout::Parquet, Layout::Arrow] {
        let bytes = columnar::write(columns.clone(), layout).unwrap();
        let data = parse(&bytes, &CsvOptions::new().label("k")).unwrap();
        assert_eq!((data.len(), data.classes()), (n as usize, 7));
        let points = data.points.to_dense();
        assert!((0..n).all(|i| points[[i as usize, 0]].to_bits() == f64::from(i).to_bits()));
        assert_eq!(
            data.labels.names()[data.labels.get(149_999).unwrap()],
            (149_999 % 7).to_string()
        );
    }
}

#[test]
fn every_layout_keeps_its_limit() {
    for (at, bytes) in build::columnar(&table(every_kind())).iter().enumerate() {
        let options = CsvOptions::new().label("kind").id("name");
        keeps_its_limit(&format!("layout {at}"), &|| parse(bytes, &options).map(drop));
    }
}

#[test]
fn files_that_unpack_to_too_much_are_refused_before() {
    let few = Budget { bytes: 6_000_000 };
    // A text of ten megabytes, and a million equal numbers.
    let text = vec![("t".to_owned(), Column::Text(vec![Some("a".repeat(10_000_000))]))];
    let equal = vec![("x".to_owned(), Column::Numbers(vec![Some(1.0); 1_000_000]))];
    for bytes in build::columnar(&table(vec![(
        "t",
        Arc::new(StringArray::from(vec!["a".repeat(10_000_000)])),
    )]))
    .into_iter()
    .chain([columnar::write(equal, Layout::Parquet).unwrap()])
    .chain([columnar::write(text, Layout::Parquet).unwrap()])
    {
        if bytes.len() > 2_500_000 {
            continue; // as long as what it holds
        }
        let path = Path::new("bomb");
        let errors = [
            within(few, || {
                columnar::parse_text(path, &bytes, &["t"], &CsvOptions::new()).map(drop)
            }),
            within(few, || columnar::parse(path, &bytes, &CsvOptions::new()).map(drop)),
        ];
        let large =
            |error: &Result<(), DataError>| matches!(error, Err(DataError::TooLarge { .. }));
        assert!(errors.iter().any(large), "{errors:?}");
    }
}
