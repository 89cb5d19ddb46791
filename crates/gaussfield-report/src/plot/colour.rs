//! Colours.

use std::fmt;

/// A colour by its shares of red, green and blue. It prints as SVG and the page's style write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// Text and axes. These four are replaced by the page's own colours in the report, so no other
/// element may use them.
pub(super) const INK: Colour = Colour(0x1A, 0x1D, 0x22);
/// Less important text.
pub(super) const SOFT: Colour = Colour(0x59, 0x61, 0x6C);
/// Grid lines.
pub(super) const RULE: Colour = Colour(0xE2, 0xE5, 0xEA);
/// Background.
pub(super) const PAGE: Colour = Colour(0xFD, 0xFE, 0xFF);

/// Colours for classes and series: Okabe and Ito's palette, which readers with colour-blindness
/// can tell apart, without its black and with two more at its end. All stand out on white and on
/// dark grey.
const PALETTE: [Colour; 10] = [
    Colour(0x00, 0x72, 0xB2), // blue
    Colour(0xD5, 0x5E, 0x00), // vermilion
    Colour(0x00, 0x9E, 0x73), // bluish green
    Colour(0xCC, 0x79, 0xA7), // reddish purple
    Colour(0xE6, 0x9F, 0x00), // orange
    Colour(0x56, 0xB4, 0xE9), // sky blue
    Colour(0x8C, 0x6B, 0x4A), // brown
    Colour(0xC8, 0xB9, 0x00), // dark yellow
    Colour(0x7F, 0x7F, 0x86), // grey
    Colour(0x8A, 0x4F, 0xD0), // violet
];

/// The colour of the class or series with this number; they repeat after ten.
pub(super) fn class_colour(index: usize) -> Colour {
    PALETTE[index % PALETTE.len()]
}

/// How numbers become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ColourMap {
    /// From dark violet (low) to yellow (high), evenly in brightness.
    #[default]
    Sequential,
    /// From blue (low) over near-white to vermilion (high), for numbers with a middle such as
    /// probabilities.
    Diverging,
    /// From black (low) to white (high).
    Grey,
    /// From white (low) to black (high).
    Ink,
}

impl ColourMap {
    /// The colour at `share` of the way from low to high; outside [0, 1] it stays at the end.
    pub(super) fn colour(self, share: f64) -> Colour {
        const SEQUENTIAL: [(u8, u8, u8); 6] = [
            (68, 1, 84),
            (65, 68, 135),
            (42, 120, 142),
            (34, 168, 132),
            (122, 209, 81),
            (253, 231, 37),
        ];
        const DIVERGING: [(u8, u8, u8); 5] =
            [(0, 90, 150), (105, 170, 214), (243, 243, 240), (236, 152, 94), (184, 76, 0)];
        const GREY: [(u8, u8, u8); 2] = [(0, 0, 0), (255, 255, 255)];
        const INK: [(u8, u8, u8); 2] = [(255, 255, 255), (0, 0, 0)];
        let anchors: &[(u8, u8, u8)] = match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Diverging => &DIVERGING,
            Self::Grey => &GREY,
            Self::Ink => &INK,
        };
        let place = share.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
        let below = (place.floor() as usize).min(anchors.len() - 2);
        let part = place - below as f64;
        let (from, to) = (anchors[below], anchors[below + 1]);
        let mix =
            |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
        Colour(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_start_and_end_at_their_anchors() {
        assert_eq!(ColourMap::Sequential.colour(0.0), Colour(68, 1, 84));
        assert_eq!(ColourMap::Sequential.colour(1.0), Colour(253, 231, 37));
        assert_eq!(ColourMap::Grey.colour(0.5), Colour(128, 128, 128));
        assert_eq!(ColourMap::Ink.colour(7.0), Colour(0, 0, 0));
        assert_eq!(ColourMap::Diverging.colour(0.5), Colour(243, 243, 240));
    }

    #[test]
    fn the_page_replaces_these_colours() {
        let css = include_str!("../report/style.css");
        for colour in [INK, SOFT, RULE, PAGE, PALETTE[0], PALETTE[9]] {
            for attribute in ["fill", "stroke"] {
                let selector = format!("[{attribute}=\"{colour}\"]");
                assert!(css.contains(&selector), "{selector}");
            }
        }
    }

    #[test]
    fn data_never_have_the_colours_the_page_replaces() {
        let maps = [ColourMap::Sequential, ColourMap::Diverging, ColourMap::Grey, ColourMap::Ink];
        let data = maps
            .iter()
            .flat_map(|map| (0..=1000).map(|step| map.colour(f64::from(step) / 1000.0)))
            .chain(PALETTE);
        for colour in data {
            assert!(![INK, SOFT, RULE, PAGE].contains(&colour), "{colour:?}");
        }
    }
}
