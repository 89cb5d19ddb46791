//! Gaussian sheets in any dimension, drawn in parallel, for tests of scale.

use super::{normal, params, rng};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Array2;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Rows drawn from one random stream; fixed, so that the threads cannot change the result.
const BLOCK: usize = 1024;

/// One Gaussian sheet a class, of low dimension in a space of any dimension, for scale tests.
///
/// A point of class c is x = μ_c + B_c z + noise·ε, where z ~ N(0, I) has `intrinsic` entries,
/// ε ~ N(0, I) has `dim`, and the columns of B_c are random directions of unit length. The
/// centres are random directions of length separation/√2, so two of them lie about `separation`
/// apart, counted in the standard deviation of a sheet along itself: sheets cross at 0, overlap
/// near 1 and are apart well above 2·√intrinsic. Node i has class i mod `classes`.
///
/// Cost: O(n · dim · intrinsic), in parallel over blocks of 1024 rows, each with a random stream
/// of its own, so that the numbers do not depend on the number of threads.
///
/// ```
/// use gaussfield_data::generate::ClusterManifolds;
///
/// let sheets = ClusterManifolds { n: 5000, dim: 32, classes: 10, ..Default::default() };
/// let data = sheets.generate(7)?;
/// assert_eq!((data.len(), data.dim(), data.classes()), (5000, 32, 10));
/// # Ok::<(), gaussfield_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterManifolds {
    /// Number of points, at least `classes`.
    pub n: usize,
    /// Number of features, at least 1.
    pub dim: usize,
    /// Number of classes, at least 1.
    pub classes: usize,
    /// Dimension of each sheet, from 1 to `dim`.
    pub intrinsic: usize,
    /// Distance between class centres, 0 or more.
    pub separation: f64,
    /// Standard deviation of the noise off the sheet, on each feature, 0 or more.
    pub noise: f64,
}

impl Default for ClusterManifolds {
    fn default() -> Self {
        Self { n: 10_000, dim: 16, classes: 10, intrinsic: 2, separation: 4.0, noise: 0.05 }
    }
}

/// Where one class lies: its centre and the directions of its sheet.
struct Sheet {
    centre: Vec<f64>,
    directions: Vec<Vec<f64>>,
}

impl ClusterManifolds {
    /// Draws the points.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range, or if the n · dim numbers cannot
    /// be held in memory.
    pub fn generate(&self, seed: u64) -> Result<Dataset, DataError> {
        params::count("dim", self.dim, 1)?;
        params::count("classes", self.classes, 1)?;
        params::at_least("n", self.n, self.classes)?;
        params::count("intrinsic", self.intrinsic, 1)?;
        params::at_most("intrinsic", self.intrinsic, self.dim, "the number of features")?;
        params::not_negative("separation", self.separation)?;
        params::not_negative("noise", self.noise)?;
        let mut values = self.room()?;

        let mut shapes = rng(seed);
        let length = self.separation / 2.0_f64.sqrt();
        let sheets: Vec<Sheet> = (0..self.classes)
            .map(|_| Sheet {
                centre: direction(&mut shapes, self.dim, length),
                directions: (0..self.intrinsic)
                    .map(|_| direction(&mut shapes, self.dim, 1.0))
                    .collect(),
            })
            .collect();

        values.par_chunks_mut(BLOCK * self.dim).enumerate().for_each(|(block, chunk)| {
            let mut rng = rng(seed);
            rng.set_stream(1 + block as u64); // stream 0 drew the sheets
            for (row, point) in chunk.chunks_mut(self.dim).enumerate() {
                let sheet = &sheets[(block * BLOCK + row) % self.classes];
                self.draw(&mut rng, sheet, point);
            }
        });

        let classes: Vec<usize> = (0..self.n).map(|node| node % self.classes).collect();
        // The length is n · dim by construction, so the shape always fits.
        let rows = Array2::from_shape_vec((self.n, self.dim), values)
            .map_err(|_| self.too_large("rows of equal length"))?;
        let labels = Labels::numbered(&classes, self.classes)?;
        Ok(Dataset::new("cluster manifolds", Points::dense(rows)?, labels))
    }

    /// n · dim zeros, or an error where an allocation would end the process.
    fn room(&self) -> Result<Vec<f64>, DataError> {
        let refused = || self.too_large("few enough numbers for this machine's memory");
        let numbers = self.n.checked_mul(self.dim).ok_or_else(refused)?;
        let mut values = Vec::new();
        values.try_reserve_exact(numbers).map_err(|_| refused())?;
        values.resize(numbers, 0.0);
        Ok(values)
    }

    fn too_large(&self, expected: &str) -> DataError {
        let value = format!("{} × {}", self.n, self.dim);
        DataError::Argument { name: "n × dim", value, expected: expected.to_owned() }
    }

    fn draw(&self, rng: &mut ChaCha8Rng, sheet: &Sheet, point: &mut [f64]) {
        point.copy_from_slice(&sheet.centre);
        for direction in &sheet.directions {
            let along = normal(rng);
            for (x, step) in point.iter_mut().zip(direction) {
                *x += along * step;
            }
        }
        for x in point {
            *x += self.noise * normal(rng);
        }
    }
}

/// A vector of the given length in a direction uniform on the sphere.
fn direction(rng: &mut ChaCha8Rng, dim: usize, length: f64) -> Vec<f64> {
    let raw: Vec<f64> = (0..dim).map(|_| normal(rng)).collect();
    let norm = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = if norm > 0.0 { length / norm } else { 0.0 };
    raw.into_iter().map(|x| x * scale).collect()
}
