//! Real data for a reproduction: found and checked, or missing with the way to get it.

use crate::Context;
use anyhow::{Result, bail};
use gaussfield_data::catalog::{Catalog, CheckReport, Entry, FileEntry, Location, Outcome, Shape};
use gaussfield_data::{DataError, Dataset};
use gaussfield_report::DataFact;

/// A data set that was asked for.
#[derive(Debug, Clone)]
pub enum Found<T> {
    /// It is here, and its sums are right.
    Here(T),
    /// It is not on this machine; the reason says which command brings it, and is what its claims
    /// give as theirs ([`Claim::not_run`](gaussfield_report::Claim::not_run)).
    Missing(String),
}

impl<T> Found<T> {
    /// The same with what is here made into something else.
    ///
    /// # Errors
    /// That of the function.
    pub fn try_map<U, E>(self, make: impl FnOnce(T) -> Result<U, E>) -> Result<Found<U>, E> {
        match self {
            Self::Here(data) => make(data).map(Found::Here),
            Self::Missing(reason) => Ok(Found::Missing(reason)),
        }
    }
}

/// Data to draw a figure on: the paper's own, or the repository's in their place.
#[derive(Debug, Clone)]
pub struct Source {
    /// The data.
    pub data: Dataset,
    /// Why the paper's data are not used; `None` if they are. Claims about them are then "not run"
    /// ([`Claim::not_run_if`](gaussfield_report::Claim::not_run_if)).
    pub missing: Option<String>,
    /// What to write under a figure drawn on other data
    /// ([`Figure::stand_in`](gaussfield_report::Figure::stand_in)).
    pub note: Option<String>,
}

impl Context {
    /// Loads a data set of the catalogue by name, checks its sums and states them in the report.
    ///
    /// # Errors
    /// The name is unknown, a file's sum is wrong, or a file cannot be read.
    pub fn data(&mut self, name: &str) -> Result<Found<Dataset>> {
        self.data_by(name, |catalog| catalog.load(name))
    }

    /// Loads part of a data set of the catalogue, or a graph, by a function of the caller's.
    ///
    /// # Errors
    /// The same as [`data`](Self::data), and what the function returns.
    pub fn data_by<T>(
        &mut self,
        name: &str,
        load: impl FnOnce(&Catalog) -> Result<T, DataError>,
    ) -> Result<Found<T>> {
        let catalog = self.catalog();
        let entry = catalog.entry(name)?;
        if let Location::Absent { remedy } = catalog.locate(name)? {
            return Ok(Found::Missing(format!("the data set {name} is not here: {remedy}")));
        }
        let check = catalog.check(name)?;
        refuse_wrong_files(name, &check)?;
        let loaded = load(catalog)?;
        let fact = fact(entry, &check);
        self.report.data_fact(fact);
        Ok(Found::Here(loaded))
    }

    /// Loads a data set or, where it is missing, the one that stands in for it.
    ///
    /// # Errors
    /// The same as [`data`](Self::data); both are missing.
    pub fn data_or(&mut self, name: &str, stand_in: &str) -> Result<Source> {
        let missing = match self.data(name)? {
            Found::Here(data) => return Ok(Source { data, missing: None, note: None }),
            Found::Missing(reason) => reason,
        };
        match self.data(stand_in)? {
            Found::Here(data) => {
                let note = format!("Drawn on {stand_in}, which stands in for {name}: {missing}.");
                Ok(Source { data, missing: Some(missing), note: Some(note) })
            }
            Found::Missing(reason) => bail!("{missing}; and {reason}"),
        }
    }

    /// States in the report that data were generated, by what and with which parameters.
    pub fn generated(&mut self, name: &str, data: &Dataset, how: impl Into<String>) {
        self.report.data_fact(DataFact {
            name: name.to_owned(),
            shape: format!(
                "{} points, {} features, {} classes",
                data.len(),
                data.dim(),
                data.classes()
            ),
            found: "generated".to_owned(),
            digests: Vec::new(),
            checked: None,
            source: how.into(),
        });
    }
}

/// The size of a data set in words.
pub fn shape_words(shape: &Shape) -> String {
    let mut words = format!("{} rows", shape.rows);
    for (count, name) in
        [(shape.features, "features"), (shape.classes, "classes"), (shape.edges, "edges")]
    {
        if let Some(count) = count {
            words.push_str(&format!(", {count} {name}"));
        }
    }
    words
}

fn fact(entry: &Entry, check: &CheckReport) -> DataFact {
    DataFact {
        name: entry.name.clone(),
        shape: shape_words(&entry.shape),
        found: check.location.to_string(),
        digests: entry.files.iter().filter_map(digest).collect(),
        checked: Some(check.is_good()),
        source: format!("{} Licence: {}", entry.citation, entry.licence),
    }
}

/// The sum of a file of the catalogue, over its bytes or over what it holds.
fn digest(file: &FileEntry) -> Option<String> {
    let sum = [&file.sha256, &file.unpacked_sha256, &file.contents_sha256];
    sum.into_iter().flatten().next().map(|sum| format!("{}: {sum}", file.path))
}

/// Numbers from other bytes than the catalogue's would be blamed on the method.
fn refuse_wrong_files(name: &str, check: &CheckReport) -> Result<()> {
    for file in &check.files {
        if let Outcome::Wrong { expected, got } = &file.outcome {
            bail!(
                "{} of the data set {name} ({}) has sha256 {got}, not {expected}: replace it, or \
                 remove it and run `cargo xtask data fetch {name}`",
                file.path,
                check.location
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunOptions;
    use gaussfield_data::catalog::Places;
    use gaussfield_report::{Claim, Verdict};
    use std::path::Path;

    /// A context that sees only what is in `folder`.
    fn context(folder: &Path) -> Context {
        let places = Places { data: Some(folder.join("data")), cache: folder.join("cache") };
        let catalog = Catalog::builtin().expect("the catalogue is good").with_places(places);
        Context::new(&RunOptions::default(), &folder.join("out"))
            .expect("writable")
            .with_catalog(catalog)
    }

    #[test]
    fn missing_data_give_the_command_and_a_stand_in() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut ctx = context(folder.path());
        let source = ctx.data_or("usps", "optdigits").expect("optdigits is embedded");
        assert_eq!(source.data.len(), 5620);
        let note = source.note.expect("a stand-in is named");
        assert!(note.contains("optdigits") && note.contains("usps"), "{note}");
        let claim = Claim::new("a", "Figure 3", "…").holds_if(true, "seen");
        let claim = claim.not_run_if(source.missing.as_deref());
        assert_eq!(claim.verdict(), Verdict::NotRun);
        assert!(claim.reason().contains("cargo xtask data fetch usps"), "{}", claim.reason());
    }

    #[test]
    fn data_that_are_here_run_their_claims() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut ctx = context(folder.path());
        let source = ctx.data_or("optdigits", "usps").expect("optdigits is embedded");
        assert!(source.note.is_none());
        let claim = Claim::new("a", "", "").holds_if(true, "seen");
        assert_eq!(claim.not_run_if(source.missing.as_deref()).verdict(), Verdict::Holds);
    }

    #[test]
    fn a_file_with_a_wrong_sum_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let usps = folder.path().join("data/usps");
        std::fs::create_dir_all(&usps).expect("writable");
        for file in ["images.npy", "labels.npy"] {
            std::fs::write(usps.join(file), "not digits").expect("writable");
        }
        let error = context(folder.path()).data("usps").expect_err("the sum is wrong");
        let message = format!("{error:#}");
        assert!(message.contains("images.npy") && message.contains("sha256"), "{message}");
    }

    #[test]
    fn an_unknown_data_set_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(context(folder.path()).data("no such").is_err());
    }
}
