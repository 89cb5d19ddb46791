//! Two axes with ticks, labels and a grid, and the way from numbers to places.

use super::axis::Axis;
use super::canvas::{Region, SMALL, TEXT};
use super::colour::{INK, RULE, SOFT};
use super::svg::{Anchor, Font, Place, Stroke, Svg, shortened, text_width};

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
        let label = |text: &str, room: f64| if text.is_empty() { 0.0 } else { room };
        Region {
            left: region.left + widest.ceil() + 9.0 + label(&self.y_label, 20.0),
            top: region.top + 7.0,
            right: region.right - 10.0,
            bottom: region.bottom - 22.0 - label(&self.x_label, 15.0),
        }
    }

    /// Stretches one axis so that one unit is as long on both; for linear axes.
    pub(super) fn equal_units(mut self, region: Region) -> Self {
        // Stretching can change the tick labels and so the room they take: twice is enough.
        for _ in 0..2 {
            let inner = self.inner(region);
            let (width, height) = (inner.width(), inner.height());
            let unit = (self.x.length() / width).max(self.y.length() / height);
            self.x = self.x.stretched(unit * width);
            self.y = self.y.stretched(unit * height);
        }
        self
    }

    /// Draws the axes into the region.
    pub(super) fn draw(&self, svg: &mut Svg, region: Region) -> Placed {
        let inner = self.inner(region);
        let placed = Placed {
            x: self.x.clone(),
            y: self.y.clone(),
            x_pixels: (inner.left, inner.right),
            y_pixels: (inner.bottom, inner.top),
        };
        let xs = self.x.tick_values(self.x_count(inner));
        let ys = self.y.tick_values(y_count(region.height()));
        let across = |tick: f64| placed.place((tick, self.y.low())).0;
        let up = |tick: f64| placed.place((self.x.low(), tick)).1;
        if self.grid {
            let columns =
                xs.iter().map(|&tick| [inner.top, inner.bottom].map(|y| (across(tick), y)));
            let rows = ys.iter().map(|&tick| [inner.left, inner.right].map(|x| (x, up(tick))));
            svg.pieces(&columns.chain(rows).collect::<Vec<_>>(), Stroke::new(RULE, 1.0));
        }
        let corner =
            [(inner.left, inner.top), (inner.left, inner.bottom), (inner.right, inner.bottom)];
        svg.line(&corner, Stroke::new(SOFT, 1.0));
        let below =
            xs.iter().map(|&tick| [0.0, TICK].map(|far| (across(tick), inner.bottom + far)));
        let left = ys.iter().map(|&tick| [0.0, TICK].map(|far| (inner.left - far, up(tick))));
        svg.pieces(&below.chain(left).collect::<Vec<_>>(), Stroke::new(SOFT, 1.0));
        let small = Font::new(SMALL, SOFT);
        // Names have the room up to the next one; where that is next to none, some are left out.
        let room = inner.width() / xs.len().max(1) as f64;
        let every = if self.x.is_named() { (NAME / room).ceil().max(1.0) as usize } else { 1 };
        for tick in xs.into_iter().step_by(every) {
            let mut words = self.x.label(tick);
            if self.x.is_named() {
                words = shortened(&words, every as f64 * room - 3.0, SMALL);
            }
            // A label at the end of the axis stays on the sheet.
            let half = 0.5 * text_width(&words, SMALL);
            let x = across(tick).min(region.right + 6.0 - half).max(region.left - 6.0 + half);
            svg.text(&words, (x, inner.bottom + TICK + 9.0), small, Anchor::Middle);
        }
        for tick in ys {
            let at = (inner.left - TICK - 3.0, up(tick));
            svg.text(&self.y.label(tick), at, small, Anchor::End);
        }
        let words = Font::new(TEXT, INK);
        let middle = 0.5 * (inner.left + inner.right);
        svg.text(&self.x_label, (middle, region.bottom - 6.0), words, Anchor::Middle);
        let middle = 0.5 * (inner.top + inner.bottom);
        svg.upward(&self.y_label, (region.left + 6.0, middle), words);
        placed
    }

    /// As many ticks as fit without their labels touching.
    fn x_count(&self, inner: Region) -> usize {
        (2..=10)
            .rev()
            .find(|&count| {
                let ticks = self.x.tick_values(count);
                let width: f64 =
                    ticks.iter().map(|&t| text_width(&self.x.label(t), SMALL) + 14.0).sum();
                width <= inner.width()
            })
            .unwrap_or(2)
    }
}

/// The least room for the name of a tick.
const NAME: f64 = 16.0;

/// The length of the mark at a tick.
const TICK: f64 = 3.0;

fn y_count(height: f64) -> usize {
    (height / 42.0).clamp(3.0, 10.0) as usize
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
