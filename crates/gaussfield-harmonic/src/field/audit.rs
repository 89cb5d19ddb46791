//! Which labels the other labels doubt, for any number of classes.

use super::{Field, HarmonicError};
use gaussfield_core::check;
use serde::Serialize;

/// The others tell nothing of a label where what they say has more than this share of the largest
/// possible entropy.
const UNTOLD: f64 = 0.9;

/// What the other labels say of one label.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Audited {
    /// The labelled node.
    pub node: usize,
    /// The class of its label.
    pub given: usize,
    /// The class that the others find likeliest.
    pub likely: usize,
    /// What the others give the class of the label.
    pub support: f64,
    /// The probability that the label is wrong.
    pub wrong: f64,
    /// In a word.
    pub verdict: Verdict,
}

/// What an audit says of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// The others agree, or do not object.
    Agrees,
    /// More likely wrong than right.
    Suspect,
    /// The others cannot tell: they do not reach the node, or what they say of it is about even.
    Untold,
}

impl Field {
    /// What the other labels say of every label, the likeliest mistakes first.
    ///
    /// Each label is taken away in turn ([`Field::leave_one_out`]); the scores p that the others then
    /// give its node are what is believed of the true class. If a share ε of labels is wrong, each
    /// wrong class equally often, then the label y is wrong with probability
    ///
    /// ε(1 − p_y)/(C − 1) / ((1 − ε) p_y + ε(1 − p_y)/(C − 1)).
    ///
    /// ε is stated, not learned: from a handful of labels it cannot be. Where the others say next to
    /// nothing the verdict is [`Verdict::Untold`], whatever the number.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_harmonic::{Harmonic, Verdict};
    /// use gaussfield_labels::Labels;
    ///
    /// // Two triangles; node 2 has the label of the other one.
    /// let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)].map(|(i, j)| (i, j, 1.0));
    /// let graph = Graph::from_edges(6, edges.into_iter().chain([(0, 3, 0.01)]))?;
    /// let labels = Labels::from_names(["a", "a", "b", "b", "b", "b"].map(Some));
    /// let audit = Harmonic::default().fit(&graph, &labels)?.audit(0.05)?;
    /// assert_eq!((audit[0].node, audit[0].verdict), (2, Verdict::Suspect));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// ε outside (0, 1); as [`Field::leave_one_out`].
    pub fn audit(&self, noise: f64) -> Result<Vec<Audited>, HarmonicError> {
        check::fraction("the share of wrong labels", noise)?;
        let left_out = self.leave_one_out()?;
        let likely = left_out.scores.argmax();
        let entropy = left_out.scores.entropy();
        let classes = self.labels.classes() as f64;
        let mut audit = Vec::with_capacity(likely.len());
        for (at, &node) in left_out.nodes.iter().enumerate() {
            let Some(given) = self.labels.get(node) else { continue };
            let support = left_out.scores.values()[[at, given]];
            let wrong = wrong(support, noise, classes);
            let alone = left_out.islands.binary_search(&node).is_ok();
            let verdict = if alone || entropy[at] > UNTOLD * classes.ln() || classes < 2.0 {
                Verdict::Untold
            } else if wrong > 0.5 {
                Verdict::Suspect
            } else {
                Verdict::Agrees
            };
            audit.push(Audited { node, given, likely: likely[at], support, wrong, verdict });
        }
        audit.sort_by(|a, b| b.wrong.total_cmp(&a.wrong).then(a.node.cmp(&b.node)));
        Ok(audit)
    }
}

/// The probability that a label is wrong whose class the others give `support`.
fn wrong(support: f64, noise: f64, classes: f64) -> f64 {
    let right = (1.0 - noise) * support;
    let mistaken = noise * (1.0 - support) / (classes - 1.0).max(1.0);
    if right + mistaken > 0.0 { mistaken / (right + mistaken) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_posterior_of_a_mistake() {
        // Nothing known of two classes: as likely wrong as any label.
        assert!((wrong(0.5, 0.1, 2.0) - 0.1).abs() < 1e-15);
        assert!((wrong(0.0, 0.1, 2.0) - 1.0).abs() < 1e-15);
        assert!(wrong(1.0, 0.1, 5.0).abs() < 1e-15);
    }
}
