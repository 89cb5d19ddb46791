//! Cells that hold no number, and what takes their place.

use crate::DataError;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Gaps whose place is remembered for a message.
const REMEMBERED: usize = 1000;

/// What takes the place of a missing number, column by column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Impute {
    /// The mean of the numbers that are there.
    Mean,
    /// Their median.
    Median,
    /// Zero.
    Zero,
}

impl Impute {
    /// What fills the gaps of a column; `None` if it has no number at all.
    pub(super) fn fill(self, present: &mut [f64]) -> Option<f64> {
        let middle = present.len() / 2;
        match self {
            Self::Zero => Some(0.0),
            _ if present.is_empty() => None,
            Self::Mean => {
                // Shares are added, so that large numbers do not overflow.
                let count = present.len() as f64;
                Some(present.iter().map(|x| x / count).sum())
            }
            Self::Median => {
                present.sort_by(f64::total_cmp);
                let upper = present[middle];
                let even = present.len().is_multiple_of(2);
                Some(if even { present[middle - 1] / 2.0 + upper / 2.0 } else { upper })
            }
        }
    }
}

/// Whether a cell says that its value is missing.
pub(super) fn is_missing(cell: &str) -> bool {
    let marks = ["", "?", "na", "n/a", "nan", "null", "none"];
    marks.iter().any(|mark| cell.eq_ignore_ascii_case(mark))
}

/// Where numbers are missing.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    cells: usize,
    /// The first of them: line and column.
    first: Vec<(usize, usize)>,
}

impl Gaps {
    pub(super) fn note(&mut self, line: usize, column: usize) {
        self.cells += 1;
        if self.first.len() < REMEMBERED {
            self.first.push((line, column));
        }
    }

    /// Fills the gaps, which stand as NaN, or says where they are. Column j of `rows` is column
    /// `features[j]` of the file.
    pub(super) fn fill(
        &self,
        path: &Path,
        names: &[String],
        features: &[usize],
        impute: Option<Impute>,
        rows: &mut Array2<f64>,
    ) -> Result<(), DataError> {
        if self.cells == 0 {
            return Ok(());
        }
        for (mut values, &column) in rows.columns_mut().into_iter().zip(features) {
            if !values.iter().any(|value| value.is_nan()) {
                continue;
            }
            let mut present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            let fill = impute.and_then(|impute| impute.fill(&mut present)).ok_or_else(|| {
                let own = self.first.iter().filter(|(_, of)| *of == column);
                DataError::Missing {
                    path: path.to_owned(),
                    column: names[column].clone(),
                    cells: self.cells,
                    lines: own.map(|(line, _)| *line).collect(),
                }
            })?;
            values.mapv_inplace(|value| if value.is_nan() { fill } else { value });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_from_what_is_there() {
        assert_eq!(Impute::Mean.fill(&mut [1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(Impute::Median.fill(&mut [9.0, 1.0, 2.0, 4.0]), Some(3.0));
        assert_eq!(Impute::Median.fill(&mut [9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(Impute::Zero.fill(&mut []), Some(0.0));
        assert_eq!((Impute::Mean.fill(&mut []), Impute::Median.fill(&mut [])), (None, None));
        assert!(Impute::Mean.fill(&mut [f64::MAX, f64::MAX]).is_some_and(f64::is_finite));
    }
}
