//! USPS handwritten digits as `usps_all.mat`: 1100 images of 16 × 16 pixels for each digit.
//!
//! The variable `data` is an array of pixels × images × classes. The third index is the digit in
//! the order 1, 2, …, 9, 0; an image is stored column by column and is turned here into rows, so
//! that it stands upright when reshaped to 16 × 16.

use super::mat::{self, MatArray};
use super::{memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_points::Points;
use ndarray::Array2;
use std::path::Path;

/// Reads the MATLAB file: class by class, the images of a class in the order of the file.
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Dataset, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// Reads the bytes of the MATLAB file; `path` names them in messages.
///
/// # Errors
/// As [`mat::parse`]; no variable `data`; a shape that is not pixels × images × ten classes with
/// square images.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Dataset, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let arrays = mat::parse_within(&mut memory, bytes)?;
    let MatArray { shape, values, .. } = mat::named(path, arrays, "data")?;
    memory.items("the images", values.len(), 8)?;
    let refuse = || DataError::Format {
        path: path.to_owned(),
        problem: format!("the array \"data\" has the shape {shape:?}"),
        remedy: "give usps_all.mat, whose \"data\" is 256 x 1100 x 10".to_owned(),
    };
    let [pixels, images, 10] = *shape.as_slice() else { return Err(refuse()) };
    let side = pixels.isqrt();
    if side * side != pixels || values.is_empty() {
        return Err(refuse());
    }
    let rows = Array2::from_shape_fn((10 * images, pixels), |(row, pixel)| {
        let (down, across) = (pixel / side, pixel % side);
        values[row * pixels + across * side + down]
    });
    let digits: Vec<i64> = (0..10 * images).map(|row| (row / images + 1) as i64 % 10).collect();
    Ok(Dataset::new("usps", Points::dense(rows)?, source::number_labels(&digits)?))
}
