//! Points in the plane, coloured by class.

use super::axes::Axes;
use super::axis::Axis;
use super::canvas::{Region, Sheet, Width, sheet_setters};
use super::colour::{RULE, class_colour};
use super::legend::{Entry, Sample};
use super::mark::Shape;
use super::space::View;
use super::svg::{Place, Stroke, Svg};
use super::{Plot, csv_line};
use crate::Result;

/// Points that look alike: one class, labelled or not.
#[derive(Debug, Clone)]
pub struct Group {
    name: String,
    class: usize,
    pub(super) points: Vec<[f64; 3]>,
    emphasised: bool,
    hollow: bool,
}

impl Group {
    /// Points (x, y) of a class; the class number chooses colour and marker.
    pub fn new(
        name: impl Into<String>,
        class: usize,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self::in_space(name, class, points.into_iter().map(|(x, y)| [x, y, 0.0]))
    }

    /// Points in space; draw them with [`Scatter::seen_from`].
    pub fn in_space(
        name: impl Into<String>,
        class: usize,
        points: impl IntoIterator<Item = [f64; 3]>,
    ) -> Self {
        Self {
            name: name.into(),
            class,
            points: points.into_iter().collect(),
            emphasised: false,
            hollow: false,
        }
    }

    /// Large, outlined and on top: the labelled points.
    #[must_use]
    pub fn emphasised(mut self) -> Self {
        self.emphasised = true;
        self
    }

    /// Outlines only, for example points classified wrongly or not at all.
    #[must_use]
    pub fn hollow(mut self) -> Self {
        self.hollow = true;
        self
    }
}

/// The radius of ordinary points in pixels.
const RADIUS: f64 = 2.8;

/// A figure of points.
#[derive(Debug, Clone)]
pub struct Scatter {
    sheet: Sheet,
    x_label: String,
    y_label: String,
    groups: Vec<Group>,
    paths: Vec<(usize, Vec<(f64, f64)>)>,
    equal: bool,
    view: Option<View>,
}

impl Scatter {
    /// An empty figure with labelled axes; an empty label takes no room.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            sheet: Sheet::default(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            groups: Vec::new(),
            paths: Vec::new(),
            equal: false,
            view: None,
        }
    }

    sheet_setters!();

    /// Adds points.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    /// Adds a line in a class's colour, such as an ellipse or a boundary.
    #[must_use]
    pub fn path(mut self, class: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.paths.push((class, points.into_iter().collect()));
        self
    }

    /// One unit is as long on both axes.
    #[must_use]
    pub fn equal_units(mut self) -> Self {
        self.equal = true;
        self
    }

    /// Draws points in space as seen from a direction, in a box instead of axes.
    #[must_use]
    pub fn seen_from(mut self, view: View) -> Self {
        self.view = Some(view);
        self
    }

    fn axes(&self, region: Region) -> Result<Axes> {
        let points = || self.groups.iter().flat_map(|group| &group.points);
        let paths = || self.paths.iter().flat_map(|(_, path)| path);
        let xs = points().map(|p| p[0]).chain(paths().map(|p| p.0));
        let ys = points().map(|p| p[1]).chain(paths().map(|p| p.1));
        let axes = Axes {
            x: Axis::covering(xs, false, 0.05)?,
            y: Axis::covering(ys, false, 0.05)?,
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            grid: true,
        };
        Ok(if self.equal { axes.equal_units(region) } else { axes })
    }
}

/// Draws every point at its place: far ones first, emphasised ones last.
pub(super) fn draw_groups(
    groups: &[Group],
    radius: f64,
    svg: &mut Svg,
    place: impl Fn([f64; 3]) -> (Place, f64),
) {
    let mut dots: Vec<(bool, f64, Place, &Group)> = groups
        .iter()
        .flat_map(|group| group.points.iter().map(move |&point| (group, point)))
        .map(|(group, point)| {
            let (at, depth) = place(point);
            (group.emphasised, depth, at, group)
        })
        .collect();
    dots.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    // What follows each other and is of one group says its name once.
    for run in dots.chunk_by(|a, b| std::ptr::eq(a.3, b.3)) {
        let group = run[0].3;
        let (shape, colour) = (Shape::of(group.class), class_colour(group.class));
        svg.group(&group.name, |svg| {
            for &(_, _, at, _) in run {
                if group.emphasised {
                    shape.draw_emphasised(svg, at, radius + 3.0, colour);
                } else if group.hollow {
                    shape.draw_hollow(svg, at, radius, colour);
                } else {
                    shape.draw(svg, at, radius, colour);
                }
            }
        });
    }
}

/// The legend of groups that have a name.
pub(super) fn legend(groups: &[Group]) -> Vec<Entry> {
    let named = groups.iter().filter(|group| !group.name.is_empty());
    named
        .map(|group| {
            let shape = Shape::of(group.class);
            let sample = if group.emphasised {
                Sample::Emphasised(shape)
            } else if group.hollow {
                Sample::Hollow(shape)
            } else {
                Sample::Marker(shape)
            };
            Entry { name: group.name.clone(), colour: class_colour(group.class), sample }
        })
        .collect()
}

impl Plot for Scatter {
    fn svg(&self) -> Result<String> {
        let named = self.groups.iter().map(|group| group.name.as_str());
        let names: Vec<&str> = named.filter(|name| !name.is_empty()).collect();
        let name = format!("points: {}", names.join(", "));
        self.sheet.draw(&name, &legend(&self.groups), |svg: &mut Svg, region: Region| {
            if let Some(view) = self.view {
                let points = self.groups.iter().flat_map(|group| group.points.iter().copied());
                let room = view.fit(points, region)?;
                svg.pieces(&room.edges(), Stroke::new(RULE, 1.0));
                draw_groups(&self.groups, RADIUS, svg, |point| room.place(point));
                return Ok(());
            }
            let axes = self.axes(region)?.draw(svg, region);
            for (class, path) in &self.paths {
                let path: Vec<Place> = path.iter().map(|&point| axes.place(point)).collect();
                svg.line(&path, Stroke::new(class_colour(*class), 1.6));
            }
            draw_groups(&self.groups, RADIUS, svg, |[x, y, _]| (axes.place((x, y)), 0.0));
            Ok(())
        })
    }

    fn page_width(&self) -> Width {
        self.sheet.width
    }

    fn csv(&self) -> String {
        groups_csv(&self.groups, self.view.is_some())
    }
}

fn groups_csv(groups: &[Group], deep: bool) -> String {
    // Points in the plane have no third number.
    let columns = &["group", "class", "labelled", "x", "y", "z"][..if deep { 6 } else { 5 }];
    let mut csv = csv_line(columns);
    for group in groups {
        for point in &group.points {
            let labelled = if group.emphasised { "yes" } else { "no" };
            let mut fields = vec![group.name.clone(), group.class.to_string(), labelled.into()];
            let numbers = if deep { &point[..] } else { &point[..2] };
            fields.extend(numbers.iter().map(f64::to_string));
            csv.push_str(&csv_line(&fields));
        }
    }
    csv
}
