//! Which labels are suspect.

use crate::{EpFit, LabelNoise, Posterior, Prior};

/// A label and how likely it is to be wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// The node that carries the label.
    pub node: usize,
    /// The label as observed, −1 or +1.
    pub target: f64,
    /// The posterior probability that it was flipped.
    pub probability: f64,
}

impl<P: Prior, L: LabelNoise> Posterior<P, L, EpFit> {
    /// A list of suspects: every observed label with the posterior probability that it was
    /// flipped, the most suspect first (ties by node).
    ///
    /// The probability is ε(1 − Φ(z))/(ε + (1−2ε)Φ(z)) at the cavity, z = t·m/s: what all *other*
    /// labels say about the node, met with its own label. The label itself has no vote in m and s,
    /// so that one that pulled the posterior over to its side is still found out. O(l log l).
    ///
    /// With ε = 0 nothing is ever flipped and every probability is 0: learn ε first.
    ///
    /// ```
    /// use gaussfield_gp::{Flip, GaussianProcess, GraphPrior, Observed};
    /// use gaussfield_graph::Graph;
    ///
    /// // A ring of eight alike nodes; the label of node 4 is at odds with the others.
    /// let graph = Graph::from_edges(8, (0..8).map(|i| (i, (i + 1) % 8, 1.0)))?;
    /// let prior = GraphPrior::normalised(0.01).on(&graph)?;
    /// let observed = Observed::new(&[0, 2, 3, 4, 5, 7], &[1.0, 1.0, 1.0, -1.0, 1.0, 1.0])?;
    /// let posterior = GaussianProcess::ep(Flip { epsilon: 0.1 }).fit(&prior, &observed)?;
    /// let suspects = posterior.audit();
    /// assert_eq!(suspects[0].node, 4);
    /// assert!(suspects[0].probability > 0.5 && suspects[1].probability < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn audit(&self) -> Vec<Suspect> {
        let observed = self.observed.nodes().iter().zip(self.observed.targets());
        let mut suspects: Vec<Suspect> = observed
            .zip(self.fit.cavities())
            .map(|((&node, &target), cavity)| {
                let probability =
                    self.likelihood.flip_probability(target, cavity.mean, cavity.variance);
                Suspect { node, target, probability }
            })
            .collect();
        suspects.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.node.cmp(&b.node)));
        suspects
    }
}
