//! Error bars and marked points.

use super::axes::Placed;
use super::canvas::SMALL;
use super::pen::{Pen, Place, Side, text_width};
use anyhow::Result;
use plotters::style::RGBColor;

/// A bar with caps between two heights, cut off at the ends of the axis.
pub(super) fn error_bar(
    pen: &Pen<'_, '_>,
    axes: &Placed,
    x: f64,
    ends: [f64; 2],
    colour: RGBColor,
) -> Result<()> {
    let (bottom, top) = axes.y_pixels();
    // Below zero on a logarithmic axis there is no place: the bar ends at the axis.
    let [low, high] = ends.map(|y| if y.is_finite() { y.clamp(top, bottom) } else { bottom });
    pen.line(&[(x, low), (x, high)], colour, 1.0)?;
    for y in [low, high] {
        pen.line(&[(x - 3.5, y), (x + 3.5, y)], colour, 1.0)?;
    }
    Ok(())
}

/// A ring around a place with words beside it, on the side where there is room. The colours are
/// those of the words and of the ground behind them.
pub(super) fn draw_mark(
    pen: &Pen<'_, '_>,
    axes: &Placed,
    at: Place,
    words: &str,
    (colour, ground): (RGBColor, RGBColor),
) -> Result<()> {
    pen.ring(at, 6.5, colour, 2.0)?;
    let (left, right) = axes.x_pixels();
    let width = text_width(words, SMALL);
    let fits = at.0 + 12.0 + width <= right;
    let (x, side, start) = if fits || at.0 - left < right - at.0 {
        (at.0 + 11.0, Side::Left, at.0 + 11.0)
    } else {
        (at.0 - 11.0, Side::Right, at.0 - 11.0 - width)
    };
    // Below a low point, where the curve it is the minimum of leaves room, or one at the top.
    let (bottom, top) = axes.y_pixels();
    let low = bottom - at.1 < 0.35 * (bottom - top) && bottom - at.1 > 24.0;
    let y = if low || at.1 - 12.0 < top { at.1 + 15.0 } else { at.1 - 13.0 };
    pen.rectangle((start - 3.0, y - 8.0), (start + width + 3.0, y + 8.0), ground)?;
    pen.bold(words, (x, y), SMALL, colour, side)
}
