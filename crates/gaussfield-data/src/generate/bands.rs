//! Three parallel bands.

use super::{Demonstration, Gathered, params, rng, share, spaced};
use crate::DataError;
use rand::RngExt;

/// Three long parallel bands in space, one class each (zhu2003, Figure 2, left).
///
/// The paper gives the counts (3 labelled + 178 unlabelled) and σ = 0.22 only; the coordinates
/// are chosen here. A band runs along the first axis and is arched along the third; the bands lie
/// side by side along the second. Each has one labelled node at an end, the middle band at the
/// other end than its neighbours, so that the nearest label is the wrong one for about half of
/// the points, while the harmonic function with w = exp(−d²/0.22²) stays inside the bands. O(n).
#[derive(Debug, Clone, PartialEq)]
pub struct ThreeBands {
    /// Number of points, at least 6; default 181.
    pub n: usize,
    /// Extent of a band along the first axis, above 0; default 4.
    pub length: f64,
    /// Distance between the middle lines of neighbouring bands, above 0; default 0.8.
    pub gap: f64,
    /// Width of a band, 0 or more; default 0.2.
    pub width: f64,
    /// Height of the arch, 0 or more; with 0 the points are planar (two features). Default 1.
    pub arch: f64,
}

impl Default for ThreeBands {
    fn default() -> Self {
        Self { n: 181, length: 4.0, gap: 0.8, width: 0.2, arch: 1.0 }
    }
}

impl ThreeBands {
    /// Draws the points, band after band, along each band in order.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range.
    pub fn generate(&self, seed: u64) -> Result<Demonstration, DataError> {
        params::count("n", self.n, 6)?;
        params::positive("length", self.length)?;
        params::positive("gap", self.gap)?;
        params::not_negative("width", self.width)?;
        params::not_negative("arch", self.arch)?;
        let mut rng = rng(seed);
        let mut gathered = Gathered::with_capacity(self.n);
        let mut labelled = Vec::with_capacity(3);
        for band in 0..3 {
            let (first, count) = (gathered.rows.len(), share(self.n, 3, band));
            for place in spaced(&mut rng, count) {
                let along = 2.0 * place - 1.0;
                let across = rng.random::<f64>() - 0.5;
                let y = (band as f64 - 1.0) * self.gap + across * self.width;
                let z = self.arch * (1.0 - along * along);
                gathered.push([0.5 * self.length * along, y, z], band);
            }
            labelled.push(if band == 1 { first + count - 1 } else { first });
        }
        let dim = if self.arch > 0.0 { 3 } else { 2 };
        Ok(Demonstration { data: gathered.finish("three bands", dim, 3)?, labelled })
    }
}
