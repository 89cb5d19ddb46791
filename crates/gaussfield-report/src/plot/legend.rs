//! The legend: lines of names above the data, never on them.

use super::canvas::{Region, TEXT};
use super::colour::{Colour, INK};
use super::mark::Shape;
use super::svg::{Anchor, Font, Stroke, Svg, shortened, text_width};

/// How a series or class looks.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) colour: Colour,
    pub(super) sample: Sample,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    Marker(Shape),
    Hollow(Shape),
    Emphasised(Shape),
    Line,
    Dashed,
    LineAndMarker(Shape),
    DashedAndMarker(Shape),
    Box,
}

const ROW: f64 = 20.0;
const SAMPLE: f64 = 24.0;
const GAP: f64 = 16.0;

/// The share of the sheet that the legend may take; the data need the rest.
const MOST: f64 = 0.4;

/// Draws the entries below each other where they do not fit beside each other, counting those for
/// which there is no room; returns the height used.
pub(super) fn draw(svg: &mut Svg, entries: &[Entry], region: Region) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let (mut x, mut row) = (region.left, 0_usize);
    let mut placed = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = shortened(&entry.name, region.width() - entry.sample_width(), TEXT);
        let width = entry.sample_width() + text_width(&name, TEXT) + GAP;
        if x > region.left && x + width - GAP > region.right {
            x = region.left;
            row += 1;
        }
        placed.push((entry, name, x, row));
        x += width;
    }
    let (rows, most) = (row + 1, (MOST * region.height() / ROW).max(2.0) as usize);
    let middle = |row: usize| region.top + row as f64 * ROW + 9.0;
    let fits = |row: usize| rows <= most || row + 1 < most;
    for (entry, name, x, row) in placed.iter().filter(|(.., row)| fits(*row)) {
        entry.draw(svg, name, *x, middle(*row));
    }
    let left = placed.iter().filter(|(.., row)| !fits(*row)).count();
    if left > 0 {
        let font = Font::new(TEXT, INK);
        svg.text(
            &format!("… and {left} more"),
            (region.left, middle(most - 1)),
            font,
            Anchor::Start,
        );
    }
    rows.min(most) as f64 * ROW + 4.0
}

impl Entry {
    fn sample_width(&self) -> f64 {
        match self.sample {
            Sample::Marker(_) | Sample::Hollow(_) | Sample::Emphasised(_) | Sample::Box => 16.0,
            _ => SAMPLE + 6.0,
        }
    }

    fn draw(&self, svg: &mut Svg, name: &str, x: f64, y: f64) {
        let line = [(x, y), (x + SAMPLE, y)];
        let stroke = Stroke::new(self.colour, 2.0);
        let middle = (x + 0.5 * SAMPLE, y);
        let alone = (x + 6.0, y);
        match self.sample {
            Sample::Marker(shape) => shape.draw(svg, alone, 4.0, self.colour),
            Sample::Hollow(shape) => shape.draw_hollow(svg, alone, 4.0, self.colour),
            Sample::Emphasised(shape) => shape.draw_emphasised(svg, alone, 4.0, self.colour),
            Sample::Line => svg.line(&line, stroke),
            Sample::Dashed => svg.line(&line, stroke.dashed()),
            Sample::LineAndMarker(shape) => {
                svg.line(&line, stroke);
                shape.draw(svg, middle, 3.6, self.colour);
            }
            Sample::DashedAndMarker(shape) => {
                svg.line(&line, stroke.dashed());
                shape.draw(svg, middle, 3.6, self.colour);
            }
            Sample::Box => svg.rectangle((x, y - 5.0), (x + 11.0, y + 6.0), self.colour),
        }
        let at = (x + self.sample_width(), y);
        svg.text(name, at, Font::new(TEXT, INK), Anchor::Start);
    }
}
