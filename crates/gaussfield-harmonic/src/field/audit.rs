//! Which labels the other labels doubt, for any number of classes.

use super::{Field, HarmonicError, LeftOut};
use crate::tempered::{RATIOS, power};
use gaussfield_core::{NoSuchNode, check};
use gaussfield_labels::{Labels, Scores};
use ndarray::{Array1, Array2};
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
    /// What the others give the class of the label, weighed as [`Field::audit`] says.
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
    /// The others cannot tell: they do not reach the node, none of them has its class, or what they say
    /// of it is about even.
    Untold,
}

impl Field {
    /// What the other labels say of every label, the likeliest mistakes first.
    ///
    /// Each label is taken away in turn ([`Field::leave_one_out`]); what the others then say of its node
    /// is the ground of what is believed of its true class. If a share ε of labels is wrong, each
    /// wrong class equally often, and p is that belief, then the label y is wrong with probability
    ///
    /// ε(1 − p_y)/(C − 1) / ((1 − ε) p_y + ε(1 − p_y)/(C − 1)).
    ///
    /// The scores themselves would be too timid a belief: a harmonic function of few labels ranks
    /// classes well and is nearly flat, so that of ten classes hardly any label would seem wrong. So p is
    /// a power of them, made to sum to one. Which power, from 1 to 32, the labels tell: each has
    /// the weight of how likely all labels that are left out are under it, wrong ones among them, and
    /// belief and probability are means over all powers by these weights.
    ///
    /// ε is stated, not learned: from a handful of labels it cannot be. Where the others say next to
    /// nothing the verdict is [`Verdict::Untold`], whatever the number; where they say nothing at all, the
    /// number is ε.
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
        Audited::all(&self.leave_one_out()?, &self.labels, noise)
    }
}

impl Audited {
    /// What the others say of every label, by whatever method: `left_out` has the scores of every
    /// labelled node as if it were unlabelled. As [`Field::audit`].
    ///
    /// # Errors
    /// ε outside (0, 1); nodes that are not there.
    pub fn all(
        left_out: &LeftOut,
        labels: &Labels,
        noise: f64,
    ) -> Result<Vec<Self>, HarmonicError> {
        check::fraction("the share of wrong labels", noise)?;
        NoSuchNode::check(&left_out.nodes, labels.len())?;
        let likely = left_out.scores.argmax();
        let counts = labels.counts();
        let classes = counts.len() as f64;
        let mut given = Vec::with_capacity(likely.len());
        let mut told = Vec::with_capacity(likely.len());
        for &node in &left_out.nodes {
            let class = labels.get(node).unwrap_or_default();
            let alone = left_out.islands.binary_search(&node).is_ok();
            told.push(!alone && counts[class] > 1 && classes > 1.0);
            given.push(class);
        }
        let beliefs = Beliefs::new(&left_out.scores, &given, &told, noise);
        let entropy = Scores::new(beliefs.values.clone())?.entropy();
        let mut audit = Vec::with_capacity(likely.len());
        for (at, &node) in left_out.nodes.iter().enumerate() {
            // A mean of ones by weights that add up to one may round above it.
            let wrong = if told[at] { beliefs.wrong[at].min(1.0) } else { noise };
            let verdict = if !told[at] || entropy[at] > UNTOLD * classes.ln() {
                Verdict::Untold
            } else if wrong > 0.5 {
                Verdict::Suspect
            } else {
                Verdict::Agrees
            };
            let (given, support) = (given[at], beliefs.values[[at, given[at]]]);
            audit.push(Audited { node, given, likely: likely[at], support, wrong, verdict });
        }
        audit.sort_by(|a, b| b.wrong.total_cmp(&a.wrong).then(a.node.cmp(&b.node)));
        Ok(audit)
    }
}

/// What is believed of labels that the others speak of.
struct Beliefs {
    /// The probability of each class, a row for each label.
    values: Array2<f64>,
    /// The probability that it is wrong.
    wrong: Array1<f64>,
}

impl Beliefs {
    /// The mean over all powers of the scores, weighed by how likely the labels are that are told.
    fn new(scores: &Scores, given: &[usize], told: &[bool], noise: f64) -> Self {
        let logs = scores.values().mapv(|score| score.max(f64::MIN_POSITIVE).ln());
        let at_power = |place: usize| {
            let mut values = logs.mapv(|log| power(place) * log);
            values.outer_iter_mut().for_each(crate::tempered::soften);
            values
        };
        let classes = scores.classes() as f64;
        let likely = |values: &Array2<f64>| -> f64 {
            let told = given.iter().enumerate().filter(|(at, _)| told[*at]);
            told.map(|(at, &class)| {
                let (right, mistaken) = shares(values[[at, class]], noise, classes);
                (right + mistaken).ln()
            })
            .sum()
        };
        let found: Vec<f64> = (0..=RATIOS).map(|place| likely(&at_power(place))).collect();
        let most = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let all: f64 = found.iter().map(|one| (one - most).exp()).sum();
        let mut mean =
            Self { values: Array2::zeros(logs.raw_dim()), wrong: Array1::zeros(given.len()) };
        for (place, one) in found.iter().enumerate() {
            let (weight, values) = ((one - most).exp() / all, at_power(place));
            for (at, &class) in given.iter().enumerate() {
                mean.wrong[at] += weight * wrong(values[[at, class]], noise, classes);
            }
            mean.values.scaled_add(weight, &values);
        }
        mean
    }
}

/// The probability that a label is wrong whose class the others give `support`.
fn wrong(support: f64, noise: f64, classes: f64) -> f64 {
    let (right, mistaken) = shares(support, noise, classes);
    if right + mistaken > 0.0 { mistaken / (right + mistaken) } else { 0.0 }
}

/// How likely the label is and right, and how likely it is and wrong.
fn shares(support: f64, noise: f64, classes: f64) -> (f64, f64) {
    ((1.0 - noise) * support, noise * (1.0 - support) / (classes - 1.0).max(1.0))
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

    /// Twenty labels of ten classes, of whose scores the true class has 0.2 and each other the rest
    /// evenly; the last label is wrong.
    #[test]
    fn timid_scores_of_many_classes_find_what_is_wrong() {
        let truth = |row: usize| row % 10;
        let values =
            Array2::from_shape_fn(
                (20, 10),
                |(row, class)| {
                    if class == truth(row) { 0.2 } else { 0.8 / 9.0 }
                },
            );
        let mut given: Vec<usize> = (0..20).map(truth).collect();
        given[19] = 3;
        assert!(wrong(0.8 / 9.0, 0.05, 10.0) < 0.1);
        let beliefs = Beliefs::new(&Scores::new(values).unwrap(), &given, &[true; 20], 0.05);
        assert!(beliefs.wrong[19] > 0.5, "{}", beliefs.wrong[19]);
        assert!(beliefs.wrong.iter().take(19).all(|&wrong| wrong < 0.01));
        assert!(beliefs.values.outer_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
    }

    #[test]
    fn labels_that_nobody_speaks_of_have_no_vote() {
        let scores = Scores::new(ndarray::array![[0.9, 0.1], [0.6, 0.4], [0.4, 0.6]]).unwrap();
        let with = |first: usize| Beliefs::new(&scores, &[first, 0, 1], &[false, true, true], 0.1);
        assert_eq!(with(0).values, with(1).values);
    }
}
