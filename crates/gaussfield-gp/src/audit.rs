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
