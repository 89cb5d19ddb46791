//! The handwritten digits of section 7 and the graphs on them.

use crate::tasks::Digits;
use crate::{Context, Trial};
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily as _};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use rand::seq::SliceRandom as _;

/// σ of the weights [zhu2003 (1)] on 16 × 16 images of grey values 0 to 255.
pub(super) const SIGMA: f64 = 380.0;

/// Images to classify: points, true classes and the complete graph with weights [zhu2003 (1)].
pub(super) struct Task {
    pub(super) points: Points,
    pub(super) labels: Labels,
    pub(super) graph: Graph,
}

/// The images of the paper, or others and a σ that goes with them.
pub(super) fn load(ctx: &mut Context) -> Result<Digits> {
    let digits = Digits::load(ctx)?;
    let words =
        format!("σ is scaled to its pixels: 380 · (16/255) · √(64/256) = {:.1}.", digits.sigma());
    Ok(digits.remarking(&words))
}

impl Digits {
    /// The length scale that goes with these images.
    pub(super) fn sigma(&self) -> f64 {
        SIGMA * self.scale()
    }

    /// So many images of each digit at random, the same for the same trial. If a digit has fewer
    /// images than asked for, all sizes shrink by the same factor.
    pub(super) fn draw(&self, sizes: &[usize; 10], trial: &Trial) -> Vec<usize> {
        let of_digit: [Vec<usize>; 10] = std::array::from_fn(|digit| self.rows_of(&[digit]));
        let shrink = of_digit
            .iter()
            .zip(sizes)
            .map(|(rows, &size)| rows.len() as f64 / size.max(1) as f64)
            .fold(1.0, f64::min);
        let mut rng = trial.rng("images");
        let mut drawn = Vec::new();
        for (mut rows, &size) in of_digit.into_iter().zip(sizes) {
            rows.shuffle(&mut rng);
            rows.truncate((size as f64 * shrink) as usize);
            drawn.append(&mut rows);
        }
        drawn.sort_unstable();
        drawn
    }

    /// The task of telling classes of digits apart on the given images.
    pub(super) fn task(
        &self,
        rows: &[usize],
        names: &[&str],
        class_of: impl Fn(usize) -> usize,
    ) -> Result<Task> {
        let (points, labels) = self.select(rows, names, class_of)?;
        let pattern = Pattern::complete(&points, Metric::Euclidean)?;
        let graph = Exponential { sigma: self.sigma() }.graph(&pattern, Budget::default())?;
        Ok(Task { points, labels, graph })
    }
}
