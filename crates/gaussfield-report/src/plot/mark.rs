//! Markers: classes and series differ by shape as well as by colour.

use super::colour::{INK, PAGE};
use super::pen::{Pen, Place};
use anyhow::Result;
use plotters::style::RGBColor;

/// The shape of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Disc,
    Square,
    Triangle,
    Diamond,
    Cross,
    Inverted,
}

impl Shape {
    /// The shape for the class or series with this number.
    pub(super) fn of(index: usize) -> Self {
        const SHAPES: [Shape; 6] = [
            Shape::Disc,
            Shape::Square,
            Shape::Triangle,
            Shape::Diamond,
            Shape::Cross,
            Shape::Inverted,
        ];
        SHAPES[index % SHAPES.len()]
    }

    /// The corners around the origin; `None` for a disc.
    fn corners(self, r: f64) -> Option<Vec<Place>> {
        let corners = match self {
            Self::Disc => return None,
            Self::Square => {
                let r = 0.88 * r;
                vec![(-r, -r), (r, -r), (r, r), (-r, r)]
            }
            Self::Triangle => vec![(0.0, -1.25 * r), (1.15 * r, 0.8 * r), (-1.15 * r, 0.8 * r)],
            Self::Inverted => vec![(0.0, 1.25 * r), (1.15 * r, -0.8 * r), (-1.15 * r, -0.8 * r)],
            Self::Diamond => {
                let r = 1.28 * r;
                vec![(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)]
            }
            Self::Cross => {
                let (a, b) = (0.35 * r, 1.2 * r);
                vec![
                    (-a, -b),
                    (a, -b),
                    (a, -a),
                    (b, -a),
                    (b, a),
                    (a, a),
                    (a, b),
                    (-a, b),
                    (-a, a),
                    (-b, a),
                    (-b, -a),
                    (-a, -a),
                ]
            }
        };
        Some(corners)
    }

    /// Draws a filled marker of about this radius.
    pub(super) fn draw(
        self,
        pen: &Pen<'_, '_>,
        at: Place,
        radius: f64,
        colour: RGBColor,
    ) -> Result<()> {
        match self.corners(radius) {
            None => pen.disc(at, radius, colour),
            Some(corners) => pen.polygon(&moved(&corners, at), colour),
        }
    }

    /// Draws a marker that stands out: larger, with a dark outline on a light rim.
    pub(super) fn draw_emphasised(
        self,
        pen: &Pen<'_, '_>,
        at: Place,
        radius: f64,
        colour: RGBColor,
    ) -> Result<()> {
        self.draw(pen, at, radius + 3.0, PAGE)?;
        self.draw(pen, at, radius + 1.6, INK)?;
        self.draw(pen, at, radius, colour)
    }

    /// Draws the outline only.
    pub(super) fn draw_hollow(
        self,
        pen: &Pen<'_, '_>,
        at: Place,
        radius: f64,
        colour: RGBColor,
    ) -> Result<()> {
        match self.corners(radius) {
            None => {
                pen.disc(at, radius, PAGE)?;
                pen.ring(at, radius, colour, 1.5)
            }
            Some(corners) => {
                let mut outline = moved(&corners, at);
                pen.polygon(&outline, PAGE)?;
                outline.extend(outline.first().copied());
                pen.line(&outline, colour, 1.5)
            }
        }
    }
}

fn moved(corners: &[Place], at: Place) -> Vec<Place> {
    corners.iter().map(|&(x, y)| (at.0 + x, at.1 + y)).collect()
}
