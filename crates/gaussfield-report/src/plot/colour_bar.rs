//! The bar that says which colour is which value.

use super::axis::Axis;
use super::canvas::{Region, SMALL, TEXT};
use super::colour::{ColourMap, INK, SOFT};
use super::pen::{Pen, Side, text_width};
use anyhow::Result;

/// How far, in pixels, coloured cells reach under those drawn after them. At whatever size a page
/// shows them, that covers the pixel their common edge runs through.
pub(super) const LAP: f64 = 1.5;

/// Draws the bar that says which colour is which value.
pub(super) fn draw_colour_bar(
    pen: &Pen<'_, '_>,
    map: ColourMap,
    axis: &Axis,
    label: &str,
    region: Region,
) -> Result<()> {
    let (top, bottom) = (f64::from(region.top), f64::from(region.bottom));
    let (left, right) = (f64::from(region.left), f64::from(region.left + 12));
    const STEPS: i32 = 64;
    let height = |share: f64| bottom + share * (top - bottom);
    for step in 0..STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        let next = f64::from(step + 1) / f64::from(STEPS);
        let colour = map.colour(0.5 * (share + next));
        let lap = if step + 1 < STEPS { LAP } else { 0.0 };
        pen.rectangle((left, height(next) - lap), (right, height(share)), colour)?;
    }
    for tick in axis.tick_values(5) {
        let y = height(axis.share(tick));
        pen.line(&[(right, y), (right + 3.0, y)], SOFT, 0.8)?;
        pen.text(&axis.label(tick), (right + 6.0, y), SMALL, SOFT, Side::Left)?;
    }
    let at = (f64::from(region.right), top - 11.0);
    pen.text(label, at, TEXT, INK, Side::Right)
}

/// The width a colour bar with its ticks takes.
pub(super) fn colour_bar_width(axis: &Axis) -> i32 {
    let labels = axis.tick_values(5).into_iter().map(|tick| text_width(&axis.label(tick), SMALL));
    22 + labels.fold(0.0, f64::max).ceil() as i32
}
