//! Two spirals.

use super::{Demonstration, Gathered, normal, params, rng, share, spaced};
use crate::DataError;
use std::f64::consts::PI;

/// Two intertwined spiral arms in space, one class each (zhu2003, Figure 2, right).
///
/// The paper gives the counts (2 labelled + 184 unlabelled) and σ = 0.43 only; the coordinates
/// are chosen here. Seen from above both arms are Archimedean, r = (gap/π)·θ, half a turn apart;
/// they rise along the third axis. The labelled nodes are the outer ends of the arms. The nearest
/// label is wrong for about half of the points, while the harmonic function with
/// w = exp(−d²/0.43²) follows the arms. O(n).
#[derive(Debug, Clone, PartialEq)]
pub struct TwoSpirals {
    /// Number of points, at least 4; default 186.
    pub n: usize,
    /// Turns of each arm, above 0; default 1.5.
    pub turns: f64,
    /// Distance between neighbouring arms seen from above, above 0; default 1.2.
    pub gap: f64,
    /// Radius at which the arms begin, above 0; default 0.6.
    pub inner: f64,
    /// Rise from the inner to the outer end, 0 or more; with 0 the points are planar (two
    /// features). Default 3.
    pub height: f64,
    /// Standard deviation of the noise on each coordinate, 0 or more; default 0.05.
    pub noise: f64,
}

impl Default for TwoSpirals {
    fn default() -> Self {
        Self { n: 186, turns: 1.5, gap: 1.2, inner: 0.6, height: 3.0, noise: 0.05 }
    }
}

impl TwoSpirals {
    /// Draws the points, arm after arm, from the inner to the outer end.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range.
    pub fn generate(&self, seed: u64) -> Result<Demonstration, DataError> {
        params::count("n", self.n, 4)?;
        params::positive("turns", self.turns)?;
        params::positive("gap", self.gap)?;
        params::positive("inner", self.inner)?;
        params::not_negative("height", self.height)?;
        params::not_negative("noise", self.noise)?;
        let growth = self.gap / PI;
        let start = self.inner / growth;
        let end = start + 2.0 * PI * self.turns;
        let mut rng = rng(seed);
        let mut gathered = Gathered::with_capacity(self.n);
        let mut labelled = Vec::with_capacity(2);
        for arm in 0..2 {
            for place in spaced(&mut rng, share(self.n, 2, arm)) {
                let angle = angle_at(start, end, place);
                let radius = growth * angle;
                let (sin, cos) = (angle + PI * arm as f64).sin_cos();
                let mut row = [radius * cos, radius * sin, self.height * place];
                for coordinate in &mut row {
                    *coordinate += self.noise * normal(&mut rng);
                }
                gathered.push(row, arm);
            }
            labelled.push(gathered.rows.len() - 1);
        }
        let dim = if self.height > 0.0 { 3 } else { 2 };
        Ok(Demonstration { data: gathered.finish("two spirals", dim, 2)?, labelled })
    }
}

/// The angle of an Archimedean spiral at a fraction of its length between two angles.
///
/// The length up to θ grows as θ² once θ is not small; uniform θ² is near enough to uniform
/// length, and needs no root search.
pub(super) fn angle_at(start: f64, end: f64, place: f64) -> f64 {
    (start * start + place * (end * end - start * start)).sqrt()
}
