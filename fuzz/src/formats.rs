//! Every format that reads what others wrote.

use gaussfield::data::catalog::Catalog;
use gaussfield::data::read::columnar;
use gaussfield::data::read::csv::CsvOptions;
use gaussfield::data::read::edges::{EdgeListOptions, NodeIds};
use gaussfield::data::read::newsgroups::Newsgroups;
use gaussfield::data::read::svmlight::{self, IndexBase};
use gaussfield::data::read::text::TfIdf;
use gaussfield::data::read::{idx, keel, mat, matrix_market, npy, optdigits, reuters, scipy, usps};
use gaussfield::description::{Description, Fitted};
use gaussfield::labels::Transductive as _;
use gaussfield::points::Points;
use gaussfield_core::files;
use ndarray::Array2;
use std::path::{Path, PathBuf};

/// A format: its name, which is that of its folder of seeds, and its readers.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The name.
    pub name: &'static str,
    /// Reads bytes with every reader of the format; whether one of them took them. Panics where
    /// what was taken breaks a promise.
    pub read: fn(&[u8]) -> bool,
    /// Whether a file that differs from a seed by anything must be refused.
    pub sealed: bool,
}

const fn open(name: &'static str, read: fn(&[u8]) -> bool) -> Format {
    Format { name, read, sealed: false }
}

/// All of them. A new reader joins by its line here and a seed.
pub const FORMATS: &[Format] = &[
    open("csv", |bytes| {
        let path = Path::new("file.csv");
        let plain = CsvOptions::new().parse(path, bytes).is_ok();
        let labelled = CsvOptions::new().label("class").parse(path, bytes).is_ok();
        let tabs = CsvOptions::new().label("class").parse(Path::new("file.tsv"), bytes).is_ok();
        plain | labelled | tabs
    }),
    open("columnar", |bytes| {
        let path = Path::new("file");
        let rows = columnar::parse(path, bytes, &CsvOptions::new().label("kind").id("name"));
        rows.is_ok() | columnar::parse_text(path, bytes, &["kind"], &CsvOptions::new()).is_ok()
    }),
    open("npy", |bytes| {
        let path = Path::new("file");
        npy::parse(path, bytes).is_ok() | npy::parse_labels(path, bytes).is_ok()
    }),
    open("npz", |bytes| npy::parse_npz(Path::new("file"), bytes, "a").is_ok()),
    open("npz-text", |bytes| npy::parse_npz_texts(Path::new("file"), bytes, "names").is_ok()),
    open("scipy", |bytes| {
        let path = Path::new("file");
        scipy::parse(path, bytes).is_ok() | scipy::parse_graph(path, bytes).is_ok()
    }),
    open("idx", |bytes| idx::parse(Path::new("file"), bytes).is_ok()),
    open("mat", |bytes| {
        let path = Path::new("file");
        mat::parse(path, bytes).is_ok() | usps::parse(path, bytes).is_ok()
    }),
    open("svmlight", |bytes| {
        let read = |base| svmlight::parse(Path::new("file"), bytes, base).is_ok();
        read(IndexBase::Auto) | read(IndexBase::Zero) | read(IndexBase::One)
    }),
    open("optdigits", |bytes| optdigits::parse(Path::new("file"), bytes).is_ok()),
    open("keel", |bytes| keel::parse(Path::new("file"), bytes).is_ok()),
    open("edges", |bytes| {
        let read = |ids| EdgeListOptions::new().ids(ids).parse(Path::new("file"), bytes).is_ok();
        read(NodeIds::Auto) | read(NodeIds::Zero) | read(NodeIds::One) | read(NodeIds::Text)
    }),
    open("matrix-market", |bytes| matrix_market::parse(Path::new("file"), bytes).is_ok()),
    open("reuters", |bytes| reuters::parse(Path::new("file"), bytes).is_ok()),
    open("newsgroups", |bytes| {
        let read = Newsgroups::parse(Path::new("file"), bytes, &[]);
        read.and_then(|news| news.tf_idf(TfIdf::default())).is_ok()
    }),
    open("description", description),
    open("catalog", |bytes| text(bytes).is_some_and(|text| Catalog::from_toml(text).is_ok())),
    Format { name: "fitted", read: fitted, sealed: true },
    // The content with a seal that fits: what lies behind the checksum must hold too.
    open("fitted-content", |content| fitted(&FITTED.seal(content))),
];

/// The file of a model of any method.
const FITTED: files::Format = files::Format { name: "gaussfield-model", oldest: 1, newest: 2 };

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A description that was taken is written and read again to the same one.
fn description(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    let taken = [Description::from_toml(text), Description::from_json(text)];
    for description in taken.iter().flatten() {
        // TOML and JSON do not have every number: what cannot be written is an error, not a loss.
        if let Ok(text) = description.to_toml() {
            assert_eq!(Description::from_toml(&text).ok().as_ref(), Some(description));
        }
        if let Ok(text) = description.to_json() {
            assert_eq!(Description::from_json(&text).ok().as_ref(), Some(description));
        }
    }
    taken.iter().any(Result::is_ok)
}

/// A model that was taken answers soundly, and is the same one when it is written and read again.
fn fitted(bytes: &[u8]) -> bool {
    let Ok(model) = Fitted::from_bytes(bytes) else { return false };
    let scores = model.scores().values();
    assert!(scores.iter().all(|p| p.is_finite()), "a score is no number");
    for dim in 1..4 {
        let Ok(new) = Points::dense(Array2::from_elem((2, dim), 0.3)) else { continue };
        if let Ok(told) = model.predict_new(&new) {
            assert_eq!(told.len(), 2, "a new point has no answer");
        }
    }
    if let Ok(written) = model.to_bytes() {
        let again = Fitted::from_bytes(&written).map(|again| again.scores().clone());
        assert_eq!(again.ok().as_ref(), Some(model.scores()), "another model came back");
    }
    true
}

/// The folder of seeds.
pub fn seeds_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

impl Format {
    /// The seeds, by name.
    ///
    /// # Errors
    /// The folder is not there, or has no seed.
    pub fn seeds(&self) -> anyhow::Result<Vec<Vec<u8>>> {
        let folder = seeds_folder().join(self.name);
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        files.sort();
        anyhow::ensure!(!files.is_empty(), "{} has no seed", folder.display());
        Ok(files.iter().map(std::fs::read).collect::<std::io::Result<_>>()?)
    }
}
