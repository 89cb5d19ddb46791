//! Error bars and marked points.

use super::axes::Placed;
use super::canvas::SMALL;
use super::colour::Colour;
use super::svg::{Anchor, Font, Place, Stroke, Svg, text_width};

/// A bar with caps between two heights, cut off at the ends of the axis.
pub(super) fn error_bar(svg: &mut Svg, axes: &Placed, x: f64, ends: [f64; 2], colour: Colour) {
    let (bottom, top) = axes.y_pixels();
    // Below zero on a logarithmic axis there is no place: the bar ends at the axis.
    let [low, high] = ends.map(|y| if y.is_finite() { y.clamp(top, bottom) } else { bottom });
    let cap = |y: f64| [(x - 3.5, y), (x + 3.5, y)];
    svg.pieces(&[[(x, low), (x, high)], cap(low), cap(high)], Stroke::new(colour, 1.0));
}

/// A ring around a place with words beside it, on the side where there is room. The colours are
/// those of the words and of the ground behind them.
pub(super) fn draw_mark(
    svg: &mut Svg,
    axes: &Placed,
    at: Place,
    words: &str,
    (colour, ground): (Colour, Colour),
) {
    svg.ring(at, 6.5, Stroke::new(colour, 2.0));
    let (left, right) = axes.x_pixels();
    // Bold letters are wider.
    let width = 1.12 * text_width(words, SMALL);
    let fits = at.0 + 12.0 + width <= right;
    let (x, anchor, start) = if fits || at.0 - left < right - at.0 {
        (at.0 + 11.0, Anchor::Start, at.0 + 11.0)
    } else {
        (at.0 - 11.0, Anchor::End, at.0 - 11.0 - width)
    };
    // Below a low point, where the curve it is the minimum of leaves room, or one at the top.
    let (bottom, top) = axes.y_pixels();
    let low = bottom - at.1 < 0.35 * (bottom - top) && bottom - at.1 > 24.0;
    let y = if low || at.1 - 12.0 < top { at.1 + 15.0 } else { at.1 - 13.0 };
    svg.veil((start - 3.0, y - 8.0), (start + width + 3.0, y + 8.0), ground);
    svg.text(words, (x, y), Font::new(SMALL, colour).bold(), anchor);
}
