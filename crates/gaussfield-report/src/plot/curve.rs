//! Functions of one variable: an objective against its hyperparameter.

use super::canvas::Width;
use super::{LineChart, Plot, Series};
use crate::Result;

/// One or more functions of the same variable, drawn without markers, with their optima marked.
///
/// ```
/// use gaussfield_report::plot::{Curve, Plot};
///
/// # fn main() -> Result<(), gaussfield_report::ReportError> {
/// let parabola = (-20..=20).map(|x| f64::from(x) / 10.0).map(|x| (x, (x - 1.0) * (x - 1.0)));
/// let curve = Curve::new("σ", "entropy").branch("ε = 0", parabola).optimum(1.0, 0.0, "σ = 1");
/// assert!(curve.svg()?.contains("σ = 1"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Curve(LineChart);

impl Curve {
    /// An empty figure with labelled axes.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self(LineChart::new(x_label, y_label))
    }

    /// Adds a function by its values in the order of x.
    #[must_use]
    pub fn branch(
        self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self(self.0.series(Series::new(name, values).smooth()))
    }

    /// Marks an optimum.
    #[must_use]
    pub fn optimum(self, x: f64, y: f64, words: impl Into<String>) -> Self {
        Self(self.0.mark(x, y, words))
    }

    /// A named horizontal line.
    #[must_use]
    pub fn level(self, name: impl Into<String>, y: f64) -> Self {
        Self(self.0.level(name, y))
    }

    /// A logarithmic x axis; all x must be positive.
    #[must_use]
    pub fn log_x(self) -> Self {
        Self(self.0.log_x())
    }

    /// Makes the y axis reach at least from `low` to `high`.
    #[must_use]
    pub fn cover_y(self, low: f64, high: f64) -> Self {
        Self(self.0.cover_y(low, high))
    }

    /// A title above the figure.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self(self.0.title(title))
    }

    /// How much of the page's width it takes; half by default.
    #[must_use]
    pub fn width(self, width: Width) -> Self {
        Self(self.0.width(width))
    }

    /// Its height in pixels of the page.
    #[must_use]
    pub fn height(self, pixels: u32) -> Self {
        Self(self.0.height(pixels))
    }
}

impl Plot for Curve {
    fn svg(&self) -> Result<String> {
        self.0.svg()
    }

    fn page_width(&self) -> Width {
        self.0.page_width()
    }

    fn csv(&self) -> String {
        self.0.csv()
    }
}
