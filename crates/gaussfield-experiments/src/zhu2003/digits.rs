//! The handwritten digits of section 7 and the graphs on them.

use crate::{Context, Trial};
use anyhow::{Context as _, Result};
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily as _};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use rand::seq::SliceRandom as _;
use std::sync::Arc;

/// σ of the weights [zhu2003 (1)] on 16 × 16 images of grey values 0 to 255.
pub(super) const SIGMA: f64 = 380.0;

/// Images of digits: the paper's, or others in their place.
pub(super) struct Digits {
    points: Points,
    /// The digit of every image.
    digit: Vec<usize>,
    /// The length scale that goes with these images.
    pub(super) sigma: f64,
    /// Why the paper's images are not used; `None` if they are.
    pub(super) missing: Option<String>,
    /// What to write under a figure drawn on other images.
    pub(super) note: Option<String>,
}

/// Images to classify: points, true classes and the complete graph with weights [zhu2003 (1)].
pub(super) struct Task {
    pub(super) points: Arc<Points>,
    pub(super) labels: Labels,
    pub(super) graph: Graph,
}

impl Digits {
    /// The USPS digits or, where they are missing, optdigits.
    ///
    /// Optdigits has 64 pixels from 0 to 16. A distance is a root of a sum over pixels, so σ
    /// shrinks by 16/255 for the grey values and by √(64/256) for the number of pixels: 11.9.
    pub(super) fn load(ctx: &mut Context) -> Result<Self> {
        let source = ctx.data_or("usps", "optdigits")?;
        let labels = &source.data.labels;
        let names: Vec<usize> = labels
            .names()
            .iter()
            .map(|name| name.parse().with_context(|| format!("the class {name} is no digit")))
            .collect::<Result<_>>()?;
        let digit = labels
            .as_slice()
            .iter()
            .map(|class| {
                class.and_then(|class| names.get(class).copied()).context("an image has no digit")
            })
            .collect::<Result<_>>()?;
        let shrink = (16.0 / 255.0) * (64.0_f64 / 256.0).sqrt();
        let sigma = if source.missing.is_none() { SIGMA } else { SIGMA * shrink };
        let note = source.note.map(|note| {
            format!("{note} σ is scaled to its pixels: 380 · (16/255) · √(64/256) = {sigma:.1}.")
        });
        Ok(Self { points: source.data.points, digit, sigma, missing: source.missing, note })
    }

    /// All images of the given digits.
    pub(super) fn all_of(&self, digits: &[usize]) -> Vec<usize> {
        (0..self.digit.len()).filter(|&row| digits.contains(&self.digit[row])).collect()
    }

    /// So many images of each digit at random, the same for the same trial. If a digit has fewer
    /// images than asked for, all sizes shrink by the same factor.
    pub(super) fn draw(&self, sizes: &[usize; 10], trial: &Trial) -> Vec<usize> {
        let of_digit: [Vec<usize>; 10] = std::array::from_fn(|digit| self.all_of(&[digit]));
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

    /// The given images with their true classes.
    pub(super) fn images(
        &self,
        rows: &[usize],
        names: &[&str],
        class_of: impl Fn(usize) -> usize,
    ) -> Result<(Arc<Points>, Labels)> {
        let points = Arc::new(self.points.select(rows)?);
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let classes = rows.iter().map(|&row| Some(class_of(self.digit[row]))).collect();
        Ok((points, Labels::new(classes, names)?))
    }

    /// The task of telling classes of digits apart on the given images.
    pub(super) fn task(
        &self,
        rows: &[usize],
        names: &[&str],
        class_of: impl Fn(usize) -> usize,
    ) -> Result<Task> {
        let (points, labels) = self.images(rows, names, class_of)?;
        let pattern = Pattern::complete(Arc::clone(&points), Metric::Euclidean)?;
        let graph = Exponential { sigma: self.sigma }.graph(&pattern, Budget::default())?;
        Ok(Task { points, labels, graph })
    }
}
