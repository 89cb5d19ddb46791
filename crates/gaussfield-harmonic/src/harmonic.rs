//! Harmonic energy minimisation.

use crate::problem::{Bench, Formula, check};
use crate::{Dongles, Field, HarmonicError};
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels};
use gaussfield_laplacian::SolverOptions;
use serde::{Deserialize, Serialize};

/// Harmonic energy minimisation: the field that equals the labels on the boundary and the average
/// of its neighbours everywhere else.
///
/// f_u = (D_uu − W_uu)⁻¹ W_ul f_l, [zhu2003 (5)], for each class at once: one factorisation, C
/// right-hand sides.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::Harmonic;
/// use gaussfield_labels::Labels;
///
/// // A path 0 – 1 – 2 – 3 with its ends labelled: the values go linearly from end to end.
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let field = Harmonic::default().fit(&graph, &labels)?;
/// assert!((field.class(1)[1] - 1.0 / 3.0).abs() < 1e-12);
/// assert!((field.class(1)[2] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Harmonic {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Which solver, how exact. Default: chosen by size and density.
    pub solver: SolverOptions,
}

impl Harmonic {
    /// The harmonic function of every class.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), a solver that could not reach its accuracy.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Field, HarmonicError> {
        check(graph, labels)?;
        self.solve(graph, labels, Formula::harmonic(graph.nodes()))
    }

    /// The harmonic function on the graph augmented with dongles: outside predictions on
    /// unlabelled nodes, and labelled nodes whose label is doubted [zhu2003 (10)].
    ///
    /// # Errors
    /// As [`Harmonic::fit`], and dongles that do not fit the labels.
    pub fn fit_with_dongles(
        &self,
        graph: &Graph,
        labels: &Labels,
        dongles: &Dongles,
    ) -> Result<Field, HarmonicError> {
        check(graph, labels)?;
        self.solve(graph, labels, dongles.formula(graph, labels)?)
    }

    fn solve(
        &self,
        graph: &Graph,
        labels: &Labels,
        formula: Formula,
    ) -> Result<Field, HarmonicError> {
        let bench = Bench { options: &self.solver, kept: None };
        Field::fit(graph, labels, formula, &self.islands, bench)
    }
}
