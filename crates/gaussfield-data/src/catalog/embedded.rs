//! The one data set inside this library.

use crate::{DataError, Dataset, read};
use std::path::Path;

/// The rows of `optdigits.tra` and then `optdigits.tes`, as text, gzipped.
pub(super) const OPTDIGITS: &[u8] = include_bytes!("../../datasets/optdigits.csv.gz");

/// The data set this library carries: all 5620 rows of the UCI optical digits, 8 × 8 cells with
/// values 0 to 16, first the 3823 rows of the training file, then the 1797 of the test file.
///
/// Cite E. Alpaydin, C. Kaynak, *Optical Recognition of Handwritten Digits*, UCI Machine Learning
/// Repository, 1998.
///
/// # Errors
/// None that the tests of this crate do not exclude: the bytes are fixed when it is built.
pub fn embedded_optdigits() -> Result<Dataset, DataError> {
    let data = read::optdigits::parse(Path::new("optdigits.csv.gz"), OPTDIGITS)?;
    Ok(Dataset { name: "optdigits".to_owned(), ..data })
}
