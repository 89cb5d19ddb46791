//! The backbone graph: labelled nodes and one supernode for each component.

mod closed_form;
mod normalised;
mod reduce;
mod undetermined;

pub use closed_form::ClosedForm;
pub use undetermined::Undetermined;
pub(crate) use undetermined::counts;

use crate::{MixtureError, Responsibilities};
use gaussfield_core::SizeMismatch;
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, LabelsError};
use gaussfield_laplacian::Boundary;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip, s};

/// The graph energy as a function of the class memberships Λ of the components.
///
/// With F_U = RΛ the energy of C classes is ½ Σ_c f_cᵀΔf_c, which for two classes is the paper's
/// fᵀΔf. In Λ it is a quadratic form with A = R_UᵀΔ_UU R_U (M × M) and B = R_UᵀΔ_UL F_L (M × C):
///
/// E(Λ) = ½ tr ΛᵀAΛ + tr ΛᵀB + constant.
///
/// A and B are blocks of the generalised Laplacian [zhu2005 (6)], whose rows add up to zero. So it is
/// with the normalised Laplacian too ([`Backbone::normalised`]), where B has a part for it.
#[derive(Debug, Clone)]
pub struct Backbone {
    laplacian: Array2<f64>,
    inflow: Array2<f64>,
    constant: f64,
    /// Σ_k |A_mk| + Σ_c |B_mc|: the gradient of a component is rounded to about 10⁻¹⁶ of this.
    sizes: Array1<f64>,
    /// What tells whether a change of Λ changes a prediction: see [`reduce::Reduced`].
    sketch: Array2<f64>,
    largest: Array1<f64>,
    /// Responsibilities of the labelled points, in increasing order of the nodes.
    labelled: Array2<f64>,
    classes: Vec<usize>,
    names: Vec<String>,
}

impl Backbone {
    /// The backbone of a graph with partial labels. O(edges·r + n·r·t) for sparse responsibilities
    /// of r entries a row, t the components met around a node (at most edges·r²); O(edges·M +
    /// n·M²) for dense ones. Keeps M² + l·M numbers.
    ///
    /// # Errors
    /// Graph, labels and responsibilities for different numbers of nodes; no label.
    pub fn new(
        graph: &Graph,
        labels: &Labels,
        responsibilities: &Responsibilities,
    ) -> Result<Self, MixtureError> {
        let n = graph.nodes();
        let given = Given::new(n, labels, responsibilities)?;
        let reduced =
            reduce::reduce(graph, &given.boundary, responsibilities, given.one_hot(|_| 1.0).view());
        let constant = constant(graph, labels, given.boundary.boundary());
        given.backbone(reduced, constant, labels, responsibilities)
    }

    /// The number of components, M.
    pub fn components(&self) -> usize {
        self.laplacian.nrows()
    }

    /// The class names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A = R_UᵀΔ_UU R_U, M × M.
    pub fn laplacian(&self) -> ArrayView2<'_, f64> {
        self.laplacian.view()
    }

    /// B = R_UᵀΔ_UL F_L, M × C; entries are not positive, unless the Laplacian is the normalised one.
    pub fn inflow(&self) -> ArrayView2<'_, f64> {
        self.inflow.view()
    }

    /// p(m | x) of the labelled points, l × M, by increasing node.
    pub fn labelled_responsibilities(&self) -> ArrayView2<'_, f64> {
        self.labelled.view()
    }

    /// Classes of the labelled points, by increasing node.
    pub fn labelled_classes(&self) -> &[usize] {
        &self.classes
    }

    /// The graph energy ½ Σ_c f_cᵀΔf_c at memberships Λ; for two classes fᵀΔf, [zhu2005 (2)].
    /// O(M²C).
    ///
    /// # Errors
    /// A Λ of another size.
    pub fn energy(&self, lambda: ArrayView2<'_, f64>) -> Result<f64, MixtureError> {
        self.check_size(lambda)?;
        Ok(self.energy_unchecked(lambda))
    }

    pub(crate) fn check_size(&self, lambda: ArrayView2<'_, f64>) -> Result<(), SizeMismatch> {
        SizeMismatch::check(
            "rows of λ, one for each component",
            self.components(),
            lambda.nrows(),
        )?;
        SizeMismatch::check("columns of λ, one for each class", self.names.len(), lambda.ncols())
    }

    /// The size of the terms whose sum is the gradient of each component.
    pub(crate) fn gradient_terms(&self) -> ArrayView1<'_, f64> {
        self.sizes.view()
    }

    /// The size of the terms whose sum is the energy: it is rounded to about 10⁻¹⁶ of this, however
    /// small it is itself.
    pub(crate) fn energy_terms(&self) -> f64 {
        self.constant + self.inflow.iter().map(|b| b.abs()).sum::<f64>()
    }

    pub(crate) fn energy_unchecked(&self, lambda: ArrayView2<'_, f64>) -> f64 {
        let product = self.laplacian.dot(&lambda);
        let mut sum = 0.0;
        Zip::from(lambda)
            .and(&product)
            .and(&self.inflow)
            .for_each(|&l, &p, &b| sum += l * (0.5 * p + b));
        sum + self.constant
    }
}

/// The labelled nodes of a graph, checked.
struct Given {
    boundary: Boundary,
    classes: Vec<usize>,
    columns: usize,
}

impl Given {
    fn new(
        n: usize,
        labels: &Labels,
        responsibilities: &Responsibilities,
    ) -> Result<Self, MixtureError> {
        SizeMismatch::check("labels, one for each node of the graph", n, labels.len())?;
        SizeMismatch::check(
            "rows of responsibilities, one for each node",
            n,
            responsibilities.points(),
        )?;
        let nodes = labels.labelled();
        if nodes.is_empty() {
            return Err(LabelsError::NoLabels.into());
        }
        let boundary = Boundary::new(n, &nodes)?;
        let classes = nodes.iter().filter_map(|&node| labels.get(node)).collect();
        Ok(Self { boundary, classes, columns: labels.classes() })
    }

    /// A row for each labelled node: `scale` of the node at its class.
    fn one_hot(&self, scale: impl Fn(usize) -> f64) -> Array2<f64> {
        let mut fixed = Array2::zeros((self.classes.len(), self.columns));
        for (at, &class) in self.classes.iter().enumerate() {
            fixed[[at, class]] = scale(self.boundary.boundary()[at]);
        }
        fixed
    }

    fn backbone(
        self,
        reduced: reduce::Reduced,
        constant: f64,
        labels: &Labels,
        responsibilities: &Responsibilities,
    ) -> Result<Backbone, MixtureError> {
        let size = |values: &Array2<f64>| values.mapv(f64::abs).sum_axis(Axis(1));
        Ok(Backbone {
            sizes: size(&reduced.laplacian) + size(&reduced.inflow),
            laplacian: reduced.laplacian,
            inflow: reduced.inflow,
            sketch: reduced.sketch,
            largest: reduced.largest,
            constant,
            labelled: responsibilities.rows(self.boundary.boundary())?,
            classes: self.classes,
            names: labels.names().to_vec(),
        })
    }
}

/// ½ Σ_c F_LᵀΔ_LL F_L for one-hot labels: half the degrees less the weights within a class.
fn constant(graph: &Graph, labels: &Labels, nodes: &[usize]) -> f64 {
    let mut sum = 0.0;
    for &i in nodes {
        graph.for_each_neighbour(i, |j, weight| {
            if labels.get(j) != labels.get(i) {
                sum += 0.5 * weight;
            }
        });
    }
    sum
}

/// The generalised Laplacian [zhu2005 (6)], (l + M) × (l + M): boundary nodes first, in the order of
/// `boundary`, then the components. For a look at the backbone; fitting does not need it.
///
/// # Errors
/// Graph, boundary and responsibilities for different numbers of nodes.
pub fn generalised_laplacian(
    graph: &Graph,
    boundary: &Boundary,
    responsibilities: &Responsibilities,
) -> Result<Array2<f64>, MixtureError> {
    let (n, l) = (graph.nodes(), boundary.boundary().len());
    SizeMismatch::check("nodes of the graph of this boundary", boundary.nodes(), n)?;
    SizeMismatch::check(
        "rows of responsibilities, one for each node",
        n,
        responsibilities.points(),
    )?;
    let one_each = Array2::eye(l);
    let reduced = reduce::reduce(graph, boundary, responsibilities, one_each.view());
    let m = reduced.laplacian.nrows();
    let mut all = Array2::zeros((l + m, l + m));
    all.slice_mut(s![l.., l..]).assign(&reduced.laplacian);
    all.slice_mut(s![l.., ..l]).assign(&reduced.inflow);
    all.slice_mut(s![..l, l..]).assign(&reduced.inflow.t());
    for (at, &node) in boundary.boundary().iter().enumerate() {
        graph.for_each_neighbour(node, |other, weight| {
            all[[at, at]] += weight;
            if let Some(to) = boundary.boundary_position(other) {
                all[[at, to]] -= weight;
            }
        });
    }
    Ok(all)
}

/// Rows that do not sum to one, by how much at most.
pub(crate) fn row_sum_error(lambda: ArrayView2<'_, f64>) -> f64 {
    let sums: Array1<f64> = lambda.sum_axis(Axis(1));
    sums.iter().fold(0.0, |worst: f64, sum| worst.max((sum - 1.0).abs()))
}
