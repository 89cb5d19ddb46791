//! The legend: lines of names above the data, never on them.

use super::canvas::{Region, TEXT};
use super::colour::{Colour, INK};
use super::mark::Shape;
use super::svg::{Anchor, Font, Stroke, Svg, text_width};

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

/// Draws the entries below each other where they do not fit beside each other; returns the height
/// used.
pub(super) fn draw(svg: &mut Svg, entries: &[Entry], region: Region) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let (mut x, mut rows) = (region.left, 1.0);
    for entry in entries {
        let width = entry.sample_width() + text_width(&entry.name, TEXT) + GAP;
        if x > region.left && x + width - GAP > region.right {
            x = region.left;
            rows += 1.0;
        }
        entry.draw(svg, x, region.top + (rows - 1.0) * ROW + 9.0);
        x += width;
    }
    rows * ROW + 4.0
}

impl Entry {
    fn sample_width(&self) -> f64 {
        match self.sample {
            Sample::Marker(_) | Sample::Hollow(_) | Sample::Emphasised(_) | Sample::Box => 16.0,
            _ => SAMPLE + 6.0,
        }
    }

    fn draw(&self, svg: &mut Svg, x: f64, y: f64) {
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
        svg.text(&self.name, at, Font::new(TEXT, INK), Anchor::Start);
    }
}
