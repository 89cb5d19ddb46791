//! Harmonic functions and local-and-global consistency with a width chosen by leaving one label
//! out.

use anyhow::{Context as _, Result};
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Consistency, Harmonic};
use gaussfield_labels::{ClassPrior, Islands, Labels, Scores};
use ndarray::{Array2, ArrayView2};

/// A method of which every label's part in the scores is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Local and global consistency (Zhou et al. 2003), α = 0.99.
    Consistency,
    /// The harmonic function (Zhu et al. 2003), decided at ½.
    Harmonic,
}

/// What each label alone says about every node.
pub(super) struct Influence {
    /// n × l: the score that a one at label j gives to node i.
    on_nodes: Array2<f64>,
    /// l × l: the same for label i once it is unlabelled; only ratios within a row count.
    left_out: Array2<f64>,
    /// The class of each label.
    classes: Vec<usize>,
    count: usize,
}

impl Influence {
    /// One solve for all labels: both methods are linear in them.
    ///
    /// Leaving label i out of a harmonic function frees its node: the value there is the mean of
    /// the others' influence through its neighbours, Σₖ wᵢₖ Fₖⱼ, normalised (the Schur complement
    /// of the Laplacian on the labelled nodes). Consistency never fixes its labels: i just falls
    /// silent.
    pub(super) fn new(method: Method, graph: &Graph, visible: &Labels) -> Result<Self> {
        let labelled = visible.labelled();
        let mut own = vec![None; visible.len()];
        for (at, &node) in labelled.iter().enumerate() {
            own[node] = Some(at);
        }
        let names = (0..labelled.len()).map(|at| at.to_string()).collect();
        let own = Labels::new(own, names)?;
        let on_nodes = match method {
            Method::Consistency => Consistency::default().fit(graph, &own)?.values,
            Method::Harmonic => {
                // A part that no label reaches says nothing: every label counts alike.
                let even = vec![1.0 / labelled.len() as f64; labelled.len()];
                let islands = Islands::Prior(ClassPrior::given(even)?);
                let harmonic = Harmonic { islands, ..Harmonic::default() };
                harmonic.fit(graph, &own)?.values().to_owned()
            }
        };
        let left_out = match method {
            Method::Consistency => on_nodes.select(ndarray::Axis(0), &labelled),
            Method::Harmonic => through_neighbours(graph, on_nodes.view(), &labelled),
        };
        let classes = labelled
            .iter()
            .map(|&node| visible.get(node).context("a labelled node has a class"))
            .collect::<Result<_>>()?;
        Ok(Self { on_nodes, left_out, classes, count: visible.classes() })
    }

    /// How many labels are told wrongly by the others; one that they say nothing about counts.
    pub(super) fn errors(&self) -> usize {
        let wrong = |&i: &usize| {
            let mut scores = vec![0.0; self.count];
            for (j, &class) in self.classes.iter().enumerate().filter(|(j, _)| *j != i) {
                scores[class] += self.left_out[[i, j]];
            }
            let own = scores[self.classes[i]];
            let others = scores.iter().enumerate().filter(|(class, _)| *class != self.classes[i]);
            others.map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max) >= own
        };
        (0..self.classes.len()).filter(wrong).count()
    }

    /// The scores of some nodes, given all labels.
    pub(super) fn scores(&self, nodes: &[usize]) -> Result<Scores> {
        let mut scores = Array2::zeros((nodes.len(), self.count));
        for (mut row, &node) in scores.rows_mut().into_iter().zip(nodes) {
            for (score, &class) in self.on_nodes.row(node).iter().zip(&self.classes) {
                row[class] += score;
            }
        }
        Ok(Scores::new(scores)?)
    }

    /// The class of every node, given all labels. Ties go to the lower class.
    pub(super) fn classify(&self) -> Vec<usize> {
        let decide = |row: ndarray::ArrayView1<'_, f64>| {
            let mut scores = vec![0.0; self.count];
            for (score, &class) in row.iter().zip(&self.classes) {
                scores[class] += score;
            }
            (1..self.count)
                .fold(0, |best, class| if scores[class] > scores[best] { class } else { best })
        };
        self.on_nodes.rows().into_iter().map(decide).collect()
    }
}

fn through_neighbours(
    graph: &Graph,
    on_nodes: ArrayView2<'_, f64>,
    labelled: &[usize],
) -> Array2<f64> {
    let mut out = Array2::zeros((labelled.len(), on_nodes.ncols()));
    for (mut row, &node) in out.rows_mut().into_iter().zip(labelled) {
        graph.for_each_neighbour(node, |k, w| row.scaled_add(w, &on_nodes.row(k)));
    }
    out
}

/// The place of the best candidate: the middle one of those with the fewest errors.
pub(super) fn middle_of_best(errors: &[usize]) -> Option<usize> {
    let least = errors.iter().min()?;
    let best: Vec<usize> = (0..errors.len()).filter(|&at| errors[at] == *least).collect();
    best.get((best.len() - 1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_harmonic::Harmonic;

    fn graph() -> Graph {
        let edges = (0..9).flat_map(|i| {
            [(i, i + 1, 1.0 + 0.1 * i as f64), (i, (i + 4) % 10, 0.3 + 0.05 * i as f64)]
        });
        Graph::from_edges(10, edges).unwrap()
    }

    fn labels() -> Labels {
        let names =
            [Some("a"), None, Some("b"), None, Some("a"), None, None, Some("b"), None, None];
        Labels::from_names(names)
    }

    #[test]
    fn influence_agrees_with_fits_that_leave_the_label_out() {
        let (graph, labels) = (graph(), labels());
        for method in [Method::Harmonic, Method::Consistency] {
            let influence = Influence::new(method, &graph, &labels).unwrap();
            let scores = |labels: &Labels| match method {
                Method::Harmonic => {
                    Harmonic::default().fit(&graph, labels).unwrap().values().to_owned()
                }
                Method::Consistency => Consistency::default().fit(&graph, labels).unwrap().values,
            };
            let all = scores(&labels);
            let classes: Vec<usize> =
                all.rows().into_iter().map(|row| usize::from(row[1] > row[0])).collect();
            assert_eq!(influence.classify(), classes);
            let labelled = labels.labelled();
            let mut errors = 0;
            for (i, &node) in labelled.iter().enumerate() {
                let kept: Vec<usize> = labelled.iter().copied().filter(|&j| j != node).collect();
                let direct = scores(&labels.keep(&kept).unwrap());
                let mut ours = [0.0; 2];
                for (j, &class) in influence.classes.iter().enumerate().filter(|(j, _)| *j != i) {
                    ours[class] += influence.left_out[[i, j]];
                }
                let share = ours[1] / (ours[0] + ours[1]);
                let expected = direct[[node, 1]] / (direct[[node, 0]] + direct[[node, 1]]);
                assert!((share - expected).abs() < 1e-9, "{method:?} {node}: {share} {expected}");
                errors += usize::from((share > 0.5) != (labels.get(node) == Some(1)));
            }
            assert_eq!(influence.errors(), errors);
        }
    }

    #[test]
    fn the_middle_of_equally_good_candidates_is_taken() {
        assert_eq!(middle_of_best(&[3, 1, 1, 1, 2]), Some(2));
        assert_eq!(middle_of_best(&[1, 3, 1]), Some(0));
        assert_eq!(middle_of_best(&[]), None);
    }
}
