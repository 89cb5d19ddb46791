//! What one label more would change: the algebra of active learning.

use super::{Field, HarmonicError, share_out};
use gaussfield_core::{NoSuchNode, Progress};
use gaussfield_labels::{LabelsError, Scores};
use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

/// Answers to "what if this node were labelled?", for candidates chosen by [`Field::what_if`].
#[derive(Debug)]
pub struct WhatIf<'a> {
    field: &'a Field,
    candidates: Vec<usize>,
    /// Columns of the inverse, n × m.
    columns: Array2<f64>,
}

impl Field {
    /// What would change if one of these nodes were labelled. One solve with a column for each
    /// candidate serves all classes; memory for n numbers a candidate.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_harmonic::Harmonic;
    /// use gaussfield_labels::Labels;
    ///
    /// // A path with its ends labelled: which node should be asked about next?
    /// let graph = Graph::from_edges(6, (0..5).map(|i| (i, i + 1, 1.0)))?;
    /// let labels = Labels::from_names([Some("left"), None, None, None, None, Some("right")]);
    /// let field = Harmonic::default().fit(&graph, &labels)?;
    /// let what_if = field.what_if(field.interior())?;
    /// let errors = what_if.expected_errors()?;
    /// let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b]));
    /// // One in the middle, not beside a label.
    /// assert!(matches!(best.map(|at| what_if.candidates()[at]), Some(2 | 3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A node past the end, one that is labelled, or one that no label reaches; labels that are
    /// doubted.
    pub fn what_if(&self, candidates: &[usize]) -> Result<WhatIf<'_>, HarmonicError> {
        NoSuchNode::check(candidates, self.labels.len())?;
        if self.doubts_labels() {
            return Err(self.refuse("the effect of one more label"));
        }
        if let Some(&node) = candidates.iter().find(|&&node| self.labels.get(node).is_some()) {
            return Err(HarmonicError::Labelled { node });
        }
        let columns = self.green(candidates)?;
        Ok(WhatIf { field: self, candidates: candidates.to_vec(), columns })
    }
}

impl WhatIf<'_> {
    /// The nodes asked about.
    pub fn candidates(&self) -> &[usize] {
        &self.candidates
    }

    /// The scores of the given nodes if a candidate (by its place among
    /// [`WhatIf::candidates`]) were of a class. O(nodes · C).
    ///
    /// # Errors
    /// No such candidate, class or node.
    pub fn scores(
        &self,
        candidate: usize,
        class: usize,
        nodes: &[usize],
    ) -> Result<Scores, HarmonicError> {
        let (field, classes) = (self.field, self.field.labels.classes());
        NoSuchNode::check(&[candidate], self.candidates.len())?;
        NoSuchNode::check(nodes, field.labels.len())?;
        let node = self.candidates[candidate];
        if class >= classes {
            return Err(LabelsError::NoSuchClass { node, class, classes }.into());
        }
        let column = self.columns.column(candidate);
        let effect = self.effect(node, class, column);
        let mut values = Array2::zeros((nodes.len(), classes));
        for (mut row, &i) in values.rows_mut().into_iter().zip(nodes) {
            effect.at(i, row.view_mut());
        }
        share_out(&mut values)?;
        Ok(Scores::new(values)?)
    }

    /// The errors to be expected on the unlabelled nodes after asking about each candidate, in the
    /// order of [`WhatIf::candidates`]: Σ_c f_kc Σᵢ (1 − max_c′ f⁺ᵢc′), the risk by which Zhu,
    /// Lafferty and Ghahramani (2003, "Combining active learning and semi-supervised learning")
    /// choose the next node to ask about. Nothing is solved: O(m · u · C²), candidates in parallel.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn expected_errors(&self) -> Result<Vec<f64>, HarmonicError> {
        let stage = Progress::stage("expected errors", Some(self.candidates.len() as u64));
        let field = self.field;
        let classes = field.labels.classes();
        let expected = |at: usize| -> Result<f64, HarmonicError> {
            stage.step()?;
            let node = self.candidates[at];
            let column = self.columns.column(at);
            let mut row = ndarray::Array1::zeros(classes);
            let mut risk = 0.0;
            for class in 0..classes {
                let effect = self.effect(node, class, column);
                let mut errors = 0.0;
                for &i in field.interior.iter().filter(|&&i| i != node) {
                    effect.at(i, row.view_mut());
                    let (sum, most) = row
                        .iter()
                        .fold((0.0, 0.0), |(sum, most), &f: &f64| (sum + f.max(0.0), f.max(most)));
                    errors += 1.0 - most / sum;
                }
                risk += field.values()[[node, class]] * errors;
            }
            Ok(risk)
        };
        (0..self.candidates.len()).into_par_iter().map(expected).collect()
    }

    /// How much of the variance of the field at all nodes goes if a candidate is labelled,
    /// Σᵢ Gᵢₖ²/Gₖₖ, whatever its class, in the order of [`WhatIf::candidates`]. O(m·n).
    ///
    /// # Errors
    /// The smoothed walk and consistency, which are no Gaussian fields of this kind.
    pub fn variance_reductions(&self) -> Result<Vec<f64>, HarmonicError> {
        self.reductions(|column| column.dot(&column))
    }

    /// How much of the variance of the *sum* of the field goes if a candidate is labelled,
    /// (Σᵢ Gᵢₖ)²/Gₖₖ: Σ-optimality. As [`WhatIf::variance_reductions`].
    ///
    /// # Errors
    /// As [`WhatIf::variance_reductions`].
    pub fn survey_reductions(&self) -> Result<Vec<f64>, HarmonicError> {
        self.reductions(|column| column.sum().powi(2))
    }

    fn reductions(
        &self,
        measure: impl Fn(ArrayView1<'_, f64>) -> f64,
    ) -> Result<Vec<f64>, HarmonicError> {
        self.field.check_gaussian("a variance")?;
        let columns = self.columns.columns().into_iter().zip(&self.candidates);
        Ok(columns.map(|(column, &node)| measure(column) / column[node]).collect())
    }

    fn effect<'a>(&'a self, node: usize, class: usize, column: ArrayView1<'a, f64>) -> Effect<'a> {
        Effect { field: self.field, node, class, column }
    }
}

/// One label more, seen from any node.
struct Effect<'a> {
    field: &'a Field,
    node: usize,
    class: usize,
    column: ArrayView1<'a, f64>,
}

impl Effect<'_> {
    /// The values at a node, up to a common factor.
    fn at(&self, i: usize, mut row: ndarray::ArrayViewMut1<'_, f64>) {
        let values = self.field.values();
        row.assign(&values.row(i));
        let formula = &self.field.problem.formula;
        match (&formula.spoken, &formula.root, &self.field.sums) {
            // The label speaks up at its own node.
            (Some(spoken), Some(root), Some(sums)) => {
                row *= sums[i];
                row[self.class] += root[i] * self.column[i] * spoken[self.node];
                if row.sum() <= 0.0 {
                    // Still an island.
                    row.assign(&values.row(i));
                }
            }
            // Clamping conditions: f + G_{·k} (y − f_k) / G_kk.
            _ => {
                let hit = self.column[i] / self.column[self.node];
                row.scaled_add(-hit, &values.row(self.node));
                row[self.class] += hit;
            }
        }
    }
}
