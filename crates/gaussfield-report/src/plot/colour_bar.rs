//! The bar that says which colour is which value.

use super::axis::Axis;
use super::canvas::{Region, SMALL, TEXT};
use super::colour::{ColourMap, INK, SOFT};
use super::svg::{Anchor, Font, Stroke, Svg, text_width};

/// How far, in pixels, coloured cells reach under those drawn after them. At whatever size a page
/// shows them, that covers the pixel their common edge runs through.
pub(super) const LAP: f64 = 1.5;

/// Draws the bar that says which colour is which value.
pub(super) fn draw_colour_bar(
    svg: &mut Svg,
    map: ColourMap,
    axis: &Axis,
    label: &str,
    region: Region,
) {
    let Region { left, top, bottom, .. } = region;
    let right = left + 12.0;
    const STEPS: i32 = 64;
    let height = |share: f64| bottom + share * (top - bottom);
    for step in 0..STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        let next = f64::from(step + 1) / f64::from(STEPS);
        let colour = map.colour(0.5 * (share + next));
        let lap = if step + 1 < STEPS { LAP } else { 0.0 };
        svg.rectangle((left, height(next) - lap), (right, height(share)), colour);
    }
    for tick in axis.tick_values(5) {
        let y = height(axis.share(tick));
        svg.line(&[(right, y), (right + 3.0, y)], Stroke::new(SOFT, 1.0));
        svg.text(&axis.label(tick), (right + 6.0, y), Font::new(SMALL, SOFT), Anchor::Start);
    }
    svg.text(label, (region.right, top - 14.0), Font::new(TEXT, INK), Anchor::End);
}

/// The width a colour bar with its ticks takes.
pub(super) fn colour_bar_width(axis: &Axis) -> f64 {
    let labels = axis.tick_values(5).into_iter().map(|tick| text_width(&axis.label(tick), SMALL));
    22.0 + labels.fold(0.0, f64::max).ceil()
}

/// How values become colours: the setters of a figure with the fields `map` and `range`.
macro_rules! colour_setters {
    () => {
        /// Another colour map.
        #[must_use]
        pub fn colours(mut self, map: ColourMap) -> Self {
            self.map = map;
            self
        }

        /// Values at which the colours begin and end; by default the smallest and largest value.
        #[must_use]
        pub fn range(mut self, low: f64, high: f64) -> Self {
            self.range = Some((low, high));
            self
        }
    };
}
pub(super) use colour_setters;
