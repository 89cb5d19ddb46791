//! Figures, tables and claims, and the one page that shows them.
//!
//! A [`Report`] is filled section by section with text, plots ([`plot`]), tables ([`Table`]) and
//! checkable statements ([`Claim`]). [`Report::write`] leaves in a folder
//!
//! - `report.html`: everything in one page that needs nothing from outside, and `report.md`: the same
//!   as Markdown,
//! - `figures/*.svg` and `data/*.csv`: every figure, and the numbers behind figures and tables,
//! - `claims.json`: the claims as a list for programs.
//!
//! ```
//! use gaussfield_report::plot::{LineChart, Series};
//! use gaussfield_report::{Cell, Claim, Colophon, Heading, Report, Table};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("gaussfield-report-{}", std::process::id()));
//! let mut report = Report::default();
//! report.section("A coin", "Share of heads in four series of tosses.");
//! let heads = [0.49, 0.52, 0.5, 0.51];
//! let points = heads.iter().enumerate().map(|(series, &share)| (series as f64, share));
//! let chart = LineChart::new("series", "share of heads").series(Series::new("", points));
//! report.plot("heads", "Heads by series.", &chart)?;
//! let mut table = Table::new("shares", "The same as a table.", ["series", "heads"]);
//! for (series, &share) in heads.iter().enumerate() {
//!     table.row([Cell::Number(series as f64, 0), Cell::Number(share, 2)]);
//! }
//! report.table(table);
//! report.claim(Claim::new("fair", "", "the coin is fair").paper(0.5).ours(0.505, 0.01).within(0.05));
//!
//! let heading = Heading { title: "On a coin".to_owned(), ..Heading::default() };
//! report.write(&folder, &heading, &Colophon::default())?;
//! assert!(folder.join("report.html").is_file() && folder.join("data/shares.csv").is_file());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! Besides, there is what programs with reports need: numbers and times as a reader wants them
//! ([`format`](mod@format)), files that are there whole or not at all ([`files`]), and progress on
//! a terminal ([`progress`]). The crate knows of no method: numbers come in, a page goes out.

mod claim;
mod error;
mod escape;
pub mod files;
pub mod format;
pub mod plot;
pub mod progress;
mod report;
mod tally;

pub use claim::{Claim, ClaimKind, Rule, Value, Verdict};
pub use error::ReportError;
pub(crate) use error::Result;
pub use report::{Cell, Colophon, DataFact, Figure, Heading, Report, Table};
pub use tally::{Tallies, Tally};
