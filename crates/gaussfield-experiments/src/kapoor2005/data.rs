//! The digits and texts of section 3.

use crate::{Context, Found};
use anyhow::{Context as _, Result};
use gaussfield_data::Dataset;
use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

/// The class whose label is +1.
pub(super) const POSITIVE: usize = 1;

/// Images of digits: the paper's, or others in their place.
pub(super) struct Images {
    points: Points,
    digit: Vec<usize>,
    /// By how much lengths between these images differ from those between the paper's.
    pub(super) scale: f64,
    /// Why the paper's images are not used; `None` if they are.
    pub(super) missing: Option<String>,
    /// What to write under a figure drawn on other images.
    pub(super) note: Option<String>,
}

impl Images {
    /// The USPS digits (256 grey values from 0 to 255) or, where they are missing, optdigits (64
    /// from 0 to 16).
    pub(super) fn load(ctx: &mut Context) -> Result<Self> {
        let source = ctx.data_or("usps", "optdigits")?;
        let shrink = (16.0 / 255.0) * (64.0_f64 / 256.0).sqrt();
        let scale = if source.missing.is_none() { 1.0 } else { shrink };
        let digit = digits(&source.data)?;
        let note = source.note.map(|note| {
            format!("{note} Widths are scaled to its pixels, by (16/255) · √(64/256) = {scale:.4}.")
        });
        Ok(Self { points: source.data.points, digit, scale, missing: source.missing, note })
    }

    /// Up to `each` images of every one of the digits, in random order, and their classes: whether
    /// the digit is odd.
    pub(super) fn odd_even(&self, each: usize, rng: &mut ChaCha8Rng) -> Result<(Points, Labels)> {
        let all: Vec<usize> = (0..10).collect();
        self.draw(&all, each, ["even", "odd"], |digit| digit % 2, rng)
    }

    /// Up to `each` images of "2" (the negative class) and of "1".
    pub(super) fn one_two(&self, each: usize, rng: &mut ChaCha8Rng) -> Result<(Points, Labels)> {
        self.draw(&[1, 2], each, ["2", "1"], |digit| usize::from(digit == 1), rng)
    }

    fn draw(
        &self,
        digits: &[usize],
        each: usize,
        names: [&str; 2],
        class_of: impl Fn(usize) -> usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Points, Labels)> {
        let rows = |&digit: &usize| -> Vec<usize> {
            (0..self.digit.len()).filter(|&row| self.digit[row] == digit).collect()
        };
        // The digit with the fewest images decides, so that classes are equally large.
        let most = digits.iter().map(|digit| rows(digit).len()).min().unwrap_or(0).min(each);
        let mut drawn = Vec::new();
        for digit in digits {
            let mut rows = rows(digit);
            rows.shuffle(rng);
            rows.truncate(most);
            drawn.append(&mut rows);
        }
        drawn.shuffle(rng);
        let classes = drawn.iter().map(|&row| Some(class_of(self.digit[row]))).collect();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Ok((self.points.select(&drawn)?, Labels::new(classes, names)?))
    }
}

/// The digit of every image of a data set.
pub(super) fn digits(data: &Dataset) -> Result<Vec<usize>> {
    let names: Vec<usize> = data
        .labels
        .names()
        .iter()
        .map(|name| name.parse().with_context(|| format!("the class {name} is no digit")))
        .collect::<Result<_>>()?;
    let digit = |class: &Option<usize>| {
        class.and_then(|class| names.get(class).copied()).context("an image has no digit")
    };
    data.labels.as_slice().iter().map(digit).collect()
}

/// PC (the negative class) against MAC, as tf-idf vectors of all words.
pub(super) fn texts(ctx: &mut Context) -> Result<Found<Dataset>> {
    ctx.data_by("newsgroups", |catalog| {
        let file = catalog.file("newsgroups", "20news-18828-subset.tar.gz")?;
        Newsgroups::read(&file, &["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"])?.tf_idf()
    })
}
