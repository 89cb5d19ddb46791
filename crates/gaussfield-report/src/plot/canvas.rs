//! The sheet a figure is drawn on.

use super::colour::{INK, PAGE};
use super::legend::{self, Entry};
use super::pen::{Pen, SCALE, Side};
use anyhow::Result;
use plotters::prelude::*;

/// Sizes of text in pixels of the page.
pub(super) const SMALL: f64 = 11.5;
pub(super) const TEXT: f64 = 12.5;
const HEAD: f64 = 13.5;
/// Room around everything.
const EDGE: i32 = 8;

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
    fn size(&self) -> (i32, i32) {
        let (width, height) = match self.width {
            Width::Third => (330, 300),
            Width::Half => (490, 370),
            Width::Full => (735, 430),
        };
        (width, self.height.map_or(height, |height| height.clamp(80, 4000) as i32))
    }

    /// The width inside the edges.
    pub(super) fn inner_width(&self) -> i32 {
        self.size().0 - 2 * EDGE
    }

    /// The height that leaves `inner` for the body of a figure without legend.
    pub(super) fn height_for(&self, inner: f64) -> u32 {
        let title = if self.title.is_some() { TITLE } else { 0 };
        inner.ceil().max(0.0) as u32 + (2 * EDGE + title) as u32
    }

    /// Draws title and legend, then lets `body` draw below them.
    pub(super) fn draw(
        &self,
        legend: &[Entry],
        body: impl FnOnce(&Pen<'_, '_>, Region) -> Result<()>,
    ) -> Result<String> {
        let (width, height) = self.size();
        let mut svg = String::new();
        {
            let pixels = ((width * SCALE) as u32, (height * SCALE) as u32);
            let root = SVGBackend::with_string(&mut svg, pixels).into_drawing_area();
            let pen = Pen::new(&root);
            root.fill(&PAGE)?;
            let mut region =
                Region { left: EDGE, top: EDGE, right: width - EDGE, bottom: height - EDGE };
            if let Some(title) = &self.title {
                let at = (f64::from(region.left), f64::from(region.top) + 8.0);
                pen.bold(title, at, HEAD, INK, Side::Left)?;
                region.top += TITLE;
            }
            region.top += legend::draw(&pen, legend, region)?;
            body(&pen, region)?;
            root.present()?;
        }
        // The natural size is that of the page's pixels, whatever resolution was drawn.
        let drawn = format!("width=\"{}\" height=\"{}\"", width * SCALE, height * SCALE);
        let natural = format!("width=\"{width}\" height=\"{height}\" role=\"img\"");
        Ok(svg.replacen(&drawn, &natural, 1))
    }
}

/// Height of the title line.
const TITLE: i32 = 24;

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
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl Region {
    pub(super) fn width(&self) -> i32 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> i32 {
        self.bottom - self.top
    }
}
