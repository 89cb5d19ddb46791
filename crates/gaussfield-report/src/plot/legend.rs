//! The legend: lines of names above the data, never on them.

use super::canvas::{Region, TEXT};
use super::colour::INK;
use super::mark::Shape;
use super::pen::{Pen, Side, text_width};
use anyhow::Result;
use plotters::style::RGBColor;

/// How a series or class looks.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) colour: RGBColor,
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

const ROW: i32 = 20;
const SAMPLE: f64 = 24.0;
const GAP: f64 = 16.0;

/// Draws the entries below each other where they do not fit beside each other; returns the height
/// used.
pub(super) fn draw(pen: &Pen<'_, '_>, entries: &[Entry], region: Region) -> Result<i32> {
    if entries.is_empty() {
        return Ok(0);
    }
    let (mut x, mut row) = (f64::from(region.left), 0);
    for entry in entries {
        let width = entry.sample_width() + text_width(&entry.name, TEXT) + GAP;
        if x > f64::from(region.left) && x + width - GAP > f64::from(region.right) {
            x = f64::from(region.left);
            row += 1;
        }
        let y = f64::from(region.top + row * ROW) + 9.0;
        entry.draw(pen, x, y)?;
        x += width;
    }
    Ok((row + 1) * ROW + 4)
}

impl Entry {
    fn sample_width(&self) -> f64 {
        match self.sample {
            Sample::Marker(_) | Sample::Hollow(_) | Sample::Emphasised(_) | Sample::Box => 16.0,
            _ => SAMPLE + 6.0,
        }
    }

    fn draw(&self, pen: &Pen<'_, '_>, x: f64, y: f64) -> Result<()> {
        let line = [(x, y), (x + SAMPLE, y)];
        let middle = (x + 0.5 * SAMPLE, y);
        let alone = (x + 6.0, y);
        match self.sample {
            Sample::Marker(shape) => shape.draw(pen, alone, 4.0, self.colour)?,
            Sample::Hollow(shape) => shape.draw_hollow(pen, alone, 4.0, self.colour)?,
            Sample::Emphasised(shape) => shape.draw_emphasised(pen, alone, 4.0, self.colour)?,
            Sample::Line => pen.line(&line, self.colour, 2.0)?,
            Sample::Dashed => pen.dashed(&line, self.colour, 2.0)?,
            Sample::LineAndMarker(shape) => {
                pen.line(&line, self.colour, 2.0)?;
                shape.draw(pen, middle, 3.6, self.colour)?;
            }
            Sample::DashedAndMarker(shape) => {
                pen.dashed(&line, self.colour, 2.0)?;
                shape.draw(pen, middle, 3.6, self.colour)?;
            }
            Sample::Box => pen.rectangle((x, y - 5.0), (x + 11.0, y + 6.0), self.colour)?,
        }
        pen.text(&self.name, (x + self.sample_width(), y), TEXT, INK, Side::Left)
    }
}
