//! Simulated random walks.

use crate::HarmonicError;
use crate::problem::check;
use gaussfield_core::{NoSuchNode, NotConverged, Progress};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use ndarray::Array1;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Simulated random walks that end at the first labelled node they meet.
///
/// f(i) is the probability that the walk from i ends in class 1 (Zhu et al. 2003, section 3.1);
/// the frequencies here estimate it with standard error √(f(1−f)/walks).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbsorbingWalk {
    /// Number of walks.
    pub walks: usize,
    /// Steps after which one walk is given up, as an error.
    pub max_steps: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for AbsorbingWalk {
    fn default() -> Self {
        Self { walks: 1000, max_steps: 1_000_000, seed: 0 }
    }
}

/// Where the walks from one node ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Absorption {
    /// The share of walks that ended in each class.
    pub frequencies: Array1<f64>,
    /// The mean number of steps.
    pub mean_steps: f64,
}

impl AbsorbingWalk {
    /// Walks from `start`. O(walks · steps · neighbours).
    ///
    /// # Errors
    /// No label; a start past the end; a walk that ends nowhere (a part without a label, or
    /// `max_steps` passed); the work was stopped.
    pub fn run(
        &self,
        graph: &Graph,
        labels: &Labels,
        start: usize,
    ) -> Result<Absorption, HarmonicError> {
        check(graph, labels)?;
        NoSuchNode::check(&[start], graph.nodes())?;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut counts = Array1::<f64>::zeros(labels.classes());
        let mut steps = 0_usize;
        let stage = Progress::stage("random walks", Some(self.walks as u64));
        for _ in 0..self.walks {
            stage.step()?;
            let mut node = start;
            let mut left = self.max_steps;
            let class = loop {
                if let Some(class) = labels.get(node) {
                    break class;
                }
                let next = step(graph, node, random.random::<f64>());
                node =
                    next.ok_or_else(|| HarmonicError::ComponentWithoutLabel { nodes: vec![node] })?;
                left = left.checked_sub(1).ok_or(NotConverged {
                    method: "the absorbing walk",
                    iterations: self.max_steps,
                    measure: "the share of the walk still under way",
                    reached: 1.0,
                    tolerance: 0.0,
                    remedy: "allow more steps or use the direct solution",
                })?;
                steps += 1;
            };
            counts[class] += 1.0;
        }
        let walks = self.walks.max(1) as f64;
        Ok(Absorption { frequencies: counts / walks, mean_steps: steps as f64 / walks })
    }
}

/// One step of P = D⁻¹W from `node`, driven by a uniform number; none without neighbours.
fn step(graph: &Graph, node: usize, uniform: f64) -> Option<usize> {
    let mut degree = 0.0;
    graph.for_each_neighbour(node, |_, w| degree += w);
    let mut left = uniform * degree;
    let mut chosen = None;
    graph.for_each_neighbour(node, |j, w| {
        if left >= 0.0 {
            chosen = Some(j);
            left -= w;
        }
    });
    chosen
}
