//! CSV and TSV.

use gaussfield_data::read::Impute;
use gaussfield_data::read::csv::CsvOptions;
use gaussfield_data::{DataError, Dataset};
use ndarray::array;
use std::path::Path;

fn parse(name: &str, text: &str) -> Result<Dataset, DataError> {
    CsvOptions::new().label("class").parse(Path::new(name), text.as_bytes())
}

#[test]
fn features_labels_and_names_are_told_apart() {
    let data = parse("pets.csv", "a,class,b\n1,dog,2\n3,,4e-1\n -5 , cat ,6\n7,dog,8\n").unwrap();
    assert_eq!(data.name, "pets");
    assert_eq!(data.points.to_dense(), array![[1.0, 2.0], [3.0, 0.4], [-5.0, 6.0], [7.0, 8.0]]);
    assert_eq!(data.feature_names.as_deref().unwrap(), ["a", "b"]);
    assert_eq!(data.labels.names(), ["dog", "cat"], "in order of first appearance");
    assert_eq!(data.labels.as_slice(), [Some(0), None, Some(1), Some(0)]);
}

#[test]
fn the_delimiter_follows_the_extension_or_the_option() {
    for name in ["x.tsv", "x.TAB", "x.tsv.gz"] {
        let data = parse(name, "a\tclass\n1\tu, v\n").unwrap();
        assert_eq!(data.labels.names(), ["u, v"]);
    }
    let options = CsvOptions::new().label("class").delimiter(b';');
    let data = options.parse(Path::new("x.csv"), b"a;class\n1;\"u;v\"\n").unwrap();
    assert_eq!(data.labels.names(), ["u;v"]);
}

#[test]
fn a_file_may_be_gzipped_have_a_byte_order_mark_and_no_last_newline() {
    let text = "\u{feff}a,class\r\n1,x\r\n2,y";
    let plain = parse("x.csv", text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv.gz");
    std::fs::write(&path, crate::support::gzip(text.as_bytes())).unwrap();
    assert_eq!(CsvOptions::new().label("class").read(&path).unwrap(), plain);
    assert_eq!(plain.feature_names.as_deref().unwrap(), ["a"]);
}

#[test]
fn without_a_label_column_nothing_is_labelled() {
    let data = CsvOptions::new().ignore("").parse(Path::new("x.csv"), b",a\n0,1\n1,2\n").unwrap();
    assert_eq!(data.points.to_dense(), array![[1.0], [2.0]]);
    assert_eq!(data.labels.as_slice(), [None, None]);
    assert_eq!(data.classes(), 0);
}

#[test]
fn a_column_of_names_is_kept_and_goes_with_its_row() {
    let text = b"key,a,class\nx-1,1,u\n,2,v\nx-1,3,u\n";
    let options = CsvOptions::new().label("class").id("key");
    let data = options.parse(Path::new("x.csv"), text).unwrap();
    assert_eq!(data.points.to_dense(), array![[1.0], [2.0], [3.0]]);
    assert_eq!(data.ids.as_deref().unwrap(), ["x-1", "", "x-1"], "as the file says");
    assert_eq!(data.select(&[1, 0]).unwrap().ids.unwrap(), ["", "x-1"]);
    let unknown = CsvOptions::new().id("name").parse(Path::new("x.csv"), text).unwrap_err();
    assert!(unknown.to_string().contains("no column \"name\""), "{unknown}");
}

#[test]
fn columns_that_are_not_used_may_be_kept_as_they_stand() {
    let text = b"key,a,class,city,b\nx,1.50,u,\"Paris, F\",2\ny,2,,,3\nz,3,v,Bern,\n";
    let kept = |options: CsvOptions| {
        let data = options.label("class").id("key").parse(Path::new("x.csv"), text)?;
        let pairs = data.kept.iter().map(|kept| (kept.name.clone(), kept.cells.join("|")));
        Ok::<_, DataError>((pairs.collect::<Vec<_>>(), data.select(&[2, 0]).unwrap().kept))
    };
    let city = ("city".to_owned(), "Paris, F||Bern".to_owned());
    let used = CsvOptions::new().feature("a");
    let (found, selected) = kept(used.clone().keep("city")).unwrap();
    assert_eq!(found, std::slice::from_ref(&city));
    assert_eq!(selected[0].cells, ["Bern", "Paris, F"]);
    // A feature is kept as it is written; labels and names are kept anyway.
    let a = ("a".to_owned(), "1.50|2|3".to_owned());
    let b = ("b".to_owned(), "2|3|".to_owned());
    assert_eq!(kept(used.clone().keep("*")).unwrap().0, [a, city.clone(), b]);
    let error = kept(used.keep("town")).unwrap_err().to_string();
    assert!(error.contains("no column \"town\""), "{error}");
    // To keep a column of text makes no number of it.
    let error = kept(CsvOptions::new().keep("city")).unwrap_err().to_string();
    assert!(error.contains("\"Paris, F\""), "{error}");
    let options = CsvOptions::new().keep("c*");
    let texts = options.parse_text(Path::new("x.csv"), text, &["key", "class"]).unwrap();
    assert_eq!(texts.columns, [["x", "y", "z"], ["u", "", "v"]]);
    assert_eq!(texts.kept.len(), 1);
    assert_eq!((&texts.kept[0].name, texts.kept[0].cells.join("|")), (&city.0, city.1));
}

#[test]
fn lines_are_counted_as_an_editor_does() {
    let cases = [
        ("a,class\n1,x\nbad,y\n", 3),
        ("a,class\r\n1,x\r\nbad,y\r\n", 3),
        ("\n\na,class\n\n\n1,x\n\nbad,y\n", 8),
        ("\r\na,class\r\n\r\n1,x\r\n\r\nbad,y\r\n", 6),
        ("a,class\r1,x\rbad,y", 3),
        ("a,class\n1,\"two\nlines\"\nbad,y\n", 4),
    ];
    for (text, expected) in cases {
        match parse("x.csv", text) {
            Err(DataError::NotANumber { line, value, .. }) => {
                assert_eq!((line, value.as_str()), (expected, "bad"), "{text:?}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn features_are_chosen_by_name_or_pattern() {
    let text = b"key,x1,x2,note,y_mean,class\nk,1,2,words,3,u\n";
    let of = |options: CsvOptions| {
        let data = options.label("class").id("key").parse(Path::new("x.csv"), text);
        data.map(|data| data.feature_names.unwrap_or_default())
    };
    assert_eq!(of(CsvOptions::new().feature("x*")).unwrap(), ["x1", "x2"]);
    assert_eq!(of(CsvOptions::new().feature("*_mean").feature("x2")).unwrap(), ["x2", "y_mean"]);
    assert_eq!(of(CsvOptions::new().ignore("no?e").ignore("x*")).unwrap(), ["y_mean"]);
    assert_eq!(of(CsvOptions::new().feature("*").ignore("note")).unwrap(), ["x1", "x2", "y_mean"]);
    let error = of(CsvOptions::new().feature("z*")).unwrap_err().to_string();
    assert!(error.contains("\"z*\"") && error.contains("\"x1\""), "{error}");
}

#[test]
fn missing_numbers_are_filled_on_request() {
    let text = b"a,b,class\n1,,u\nNA,2,\n4,6,v\n";
    let filled = |impute| {
        let options = CsvOptions::new().label("class").impute(impute);
        options.parse(Path::new("x.csv"), text).unwrap().points.to_dense()
    };
    assert_eq!(filled(Impute::Mean), array![[1.0, 4.0], [2.5, 2.0], [4.0, 6.0]]);
    assert_eq!(filled(Impute::Zero), array![[1.0, 0.0], [0.0, 2.0], [4.0, 6.0]]);
    // A column without any number has no mean.
    let options = CsvOptions::new().impute(Impute::Mean);
    assert!(options.parse(Path::new("x.csv"), b"a,b\n1,\n2,\n").is_err());
}
