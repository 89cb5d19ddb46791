//! Figures in one style: a colour-blind-safe palette, markers that differ in shape as well,
//! legends beside the data, labelled axes, light and dark pages.
//!
//! Every kind of figure is a value that is filled with numbers and then drawn as SVG; the same
//! numbers come out as CSV, so a reader can draw them again.
//!
//! ```
//! use gaussfield_report::plot::{LineChart, Plot, Series};
//!
//! # fn main() -> Result<(), gaussfield_report::ReportError> {
//! let chart = LineChart::new("labelled points", "accuracy (%)")
//!     .series(Series::with_errors("CMN", [(10.0, 92.1, 1.5), (20.0, 95.0, 1.1)]))
//!     .series(Series::new("1NN", [(10.0, 81.0), (20.0, 85.5)]));
//! assert!(chart.svg()?.starts_with("<svg"));
//! assert!(chart.csv().starts_with("series,x,y,error\nCMN,10,92.1,1.5\n"));
//! # Ok(())
//! # }
//! ```

mod annotate;
mod axes;
mod axis;
mod bars;
mod canvas;
mod colour;
mod colour_bar;
mod components;
mod contour;
#[cfg(test)]
mod form;
mod heat;
mod images;
mod legend;
mod line;
mod mark;
mod scatter;
mod space;
mod svg;
#[cfg(test)]
mod tests;

pub use bars::Bars;
pub use canvas::Width;
pub use colour::ColourMap;
pub use components::ComponentMap;
pub use heat::HeatMap;
pub use images::ImageGrid;
pub use line::{LineChart, Series};
pub use scatter::{Group, Scatter};
pub use space::View;

use crate::Result;

/// A figure that can be drawn and whose numbers can be read.
pub trait Plot {
    /// The drawing as SVG text with a `viewBox`, so it scales with the page.
    ///
    /// # Errors
    /// There is nothing to draw, or a number is not finite.
    fn svg(&self) -> Result<String>;

    /// How much of the page's width it takes.
    fn page_width(&self) -> Width;

    /// The numbers as CSV text with a header line, in full precision.
    fn csv(&self) -> String;
}

/// One CSV line with its newline; fields are quoted where they need it.
pub(crate) fn csv_line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and quoted text is as valid as what went in.
    let written = writer.write_record(fields).is_ok();
    debug_assert!(written, "a CSV record in memory");
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
