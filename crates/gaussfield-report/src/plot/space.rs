//! Points in space, seen from a direction.

use super::axis::Axis;
use super::canvas::Region;
use super::svg::Place;
use crate::Result;

/// The direction from which points in space are seen, without perspective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    azimuth: f64,
    elevation: f64,
}

impl View {
    /// Seen from `azimuth` degrees around the z axis and `elevation` degrees above the plane.
    pub fn new(azimuth: f64, elevation: f64) -> Self {
        Self { azimuth: azimuth.to_radians(), elevation: elevation.to_radians() }
    }

    /// To the right, upwards, and away from the viewer.
    fn turn(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let (sin, cos) = self.azimuth.sin_cos();
        let (right, away) = (x * cos - y * sin, x * sin + y * cos);
        let (sin, cos) = self.elevation.sin_cos();
        [right, z * cos + away * sin, away * cos - z * sin]
    }

    /// Scales the points' box to fill the region, the same on all axes.
    pub(super) fn fit(
        self,
        points: impl Iterator<Item = [f64; 3]>,
        region: Region,
    ) -> Result<Room> {
        let points: Vec<[f64; 3]> = points.collect();
        let axis = |k: usize| Axis::covering(points.iter().map(|p| p[k]), false, 0.03);
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        let (low, high) = (axes.each_ref().map(Axis::low), axes.each_ref().map(Axis::high));
        let corners = corners(low, high).map(|corner| self.turn(corner));
        let span = |k: usize| {
            let values = corners.iter().map(|corner| corner[k]);
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (down, up)) = (span(0), span(1));
        let unit = (region.width() / (right - left)).min(region.height() / (up - down));
        let middle = |a: f64, b: f64| 0.5 * (a + b);
        Ok(Room {
            view: self,
            low,
            high,
            unit,
            origin: (
                middle(region.left, region.right) - unit * 0.5 * (left + right),
                middle(region.top, region.bottom) + unit * 0.5 * (down + up),
            ),
        })
    }
}

/// A box of space on the sheet.
pub(super) struct Room {
    view: View,
    low: [f64; 3],
    high: [f64; 3],
    unit: f64,
    origin: Place,
}

impl Room {
    /// Where a point is drawn, and how far away it is.
    pub(super) fn place(&self, point: [f64; 3]) -> (Place, f64) {
        let [right, up, away] = self.view.turn(point);
        ((self.origin.0 + self.unit * right, self.origin.1 - self.unit * up), away)
    }

    /// The twelve edges of the box.
    pub(super) fn edges(&self) -> Vec<[Place; 2]> {
        let corners = corners(self.low, self.high).map(|corner| self.place(corner).0);
        let mut edges = Vec::with_capacity(12);
        for a in 0..8usize {
            for axis in 0..3 {
                let b = a | 1 << axis;
                if b != a {
                    edges.push([corners[a], corners[b]]);
                }
            }
        }
        edges
    }
}

/// The corners of a box; bit k of a corner's number says whether it is at the high end of axis k.
fn corners(low: [f64; 3], high: [f64; 3]) -> [[f64; 3]; 8] {
    std::array::from_fn(|corner| {
        std::array::from_fn(|k| if corner >> k & 1 == 1 { high[k] } else { low[k] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_has_twelve_edges_inside_the_region() {
        let region = Region { left: 0.0, top: 0.0, right: 300.0, bottom: 200.0 };
        let points = [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]];
        let room = View::new(30.0, 20.0).fit(points.into_iter(), region).expect("good points");
        assert_eq!(room.edges().len(), 12);
        for (x, y) in room.edges().into_iter().flatten() {
            assert!((-0.01..300.01).contains(&x) && (-0.01..200.01).contains(&y), "{x} {y}");
        }
    }

    #[test]
    fn turning_keeps_lengths() {
        let turned = View::new(33.0, 71.0).turn([1.0, -2.0, 0.5]);
        let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
        assert!((length(turned) - length([1.0, -2.0, 0.5])).abs() < 1e-12);
    }
}
