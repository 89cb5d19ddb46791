//! Series of points joined by lines: learning curves.

use super::annotate::{draw_mark, error_bar};
use super::axes::{Axes, Placed};
use super::axis::Axis;
use super::canvas::{Region, Sheet, Width, sheet_setters};
use super::colour::{INK, PAGE, SOFT, class_colour};
use super::legend::{Entry, Sample};
use super::mark::Shape;
use super::svg::{Place, Stroke, Svg};
use super::{Plot, csv_line};
use crate::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Joined,
    Dashed,
    Smooth,
    SmoothDashed,
    Points,
}

/// One line of a chart: points with optional error bars.
#[derive(Debug, Clone)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64, Option<f64>)>,
    look: Look,
    colour: Option<usize>,
}

impl Series {
    /// A series of (x, y).
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::build(name.into(), points.into_iter().map(|(x, y)| (x, y, None)).collect())
    }

    /// A series of (x, mean, error): a bar from mean − error to mean + error at each point.
    pub fn with_errors(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        Self::build(name.into(), points.into_iter().map(|(x, y, e)| (x, y, Some(e))).collect())
    }

    /// A series of (x, (mean over trials, their standard deviation if there were several)), which
    /// is the length of the bars.
    pub fn of_trials<T: Into<(f64, Option<f64>)>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, T)>,
    ) -> Self {
        let with_bar = |(x, over): (f64, T)| {
            let (mean, std) = over.into();
            (x, mean, std)
        };
        Self::build(name.into(), points.into_iter().map(with_bar).collect())
    }

    fn build(name: String, points: Vec<(f64, f64, Option<f64>)>) -> Self {
        Self { name, points, look: Look::Joined, colour: None }
    }

    /// Joins the points by a dashed line.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        self.look = match self.look {
            Look::Smooth | Look::SmoothDashed => Look::SmoothDashed,
            _ => Look::Dashed,
        };
        self
    }

    /// A line without markers, for densely computed curves.
    #[must_use]
    pub fn smooth(mut self) -> Self {
        self.look = match self.look {
            Look::Dashed | Look::SmoothDashed => Look::SmoothDashed,
            _ => Look::Smooth,
        };
        self
    }

    /// Hollow markers without a line, for the few numbers a paper prints.
    #[must_use]
    pub fn points_only(mut self) -> Self {
        self.look = Look::Points;
        self
    }

    /// The colour and marker of series number `index` instead of its own, so that the paper's
    /// numbers can share those of ours.
    #[must_use]
    pub fn like(mut self, index: usize) -> Self {
        self.colour = Some(index);
        self
    }
}

/// A chart of one or more series.
#[derive(Debug, Clone)]
pub struct LineChart {
    sheet: Sheet,
    x_label: String,
    y_label: String,
    log_x: bool,
    log_y: bool,
    cover: Vec<f64>,
    series: Vec<Series>,
    levels: Vec<(String, f64)>,
    marks: Vec<(f64, f64, String)>,
}

impl LineChart {
    /// An empty chart with labelled axes.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            sheet: Sheet::default(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            log_x: false,
            log_y: false,
            cover: Vec::new(),
            series: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
        }
    }

    sheet_setters!();

    /// Adds a series.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// A logarithmic x axis; all x must be positive.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.log_x = true;
        self
    }

    /// A logarithmic y axis; all y must be positive.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.log_y = true;
        self
    }

    /// Makes the y axis reach at least from `low` to `high`. It always covers the data.
    #[must_use]
    pub fn cover_y(mut self, low: f64, high: f64) -> Self {
        self.cover.extend([low, high]);
        self
    }

    /// A named horizontal line, such as a number the paper states or chance level.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, y: f64) -> Self {
        self.levels.push((name.into(), y));
        self
    }

    /// Marks a point with a ring and a few words, such as a found optimum.
    #[must_use]
    pub fn mark(mut self, x: f64, y: f64, words: impl Into<String>) -> Self {
        self.marks.push((x, y, words.into()));
        self
    }

    fn axes(&self) -> Result<Axes> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let xs = points().map(|p| p.0).chain(self.marks.iter().map(|m| m.0));
        let ys = points()
            .flat_map(|&(_, y, error)| {
                let error = error.unwrap_or(0.0).abs();
                // On a logarithmic axis a bar may reach below zero; it is cut off when drawn.
                let low = if self.log_y && y - error <= 0.0 { y } else { y - error };
                [low, y + error]
            })
            .chain(self.marks.iter().map(|m| m.1))
            .chain(self.levels.iter().map(|level| level.1))
            .chain(self.cover.iter().copied());
        Ok(Axes {
            x: Axis::covering(xs, self.log_x, 0.03)?,
            // Words beside a marked point need room.
            y: Axis::covering(ys, self.log_y, if self.marks.is_empty() { 0.04 } else { 0.11 })?,
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            grid: true,
        })
    }

    fn legend(&self) -> Vec<Entry> {
        let series = self.series.iter().enumerate().map(|(index, series)| {
            let index = series.colour.unwrap_or(index);
            let sample = match series.look {
                Look::Joined => Sample::LineAndMarker(Shape::of(index)),
                Look::Dashed => Sample::DashedAndMarker(Shape::of(index)),
                Look::Smooth => Sample::Line,
                Look::SmoothDashed => Sample::Dashed,
                Look::Points => Sample::Hollow(Shape::of(index)),
            };
            Entry { name: series.name.clone(), colour: class_colour(index), sample }
        });
        let levels = self.levels.iter().map(|(name, _)| Entry {
            name: name.clone(),
            colour: SOFT,
            sample: Sample::Dashed,
        });
        let entries: Vec<Entry> = series.chain(levels).collect();
        // One unnamed series needs no legend.
        entries.into_iter().filter(|entry| !entry.name.is_empty()).collect()
    }
}

impl Series {
    fn draw(&self, svg: &mut Svg, axes: &Placed, index: usize) {
        let index = self.colour.unwrap_or(index);
        let (colour, shape) = (class_colour(index), Shape::of(index));
        let places: Vec<Place> = self.points.iter().map(|&(x, y, _)| axes.place((x, y))).collect();
        for (&(x, y, error), &at) in self.points.iter().zip(&places) {
            if let Some(error) = error.filter(|error| *error > 0.0) {
                let ends = [axes.place((x, y - error)).1, axes.place((x, y + error)).1];
                error_bar(svg, axes, at.0, ends, colour);
            }
        }
        let stroke = Stroke::new(colour, 2.0);
        match self.look {
            Look::Joined | Look::Smooth => svg.line(&places, stroke),
            Look::Dashed | Look::SmoothDashed => svg.line(&places, stroke.dashed()),
            Look::Points => {}
        }
        for &at in &places {
            match self.look {
                Look::Joined | Look::Dashed => shape.draw(svg, at, 3.6, colour),
                Look::Points => shape.draw_hollow(svg, at, 4.2, colour),
                Look::Smooth | Look::SmoothDashed => {}
            }
        }
    }
}

impl Plot for LineChart {
    fn svg(&self) -> Result<String> {
        let axes = self.axes()?;
        let name = format!("{} against {}", self.y_label, self.x_label);
        self.sheet.draw(&name, &self.legend(), |svg: &mut Svg, region: Region| {
            let axes = axes.draw(svg, region);
            for (name, y) in &self.levels {
                let (left, right) = axes.x_pixels();
                let height = axes.place((1.0, *y)).1;
                let line = [(left, height), (right, height)];
                svg.group(name, |svg| svg.line(&line, Stroke::new(SOFT, 1.3).dashed()));
            }
            for (index, series) in self.series.iter().enumerate() {
                svg.group(&series.name, |svg| series.draw(svg, &axes, index));
            }
            for (x, y, words) in &self.marks {
                draw_mark(svg, &axes, axes.place((*x, *y)), words, (INK, PAGE));
            }
            Ok(())
        })
    }

    fn page_width(&self) -> Width {
        self.sheet.width
    }

    fn csv(&self) -> String {
        let mut csv = csv_line(["series", "x", "y", "error"]);
        for series in &self.series {
            for (x, y, error) in &series.points {
                let error = error.map_or(String::new(), |error| error.to_string());
                csv.push_str(&csv_line([&series.name, &x.to_string(), &y.to_string(), &error]));
            }
        }
        for (name, y) in &self.levels {
            csv.push_str(&csv_line([name.as_str(), "", &y.to_string(), ""]));
        }
        for (x, y, words) in &self.marks {
            csv.push_str(&csv_line([words.as_str(), &x.to_string(), &y.to_string(), ""]));
        }
        csv
    }
}
