//! Other labels on the same factorisation.

use super::Field;
use crate::HarmonicError;
use gaussfield_core::{NoSuchNode, SizeMismatch};
use gaussfield_labels::Labels;
use std::sync::Arc;

impl Field {
    /// The field of other classes on the same labelled nodes: another task on the same boundary,
    /// or one more draw of classes. One solve with a column for each class.
    ///
    /// # Errors
    /// Labels for other nodes; another number of classes than outside predictions or a prior have.
    pub fn relabelled(&self, labels: &Labels) -> Result<Self, HarmonicError> {
        SizeMismatch::check("labels", self.labels.len(), labels.len())?;
        let differs = |&node: &usize| self.labels.get(node).is_some() != labels.get(node).is_some();
        if let Some(node) = (0..labels.len()).find(differs) {
            return Err(HarmonicError::OtherNodes { node });
        }
        if let Some(outside) = &self.problem.formula.outside {
            SizeMismatch::check("classes of the labels", outside.ncols(), labels.classes())?;
        }
        Self::new(Arc::clone(&self.problem), Arc::clone(&self.changes), labels.clone(), None)
    }

    /// The field with one label more, or with another class where there is one: clamping node k
    /// conditions on it, f′ = f + G_{·k} (y − f_k) / G_kk. One solve with C + 1 columns; each label
    /// that came or went since the factorisation keeps a column of the size of the system.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_harmonic::Harmonic;
    /// use gaussfield_labels::Labels;
    ///
    /// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])?;
    /// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
    /// let field = Harmonic::default().fit(&graph, &labels)?;
    /// let told = field.with_label(2, 0)?;
    /// assert!((told.class(0)[1] - 1.0).abs() < 1e-12);
    /// let back = told.without_label(2)?;
    /// assert!((back.class(1)[1] - 1.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No such node or class; a node in a part of the graph that had no label when the field was
    /// fitted; labels that are doubted.
    pub fn with_label(&self, node: usize, class: usize) -> Result<Self, HarmonicError> {
        self.with(node, Some(class))
    }

    /// The field without the label of one node: the node is added back to the system. One solve
    /// with C + 2 columns; as for [`Field::with_label`].
    ///
    /// # Errors
    /// A node without a label; the last label; parts of the graph that lose their last one (unless
    /// [`Islands::Prior`](gaussfield_labels::Islands::Prior)); labels that are doubted.
    pub fn without_label(&self, node: usize) -> Result<Self, HarmonicError> {
        NoSuchNode::check(&[node], self.labels.len())?;
        if self.labels.get(node).is_none() {
            return Err(HarmonicError::NotLabelled { node });
        }
        self.with(node, None)
    }

    fn with(&self, node: usize, class: Option<usize>) -> Result<Self, HarmonicError> {
        let labels = self.labels.with(node, class)?;
        let same_nodes = self.labels.get(node).is_some() == class.is_some();
        if same_nodes {
            return self.relabelled(&labels);
        }
        if labels.labelled().is_empty() {
            return Err(gaussfield_labels::LabelsError::NoLabels.into());
        }
        if self.doubts_labels() {
            return Err(self.refuse("a label more or less"));
        }
        let changes = self.changes.to(&self.problem, &labels)?;
        Self::new(Arc::clone(&self.problem), Arc::new(changes), labels, None)
    }

    /// Whether a label changes the system itself, not only its right-hand side.
    pub(super) fn doubts_labels(&self) -> bool {
        self.problem.formula.spoken.is_some() && self.problem.formula.root.is_none()
    }
}
