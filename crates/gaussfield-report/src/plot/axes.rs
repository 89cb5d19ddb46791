//! Two axes with ticks, labels and a grid, and the way from numbers to places.

use super::axis::Axis;
use super::canvas::{Region, SMALL, TEXT};
use super::colour::{INK, RULE, SOFT};
use super::pen::{Pen, Place, SCALE, font, stroke, text_width};
use anyhow::Result;
use plotters::prelude::*;

/// What the axes show.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) grid: bool,
}

/// Axes on the sheet.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    x: Axis,
    y: Axis,
    /// Pixels of the page at the ends of both axes.
    x_pixels: (f64, f64),
    y_pixels: (f64, f64),
}

impl Axes {
    /// The region left for data once ticks and labels have theirs.
    fn inner(&self, region: Region) -> Region {
        let ticks = self.y.tick_values(y_count(region.height()));
        let widest = ticks.iter().map(|&t| text_width(&self.y.label(t), SMALL)).fold(0.0, f64::max);
        let label = |text: &str, room| if text.is_empty() { 0 } else { room };
        Region {
            left: region.left + widest.ceil() as i32 + 9 + label(&self.y_label, 20),
            top: region.top + 7,
            right: region.right - 10,
            bottom: region.bottom - 22 - label(&self.x_label, 15),
        }
    }

    /// Stretches one axis so that one unit is as long on both; for linear axes.
    pub(super) fn equal_units(mut self, region: Region) -> Self {
        // Stretching can change the tick labels and so the room they take: twice is enough.
        for _ in 0..2 {
            let inner = self.inner(region);
            let (width, height) = (f64::from(inner.width()), f64::from(inner.height()));
            let unit = (self.x.length() / width).max(self.y.length() / height);
            self.x = self.x.stretched(unit * width);
            self.y = self.y.stretched(unit * height);
        }
        self
    }

    /// Draws the axes into the region.
    pub(super) fn draw(&self, pen: &Pen<'_, '_>, region: Region) -> Result<Placed> {
        let inner = self.inner(region);
        let sheet = pen.root.clone().shrink(
            (region.left * SCALE, inner.top * SCALE),
            ((inner.right - region.left) * SCALE, (region.bottom - inner.top) * SCALE),
        );
        let mut chart = ChartBuilder::on(&sheet)
            .x_label_area_size((region.bottom - inner.bottom) * SCALE)
            .y_label_area_size((inner.left - region.left) * SCALE)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(self.x_count(inner))
            .y_labels(y_count(region.height()))
            .bold_line_style(stroke(RULE, 0.8))
            .light_line_style(TRANSPARENT)
            .max_light_lines(0)
            .axis_style(stroke(SOFT, 0.8))
            .label_style(font(SMALL, SOFT, FontStyle::Normal))
            .axis_desc_style(font(TEXT, INK, FontStyle::Normal))
            .set_all_tick_mark_size(3 * SCALE)
            .x_desc(self.x_label.as_str())
            .y_desc(self.y_label.as_str());
        if !self.grid {
            mesh.disable_mesh();
        }
        mesh.draw()?;
        let (x, y) = chart.plotting_area().get_pixel_range();
        let page = |pixel: i32| f64::from(pixel) / f64::from(SCALE);
        Ok(Placed {
            x: self.x.clone(),
            y: self.y.clone(),
            x_pixels: (page(x.start), page(x.end)),
            y_pixels: (page(y.end), page(y.start)),
        })
    }

    /// As many ticks as fit without their labels touching.
    fn x_count(&self, inner: Region) -> usize {
        (2..=10)
            .rev()
            .find(|&count| {
                let ticks = self.x.tick_values(count);
                let width: f64 =
                    ticks.iter().map(|&t| text_width(&self.x.label(t), SMALL) + 14.0).sum();
                width <= f64::from(inner.width())
            })
            .unwrap_or(2)
    }
}

fn y_count(height: i32) -> usize {
    (height / 42).clamp(3, 10) as usize
}

impl Placed {
    /// Where a pair of numbers goes.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Place {
        let between = |ends: (f64, f64), share: f64| ends.0 + share * (ends.1 - ends.0);
        (between(self.x_pixels, self.x.share(x)), between(self.y_pixels, self.y.share(y)))
    }

    /// The left and right end in pixels.
    pub(super) fn x_pixels(&self) -> (f64, f64) {
        self.x_pixels
    }

    /// The lower and upper end in pixels; the lower has the larger number.
    pub(super) fn y_pixels(&self) -> (f64, f64) {
        self.y_pixels
    }
}
