//! Labelled leaves attached to nodes of the graph.

use crate::HarmonicError;
use crate::problem::Formula;
use gaussfield_core::{SizeMismatch, check};
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, Scores};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Dongles: labelled leaves attached to nodes of the graph (Zhu et al. 2003, section 5).
///
/// On an unlabelled node the dongle holds what another classifier says; the walk goes there with
/// probability η and everywhere else with 1 − η times the old probability:
/// f_u = (I − (1−η)P_uu)⁻¹ ((1−η)P_ul f_l + η h_u), [zhu2003 (10)]. On a labelled node the dongle
/// holds the label itself, which frees the node to disagree with it.
///
/// A dongle reached with probability η from a node of degree d is an edge of weight d·η/(1−η):
/// dividing row i by 1 − η leaves the Laplacian plus that weight on the diagonal, symmetric for
/// any choice of η per node.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::{Dongles, Harmonic};
/// use gaussfield_labels::{Labels, Scores};
/// use ndarray::array;
///
/// let graph = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)])?;
/// let labels = Labels::from_names([Some("no"), None, Some("yes")]);
/// // Another classifier is sure that the middle node is "yes".
/// let outside = Scores::new(array![[0.0, 1.0]])?;
/// let field = Harmonic::default()
///     .fit_with_dongles(&graph, &labels, &Dongles::on_unlabelled(outside, 0.1)?)?;
/// assert!((field.class(1)[1] - (0.9 * 0.5 + 0.1)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", rename_all = "kebab-case")]
pub struct Dongles {
    outside: Option<Outside>,
    doubt: Option<f64>,
    self_loop: f64,
}

/// What another classifier says, and how probably the walk asks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outside {
    predictions: Scores,
    eta: f64,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Unchecked {
    outside: Option<Outside>,
    doubt: Option<f64>,
    self_loop: f64,
}

impl TryFrom<Unchecked> for Dongles {
    type Error = HarmonicError;
    fn try_from(from: Unchecked) -> Result<Self, HarmonicError> {
        let mut dongles = match from.outside {
            Some(Outside { predictions, eta }) => Self::on_unlabelled(predictions, eta)?,
            None => Self::default(),
        };
        if let Some(eta) = from.doubt {
            dongles = dongles.and_doubt(eta)?;
        }
        dongles.with_self_loops(from.self_loop)
    }
}

impl Dongles {
    /// Outside predictions for the unlabelled nodes, in increasing order of node, reached with
    /// probability η: hard (one-hot) or soft.
    ///
    /// # Errors
    /// η outside [0, 1).
    pub fn on_unlabelled(predictions: Scores, eta: f64) -> Result<Self, HarmonicError> {
        check_eta(eta)?;
        Ok(Self { outside: Some(Outside { predictions, eta }), ..Self::default() })
    }

    /// Doubts the labels, beside outside predictions or alone: every labelled node is freed and its
    /// label moved to a dongle reached with probability η. η → 1 clamps the label again; η = 0 would
    /// drop it.
    ///
    /// # Errors
    /// η outside [0, 1).
    pub fn and_doubt(mut self, eta: f64) -> Result<Self, HarmonicError> {
        check_eta(eta)?;
        self.doubt = Some(eta);
        Ok(self)
    }

    /// Counts a self-loop of this weight in every degree, as [zhu2003 (1)] read literally does
    /// with weight 1. Self-loops cancel in the harmonic function but not here. Default: 0.
    ///
    /// # Errors
    /// A weight that is negative or not finite.
    pub fn with_self_loops(mut self, weight: f64) -> Result<Self, HarmonicError> {
        check::not_negative("the self-loop weight", weight)?;
        self.self_loop = weight;
        Ok(self)
    }

    pub(crate) fn formula(&self, graph: &Graph, labels: &Labels) -> Result<Formula, HarmonicError> {
        let degrees = graph.degrees();
        // A node without any edge walks to its dongle at once; any positive weight says so.
        let pull = |node: usize, eta: f64| {
            let degree = degrees[node] + self.self_loop;
            let degree = if degree > 0.0 { degree } else { 1.0 };
            degree * eta / (1.0 - eta) // [zhu2003 (10)]
        };
        let mut formula = Formula::harmonic(graph.nodes());
        formula.method = "dongles";
        if let Some(Outside { predictions: scores, eta }) = &self.outside {
            let unlabelled = labels.unlabelled();
            let rows = "outside predictions, one for each unlabelled node,";
            SizeMismatch::check(rows, unlabelled.len(), scores.nodes())?;
            let classes = "classes of the outside predictions";
            SizeMismatch::check(classes, labels.classes(), scores.classes())?;
            let mut outside = Array2::zeros((graph.nodes(), labels.classes()));
            for (row, &node) in scores.values().rows().into_iter().zip(&unlabelled) {
                formula.ties[node] = pull(node, *eta);
                outside.row_mut(node).scaled_add(formula.ties[node], &row);
            }
            formula.outside = Some(outside);
        }
        if let Some(eta) = self.doubt {
            formula.method = "doubted labels";
            let mut spoken = vec![0.0; graph.nodes()];
            for node in labels.labelled() {
                spoken[node] = pull(node, eta);
                formula.ties[node] = spoken[node];
            }
            formula.spoken = Some(spoken);
        }
        Ok(formula)
    }
}

fn check_eta(eta: f64) -> Result<(), HarmonicError> {
    let inside = (0.0..1.0).contains(&eta);
    Ok(check::range("the dongle probability η", eta, inside, "at least 0 and below 1")?)
}
