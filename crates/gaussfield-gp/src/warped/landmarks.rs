//! The data-dependent kernel through landmarks, n × m matrices.

use super::edges::edge_gradient;
use super::{ByWarp, Warp, squared_columns, symmetrise};
use crate::{Columns, GpError, InductivePrior, Prior, PriorGradient, Queries};
use gaussfield_core::dense::Spd;
use gaussfield_core::{Budget, Facts, NoSuchNode, SizeMismatch, check};
use gaussfield_graph::Graph;
use gaussfield_kernel::Kernel;
use gaussfield_laplacian::{Laplacian, normalising_degrees};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis};
use std::ops::Range;

/// Added to the diagonal of the landmarks' kernel matrix, as a share of its mean: landmarks that
/// lie on each other make it singular.
const JITTER: f64 = 1e-10;

/// The data-dependent kernel with the base kernel replaced by its Nyström form on m landmarks,
/// K(x,z) ≈ K_xZ K_ZZ⁻¹ K_Zz. With K_ZZ = ΛΛᵀ and the features φ(x) = Λ⁻¹K_Zx, one row of Φ for
/// each node,
///
/// ```math
/// \tilde K(x,z) = \varphi(x)^\top (I + \Phi^\top M \Phi)^{-1} \varphi(z)/\gamma_A :
/// ```
///
/// n × m memory and O(n m² + p·edges·m) time, for n past what n × n matrices allow. The matrix to
/// factorise has no eigenvalue below one, however much the graph bends. An approximation: the
/// variance of a point lacks what no landmark explains of it and vanishes far from all of them.
/// With all points as landmarks it is the exact kernel among nodes and between nodes and new points
/// (but for a jitter of 10⁻¹⁰ on K_ZZ), so that means and evidence are exact.
#[derive(Debug)]
pub struct LandmarkKernel {
    kernel: Kernel,
    warp: Warp,
    landmarks: Points,
    points: Points,
    graph: Graph,
    laplacian: Laplacian,
    /// Φ.
    features: Array2<f64>,
    /// Of K_ZZ = ΛΛᵀ.
    own: Spd,
    /// Of I + ΦᵀMΦ.
    factor: Spd,
    /// Of matrices between new points and landmarks.
    budget: Budget,
}

impl LandmarkKernel {
    /// With chosen nodes as landmarks.
    ///
    /// # Errors
    /// No landmark or one past the end, points that are not the graph's, a warp or kernel out of
    /// range, the random-walk Laplacian, three n × m matrices over the budget, a kernel matrix of
    /// the landmarks that cannot be factorised.
    pub fn new(
        points: &Points,
        graph: &Graph,
        laplacian: Laplacian,
        kernel: Kernel,
        warp: Warp,
        landmarks: &[usize],
        budget: Budget,
    ) -> Result<Self, GpError> {
        warp.check()?;
        let nodes = graph.nodes();
        SizeMismatch::check("points behind the nodes", nodes, points.len())?;
        if laplacian == Laplacian::RandomWalk {
            return Err(gaussfield_laplacian::LaplacianError::NotSymmetric.into());
        }
        NoSuchNode::check(landmarks, nodes)?;
        check::at_least("the number of landmarks", landmarks.len(), 1)?;
        // Φ, LᵖΦ and one copy while they are made.
        let what = "the three n × m matrices of the landmarks (fewer landmarks take less)";
        budget.matrix(what, 3 * nodes, landmarks.len())?;
        let landmarks = points.select(landmarks)?;
        let mut own = kernel.gram(&landmarks, budget)?;
        let jitter = JITTER * own.diag().mean().unwrap_or(0.0);
        own.diag_mut().mapv_inplace(|entry| entry + jitter);
        let own = Spd::factorise(own)?;
        let cross = kernel.cross(points, &landmarks, budget)?;
        let features = own.half_solve(cross.reversed_axes());
        let features = features.reversed_axes().as_standard_layout().into_owned();
        let bent = laplacian.apply_power(graph, features.view(), warp.power as usize)?;
        let mut matrix = features.t().dot(&bent) * warp.ratio();
        symmetrise(&mut matrix);
        matrix.diag_mut().mapv_inplace(|entry| entry + 1.0);
        let factor = Spd::factorise(warp.checked(matrix)?)?;
        let (points, graph) = (points.clone(), graph.clone());
        Ok(Self {
            kernel,
            warp,
            landmarks,
            points,
            graph,
            laplacian,
            features,
            own,
            factor,
            budget,
        })
    }

    /// The number of landmarks, m.
    pub fn landmarks(&self) -> usize {
        self.landmarks.len()
    }

    /// log p(G|φ) = −½ log|I + MK_DD| of the Nyström form, without its constant: as
    /// [`WarpedKernel::log_geometry`](super::WarpedKernel::log_geometry).
    pub fn log_geometry(&self) -> f64 {
        -0.5 * self.factor.log_det()
    }

    /// (I + ΦᵀMΦ)⁻¹Φ_Lᵀ, m × l.
    fn solved(&self, nodes: &[usize]) -> Array2<f64> {
        self.factor.solve(self.features.select(Axis(0), nodes).t())
    }

    /// Y/γ_A with Y = (K_ZZ + K_ZD M K_DZ)⁻¹ K_ZL = Λ⁻ᵀ(I + ΦᵀMΦ)⁻¹Φ_Lᵀ, m × l.
    fn carried(&self, solved: Array2<f64>) -> Array2<f64> {
        self.own.half_solve_transposed(solved) / self.warp.gamma_a
    }

    /// Prior variances from features, one column for each point.
    fn spread(&self, features: Array2<f64>) -> Array1<f64> {
        squared_columns(&self.factor.half_solve(features)) / self.warp.gamma_a
    }

    /// ∂J by the kernel's parameters: through K_DL twice, K_ZZ, and K_DZ inside the brackets.
    /// `powered` is Lᵖ Z with Z = γ_A·K̃\[:, L\] = K_DZ Y, `extension` is Y/γ_A.
    fn by_kernel(
        &self,
        nodes: &[usize],
        extension: &Array2<f64>,
        by_gram: &Array2<f64>,
        powered: &Array2<f64>,
    ) -> Result<Vec<f64>, GpError> {
        let pulled = extension.dot(by_gram);
        // ∂J/∂K_DZ: −2M Z M_L Yᵀ for every node, and 2 M_L Yᵀ more for labelled ones.
        let mut by_cross = powered.dot(&pulled.t()) * (-2.0 * self.warp.ratio());
        for (at, &node) in nodes.iter().enumerate() {
            by_cross.row_mut(node).scaled_add(2.0, &pulled.column(at));
        }
        let outer = self.kernel.pullback_cross(&self.points, &self.landmarks, by_cross.view())?;
        let by_own = pulled.dot(&extension.t()) * -self.warp.gamma_a;
        let own = self.kernel.pullback(&self.landmarks, by_own.view())?;
        Ok(outer.iter().zip(own).map(|(a, b)| a + b).collect())
    }
}

impl Prior for LandmarkKernel {
    fn nodes(&self) -> usize {
        self.features.nrows()
    }

    /// O(n·m·l).
    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        let solved = self.solved(nodes);
        let values = self.features.dot(&solved) / self.warp.gamma_a;
        let extension = Some(self.carried(solved));
        Ok(Columns { values, extension, facts: Facts::default() })
    }

    /// O(m²) a node.
    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(self.spread(self.features.select(Axis(0), nodes).reversed_axes()))
    }

    /// As for [`WarpedKernel`](super::WarpedKernel). O(n·m·(l + d) + p·edges·l).
    fn pullback(
        &self,
        nodes: &[usize],
        columns: &Columns,
        by_gram: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        let extension = self.extension(nodes, columns)?;
        let columns = &columns.values;
        let last = self.warp.power as usize;
        let mut powers = vec![columns * self.warp.gamma_a];
        for at in 0..last {
            let next = self.laplacian.apply(&self.graph, powers[at].view())?;
            powers.push(next);
        }
        let mut parameters = self.by_kernel(nodes, &extension, by_gram, &powers[last])?;
        let gram = columns.select(Axis(0), nodes);
        let by_warp = ByWarp::new(&self.warp, &powers[0], &powers[last], by_gram, &gram);
        parameters.extend([by_warp.gamma_a, by_warp.gamma_i]);
        let scale = self.warp.ratio() / self.warp.gamma_a;
        let degrees = normalising_degrees(&self.graph);
        let edges = edge_gradient(self.laplacian, &degrees, &[(last, scale)], by_gram, &powers);
        Ok(PriorGradient { parameters, edges: Some(edges) })
    }
}

impl InductivePrior for LandmarkKernel {
    /// Y/γ_A: the features are K_xZ.
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(self.carried(self.solved(nodes)))
    }

    fn ready(&self, queries: &Points, rows: Range<usize>) -> Result<Queries, GpError> {
        let cross = self.kernel.cross_rows(queries, rows, &self.landmarks, self.budget)?;
        let variances = self.spread(self.own.half_solve(cross.t().to_owned()));
        Ok(Queries::new(cross, variances))
    }
}
