//! What the other labels say of some labelled nodes.

use super::leave_one_out::at_once;
use super::{Field, HarmonicError};
use ndarray::{Array1, Array2};

/// A label as the others see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judge {
    /// Its own class.
    pub(crate) class: usize,
    /// The probability of each class at its node, were it not labelled.
    pub(crate) seen: Array1<f64>,
}

impl Field {
    /// Some labels as the others see them, those left out that no other reaches. Only of a harmonic
    /// function as it was fitted. A column for each of the chosen.
    ///
    /// [`Field::leave_one_out`] solves for all labels, since each of them may pull at every node. Here
    /// labels are clamped and nothing else acts, so that S = W_ll + W_lu (D_uu − W_uu)⁻¹ W_ul is
    /// symmetric: column k says how much each label pulls at the node k.
    pub(crate) fn judges(&self, chosen: &[usize]) -> Result<Vec<Judge>, HarmonicError> {
        let problem = &*self.problem;
        let labelled = self.labels.labelled();
        let mut in_part = std::collections::HashMap::new();
        for &node in &labelled {
            *in_part.entry(problem.part(node)).or_insert(0_usize) += 1;
        }
        let chosen = chosen.iter().copied().filter(|&node| in_part[&problem.part(node)] > 1);
        let chosen: Vec<usize> = chosen.collect();
        let mut judges = Vec::with_capacity(chosen.len());
        for chosen in chosen.chunks(at_once(problem.unknowns.len())) {
            let mut right = Array2::zeros((problem.unknowns.len(), chosen.len()));
            for (mut column, &node) in right.columns_mut().into_iter().zip(chosen) {
                for &(i, weight) in problem.row(node) {
                    if let Some(at) = problem.unknown(i as usize) {
                        column[at] = weight;
                    }
                }
            }
            let columns = problem.prepared.solve(right.view())?.values;
            let mut pulls = Array2::<f64>::zeros((chosen.len(), self.labels.classes()));
            for &other in &labelled {
                let Some(class) = self.labels.get(other) else { continue };
                let mut pulled = Array1::<f64>::zeros(chosen.len());
                for &(i, weight) in problem.row(other) {
                    match problem.unknown(i as usize) {
                        Some(at) => pulled.scaled_add(weight, &columns.row(at)),
                        None => {
                            let linked = chosen.iter().position(|&node| node == i as usize);
                            linked.into_iter().for_each(|at| pulled[at] += weight);
                        }
                    }
                }
                for (at, _) in chosen.iter().enumerate().filter(|(_, node)| **node != other) {
                    pulls[[at, class]] += pulled[at].max(0.0);
                }
            }
            for (at, &node) in chosen.iter().enumerate() {
                let sum = pulls.row(at).sum();
                let Some(class) = self.labels.get(node).filter(|_| sum > 0.0) else { continue };
                judges.push(Judge { class, seen: &pulls.row(at) / sum });
            }
        }
        Ok(judges)
    }
}

#[cfg(test)]
mod tests {
    use crate::Harmonic;
    use gaussfield_graph::Graph;
    use gaussfield_labels::Labels;

    /// Two parts: a path 0 – 7 with a chord and four labels, two of which are linked; and a pair of
    /// which one is labelled.
    fn field() -> (Graph, Labels, crate::Field) {
        let path = (0..7).map(|i| (i, i + 1, 0.5 + i as f64));
        let edges = path.chain([(1, 6, 0.7), (8, 9, 1.0)]);
        let graph = Graph::from_edges(10, edges).unwrap();
        let mut of = [None; 10];
        (of[0], of[3], of[4], of[7]) = (Some("a"), Some("a"), Some("b"), Some("b"));
        of[8] = Some("c");
        let labels = Labels::from_names(of);
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        (graph, labels, field)
    }

    #[test]
    fn judges_are_fits_without_a_label() {
        let (graph, labels, field) = field();
        let judges = field.judges(&labels.labelled()).unwrap();
        // The label 8 stands alone in its part: nobody says anything of it.
        assert_eq!(judges.len(), 4);
        for (judge, node) in judges.iter().zip([0, 3, 4, 7]) {
            let mut shown = labels.labelled();
            shown.retain(|&other| other != node);
            let fewer = labels.keep(&shown).unwrap();
            let without = Harmonic::default().fit(&graph, &fewer).unwrap();
            assert_eq!(Some(judge.class), labels.get(node));
            for class in 0..3 {
                assert!((judge.seen[class] - without.values()[[node, class]]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_few_judge_as_they_do_among_all() {
        let (_, labels, field) = field();
        let all = field.judges(&labels.labelled()).unwrap();
        for (node, judge) in [0, 3, 4, 7].into_iter().zip(&all) {
            let alone = field.judges(&[node]).unwrap();
            assert_eq!(alone.len(), 1);
            assert!((&alone[0].seen - &judge.seen).iter().all(|gap| gap.abs() < 1e-14));
        }
    }
}
