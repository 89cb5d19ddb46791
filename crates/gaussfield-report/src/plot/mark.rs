//! Markers: classes and series differ by shape as well as by colour.

use super::colour::{Colour, INK, PAGE};
use super::svg::{Place, Stroke, Svg};

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
    pub(super) fn draw(self, svg: &mut Svg, at: Place, radius: f64, colour: Colour) {
        match self.corners(radius) {
            None => svg.disc(at, radius, colour),
            Some(corners) => svg.polygon(&moved(&corners, at), colour),
        }
    }

    /// Draws a marker that stands out: larger, with a dark outline on a light rim.
    pub(super) fn draw_emphasised(self, svg: &mut Svg, at: Place, radius: f64, colour: Colour) {
        self.draw(svg, at, radius + 3.0, PAGE);
        self.draw(svg, at, radius + 1.6, INK);
        self.draw(svg, at, radius, colour);
    }

    /// Draws the outline only.
    pub(super) fn draw_hollow(self, svg: &mut Svg, at: Place, radius: f64, colour: Colour) {
        let edge = Stroke::new(colour, 1.5);
        match self.corners(radius) {
            None => svg.rimmed(at, radius, PAGE, edge),
            Some(corners) => svg.outlined(&moved(&corners, at), PAGE, edge),
        }
    }
}

fn moved(corners: &[Place], at: Place) -> Vec<Place> {
    corners.iter().map(|&(x, y)| (at.0 + x, at.1 + y)).collect()
}
