//! Lines, shapes and words in pixels of the page.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Plotters places everything on whole pixels; drawing at twice the size keeps curves smooth.
pub(super) const SCALE: i32 = 2;
const FAMILY: &str = "Helvetica, Arial, sans-serif";

pub(super) type Area<'b> = DrawingArea<SVGBackend<'b>, Shift>;
/// A place on the sheet, in pixels of the page.
pub(super) type Place = (f64, f64);

/// Which side of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Middle,
    Right,
}

/// Draws on a sheet.
pub(super) struct Pen<'a, 'b> {
    pub(super) root: &'a Area<'b>,
}

impl<'a, 'b> Pen<'a, 'b> {
    pub(super) fn new(root: &'a Area<'b>) -> Self {
        Self { root }
    }

    pub(super) fn line(&self, points: &[Place], colour: RGBColor, width: f64) -> Result<()> {
        let points: Vec<_> = points.iter().copied().map(device).collect();
        Ok(self.root.draw(&PathElement::new(points, stroke(colour, width)))?)
    }

    pub(super) fn dashed(&self, points: &[Place], colour: RGBColor, width: f64) -> Result<()> {
        for dash in dashes(points, 6.0, 4.0) {
            self.line(&dash, colour, width)?;
        }
        Ok(())
    }

    pub(super) fn rectangle(&self, a: Place, b: Place, colour: RGBColor) -> Result<()> {
        Ok(self.root.draw(&Rectangle::new([device(a), device(b)], colour.filled()))?)
    }

    pub(super) fn polygon(&self, points: &[Place], colour: RGBColor) -> Result<()> {
        let points: Vec<_> = points.iter().copied().map(device).collect();
        Ok(self.root.draw(&Polygon::new(points, colour.filled()))?)
    }

    pub(super) fn disc(&self, at: Place, radius: f64, colour: RGBColor) -> Result<()> {
        Ok(self.root.draw(&Circle::new(device(at), device_size(radius), colour.filled()))?)
    }

    pub(super) fn ring(&self, at: Place, radius: f64, colour: RGBColor, width: f64) -> Result<()> {
        let style = stroke(colour, width);
        Ok(self.root.draw(&Circle::new(device(at), device_size(radius), style))?)
    }

    /// Text whose middle line goes through `at`.
    pub(super) fn text(
        &self,
        text: &str,
        at: Place,
        size: f64,
        colour: RGBColor,
        side: Side,
    ) -> Result<()> {
        self.write(text, at, font(size, colour, FontStyle::Normal), side)
    }

    /// The same in bold.
    pub(super) fn bold(
        &self,
        text: &str,
        at: Place,
        size: f64,
        colour: RGBColor,
        side: Side,
    ) -> Result<()> {
        self.write(text, at, font(size, colour, FontStyle::Bold), side)
    }

    fn write(&self, text: &str, at: Place, style: TextStyle<'_>, side: Side) -> Result<()> {
        let anchor = match side {
            Side::Left => HPos::Left,
            Side::Middle => HPos::Center,
            Side::Right => HPos::Right,
        };
        let style = style.pos(Pos::new(anchor, VPos::Center));
        Ok(self.root.draw(&Text::new(text.to_owned(), device(at), style))?)
    }
}

fn device((x, y): Place) -> (i32, i32) {
    let scale = |v: f64| (v * f64::from(SCALE)).round() as i32;
    (scale(x), scale(y))
}

fn device_size(length: f64) -> i32 {
    (length * f64::from(SCALE)).round().max(1.0) as i32
}

/// A line style; the width is in pixels of the page.
pub(super) fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    colour.stroke_width(device_size(width) as u32)
}

/// A text style; the size is in pixels of the page.
pub(super) fn font(size: f64, colour: RGBColor, weight: FontStyle) -> TextStyle<'static> {
    // Plotters' SVG backend divides sizes by 1.24.
    let size = size * f64::from(SCALE) * 1.24;
    FontDesc::new(FontFamily::Name(FAMILY), size, weight).color(&colour)
}

/// About how wide a text is.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    0.54 * size * text.chars().count() as f64
}

/// Cuts a path into dashes.
fn dashes(points: &[Place], on: f64, off: f64) -> Vec<Vec<Place>> {
    let mut dashes = Vec::new();
    let mut current: Vec<Place> = points.iter().take(1).copied().collect();
    let (mut drawing, mut left) = (true, on);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length > left {
            let share = left / length;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            length -= left;
            if drawing {
                current.push(from);
                dashes.push(std::mem::take(&mut current));
            } else {
                current = vec![from];
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= length;
        if drawing {
            current.push(to);
        }
    }
    if drawing && current.len() > 1 {
        dashes.push(current);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_of_the_path() {
        let path = [(0.0, 0.0), (30.0, 0.0), (30.0, 70.0)];
        let length = |path: &[Place]| -> f64 {
            path.windows(2).map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1)).sum()
        };
        let dashes = dashes(&path, 6.0, 4.0);
        assert_eq!(dashes.len(), 10);
        for dash in &dashes {
            assert!((length(dash) - 6.0).abs() < 1e-9, "{dash:?}");
        }
    }
}
