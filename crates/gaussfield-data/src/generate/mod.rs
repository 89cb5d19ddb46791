//! Seeded generators: shapes on which following the data beats measuring straight distances.
//!
//! Each generator is a struct whose fields are its parameters, with the setting of the paper's
//! figure as `Default`. `generate(seed)` draws the points. The same seed gives the same numbers,
//! bit for bit, whatever the number of threads. Labels are complete: a [`crate::split::Split`]
//! or the figure's own labelled nodes decide what a method may see.
//!
//! ```
//! use gaussfield_data::generate::ThreeBands;
//!
//! let figure = ThreeBands::default().generate(1)?;
//! assert_eq!(figure.data.len(), 181); // zhu2003, Figure 2: 3 labelled + 178 unlabelled
//! let visible = figure.partial()?;
//! assert_eq!(visible.labelled(), figure.labelled);
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

mod bands;
mod grids;
mod manifolds;
mod moons;
mod params;
mod roll;
mod spirals;

pub use bands::ThreeBands;
pub use grids::TwoGrids;
pub use manifolds::ClusterManifolds;
pub use moons::TwoMoons;
pub use roll::{RollSample, SwissRoll};
pub use spirals::TwoSpirals;

use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// A generated data set with the labelled nodes its figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Demonstration {
    /// The points with the true class of each.
    pub data: Dataset,
    /// The nodes whose label a method is shown, in increasing order, one a class.
    pub labelled: Vec<usize>,
}

impl Demonstration {
    /// The labels a method is shown: those of the labelled nodes only.
    ///
    /// # Errors
    /// A labelled node past the end, if the fields were changed by hand.
    pub fn partial(&self) -> Result<Labels, DataError> {
        Ok(self.data.labels.keep(&self.labelled)?)
    }
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// One standard normal number.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// `count` increasing places in [0, 1), one in each of `count` equal cells.
///
/// Unlike independent places these leave no gap of more than two cells, so that a curve sampled
/// with them stays connected.
fn spaced(rng: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|i| (i as f64 + rng.random::<f64>()) / count as f64).collect()
}

/// Rows of equal length and their classes, gathered while a generator runs.
struct Gathered<const D: usize> {
    rows: Vec<[f64; D]>,
    classes: Vec<usize>,
}

impl<const D: usize> Gathered<D> {
    fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), classes: Vec::with_capacity(rows) }
    }

    fn push(&mut self, row: [f64; D], class: usize) {
        self.rows.push(row);
        self.classes.push(class);
    }

    /// The data set of the first `dim` coordinates.
    fn finish(self, name: &str, dim: usize, classes: usize) -> Result<Dataset, DataError> {
        let rows = Array2::from_shape_fn((self.rows.len(), dim), |(i, d)| self.rows[i][d]);
        let labels = Labels::numbered(&self.classes, classes)?;
        Ok(Dataset::new(name, Points::dense(rows)?, labels))
    }
}

/// How many of `n` points part `part` of `parts` gets: as equal as can be, the first ones more.
fn share(n: usize, parts: usize, part: usize) -> usize {
    n / parts + usize::from(part < n % parts)
}
