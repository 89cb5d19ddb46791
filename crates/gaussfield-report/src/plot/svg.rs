//! SVG text, written element by element. Lengths are pixels of the page, with decimals.

use super::colour::Colour;
use crate::escape::escape;
use std::fmt::{self, Write as _};

/// A place on the sheet: to the right and downwards from its upper left corner.
pub(super) type Place = (f64, f64);

const FAMILY: &str = "Helvetica, Arial, sans-serif";
/// How far below its middle line a text's base line is, as a share of its size.
const MIDDLE: f64 = 0.34;

/// Which part of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a line looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stroke {
    colour: Colour,
    width: f64,
    dashed: bool,
}

impl Stroke {
    pub(super) fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, dashed: false }
    }

    pub(super) fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }
}

/// How words look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Font {
    size: f64,
    colour: Colour,
    bold: bool,
}

impl Font {
    pub(super) fn new(size: f64, colour: Colour) -> Self {
        Self { size, colour, bold: false }
    }

    pub(super) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// About how wide a text is.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    0.54 * size * text.chars().count() as f64
}

/// The words, or as many letters of their beginning and end as fit into a width: names of one kind often
/// differ at their end alone.
pub(super) fn shortened(text: &str, width: f64, size: f64) -> String {
    if text.is_empty() || text_width(text, size) <= width {
        return text.to_owned();
    }
    let most = (width / text_width("x", size)).max(1.0) as usize;
    let letters: Vec<char> = text.chars().collect();
    let last = most.saturating_sub(1) / 2;
    let first = most.saturating_sub(1 + last).max(1);
    let part = |letters: &[char]| letters.iter().collect::<String>();
    let (begin, end) = (part(&letters[..first]), part(&letters[letters.len() - last..]));
    format!("{}…{}", begin.trim_end(), end.trim_start())
}

/// A drawing under way.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
}

/// Appends a line; writing to memory cannot fail.
macro_rules! put {
    ($svg:expr, $($words:tt)*) => {{
        let written = writeln!($svg.text, $($words)*);
        debug_assert!(written.is_ok(), "a line in memory");
    }};
}

impl Svg {
    /// An empty drawing; `name` is what those hear who do not see it.
    pub(super) fn new((width, height): (f64, f64), name: &str) -> Self {
        let mut svg = Self { text: String::new() };
        let (width, height) = (Number(width), Number(height));
        put!(
            svg,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" \
             font-family=\"{FAMILY}\" stroke-linejoin=\"round\">",
            escape(name)
        );
        svg
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// Elements that belong together; a reader who points at one of them is told `title`.
    pub(super) fn group(&mut self, title: &str, draw: impl FnOnce(&mut Self)) {
        if title.is_empty() {
            return draw(self);
        }
        put!(self, "<g><title>{}</title>", escape(title));
        draw(self);
        put!(self, "</g>");
    }

    pub(super) fn line(&mut self, points: &[Place], stroke: Stroke) {
        put!(self, "<polyline points=\"{}\" fill=\"none\"{stroke}/>", Points(points));
    }

    /// Many short lines as one element.
    pub(super) fn pieces(&mut self, pieces: &[[Place; 2]], stroke: Stroke) {
        if pieces.is_empty() {
            return;
        }
        let path: String = pieces
            .iter()
            .map(|[from, to]| {
                format!("M{} {}L{} {}", Number(from.0), Number(from.1), Number(to.0), Number(to.1))
            })
            .collect();
        put!(self, "<path d=\"{path}\" fill=\"none\"{stroke}/>");
    }

    pub(super) fn rectangle(&mut self, a: Place, b: Place, fill: Colour) {
        self.filled(a, b, fill, "");
    }

    /// A rectangle through which what lies below it still shows.
    pub(super) fn veil(&mut self, a: Place, b: Place, fill: Colour) {
        self.filled(a, b, fill, " fill-opacity=\"0.7\"");
    }

    fn filled(&mut self, a: Place, b: Place, fill: Colour, more: &str) {
        let (left, top) = (a.0.min(b.0), a.1.min(b.1));
        let (width, height) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        put!(
            self,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"{more}/>",
            Number(left),
            Number(top),
            Number(width),
            Number(height)
        );
    }

    pub(super) fn polygon(&mut self, points: &[Place], fill: Colour) {
        put!(self, "<polygon points=\"{}\" fill=\"{fill}\"/>", Points(points));
    }

    /// A polygon with an edge.
    pub(super) fn outlined(&mut self, points: &[Place], fill: Colour, edge: Stroke) {
        put!(self, "<polygon points=\"{}\" fill=\"{fill}\"{edge}/>", Points(points));
    }

    pub(super) fn disc(&mut self, at: Place, radius: f64, fill: Colour) {
        put!(self, "<circle{} fill=\"{fill}\"/>", Round(at, radius));
    }

    /// A disc with an edge.
    pub(super) fn rimmed(&mut self, at: Place, radius: f64, fill: Colour, edge: Stroke) {
        put!(self, "<circle{} fill=\"{fill}\"{edge}/>", Round(at, radius));
    }

    pub(super) fn ring(&mut self, at: Place, radius: f64, stroke: Stroke) {
        put!(self, "<circle{} fill=\"none\"{stroke}/>", Round(at, radius));
    }

    /// Words whose middle line goes through `at`.
    pub(super) fn text(&mut self, words: &str, at: Place, font: Font, anchor: Anchor) {
        self.write(words, (at.0, at.1 + MIDDLE * font.size), font, anchor, "");
    }

    /// Words that read upwards, with their middle at `at`.
    pub(super) fn upward(&mut self, words: &str, at: Place, font: Font) {
        let turn = format!(" transform=\"rotate(-90 {} {})\"", Number(at.0), Number(at.1));
        self.write(words, (at.0, at.1 + MIDDLE * font.size), font, Anchor::Middle, &turn);
    }

    fn write(&mut self, words: &str, base: Place, font: Font, anchor: Anchor, turn: &str) {
        if words.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        put!(
            self,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight}{anchor} fill=\"{}\"{turn}>{}</text>",
            Number(base.0),
            Number(base.1),
            Number(font.size),
            font.colour,
            escape(words)
        );
    }
}

impl fmt::Display for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " stroke=\"{}\" stroke-width=\"{}\"", self.colour, Number(self.width))?;
        if self.dashed {
            f.write_str(" stroke-dasharray=\"6 4\"")?;
        }
        Ok(())
    }
}

/// A length to the hundredth of a pixel, without zeros at its end.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns a negative zero into a plain one.
        let hundredths = (100.0 * self.0).round() + 0.0;
        write!(f, "{}", hundredths / 100.0)
    }
}

struct Points<'a>(&'a [Place]);

impl fmt::Display for Points<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, &(x, y)) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{},{}", Number(x), Number(y))?;
        }
        Ok(())
    }
}

struct Round(Place, f64);

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self((x, y), radius) = *self;
        write!(f, " cx=\"{}\" cy=\"{}\" r=\"{}\"", Number(x), Number(y), Number(radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::colour::{INK, PAGE};
    use crate::plot::form::well_formed;
    use proptest::prelude::*;

    fn drawn(draw: impl FnOnce(&mut Svg)) -> String {
        let mut svg = Svg::new((200.0, 100.0), "a \"name\" & more");
        draw(&mut svg);
        svg.finish()
    }

    #[test]
    fn numbers_have_two_decimals_at_most() {
        let table =
            [(1.0, "1"), (0.125, "0.13"), (-0.001, "0"), (12.3456, "12.35"), (-7.5, "-7.5")];
        for (value, text) in table {
            assert_eq!(Number(value).to_string(), text);
        }
        assert_eq!(Number(1e6).to_string(), "1000000");
    }

    #[test]
    fn words_are_cut_to_a_width() {
        let width = text_width("seven letters", 12.0);
        assert_eq!(shortened("seven letters", width, 12.0), "seven letters");
        assert_eq!(shortened("seven letters and more", width, 12.0), "seven…d more");
        assert_eq!(shortened("seven letters", 1.0, 12.0), "s…");
        assert_eq!(shortened("", -1.0, 12.0), "");
    }

    #[test]
    fn dashes_are_the_readers_to_cut() {
        let path = [(0.0, 0.0), (30.0, 0.5)];
        let plain = drawn(|svg| svg.line(&path, Stroke::new(INK, 2.0)));
        assert!(plain.contains("<polyline points=\"0,0 30,0.5\" fill=\"none\" stroke=\"#1A1D22\""));
        assert!(!plain.contains("dash"));
        let dashed = drawn(|svg| svg.line(&path, Stroke::new(INK, 2.0).dashed()));
        assert_eq!(dashed.matches("stroke-dasharray=\"6 4\"").count(), 1);
    }

    #[test]
    fn corners_may_come_in_any_order() {
        let from = |a, b| drawn(|svg| svg.rectangle(a, b, PAGE));
        assert_eq!(from((1.0, 2.0), (4.0, 8.0)), from((4.0, 8.0), (1.0, 2.0)));
        assert!(from((4.0, 2.0), (1.0, 8.0)).contains("x=\"1\" y=\"2\" width=\"3\" height=\"6\""));
    }

    #[test]
    fn a_group_tells_its_title() {
        let svg = drawn(|svg| svg.group("a < b", |svg| svg.disc((1.0, 2.0), 3.0, INK)));
        assert!(svg.contains("<g><title>a &lt; b</title>\n<circle cx=\"1\" cy=\"2\" r=\"3\""));
        assert!(!drawn(|svg| svg.group("", |svg| svg.disc((1.0, 2.0), 3.0, INK))).contains("<g>"));
    }

    proptest! {
        #[test]
        fn whatever_the_words_the_text_is_well_formed(words: String, size in 1.0..50.0f64) {
            let font = Font::new(size, INK).bold();
            let svg = drawn(|svg| {
                svg.group(&words, |svg| svg.text(&words, (10.0, 20.0), font, Anchor::End));
                svg.upward(&words, (5.0, 50.0), font);
                svg.pieces(&[[(0.0, 1.0), (2.0, 3.0)]], Stroke::new(INK, 1.0));
            });
            prop_assert_eq!(well_formed(&svg), Ok(()));
        }
    }
}
