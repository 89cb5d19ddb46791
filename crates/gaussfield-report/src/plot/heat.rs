//! A function of two variables as a field of colours.

use super::annotate::draw_mark;
use super::axes::{Axes, Placed};
use super::axis::Axis;
use super::canvas::{Region, Sheet, Width, sheet_setters};
use super::colour::{Colour, ColourMap, RULE};
use super::colour_bar::{LAP, colour_bar_width, colour_setters, draw_colour_bar};
use super::contour::level_lines;
use super::scatter::{Group, draw_groups, legend};
use super::svg::{Stroke, Svg};
use super::{Plot, csv_line};
use crate::{ReportError, Result};
use ndarray::Array2;

/// Values on a grid, with a colour bar. Values that are not finite are drawn in the grid's grey.
#[derive(Debug, Clone)]
pub struct HeatMap {
    sheet: Sheet,
    labels: [String; 3],
    xs: Vec<f64>,
    ys: Vec<f64>,
    values: Array2<f64>,
    log: (bool, bool),
    map: ColourMap,
    range: Option<(f64, f64)>,
    levels: Vec<f64>,
    marks: Vec<(f64, f64, String)>,
    groups: Vec<Group>,
}

impl HeatMap {
    /// Values at every pair of `xs` and `ys`, both ascending: row i of `values` belongs to
    /// `ys[i]`, column j to `xs[j]`.
    pub fn new(xs: Vec<f64>, ys: Vec<f64>, values: Array2<f64>) -> Self {
        Self {
            sheet: Sheet::default(),
            labels: Default::default(),
            xs,
            ys,
            values,
            log: (false, false),
            map: ColourMap::default(),
            range: None,
            levels: Vec::new(),
            marks: Vec::new(),
            groups: Vec::new(),
        }
    }

    sheet_setters!();

    /// Names of x, y and the value.
    #[must_use]
    pub fn labels(mut self, x: &str, y: &str, value: &str) -> Self {
        self.labels = [x.to_owned(), y.to_owned(), value.to_owned()];
        self
    }

    /// A logarithmic x axis.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.log.0 = true;
        self
    }

    /// A logarithmic y axis.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.log.1 = true;
        self
    }

    colour_setters!();

    /// Draws the lines on which the function takes these values.
    #[must_use]
    pub fn contours(mut self, levels: impl IntoIterator<Item = f64>) -> Self {
        self.levels.extend(levels);
        self
    }

    /// Marks a point, such as the optimum.
    #[must_use]
    pub fn mark(mut self, x: f64, y: f64, words: impl Into<String>) -> Self {
        self.marks.push((x, y, words.into()));
        self
    }

    /// Draws points on top, such as the labelled data.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    fn check(&self) -> Result<()> {
        let (rows, columns) = self.values.dim();
        if (rows, columns) != (self.ys.len(), self.xs.len()) || rows * columns == 0 {
            let (ys, xs) = (self.ys.len(), self.xs.len());
            return Err(ReportError::HeatMapShape { rows, columns, ys, xs });
        }
        for (axis, numbers) in [("x", &self.xs), ("y", &self.ys)] {
            if let Some(pair) = numbers.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(ReportError::NotAscending { axis, low: pair[0], high: pair[1] });
            }
        }
        // What is drawn on top has a place on both axes.
        let points = || self.groups.iter().flat_map(|group| &group.points);
        for (x, y) in points().map(|p| (p[0], p[1])).chain(self.marks.iter().map(|m| (m.0, m.1))) {
            Axis::covering([x], self.log.0, 0.0)?;
            Axis::covering([y], self.log.1, 0.0)?;
        }
        Ok(())
    }

    fn colour_axis(&self) -> Result<Axis> {
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        match self.range {
            Some((low, high)) => Axis::exact(low, high, false),
            None => Axis::covering(finite(), false, 0.0),
        }
    }

    fn draw_cells(&self, svg: &mut Svg, axes: &Placed, colours: &Axis) {
        let (xs, ys) = (edges(&self.xs, self.log.0), edges(&self.ys, self.log.1));
        for ((row, column), value) in self.values.indexed_iter() {
            let colour =
                if value.is_finite() { self.map.colour(colours.share(*value)) } else { RULE };
            let (left, bottom) = axes.place((xs[column], ys[row]));
            let (right, top) = axes.place((xs[column + 1], ys[row + 1]));
            // Each cell reaches under the neighbours drawn after it, so no seams show.
            let lap = |index: usize, count: usize| if index + 1 < count { LAP } else { 0.0 };
            let (over, beside) = (lap(row, self.ys.len()), lap(column, self.xs.len()));
            svg.rectangle((left, top - over), (right + beside, bottom), colour);
        }
    }

    fn draw_contours(&self, svg: &mut Svg, axes: &Placed) {
        // From grid coordinates to numbers, in the logarithm where the axis has one.
        let number = |grid: &[f64], place: f64, log: bool| {
            let below = (place.floor() as usize).min(grid.len().saturating_sub(2));
            let share = place - below as f64;
            match grid.get(below..below + 2) {
                Some(&[a, b]) if log => (a.ln() + share * (b.ln() - a.ln())).exp(),
                Some(&[a, b]) => a + share * (b - a),
                _ => grid[0],
            }
        };
        for level in &self.levels {
            let place = |(column, row): (f64, f64)| {
                let (x, y) = (&self.xs, &self.ys);
                axes.place((number(x, column, self.log.0), number(y, row, self.log.1)))
            };
            let lines = level_lines(self.values.view(), *level);
            let pieces: Vec<_> = lines.into_iter().map(|piece| piece.map(place)).collect();
            let words = crate::format::number(*level);
            svg.group(&words, |svg| svg.pieces(&pieces, Stroke::new(CONTOUR, 1.2)));
        }
    }
}

/// Dark but not the ink of the page: it lies on the colours of the data in either scheme.
const CONTOUR: Colour = Colour(0x20, 0x20, 0x20);
const MARK: Colour = Colour(0xF5, 0xF5, 0xF5);

/// The edges of the cells around grid values: halfway between neighbours, the same beyond the ends.
fn edges(grid: &[f64], log: bool) -> Vec<f64> {
    let to = |v: f64| if log { v.ln() } else { v };
    let back = |v: f64| if log { v.exp() } else { v };
    let places: Vec<f64> = grid.iter().copied().map(to).collect();
    let mut edges: Vec<f64> = places.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return edges };
    let below = edges.first().map_or(0.5, |edge| edge - first);
    let above = edges.last().map_or(0.5, |edge| last - edge);
    edges.insert(0, first - below);
    edges.push(last + above);
    edges.into_iter().map(back).collect()
}

impl Plot for HeatMap {
    fn svg(&self) -> Result<String> {
        self.check()?;
        let colours = self.colour_axis()?;
        let axis = |grid: &[f64], log| Axis::covering(edges(grid, log), log, 0.0);
        let axes = Axes {
            x: axis(&self.xs, self.log.0)?,
            y: axis(&self.ys, self.log.1)?,
            x_label: self.labels[0].clone(),
            y_label: self.labels[1].clone(),
            grid: false,
        };
        let [x, y, value] = &self.labels;
        let name = format!("{value} by {x} and {y}");
        self.sheet.draw(&name, &legend(&self.groups), |svg: &mut Svg, mut region: Region| {
            // The bar's name stands above it, at the right.
            region.top += if value.is_empty() { 0.0 } else { 18.0 };
            let field = Region { right: region.right - colour_bar_width(&colours), ..region };
            let axes = axes.draw(svg, field);
            self.draw_cells(svg, &axes, &colours);
            self.draw_contours(svg, &axes);
            draw_groups(&self.groups, 2.8, svg, |[x, y, _]| (axes.place((x, y)), 0.0));
            for (x, y, words) in &self.marks {
                let at = axes.place((*x, *y));
                svg.ring(at, 6.5, Stroke::new(CONTOUR, 4.5));
                draw_mark(svg, &axes, at, words, (MARK, CONTOUR));
            }
            let (bottom, top) = axes.y_pixels();
            let bar = Region { left: field.right + 2.0, top, right: region.right, bottom };
            draw_colour_bar(svg, self.map, &colours, value, bar);
            Ok(())
        })
    }

    fn page_width(&self) -> Width {
        self.sheet.width
    }

    fn csv(&self) -> String {
        let named = |text: &str, otherwise: &str| {
            if text.is_empty() { otherwise.to_owned() } else { text.to_owned() }
        };
        let [x, y, value] = &self.labels;
        let mut csv = csv_line([named(x, "x"), named(y, "y"), named(value, "value")]);
        for ((row, column), value) in self.values.indexed_iter() {
            if let (Some(y), Some(x)) = (self.ys.get(row), self.xs.get(column)) {
                csv.push_str(&csv_line([x.to_string(), y.to_string(), value.to_string()]));
            }
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_meet_halfway() {
        assert_eq!(edges(&[0.0, 2.0, 6.0], false), [-1.0, 1.0, 4.0, 8.0]);
        assert_eq!(edges(&[3.0], false), [2.5, 3.5]);
        let log = edges(&[1.0, 100.0], true);
        assert!((log[1] - 10.0).abs() < 1e-12, "{log:?}");
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let values = Array2::zeros((2, 3));
        let table = [
            (vec![1.0, 2.0], vec![1.0, 2.0]),
            (vec![1.0, 2.0, 2.0], vec![1.0, 2.0]),
            (vec![], vec![]),
        ];
        for (xs, ys) in table {
            assert!(HeatMap::new(xs.clone(), ys, values.clone()).svg().is_err(), "{xs:?}");
        }
        let good = HeatMap::new(vec![1.0, 2.0, 3.0], vec![1.0, 2.0], values);
        assert!(good.svg().is_ok());
        let group = Group::new("", 0, [(0.0, 1.0)]);
        assert!(good.clone().group(group.clone()).svg().is_ok());
        let nowhere = good.log_x().group(group).svg();
        assert!(matches!(nowhere, Err(ReportError::NotPositive { .. })), "{nowhere:?}");
    }
}
