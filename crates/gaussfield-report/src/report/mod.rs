//! The report: what there is to show, section by section, and its rendering as one page.

mod claims;
mod frame;
mod html;
mod items;
mod markdown;
mod table;

pub use frame::{Colophon, Heading};
pub use items::{DataFact, Figure};
pub use table::{Cell, Table};

use crate::files::Made;
use crate::plot::Plot;
use crate::{Claim, ClaimKind, ReportError, Result, Tallies};
use gaussfield_core::files::{NotWritten, write_atomically};
use items::{Item, Section};
use std::collections::HashSet;
use std::path::Path;

/// What a run has to show. Items go to the section begun last.
///
/// All text is plain text: the page escapes it, and paragraphs are parted by empty lines.
#[derive(Debug, Clone, Default)]
pub struct Report {
    sections: Vec<Section>,
    claims: Vec<Claim>,
    data: Vec<DataFact>,
    facts: Vec<(String, String)>,
    /// What the claims of the current section are judged on.
    kind: ClaimKind,
}

impl Report {
    /// Begins a section, for example "Figure 3: digits".
    pub fn section(&mut self, title: impl Into<String>, text: impl Into<String>) -> &mut Self {
        self.sections.push(Section { title: title.into(), text: text.into(), items: Vec::new() });
        self.kind = ClaimKind::default();
        self
    }

    /// What the claims of this section are judged on, unless they say otherwise.
    pub fn kind(&mut self, kind: ClaimKind) -> &mut Self {
        self.kind = kind;
        self
    }

    /// What the paper says, in our words, and where.
    pub fn statement(&mut self, place: impl Into<String>, text: impl Into<String>) -> &mut Self {
        self.push(Item::Statement { place: place.into(), text: text.into() })
    }

    /// A paragraph of ours.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Item::Text(text.into()))
    }

    /// A figure; files `figures/ID.svg` and `data/ID.csv`.
    pub fn add_figure(&mut self, figure: Figure) -> &mut Self {
        self.push(Item::Figure(figure))
    }

    /// A plot of this crate, drawn.
    ///
    /// # Errors
    /// The plot cannot be drawn: a number is not finite, or there is nothing to draw.
    pub fn plot(&mut self, id: &str, caption: &str, plot: &dyn Plot) -> Result<&mut Self> {
        let figure = Figure::of(id, caption, plot)?;
        Ok(self.add_figure(figure))
    }

    /// A table; it is also written as `data/ID.csv`.
    pub fn table(&mut self, table: Table) -> &mut Self {
        self.push(Item::Table(table))
    }

    /// A claim. Claims that follow each other share one table on the page.
    pub fn claim(&mut self, claim: Claim) -> &mut Self {
        let says = claim.kind() != ClaimKind::default();
        self.claims.push(if says { claim } else { claim.of_kind(self.kind) });
        let index = self.claims.len() - 1;
        self.push(Item::Claim(index))
    }

    /// A fact about how the numbers were computed, such as which solver ran. Said once even if
    /// stated many times.
    pub fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) -> &mut Self {
        let fact = (name.into(), value.into());
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        self
    }

    /// A fact about a data set. A data set is listed once; the first statement counts.
    pub fn data_fact(&mut self, fact: DataFact) -> &mut Self {
        if self.data.iter().all(|known| known.name != fact.name) {
            self.data.push(fact);
        }
        self
    }

    /// The claims in order.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// What was said of data sets.
    pub fn data_facts(&self) -> &[DataFact] {
        &self.data
    }

    /// The claims, counted by kind.
    pub fn tally(&self) -> Tallies {
        Tallies::of(&self.claims)
    }

    /// Checks that ids are unique and are plain file names.
    ///
    /// # Errors
    /// Names the id.
    fn check(&self) -> Result<()> {
        let mut claims = HashSet::new();
        if let Some(claim) = self.claims.iter().find(|claim| !claims.insert(claim.id())) {
            return Err(ReportError::ClaimTwice { id: claim.id().to_owned() });
        }
        let mut files = HashSet::new();
        for id in self.ids() {
            if crate::files::safe_name(id) != id {
                return Err(ReportError::NoFileName { id: id.to_owned() });
            }
            if !files.insert(id) {
                return Err(ReportError::IdTwice { id: id.to_owned() });
            }
        }
        Ok(())
    }

    /// Writes `report.html`, the same as `report.md`, `figures/*.svg`, `data/*.csv` and, if there are
    /// claims, `claims.json` into a folder, which is made if need be. If a file cannot be written, those
    /// that were not there before are taken away again.
    ///
    /// # Errors
    /// An id is there twice or is no file name; a file cannot be written.
    pub fn write(&self, folder: &Path, heading: &Heading, colophon: &Colophon) -> Result<()> {
        self.check()?;
        let mut made = Made::default();
        let written = self.write_all(folder, heading, colophon, &mut made);
        if written.is_err() {
            made.remove();
        }
        written
    }

    fn write_all(
        &self,
        folder: &Path,
        heading: &Heading,
        colophon: &Colophon,
        made: &mut Made,
    ) -> Result<()> {
        let mut write = |path: &Path, bytes: &[u8]| {
            made.will_be(path);
            write_atomically(path, bytes)
        };
        for (name, svg) in self.svg_files() {
            write(&folder.join("figures").join(name), svg.as_bytes())?;
        }
        for (name, csv) in self.csv_files() {
            write(&folder.join("data").join(name), csv.as_bytes())?;
        }
        if !self.claims.is_empty() {
            let path = folder.join("claims.json");
            let claims = serde_json::to_vec_pretty(&self.claims)
                .map_err(|error| NotWritten { path: path.clone(), source: error.into() })?;
            write(&path, &claims)?;
        }
        let text = self.markdown(heading, colophon);
        write(&folder.join("report.md"), text.as_bytes())?;
        write(&folder.join("report.html"), self.html(heading, colophon).as_bytes())?;
        Ok(())
    }

    /// File names and contents of the figures.
    fn svg_files(&self) -> impl Iterator<Item = (String, &str)> {
        self.items().filter_map(|item| match item {
            Item::Figure(figure) => Some((format!("{}.svg", figure.id), figure.svg.as_str())),
            _ => None,
        })
    }

    /// File names and contents of the numbers behind figures and tables.
    fn csv_files(&self) -> impl Iterator<Item = (String, &str)> {
        self.items().filter_map(|item| match item {
            Item::Figure(figure) => Some((format!("{}.csv", figure.id), figure.csv.as_str())),
            Item::Table(table) => Some((format!("{}.csv", table.id()), table.csv())),
            _ => None,
        })
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.items().filter_map(|item| match item {
            Item::Figure(figure) => Some(figure.id.as_str()),
            Item::Table(table) => Some(table.id()),
            _ => None,
        })
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.sections.iter().flat_map(|section| &section.items)
    }

    fn push(&mut self, item: Item) -> &mut Self {
        if self.sections.is_empty() {
            self.section("Results", "");
        }
        if let Some(section) = self.sections.last_mut() {
            section.items.push(item);
        }
        self
    }
}

impl Figure {
    /// A figure drawn from a plot.
    ///
    /// # Errors
    /// The plot cannot be drawn.
    pub fn of(id: &str, caption: &str, plot: &dyn Plot) -> Result<Self> {
        let cannot = |source| ReportError::Figure { id: id.to_owned(), source: Box::new(source) };
        let svg = plot.svg().map_err(cannot)?;
        Ok(Self {
            id: id.to_owned(),
            caption: caption.to_owned(),
            svg,
            csv: plot.csv(),
            width: plot.page_width(),
            stand_in: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{LineChart, Series};

    #[test]
    fn repeated_or_unsafe_ids_are_refused() {
        let claim = || Claim::new("same", "", "");
        let table = |id: &str| Table::new(id, "", ["a"]);
        let chart = LineChart::new("", "").series(Series::new("", [(0.0, 1.0), (1.0, 2.0)]));
        let figure = Figure::of("t", "", &chart).expect("two points");
        let reports = [
            Report::default().claim(claim()).claim(claim()).clone(),
            Report::default().table(table("t")).add_figure(figure).clone(),
            Report::default().table(table("../t")).clone(),
        ];
        for (row, report) in reports.iter().enumerate() {
            assert!(report.check().is_err(), "row {row}");
        }
        assert!(Report::default().table(table("t")).claim(claim()).check().is_ok());
    }

    #[test]
    fn whatever_fails_every_file_of_a_report_is_whole_or_absent() {
        use gaussfield_core::files::faults::{Fault, Faults};
        let root = tempfile::tempdir().expect("a temporary folder");
        let chart = LineChart::new("", "").series(Series::new("", [(0.0, 1.0), (1.0, 2.0)]));
        let mut report = Report::default();
        report.add_figure(Figure::of("f", "", &chart).expect("two points"));
        report.table(Table::new("t", "", ["a"])).claim(Claim::new("c", "", ""));
        let write =
            |folder: &Path| report.write(folder, &Heading::default(), &Colophon::default()).is_ok();
        let good = root.path().join("good");
        let counting = Faults::counting(root.path());
        assert!(write(&good));
        assert!(counting.all_synced(), "a report that is written outlasts a loss of power");
        let calls = counting.calls();
        drop(counting);
        for fault in Fault::ALL {
            for call in 0..calls {
                let out = root.path().join(format!("{fault:?}-{call}"));
                let faults = Faults::below(root.path(), fault, call);
                assert_eq!(write(&out), fault == Fault::ShortWrite, "{fault:?} at {call}");
                drop(faults);
                // A short write is written on, and nobody clears up after a kill or a power cut.
                let cleared = !matches!(fault, Fault::ShortWrite | Fault::Killed | Fault::PowerCut);
                assert!(!cleared || !out.exists(), "{fault:?} at {call} leaves a part");
                let names = ["figures/f.svg", "data/f.csv", "data/t.csv", "claims.json"];
                for name in names.into_iter().chain(["report.html"]) {
                    let found = std::fs::read(out.join(name)).ok();
                    let whole = std::fs::read(good.join(name)).expect("written");
                    assert!(found.is_none_or(|found| found == whole), "{name}: {fault:?}, {call}");
                }
            }
        }
    }

    #[test]
    fn facts_are_said_once() {
        let mut report = Report::default();
        report.fact("solver", "dense").fact("solver", "dense").fact("solver", "CG");
        assert_eq!(report.facts.len(), 2);
    }
}
