//! Small grey images side by side: digits, averages, length scales by pixel.

use super::axis::Axis;
use super::canvas::{Region, SMALL, Sheet, Width, sheet_setters};
use super::colour::{ColourMap, INK, RULE, SOFT};
use super::colour_bar::{LAP, colour_bar_width, colour_setters, draw_colour_bar};
use super::svg::{Anchor, Font, Place, Svg};
use super::{Plot, csv_line};
use crate::{ReportError, Result};
use ndarray::Array2;

/// A grid of images with captions, all on one scale: black is low and white is high, unless another
/// colour map is asked for.
#[derive(Debug, Clone)]
pub struct ImageGrid {
    sheet: Sheet,
    images: Vec<(String, Array2<f64>)>,
    columns: usize,
    map: ColourMap,
    range: Option<(f64, f64)>,
    own_ranges: bool,
}

const GAP: f64 = 14.0;
/// Height of a line of the caption.
const LINE: f64 = 15.0;
/// Images larger than this show no more, only bigger pixels.
const LARGEST: f64 = 150.0;

impl ImageGrid {
    /// An empty grid with so many images in a row (at least one).
    pub fn new(columns: usize) -> Self {
        Self {
            sheet: Sheet { width: Width::Full, ..Sheet::default() },
            images: Vec::new(),
            columns: columns.max(1),
            map: ColourMap::Grey,
            range: None,
            own_ranges: false,
        }
    }

    sheet_setters!();

    /// Adds an image: row 0 is at the top.
    #[must_use]
    pub fn image(mut self, caption: impl Into<String>, pixels: Array2<f64>) -> Self {
        self.images.push((caption.into(), pixels));
        self
    }

    colour_setters!();

    /// Gives every image its own scale, stated in its caption; there is no common bar then.
    #[must_use]
    pub fn own_ranges(mut self) -> Self {
        self.own_ranges = true;
        self
    }

    fn scale_of(&self, pixels: &Array2<f64>) -> Result<Axis> {
        match self.range {
            Some((low, high)) => Axis::exact(low, high, false),
            None if self.own_ranges => Axis::covering(pixels.iter().copied(), false, 0.0),
            None => {
                let all = self.images.iter().flat_map(|(_, pixels)| pixels.iter().copied());
                Axis::covering(all, false, 0.0)
            }
        }
    }

    fn draw_image(
        &self,
        svg: &mut Svg,
        pixels: &Array2<f64>,
        scale: &Axis,
        (left, top): Place,
        size: f64,
    ) {
        let (rows, columns) = pixels.dim();
        let unit = size / rows.max(columns) as f64;
        let (width, height) = (unit * columns as f64, unit * rows as f64);
        svg.rectangle((left - 1.0, top - 1.0), (left + width + 1.0, top + height + 1.0), RULE);
        for (row, line) in pixels.rows().into_iter().enumerate() {
            // Neighbours of one colour become one rectangle, which keeps files small.
            let colours: Vec<_> =
                line.iter().map(|value| self.map.colour(scale.share(*value))).collect();
            let y = top + unit * row as f64;
            // Reaching under the next row hides seams, but not past the last.
            let lap = if row + 1 < rows { LAP } else { 0.0 };
            let mut start = 0;
            while let Some(&colour) = colours.get(start) {
                let run = colours[start..].iter().take_while(|other| **other == colour).count();
                let x = left + unit * start as f64;
                start += run;
                let end = left + unit * start as f64;
                let end = if start < columns { end + LAP } else { end };
                svg.rectangle((x, y), (end, y + unit + lap), colour);
            }
        }
    }
}

/// "low to high"; what is nothing beside the other end is written as nothing.
fn ends_in_words(scale: &Axis) -> String {
    let largest = scale.low().abs().max(scale.high().abs());
    let word = |end: f64| match end.abs() < 1e-3 * largest {
        true => "0".to_owned(),
        false => crate::format::number(end),
    };
    format!("{} to {}", word(scale.low()), word(scale.high()))
}

impl Plot for ImageGrid {
    fn svg(&self) -> Result<String> {
        let Some((_, first)) = self.images.first() else { return Err(ReportError::NothingToDraw) };
        if let Some((caption, _)) = self.images.iter().find(|(_, pixels)| pixels.is_empty()) {
            return Err(ReportError::EmptyImage { caption: caption.clone() });
        }
        let bar = if self.own_ranges { None } else { Some(self.scale_of(first)?) };
        let bar_width = bar.as_ref().map_or(0.0, |axis| colour_bar_width(axis) + 14.0);
        let room = self.sheet.inner_width() - bar_width;
        let columns = self.columns.min(self.images.len());
        let size = ((room - GAP * columns as f64) / columns as f64).clamp(12.0, LARGEST);
        let rows = self.images.len().div_ceil(columns);
        let caption = if self.own_ranges { 2.0 * LINE } else { LINE };
        let inner = rows as f64 * (size + caption + GAP);
        let mut sheet = self.sheet.clone();
        sheet.height = sheet.height.or_else(|| Some(sheet.height_for(inner)));
        let names: Vec<&str> = self.images.iter().map(|(name, _)| name.as_str()).collect();
        let name = format!("images: {}", names.join(", "));
        sheet.draw(&name, &[], |svg: &mut Svg, region: Region| {
            for (index, (name, pixels)) in self.images.iter().enumerate() {
                let (row, column) = (index / columns, index % columns);
                let left = region.left + 1.0 + column as f64 * (size + GAP);
                let top = region.top + 1.0 + row as f64 * (size + caption + GAP);
                let scale = self.scale_of(pixels)?;
                self.draw_image(svg, pixels, &scale, (left, top), size);
                let at = (left + 0.5 * size, top + size + 11.0);
                svg.text(name, at, Font::new(SMALL, INK), Anchor::Middle);
                if self.own_ranges {
                    let words = ends_in_words(&scale);
                    let at = (at.0, at.1 + LINE);
                    svg.text(&words, at, Font::new(SMALL, SOFT), Anchor::Middle);
                }
            }
            if let Some(axis) = &bar {
                let left = region.left + columns as f64 * (size + GAP) + 4.0;
                let top = region.top + 1.0;
                let bar = Region { left, top, right: region.right, bottom: top + size };
                draw_colour_bar(svg, self.map, axis, "", bar);
            }
            Ok(())
        })
    }

    fn page_width(&self) -> Width {
        self.sheet.width
    }

    fn csv(&self) -> String {
        let mut csv = csv_line(["image", "row", "column", "value"]);
        for (caption, pixels) in &self.images {
            for ((row, column), value) in pixels.indexed_iter() {
                csv.push_str(&csv_line([
                    caption.clone(),
                    row.to_string(),
                    column.to_string(),
                    value.to_string(),
                ]));
            }
        }
        csv
    }
}
