//! What to label next.

use crate::{Field, HarmonicError};
use gaussfield_core::{Progress, SizeMismatch, check};
use gaussfield_graph::Graph;
use gaussfield_labels::Transductive;
use gaussfield_laplacian::components;
use serde::{Deserialize, Serialize};

/// What makes a node worth asking about. u unlabelled nodes, m candidates, C classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Criterion {
    /// How many errors fewer are to be expected on all nodes once its class is known, whichever it
    /// is: the risk reduction of Zhu, Lafferty and Ghahramani (2003). The one that looks at classes
    /// and graph together; O(m·u·C²).
    #[default]
    ExpectedErrors,
    /// How much of the variance of the field on all nodes goes, Σᵢ Gᵢₖ²/Gₖₖ (Ji and Han 2012).
    /// Looks at the graph only; O(m·u).
    Variance,
    /// How much of the variance of the *sum* of the field goes, (Σᵢ Gᵢₖ)²/Gₖₖ: Σ-optimality (Ma,
    /// Garnett and Schneider 2013), which prefers the middle of clusters. Looks at the graph only;
    /// O(m·u).
    Survey,
    /// Entropy of its row times its degree beside the mean degree: doubt, where many nodes share it.
    /// Entropy alone asks about outliers, of which nothing follows. No solve; O(u·C).
    Uncertainty,
}

/// Chooses nodes to be labelled next, from the factorisation that a field keeps: nothing is fitted
/// again.
///
/// A part of the graph that no label reaches comes first, the largest one before others, by its node
/// of highest degree: nothing else can say anything of it. Of a batch each node is chosen as if the
/// ones before it had come back with their most probable class, so that a batch does not ask the same
/// thing twice.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::{Harmonic, Query};
/// use gaussfield_labels::Labels;
///
/// // Two paths that meet at node 0; one end of one of them is known.
/// let graph = Graph::from_edges(7, [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6)].map(|(i, j)| (i, j, 1.0)))?;
/// let labels = Labels::from_names([None, None, None, Some("left"), None, None, Some("right")]);
/// let field = Harmonic::default().fit(&graph, &labels)?;
/// let next = Query::default().next(&field, &graph)?;
/// assert_eq!(next[0].node, 0); // half-way between the labels
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Query {
    /// What makes a node worth asking about. Default: [`Criterion::ExpectedErrors`].
    pub criterion: Criterion,
    /// How many nodes to choose, at least 1. Default 1.
    pub batch: usize,
    /// How many nodes are looked at for each that is chosen, those of highest
    /// [`Criterion::Uncertainty`]; each costs a column of a solve. At least 1, default 128.
    pub candidates: usize,
}

impl Default for Query {
    fn default() -> Self {
        Self { criterion: Criterion::default(), batch: 1, candidates: 128 }
    }
}

/// A node to be labelled next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The node.
    pub node: usize,
    /// Why it was chosen.
    pub reason: Reason,
}

/// Why a node was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// No label reaches the part of the graph it lies in.
    Unreached {
        /// The size of that part.
        nodes: usize,
    },
    /// What it gains by the criterion asked for, the most of all candidates.
    Gain(f64),
}

impl Query {
    /// The nodes to be labelled next, the most valuable first; fewer than the batch where there are
    /// not as many.
    ///
    /// # Errors
    /// A batch or a number of candidates of 0; a graph of another size; the variance of a field that
    /// is not Gaussian (smoothed walk, consistency); labels that are doubted; a solver that failed.
    pub fn next(&self, field: &Field, graph: &Graph) -> Result<Vec<Question>, HarmonicError> {
        check::at_least("the number of nodes to choose", self.batch, 1)?;
        check::at_least("the number of candidates", self.candidates, 1)?;
        SizeMismatch::check("nodes of the graph", field.labels().len(), graph.nodes())?;
        let stage = Progress::stage("choosing nodes to label", Some(self.batch as u64));
        let degrees = relative_degrees(graph);
        let mut questions = unreached(field.islands(), graph, &degrees);
        questions.truncate(self.batch);
        let mut told: Option<Field> = None;
        while questions.len() < self.batch {
            stage.step()?;
            let known = told.as_ref().unwrap_or(field);
            let Some((node, gain)) = self.best(known, &degrees)? else { break };
            questions.push(Question { node, reason: Reason::Gain(gain) });
            if questions.len() == self.batch || known.interior().len() == 1 {
                break;
            }
            told = Some(known.with_label(node, most_probable(known, node))?);
        }
        Ok(questions)
    }

    /// [`Query::next`] by [`Criterion::Uncertainty`], of the answer of whatever method: groups that no
    /// label reaches, then nodes by entropy and density, as they are. Of a batch none is chosen as if
    /// others had been answered.
    ///
    /// # Errors
    /// A batch of 0; a graph of another size.
    pub fn doubts(
        &self,
        answer: &(impl Transductive + ?Sized),
        graph: &Graph,
    ) -> Result<Vec<Question>, HarmonicError> {
        check::at_least("the number of nodes to choose", self.batch, 1)?;
        SizeMismatch::check("nodes of the graph", answer.scores().values().nrows(), graph.nodes())?;
        let degrees = relative_degrees(graph);
        let mut questions = unreached(answer.islands(), graph, &degrees);
        let doubts = by_doubt(answer, &degrees).into_iter();
        questions.extend(doubts.map(|(node, gain)| Question { node, reason: Reason::Gain(gain) }));
        questions.truncate(self.batch);
        Ok(questions)
    }

    /// The candidate of largest gain; the lower node wins a tie.
    fn best(&self, field: &Field, degrees: &[f64]) -> Result<Option<(usize, f64)>, HarmonicError> {
        let doubts = by_doubt(field, degrees);
        if self.criterion == Criterion::Uncertainty {
            return Ok(doubts.first().copied());
        }
        let candidates: Vec<usize> =
            doubts.iter().take(self.candidates).map(|&(node, _)| node).collect();
        let what_if = field.what_if(&candidates)?;
        let gains = match self.criterion {
            Criterion::Variance => what_if.variance_reductions()?,
            Criterion::Survey => what_if.survey_reductions()?,
            _ => {
                let now: f64 = interior_confidences(field).map(|most| 1.0 - most).sum();
                what_if.expected_errors()?.into_iter().map(|then| now - then).collect()
            }
        };
        let ranked = candidates.into_iter().zip(gains);
        Ok(ranked.min_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))))
    }
}

/// Every unlabelled node that a label reaches, with entropy × density, in falling order.
fn by_doubt(field: &(impl Transductive + ?Sized), degrees: &[f64]) -> Vec<(usize, f64)> {
    let entropy = field.scores().entropy();
    let islands = field.islands();
    let reached = |node: &usize| islands.binary_search(node).is_err();
    let mut doubts: Vec<(usize, f64)> = field
        .interior()
        .iter()
        .copied()
        .filter(reached)
        .map(|node| (node, entropy[node] * degrees[node]))
        .collect();
    doubts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    doubts
}

/// The largest share of each unlabelled node.
fn interior_confidences(field: &Field) -> impl Iterator<Item = f64> {
    let confidence = field.scores().confidence();
    field.interior().iter().map(move |&node| confidence[node])
}

fn most_probable(field: &Field, node: usize) -> usize {
    let row = field.values().row(node).to_vec();
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).unwrap_or(0)
}

/// Degrees beside their mean.
fn relative_degrees(graph: &Graph) -> Vec<f64> {
    let degrees = graph.degrees();
    let mean = degrees.mean().filter(|&mean| mean > 0.0).unwrap_or(1.0);
    degrees.iter().map(|degree| degree / mean).collect()
}

/// One node of each part that no label reaches, the largest part first.
fn unreached(islands: &[usize], graph: &Graph, degrees: &[f64]) -> Vec<Question> {
    if islands.is_empty() {
        return Vec::new();
    }
    let parts = components(graph);
    let mut members = vec![Vec::new(); parts.count];
    islands.iter().for_each(|&node| members[parts.of[node]].push(node));
    let central = |part: &Vec<usize>| {
        let first = part.iter().copied();
        first.min_by(|&a, &b| degrees[b].total_cmp(&degrees[a]).then(a.cmp(&b)))
    };
    let mut questions: Vec<Question> = members
        .iter()
        .filter_map(|part| {
            let reason = Reason::Unreached { nodes: part.len() };
            central(part).map(|node| Question { node, reason })
        })
        .collect();
    let size = |question: &Question| match question.reason {
        Reason::Unreached { nodes } => nodes,
        Reason::Gain(_) => 0,
    };
    questions.sort_by_key(|question| (std::cmp::Reverse(size(question)), question.node));
    questions
}
