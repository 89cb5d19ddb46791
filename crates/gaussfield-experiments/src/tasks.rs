//! Handwritten digits, which several papers use.

use crate::{Context, Source};
use anyhow::{Context as _, Result};
use gaussfield_data::Dataset;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Array2;

/// The papers' digits ([`Paper::data`](crate::Paper::data)).
pub(crate) const USPS: &[&str] = &["usps"];

/// Images of handwritten digits: USPS (16 × 16 grey values from 0 to 255), on which the papers
/// worked, or where they are missing optdigits (8 × 8 from 0 to 16).
pub(crate) struct Digits {
    pub(crate) points: Points,
    /// The digit that every image shows.
    pub(crate) shown: Vec<usize>,
    /// Why the papers' images are not used; `None` if they are.
    pub(crate) missing: Option<String>,
    /// What to write under a figure drawn on other images.
    pub(crate) note: Option<String>,
}

impl Digits {
    pub(crate) fn load(ctx: &mut Context) -> Result<Self> {
        let Source { data, missing, note } = digit_images(ctx)?;
        Ok(Self { shown: shown(&data)?, points: data.points, missing, note })
    }

    /// Adds what was done about other images to the note on them.
    pub(crate) fn remarking(mut self, words: &str) -> Self {
        self.note = self.note.map(|note| format!("{note} {words}"));
        self
    }

    /// By how much grey values differ from those of the papers' images.
    pub(crate) fn grey(&self) -> f64 {
        if self.missing.is_none() { 1.0 } else { 16.0 / 255.0 }
    }

    /// By how much lengths between images differ from those between the papers': a distance is a
    /// root of a sum over pixels, so √(64/256) comes from their number.
    pub(crate) fn scale(&self) -> f64 {
        if self.missing.is_none() { 1.0 } else { self.grey() * (64.0_f64 / 256.0).sqrt() }
    }

    /// The images that show one of these digits.
    pub(crate) fn rows_of(&self, digits: &[usize]) -> Vec<usize> {
        (0..self.shown.len()).filter(|&row| digits.contains(&self.shown[row])).collect()
    }

    /// The given images with their classes.
    pub(crate) fn select(
        &self,
        rows: &[usize],
        names: &[&str],
        class_of: impl Fn(usize) -> usize,
    ) -> Result<(Points, Labels)> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let classes = rows.iter().map(|&row| Some(class_of(self.shown[row]))).collect();
        Ok((self.points.select(rows)?, Labels::new(classes, names)?))
    }
}

/// The data set of [`Digits`].
pub(crate) fn digit_images(ctx: &mut Context) -> Result<Source> {
    ctx.data_or("usps", "optdigits")
}

/// The digit of every image of a data set whose classes are digits.
pub(crate) fn shown(data: &Dataset) -> Result<Vec<usize>> {
    let digit = |name: &String| {
        let digit = name.parse().ok().filter(|digit| *digit < 10);
        digit.with_context(|| format!("the class {name} is no digit"))
    };
    let digits: Vec<usize> = data.labels.names().iter().map(digit).collect::<Result<_>>()?;
    let of_image = |class: &Option<usize>| {
        class.and_then(|class| digits.get(class).copied()).context("an image has no digit")
    };
    data.labels.as_slice().iter().map(of_image).collect()
}

/// Square images of half the side: means of 2 × 2 pixels.
pub(crate) fn halved(images: &Array2<f64>, side: usize) -> Result<Array2<f64>> {
    anyhow::ensure!(
        images.ncols() == side * side && side.is_multiple_of(2),
        "images of {} pixels are not {side} × {side}",
        images.ncols()
    );
    let half = side / 2;
    let pixel = |row: usize, at: usize| {
        let (y, x) = (2 * (at / half), 2 * (at % half));
        let sum: f64 = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(i, j)| images[[row, (y + i) * side + x + j]])
            .iter()
            .sum();
        sum / 4.0
    };
    Ok(Array2::from_shape_fn((images.nrows(), half * half), |(row, at)| pixel(row, at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunOptions;
    use gaussfield_data::catalog::{Catalog, Places};

    #[test]
    fn other_digits_stand_in_and_say_so() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let places = Places { data: None, cache: folder.path().join("cache") };
        let catalog = Catalog::builtin().expect("the catalogue is good").with_places(places);
        let ctx = Context::new(&RunOptions::default(), folder.path()).expect("writable");
        let mut ctx = ctx.with_catalog(catalog);
        let digits = Digits::load(&mut ctx).expect("optdigits is embedded").remarking("Smaller.");
        assert!(digits.missing.as_ref().is_some_and(|reason| reason.contains("usps")));
        assert!(digits.note.as_ref().is_some_and(|note| note.ends_with(" Smaller.")));
        assert!((digits.scale() - 16.0 / 510.0).abs() < 1e-15);
        let rows = digits.rows_of(&[1, 2]);
        let (points, labels) =
            digits.select(&rows, &["1", "2"], |digit| digit - 1).expect("digits");
        assert_eq!((points.len(), points.dim(), labels.len()), (rows.len(), 64, rows.len()));
        assert!(rows.len() < 5620 / 4 && rows.iter().all(|&row| digits.shown[row] < 3));
    }

    #[test]
    fn images_are_halved_by_means() {
        let image = Array2::from_shape_fn((1, 16), |(_, at)| at as f64);
        let small = halved(&image, 4).unwrap();
        // Rows 0 1 2 3 / 4 5 6 7: the first mean is (0 + 1 + 4 + 5)/4.
        assert_eq!(small.row(0).to_vec(), [2.5, 4.5, 10.5, 12.5]);
        assert!(halved(&image, 8).is_err());
    }
}
