//! A rolled-up sheet.

use super::spirals::angle_at;
use super::{Demonstration, Gathered, normal, params, rng, spaced};
use crate::{DataError, Dataset};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::PI;

/// A rolled-up sheet whose class changes half-way along the roll (zhu2005, Figure 1).
///
/// The paper's text gives the counts (2 labelled + 766 unlabelled points and 384 unseen ones),
/// "a Swiss roll structure", one label at each end, classes of about equal size, and the graph
/// w = exp(−‖x − x′‖²/0.01). The coordinates are chosen here: an Archimedean spiral from radius
/// `inner` to radius `outer`, class 0 on the inner half of its length and class 1 on the outer.
/// With that graph the harmonic function thresholded at its median follows the roll. O(n).
#[derive(Debug, Clone, PartialEq)]
pub struct SwissRoll {
    /// Labelled and unlabelled points, at least 4; default 768.
    pub n: usize,
    /// Further points of the same distribution for testing induction, 0 or more; default 384.
    pub unseen: usize,
    /// Turns of the roll, above 0; default 2.5.
    pub turns: f64,
    /// Radius of the inner end, above 0; default 0.1.
    pub inner: f64,
    /// Radius of the outer end, above `inner`; default 1.
    pub outer: f64,
    /// Width of the sheet along the third axis, 0 or more; with 0, the default, the points are
    /// planar (two features), as Figure 1 draws them.
    pub width: f64,
    /// Standard deviation of the noise on the first two coordinates, 0 or more; default 0.02.
    pub noise: f64,
}

impl Default for SwissRoll {
    fn default() -> Self {
        let (turns, inner, outer) = (2.5, 0.1, 1.0);
        Self { n: 768, unseen: 384, turns, inner, outer, width: 0.0, noise: 0.02 }
    }
}

/// A Swiss roll, with points kept aside.
#[derive(Debug, Clone, PartialEq)]
pub struct RollSample {
    /// The points a graph is built on, from the inner to the outer end, and the two ends as the
    /// labelled nodes.
    pub seen: Demonstration,
    /// Points to predict without rebuilding the graph.
    pub unseen: Dataset,
}

impl SwissRoll {
    /// Draws the points and the unseen points.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range.
    pub fn generate(&self, seed: u64) -> Result<RollSample, DataError> {
        params::count("n", self.n, 4)?;
        params::count("unseen", self.unseen, 0)?;
        params::positive("turns", self.turns)?;
        params::positive("inner", self.inner)?;
        params::positive("outer − inner", self.outer - self.inner)?;
        params::not_negative("width", self.width)?;
        params::not_negative("noise", self.noise)?;
        let mut rng = rng(seed);
        let data = self.draw(&mut rng, self.n, "Swiss roll")?;
        let unseen = self.draw(&mut rng, self.unseen, "Swiss roll, unseen")?;
        Ok(RollSample { seen: Demonstration { data, labelled: vec![0, self.n - 1] }, unseen })
    }

    fn draw(&self, rng: &mut ChaCha8Rng, n: usize, name: &str) -> Result<Dataset, DataError> {
        let growth = (self.outer - self.inner) / (2.0 * PI * self.turns);
        let start = self.inner / growth;
        let end = start + 2.0 * PI * self.turns;
        let mut gathered = Gathered::with_capacity(n);
        for place in spaced(rng, n) {
            let angle = angle_at(start, end, place);
            let (sin, cos) = angle.sin_cos();
            let x = growth * angle * cos + self.noise * normal(rng);
            let y = growth * angle * sin + self.noise * normal(rng);
            let z = self.width * (rng.random::<f64>() - 0.5);
            gathered.push([x, y, z], usize::from(place >= 0.5));
        }
        gathered.finish(name, if self.width > 0.0 { 3 } else { 2 }, 2)
    }
}
