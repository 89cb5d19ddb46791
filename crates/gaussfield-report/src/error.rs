//! What can go wrong on the way from numbers to a page.

use gaussfield_core::files::NotWritten;
use gaussfield_core::shown;
use std::path::PathBuf;

/// A figure that cannot be drawn, or a report that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A figure without data.
    #[error("there is nothing to draw: a figure needs at least one number")]
    NothingToDraw,
    /// A number that has no place on an axis.
    #[error("cannot draw {value}: every number of a figure must be finite", value = shown(*.value))]
    NotFinite {
        /// The number.
        value: f64,
    },
    /// A number that has no place on a logarithmic axis.
    #[error(
        "cannot draw {value} on a logarithmic axis: it must be positive",
        value = shown(*.value)
    )]
    NotPositive {
        /// The number.
        value: f64,
    },
    /// A series of bars that does not go with the categories.
    #[error("the series \"{series}\" has {bars} bars for {categories} categories: give one each")]
    BarCount {
        /// The series.
        series: String,
        /// Its bars.
        bars: usize,
        /// Categories of the figure.
        categories: usize,
    },
    /// A heat map whose values do not go with its grid.
    #[error(
        "a heat map of {rows} × {columns} values needs as many ys and xs, not {ys} and {xs}, and at \
         least one of each"
    )]
    HeatMapShape {
        /// Rows of values.
        rows: usize,
        /// Columns of values.
        columns: usize,
        /// Numbers along y.
        ys: usize,
        /// Numbers along x.
        xs: usize,
    },
    /// A grid that does not ascend.
    #[error(
        "the {axis}s of a heat map must ascend, but {low} comes before {high}",
        low = shown(*.low), high = shown(*.high)
    )]
    NotAscending {
        /// `x` or `y`.
        axis: &'static str,
        /// The number that comes first.
        low: f64,
        /// The number after it.
        high: f64,
    },
    /// An image of no size.
    #[error("the image \"{caption}\" has no pixels")]
    EmptyImage {
        /// Its caption.
        caption: String,
    },
    /// A figure of a report that cannot be drawn.
    #[error("figure {id}")]
    Figure {
        /// The figure.
        id: String,
        /// Why not.
        source: Box<ReportError>,
    },
    /// Two claims of one name.
    #[error("two claims are called \"{id}\": give each its own")]
    ClaimTwice {
        /// The name.
        id: String,
    },
    /// Two figures or tables of one name.
    #[error("two figures or tables are called \"{id}\": give each its own")]
    IdTwice {
        /// The name.
        id: String,
    },
    /// A name that is no file name.
    #[error("\"{id}\" cannot name a file: use letters, digits, '-', '_' and '.'")]
    NoFileName {
        /// The name.
        id: String,
    },
    /// A file that cannot be written.
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    /// An output folder that cannot be written.
    #[error("cannot write into the output folder {}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

/// Anything of this crate that can fail.
pub(crate) type Result<T> = std::result::Result<T, ReportError>;
