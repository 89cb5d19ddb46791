//! Which labels decide at a node.

use super::{Field, HarmonicError};
use gaussfield_core::NoSuchNode;

/// How much each label has to say at one node: the probability that the walk from there ends at it.
#[derive(Debug, Clone, PartialEq)]
pub struct Influence {
    /// The labelled nodes with their shares, in increasing order of nodes.
    pub labels: Vec<(usize, f64)>,
    /// The share of what is no label: outside predictions, the prior on islands.
    pub outside: f64,
}

impl Field {
    /// How much each label contributes to the scores of one node: they are the sums of these shares
    /// over the labels of each class, and all shares together are one. By symmetry one column
    /// serves all labels; the smoothed walk takes three.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_harmonic::Harmonic;
    /// use gaussfield_labels::Labels;
    ///
    /// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])?;
    /// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
    /// let field = Harmonic::default().fit(&graph, &labels)?;
    /// let [(0, left), (3, right)] = field.influence(1)?.labels[..] else { panic!() };
    /// assert!((left - 2.0 / 3.0).abs() < 1e-12 && (right - 1.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A node past the end; a solver that failed.
    pub fn influence(&self, node: usize) -> Result<Influence, HarmonicError> {
        NoSuchNode::check(&[node], self.labels.len())?;
        let labelled = self.labels.labelled();
        if self.clamps(node) || self.islands.binary_search(&node).is_ok() {
            let own = |&label: &usize| (label, f64::from(u8::from(label == node)));
            let outside = f64::from(u8::from(!self.clamps(node)));
            return Ok(Influence { labels: labelled.iter().map(own).collect(), outside });
        }
        let (problem, changes) = (&*self.problem, &*self.changes);
        let formula = &problem.formula;
        let solved = self.inverse(&[node], 2 * usize::from(formula.jumps))?;
        // The row of the inverse that belongs to the node: its column, for the system is symmetric
        // but for the jumps. `landed` is the share of walks whose last jump hit any given node.
        let mut landed = 0.0;
        let mut reach = vec![0.0; problem.nodes()];
        let rows = problem.unknowns.iter().zip(solved.unknowns.rows());
        let rows = rows.chain(changes.freed().iter().zip(solved.freed.rows()));
        if formula.jumps {
            let response: f64 = rows.clone().map(|(_, row)| row[1]).sum();
            let own = rows.clone().find(|(i, _)| **i == node).map_or(0.0, |(_, row)| row[1]);
            landed = own / (problem.nodes() as f64 - response);
        }
        for (&i, row) in rows {
            reach[i] = row[0] + if formula.jumps { landed * row[2] } else { 0.0 };
        }

        let share = |&label: &usize| match &formula.spoken {
            Some(spoken) => spoken[label] * reach[label],
            None => {
                let row = changes.row(problem, label).iter();
                row.map(|&(i, weight)| weight * reach[i as usize]).sum::<f64>() + landed
            }
        };
        let shares: Vec<f64> = labelled.iter().map(share).collect();
        let outside = match &formula.outside {
            Some(lead) => lead.rows().into_iter().zip(&reach).map(|(h, &r)| h.sum() * r).sum(),
            None => landed * self.islands.len() as f64,
        };
        let total = shares.iter().sum::<f64>() + outside;
        let labels = labelled.into_iter().zip(shares.iter().map(|share| share / total)).collect();
        Ok(Influence { labels, outside: outside / total })
    }
}
