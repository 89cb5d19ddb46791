//! The sheet a figure is drawn on.

use super::colour::{INK, PAGE};
use super::legend::{self, Entry};
use super::svg::{Anchor, Font, Svg};
use crate::Result;

/// Sizes of text in pixels of the page.
pub(super) const SMALL: f64 = 11.5;
pub(super) const TEXT: f64 = 12.5;
const HEAD: f64 = 13.5;
/// Room around everything.
const EDGE: f64 = 8.0;

/// How much of the page's width a figure takes. Figures that follow each other stand side by side
/// as far as they fit. Text keeps its size, so a figure is drawn for its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// A third of the page.
    Third,
    /// Half of it.
    #[default]
    Half,
    /// All of it.
    Full,
}

/// What all figures have: a width, a height, a title.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheet {
    pub(super) width: Width,
    pub(super) height: Option<u32>,
    pub(super) title: Option<String>,
}

impl Sheet {
    fn size(&self) -> (f64, f64) {
        let (width, height) = match self.width {
            Width::Third => (330.0, 300),
            Width::Half => (490.0, 370),
            Width::Full => (735.0, 430),
        };
        (width, f64::from(self.height.map_or(height, |height| height.clamp(80, 4000))))
    }

    /// The width inside the edges.
    pub(super) fn inner_width(&self) -> f64 {
        self.size().0 - 2.0 * EDGE
    }

    /// The height that leaves `inner` for the body of a figure without legend.
    pub(super) fn height_for(&self, inner: f64) -> u32 {
        let title = if self.title.is_some() { TITLE } else { 0.0 };
        (inner + 2.0 * EDGE + title).ceil().max(0.0) as u32
    }

    /// Draws title and legend, then lets `body` draw below them. `name` is said to those who do
    /// not see the figure, unless it has a title.
    pub(super) fn draw(
        &self,
        name: &str,
        legend: &[Entry],
        body: impl FnOnce(&mut Svg, Region) -> Result<()>,
    ) -> Result<String> {
        let (width, height) = self.size();
        let mut svg = Svg::new((width, height), self.title.as_deref().unwrap_or(name));
        svg.rectangle((0.0, 0.0), (width, height), PAGE);
        let mut region =
            Region { left: EDGE, top: EDGE, right: width - EDGE, bottom: height - EDGE };
        if let Some(title) = &self.title {
            let font = Font::new(HEAD, INK).bold();
            svg.text(title, (region.left, region.top + 8.0), font, Anchor::Start);
            region.top += TITLE;
        }
        region.top += legend::draw(&mut svg, legend, region);
        body(&mut svg, region)?;
        Ok(svg.finish())
    }
}

/// Height of the title line.
const TITLE: f64 = 24.0;

/// The setters every figure has.
macro_rules! sheet_setters {
    () => {
        /// A title above the figure.
        #[must_use]
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.sheet.title = Some(title.into());
            self
        }

        /// How much of the page's width it takes; half by default.
        #[must_use]
        pub fn width(mut self, width: crate::plot::Width) -> Self {
            self.sheet.width = width;
            self
        }

        /// Its height in pixels of the page.
        #[must_use]
        pub fn height(mut self, pixels: u32) -> Self {
            self.sheet.height = Some(pixels);
            self
        }
    };
}
pub(super) use sheet_setters;

/// A rectangle of the sheet, in pixels of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Region {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}
