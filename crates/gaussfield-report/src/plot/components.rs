//! Mixture components on the plane: an outline each, and a dot whose colour is a value.

use super::axes::Axes;
use super::axis::Axis;
use super::canvas::{Region, Sheet, sheet_setters};
use super::colour::{Colour, ColourMap, class_colour};
use super::colour_bar::{colour_bar_width, draw_colour_bar};
use super::scatter::{draw_groups, legend};
use super::svg::{Place, Stroke, Svg};
use super::{Group, Plot, Width, csv_line};
use crate::Result;

/// The grey of outlines, and the rim of the dots.
const GREY: usize = 8;
const RIM: Colour = Colour(0x20, 0x20, 0x20);
/// The radius of the dot of a component with the average weight, in pixels.
const AVERAGE: f64 = 5.0;
/// Components below this share of the average weight are left out.
const TINY: f64 = 0.05;

#[derive(Debug, Clone)]
struct Component {
    centre: (f64, f64),
    outline: Vec<(f64, f64)>,
    weight: f64,
    value: f64,
}

/// Components of a mixture over their points. The area of a dot is its component's weight, its
/// colour a value from 0 to 1; tiny components are left out.
#[derive(Debug, Clone)]
pub struct ComponentMap {
    sheet: Sheet,
    value: String,
    points: Vec<(f64, f64)>,
    components: Vec<Component>,
    groups: Vec<Group>,
}

impl ComponentMap {
    /// An empty map whose colours show `value`.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            sheet: Sheet::default(),
            value: value.into(),
            points: Vec::new(),
            components: Vec::new(),
            groups: Vec::new(),
        }
    }

    sheet_setters!();

    /// Small dots: the data.
    #[must_use]
    pub fn points(mut self, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.points.extend(points);
        self
    }

    /// A component by its centre, its covariance (xx, xy, yy), its weight and its value. The
    /// outline is at two standard deviations.
    #[must_use]
    pub fn component(
        mut self,
        centre: (f64, f64),
        covariance: (f64, f64, f64),
        weight: f64,
        value: f64,
    ) -> Self {
        let (xx, xy, yy) = covariance;
        // A Cholesky factor turns a circle into the ellipse.
        let a = xx.max(0.0).sqrt();
        let b = if a > 0.0 { xy / a } else { 0.0 };
        let c = (yy - b * b).max(0.0).sqrt();
        let outline = (0..=60).map(|step| {
            let (sin, cos) = (f64::from(step) / 60.0 * std::f64::consts::TAU).sin_cos();
            (centre.0 + 2.0 * a * cos, centre.1 + 2.0 * (b * cos + c * sin))
        });
        let outline = outline.collect();
        self.components.push(Component { centre, outline, weight, value });
        self
    }

    /// Points drawn on top, such as the labelled ones.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    fn average(&self) -> f64 {
        let sum: f64 = self.components.iter().map(|component| component.weight).sum();
        sum / self.components.len().max(1) as f64
    }

    fn visible(&self) -> impl Iterator<Item = &Component> {
        let least = TINY * self.average();
        self.components.iter().filter(move |component| component.weight >= least)
    }
}

impl Plot for ComponentMap {
    fn svg(&self) -> Result<String> {
        let colours = Axis::exact(0.0, 1.0, false)?;
        let outlines = || self.visible().flat_map(|component| &component.outline);
        let xs = self.points.iter().chain(outlines()).map(|point| point.0);
        let ys = self.points.iter().chain(outlines()).map(|point| point.1);
        let axes = Axes {
            x: Axis::covering(xs, false, 0.03)?,
            y: Axis::covering(ys, false, 0.03)?,
            x_label: String::new(),
            y_label: String::new(),
            grid: false,
        };
        let map = ColourMap::Diverging;
        let name = format!("mixture components by {}", self.value);
        self.sheet.draw(&name, &legend(&self.groups), |svg: &mut Svg, mut region: Region| {
            region.top += 18.0;
            let field = Region { right: region.right - colour_bar_width(&colours), ..region };
            let axes = axes.equal_units(field).draw(svg, field);
            for &point in &self.points {
                svg.disc(axes.place(point), 1.0, class_colour(GREY));
            }
            for component in self.visible() {
                let path: Vec<Place> =
                    component.outline.iter().map(|&point| axes.place(point)).collect();
                svg.line(&path, Stroke::new(class_colour(GREY), 1.0));
            }
            for component in self.visible() {
                let share = component.weight / self.average().max(f64::MIN_POSITIVE);
                let radius = (AVERAGE * share.sqrt()).clamp(2.0, 12.0);
                let at = axes.place(component.centre);
                let title = format!("{} {}", self.value, crate::format::number(component.value));
                svg.group(&title, |svg| {
                    svg.rimmed(at, radius, map.colour(component.value), Stroke::new(RIM, 1.0));
                });
            }
            draw_groups(&self.groups, 3.4, svg, |[x, y, _]| (axes.place((x, y)), 0.0));
            let (bottom, top) = axes.y_pixels();
            let bar = Region { left: field.right + 2.0, top, right: region.right, bottom };
            draw_colour_bar(svg, map, &colours, &self.value, bar);
            Ok(())
        })
    }

    fn page_width(&self) -> Width {
        self.sheet.width
    }

    fn csv(&self) -> String {
        let mut csv = csv_line(["x", "y", "weight", "value"]);
        for Component { centre, weight, value, .. } in &self.components {
            csv.push_str(&csv_line([centre.0, centre.1, *weight, *value].map(|n| n.to_string())));
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_two_deviations_away_and_tiny_components_are_left_out() {
        let map = ComponentMap::new("λ")
            .points([(0.0, 0.0), (1.0, 1.0)])
            .component((1.0, 2.0), (4.0, 0.0, 0.25), 0.9, 0.3)
            .component((0.0, 0.0), (1.0, 0.5, 1.0), 1e-9, 0.9);
        let far = |pick: fn(&(f64, f64)) -> f64, centre: f64| {
            let outline = &map.components[0].outline;
            outline.iter().fold(0.0_f64, |far, point| far.max((pick(point) - centre).abs()))
        };
        assert!((far(|p| p.0, 1.0) - 4.0).abs() < 1e-9);
        assert!((far(|p| p.1, 2.0) - 1.0).abs() < 1e-9);
        assert_eq!(map.visible().count(), 1);
        assert!(map.svg().unwrap().starts_with("<svg"));
        assert_eq!(map.csv().lines().count(), 3);
    }
}
