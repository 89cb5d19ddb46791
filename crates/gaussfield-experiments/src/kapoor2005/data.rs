//! The digits of section 3.

use crate::Context;
use crate::tasks::Digits;
use anyhow::Result;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

/// The images of the paper, or others.
pub(super) fn images(ctx: &mut Context) -> Result<Digits> {
    let digits = Digits::load(ctx)?;
    let words = format!(
        "Widths are scaled to its pixels, by (16/255) · √(64/256) = {:.4}.",
        digits.scale()
    );
    Ok(digits.remarking(&words))
}

impl Digits {
    /// Up to `each` images of every one of the digits, in random order, and their classes: whether
    /// the digit is odd.
    pub(super) fn odd_even(&self, each: usize, rng: &mut ChaCha8Rng) -> Result<(Points, Labels)> {
        let all: Vec<usize> = (0..10).collect();
        self.two_classes(&all, each, ["even", "odd"], |digit| digit % 2, rng)
    }

    /// Up to `each` images of "2" (the negative class) and of "1".
    pub(super) fn one_two(&self, each: usize, rng: &mut ChaCha8Rng) -> Result<(Points, Labels)> {
        self.two_classes(&[1, 2], each, ["2", "1"], |digit| usize::from(digit == 1), rng)
    }

    fn two_classes(
        &self,
        digits: &[usize],
        each: usize,
        names: [&str; 2],
        class_of: impl Fn(usize) -> usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Points, Labels)> {
        // The digit with the fewest images decides, so that classes are equally large.
        let most =
            digits.iter().map(|&digit| self.rows_of(&[digit]).len()).min().unwrap_or(0).min(each);
        let mut drawn = Vec::new();
        for &digit in digits {
            let mut rows = self.rows_of(&[digit]);
            rows.shuffle(rng);
            rows.truncate(most);
            drawn.append(&mut rows);
        }
        drawn.shuffle(rng);
        self.select(&drawn, &names, class_of)
    }
}
