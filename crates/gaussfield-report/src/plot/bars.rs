//! Bars: a few methods side by side.

use super::annotate::error_bar;
use super::axes::Axes;
use super::axis::Axis;
use super::canvas::{Region, Sheet, Width, sheet_setters};
use super::colour::{INK, SOFT, class_colour};
use super::legend::{Entry, Sample};
use super::svg::{Stroke, Svg};
use super::{Plot, csv_line};
use crate::{ReportError, Result};

/// A height with its error, if it has one.
type Bar = (f64, Option<f64>);

/// Groups of bars: one group per category, in it one bar per series.
#[derive(Debug, Clone)]
pub struct Bars {
    sheet: Sheet,
    y_label: String,
    categories: Vec<String>,
    series: Vec<(String, Vec<Bar>)>,
    paper: Vec<(usize, usize, f64)>,
    cover: Vec<f64>,
}

impl Bars {
    /// An empty figure with a labelled y axis and these categories along x.
    pub fn new<S: Into<String>>(
        y_label: impl Into<String>,
        categories: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            sheet: Sheet::default(),
            y_label: y_label.into(),
            categories: categories.into_iter().map(Into::into).collect(),
            series: Vec::new(),
            paper: Vec::new(),
            cover: vec![0.0],
        }
    }

    sheet_setters!();

    /// Adds a series: one (height, error) per category.
    #[must_use]
    pub fn series(
        mut self,
        name: impl Into<String>,
        bars: impl IntoIterator<Item = (f64, Option<f64>)>,
    ) -> Self {
        self.series.push((name.into(), bars.into_iter().collect()));
        self
    }

    /// A dash at the height the paper prints for a bar, by the numbers of its category and series.
    #[must_use]
    pub fn paper(mut self, category: usize, series: usize, height: f64) -> Self {
        self.paper.push((category, series, height));
        self
    }

    /// Makes the y axis reach at least this number. Bars begin at zero.
    #[must_use]
    pub fn cover_y(mut self, number: f64) -> Self {
        self.cover.push(number);
        self
    }

    /// Left and right end of a bar, where category c is at c.
    fn ends(&self, category: usize, series: usize) -> (f64, f64) {
        const FILLED: f64 = 0.76;
        let width = FILLED / self.series.len().max(1) as f64;
        let left = category as f64 - 0.5 * FILLED + series as f64 * width;
        (left + 0.06 * width, left + 0.94 * width)
    }

    fn axes(&self) -> Result<Axes> {
        let heights = self.series.iter().flat_map(|(_, bars)| bars).flat_map(|&(height, error)| {
            let error = error.unwrap_or(0.0).abs();
            [height - error, height + error]
        });
        let ys = heights.chain(self.paper.iter().map(|p| p.2)).chain(self.cover.iter().copied());
        let ys: Vec<f64> = ys.collect();
        // Bars stand on the axis: there is no margin below zero.
        let mut y = Axis::covering(ys.iter().copied(), false, 0.04)?;
        if ys.iter().all(|height| *height >= 0.0) {
            y = Axis::exact(0.0, y.high(), false)?;
        }
        let count = self.categories.len();
        let ticks = self.categories.iter().enumerate();
        let x = Axis::exact(-0.5, count as f64 - 0.5, false)?
            .ticks(ticks.map(|(index, name)| (index as f64, name.clone())).collect());
        Ok(Axes { x, y, x_label: String::new(), y_label: self.y_label.clone(), grid: true })
    }
}

impl Plot for Bars {
    fn svg(&self) -> Result<String> {
        if self.categories.is_empty() || self.series.is_empty() {
            return Err(ReportError::NothingToDraw);
        }
        for (name, bars) in &self.series {
            if bars.len() != self.categories.len() {
                return Err(ReportError::BarCount {
                    series: name.clone(),
                    bars: bars.len(),
                    categories: self.categories.len(),
                });
            }
        }
        let axes = self.axes()?;
        let mut legend: Vec<Entry> = self
            .series
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| !name.is_empty())
            .map(|(index, (name, _))| Entry {
                name: name.clone(),
                colour: class_colour(index),
                sample: Sample::Box,
            })
            .collect();
        if !self.paper.is_empty() {
            legend.push(Entry { name: "paper".to_owned(), colour: INK, sample: Sample::Line });
        }
        let name = format!("{} of {}", self.y_label, self.categories.join(", "));
        self.sheet.draw(&name, &legend, |svg: &mut Svg, region: Region| {
            let axes = axes.draw(svg, region);
            for (series, (_, bars)) in self.series.iter().enumerate() {
                for (category, &(height, error)) in bars.iter().enumerate() {
                    let (left, right) = self.ends(category, series);
                    let (a, b) = (axes.place((left, height)), axes.place((right, 0.0)));
                    svg.rectangle(a, b, class_colour(series));
                    if let Some(error) = error.filter(|error| *error > 0.0) {
                        let x = 0.5 * (a.0 + b.0);
                        let ends = [height - error, height + error];
                        let ends = ends.map(|y| axes.place((left, y)).1);
                        error_bar(svg, &axes, x, ends, SOFT);
                    }
                }
            }
            for &(category, series, height) in &self.paper {
                let (left, right) = self.ends(category, series);
                let (from, to) = (axes.place((left, height)), axes.place((right, height)));
                svg.line(&[(from.0 - 2.0, from.1), (to.0 + 2.0, to.1)], Stroke::new(INK, 2.0));
            }
            Ok(())
        })
    }

    fn page_width(&self) -> Width {
        self.sheet.width
    }

    fn csv(&self) -> String {
        let mut csv = csv_line(["category", "series", "height", "error", "paper"]);
        for (index, (name, bars)) in self.series.iter().enumerate() {
            for (category, (height, error)) in bars.iter().enumerate() {
                let paper = self.paper.iter().find(|p| (p.0, p.1) == (category, index));
                csv.push_str(&csv_line([
                    self.categories.get(category).cloned().unwrap_or_default(),
                    name.clone(),
                    height.to_string(),
                    error.map_or(String::new(), |error| error.to_string()),
                    paper.map_or(String::new(), |p| p.2.to_string()),
                ]));
            }
        }
        csv
    }
}
