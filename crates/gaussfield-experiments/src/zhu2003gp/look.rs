//! One graph, seen by every label set.

use super::task::{LabelSet, POSITIVE, Task};
use anyhow::Result;
use gaussfield_gp::{
    GaussianProcess, GivenCovariance, GraphCovariance, GraphPrior, Laplace, Observed, Sigmoid,
    alignment,
};
use gaussfield_graph::Graph;
use gaussfield_labels::metrics::accuracy;
use gaussfield_labels::tuned_threshold;
use ndarray::Axis;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The report's fixed values: β, σ and γ of section 4.
pub(super) const BETA: f64 = 0.1;
pub(super) const SIGMA: f64 = 1000.0;
pub(super) const GAMMA: f64 = 1.0;

/// The report's process.
pub(super) fn process() -> GaussianProcess<Sigmoid, Laplace> {
    GaussianProcess::laplace(Sigmoid { gamma: GAMMA })
}

/// The report's prior.
pub(super) fn prior() -> GraphPrior {
    GraphPrior::regularised(BETA, SIGMA)
}

/// What one label set says on one graph.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// log p(t_L), [zhu2003gp (45)].
    pub(super) evidence: f64,
    /// Accuracy on unlabelled points, threshold 0.
    pub(super) acc: f64,
    /// The same with the class proportions known.
    pub(super) tuned: f64,
    /// The share of unlabelled points above 0.
    pub(super) positive: f64,
    /// The true positive share.
    pub(super) share: f64,
    /// Kernel–target alignment.
    pub(super) alignment: f64,
}

/// What all label sets say on one graph.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Look {
    /// Number of edges.
    pub(super) edges: f64,
    /// The share of the total weight that lies between the classes.
    pub(super) cross: f64,
    /// In the order of the label sets.
    pub(super) sets: Vec<Outcome>,
    /// Time of the factorisation and of all label sets.
    pub(super) seconds: f64,
}

impl Task {
    /// One factorisation serves all label sets.
    pub(super) fn look(&self, graph: &Graph) -> Result<Look> {
        let start = Instant::now();
        let covariance = prior().on(graph)?;
        let sets =
            self.sets.iter().map(|set| set.outcome(&covariance)).collect::<Result<Vec<_>>>()?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Look { edges: graph.edges() as f64, cross: self.cross(graph), sets, seconds })
    }

    /// The share of the weight between the classes.
    pub(super) fn cross(&self, graph: &Graph) -> f64 {
        let (mut between, mut all) = (0.0, 0.0);
        for i in 0..graph.nodes() {
            let own = self.truth.get(i);
            graph.for_each_neighbour(i, |j, weight| {
                all += weight;
                if self.truth.get(j) != own {
                    between += weight;
                }
            });
        }
        if all > 0.0 { between / all } else { 0.0 }
    }
}

impl LabelSet {
    /// Posterior, accuracies and evidence under the report's process.
    pub(super) fn outcome(&self, covariance: &GraphCovariance) -> Result<Outcome> {
        self.outcome_by(&process(), covariance)
    }

    /// The same by another process.
    pub(super) fn outcome_by(
        &self,
        process: &GaussianProcess<Sigmoid, Laplace>,
        covariance: &GraphCovariance,
    ) -> Result<Outcome> {
        let posterior = process.fit(covariance, &self.observed)?;
        let latent = posterior.latent().select(Axis(0), self.held_out.nodes());
        let class = |positive: bool| if positive { POSITIVE } else { 1 - POSITIVE };
        let plain: Vec<usize> = latent.iter().map(|&y| class(y > 0.0)).collect();
        let tuned = tuned_threshold(latent.view(), self.share)?.positives;
        let tuned: Vec<usize> = tuned.into_iter().map(class).collect();
        let above = plain.iter().filter(|&&class| class == POSITIVE).count();
        // The alignment needs the labelled block alone, which the fit has.
        let block = GivenCovariance::new(posterior.prior_covariance().to_owned())?;
        let nodes: Vec<usize> = (0..self.observed.len()).collect();
        let on_block = Observed::new(&nodes, &self.observed.targets().to_vec())?;
        Ok(Outcome {
            evidence: posterior.log_evidence(),
            acc: accuracy(&self.held_out, &plain)?,
            tuned: accuracy(&self.held_out, &tuned)?,
            positive: above as f64 / latent.len() as f64,
            share: self.share,
            alignment: alignment(&block, &on_block)?.value,
        })
    }
}
