//! The backbone of the normalised Laplacian.

use super::reduce::reduce;
use super::{Backbone, Given};
use crate::{MixtureError, Responsibilities};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use ndarray::{Array1, Axis, Zip};

impl Backbone {
    /// The backbone by the normalised Laplacian I − D^−½WD^−½, another measure of smoothness that
    /// [zhu2005 (2)] may have: values count divided by the root of their node's degree. A node without
    /// an edge does not count. As [`Backbone::new`] otherwise, with a copy of the responsibilities.
    ///
    /// I − D^−½WD^−½ is D^−½ΔD^−½, so A and B are those of Δ with D^−½R and D^−½F. A constant is not
    /// smooth by this measure, and A·1 + B·1 is not zero. Since every row of Λ sums to one, the same
    /// number may be added to all entries of a row of B if the constant makes up for it: those added
    /// here make the rows of (A B) sum to zero. The energies are therefore right for rows that sum to
    /// one only.
    ///
    /// # Errors
    /// As [`Backbone::new`].
    pub fn normalised(
        graph: &Graph,
        labels: &Labels,
        responsibilities: &Responsibilities,
    ) -> Result<Self, MixtureError> {
        let given = Given::new(graph.nodes(), labels, responsibilities)?;
        let root = graph.degrees().mapv(|d| if d > 0.0 { d.sqrt().recip() } else { 0.0 });
        let scaled = responsibilities.scaled(root.view());
        let fixed = given.one_hot(|node| root[node]);
        let mut reduced = reduce(graph, &given.boundary, &scaled, fixed.view());
        let mut largest = Array1::<f64>::zeros(responsibilities.components());
        for &node in given.boundary.interior() {
            responsibilities.for_each(node, |m, r| largest[m] = largest[m].max(r));
        }
        reduced.largest = largest;
        let classes = reduced.inflow.ncols() as f64;
        let sums = reduced.laplacian.sum_axis(Axis(1)) + reduced.inflow.sum_axis(Axis(1));
        let added = sums.mapv(|sum| -sum / classes);
        Zip::from(reduced.inflow.rows_mut()).and(&added).for_each(|mut row, &v| row += v);
        let constant = constant(graph, labels, root.as_slice().unwrap_or_default()) - added.sum();
        given.backbone(reduced, constant, labels, responsibilities)
    }
}

/// ½ Σ_c F_LᵀL_LL F_L for one-hot labels.
fn constant(graph: &Graph, labels: &Labels, root: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in labels.labelled() {
        graph.for_each_neighbour(i, |j, weight| {
            let same = labels.get(j) == labels.get(i);
            let other = if same { root[j] } else { 0.0 };
            sum += 0.5 * weight * root[i] * (root[i] - other);
        });
    }
    sum
}
