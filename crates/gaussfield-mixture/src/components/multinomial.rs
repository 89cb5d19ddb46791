//! Distributions over words, and what counts must be.

use crate::MixtureError;
use gaussfield_core::check;
use gaussfield_points::{Points, Rows};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// M distributions over the words of a vocabulary: log p(x | m) = Σ_w x_w ln η_mw, the multinomial
/// coefficient left out.
///
/// Invariant: at least one component; probabilities positive; rows sum to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Multinomial {
    words: Array2<f64>,
}

impl Multinomial {
    /// Takes M × V word probabilities.
    ///
    /// # Errors
    /// No component, a probability that is not in (0, 1], a row that does not sum to one.
    pub fn new(words: Array2<f64>) -> Result<Self, MixtureError> {
        check::at_least("the number of components", words.nrows(), 1)?;
        for row in words.rows() {
            for &p in row {
                check::range(
                    "a word probability",
                    p,
                    p > 0.0 && p <= 1.0,
                    "above 0 and at most 1",
                )?;
            }
            let (name, sum) = ("the sum of the word probabilities of a component", row.sum());
            check::range(name, sum, (sum - 1.0).abs() <= 1e-6, "1")?;
        }
        Ok(Self { words })
    }

    /// From expected counts, `smooth` added to each.
    ///
    /// # Errors
    /// As [`Multinomial::new`].
    pub fn from_counts(counts: ArrayView2<'_, f64>, smooth: f64) -> Result<Self, MixtureError> {
        let mut words = counts.mapv(|count| count + smooth);
        for mut row in words.rows_mut() {
            let sum = row.sum();
            row /= sum;
        }
        Self::new(words)
    }

    /// M × V word probabilities η.
    pub fn word_probabilities(&self) -> ArrayView2<'_, f64> {
        self.words.view()
    }

    /// Makes a component the smoothed distribution of one document.
    pub(super) fn reseed(&mut self, component: usize, document: ArrayView1<'_, f64>, smooth: f64) {
        let mut row = self.words.row_mut(component);
        row.assign(&document.mapv(|count| count + smooth));
        let sum = row.sum();
        row /= sum;
    }
}

/// Counts must not be negative, and every document must have a word. O(stored numbers).
pub(super) fn check_counts(points: &Points) -> Result<(), MixtureError> {
    let check_row = |row: usize, entries: &mut dyn Iterator<Item = (usize, f64)>| {
        let mut total = 0.0;
        for (column, value) in entries {
            if value < 0.0 {
                let name = format!("the count in row {row}, column {column}");
                let allowed = "not negative: give raw counts, or use Gaussian components";
                check::range(name, value, false, allowed)?;
            }
            total += value;
        }
        if total > 0.0 { Ok(()) } else { Err(MixtureError::EmptyDocument { row }) }
    };
    check::at_least("the number of words", points.dim(), 1)?;
    match points.rows() {
        Rows::Dense(rows) => {
            rows.rows().into_iter().enumerate().try_for_each(|(row, values)| {
                check_row(row, &mut values.iter().copied().enumerate())
            })
        }
        Rows::Sparse(rows) => rows.outer_iterator().enumerate().try_for_each(|(row, values)| {
            check_row(row, &mut values.iter().map(|(column, &value)| (column, value)))
        }),
    }
}
