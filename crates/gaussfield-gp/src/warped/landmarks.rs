use super::{ByWarp, Inductive, Warp, beside, lapack, parameter_names, squared_columns};
use crate::error::check_nodes;
use crate::{GpError, Prior, PriorGradient};
use gaussfield_graph::{EdgeGradient, Graph};
use gaussfield_kernel::Kernel;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::cholesky::Cholesky;
use ndarray_linalg::triangular::SolveTriangularInto;
use ndarray_linalg::{Diag, UPLO};
use std::ops::Range;
use std::sync::Arc;

/// Added to the diagonal of the landmarks' kernel matrix, as a share of its mean: landmarks that
/// lie on each other make it singular.
const JITTER: f64 = 1e-10;

/// The data-dependent kernel with the base kernel replaced by its Nyström form on m landmarks,
/// K(x,z) ≈ K_xZ K_ZZ⁻¹ K_Zz. Then
///
/// \\[ \tilde K(x,z) = K_{xZ}\,(K_{ZZ} + K_{ZD} M K_{DZ})^{-1} K_{Zz}/\gamma_A : \\]
///
/// n × m memory and O(n m² + p·edges·m) time, for n past what n × n matrices allow. An
/// approximation: variances vanish far from all landmarks. With all points as landmarks it is the
/// exact kernel (but for a jitter of 10⁻¹⁰).
#[derive(Debug)]
pub struct LandmarkKernel {
    kernel: Kernel,
    warp: Warp,
    landmarks: Points,
    points: Arc<Points>,
    graph: Graph,
    laplacian: Laplacian,
    /// K_DZ.
    cross: Array2<f64>,
    /// Lᵖ K_DZ.
    bent: Array2<f64>,
    /// The lower Cholesky factor of K_ZZ + K_ZD M K_DZ.
    factor: Array2<f64>,
}

impl LandmarkKernel {
    /// With chosen nodes as landmarks.
    ///
    /// # Errors
    /// No landmark or one past the end, points that are not the graph's, a warp or kernel out of
    /// range, the random-walk Laplacian, a matrix that LAPACK cannot factorise.
    pub fn new(
        points: impl Into<Arc<Points>>,
        graph: &Graph,
        laplacian: Laplacian,
        kernel: Kernel,
        warp: Warp,
        landmarks: &[usize],
    ) -> Result<Self, GpError> {
        warp.check()?;
        let points = points.into();
        let (nodes, got) = (graph.nodes(), points.len());
        if nodes != got {
            return Err(GpError::NodeCount { what: "the set of points", nodes, got });
        }
        if laplacian == Laplacian::RandomWalk {
            return Err(gaussfield_laplacian::LaplacianError::NotSymmetric.into());
        }
        check_nodes(landmarks, nodes)?;
        if landmarks.is_empty() {
            let (name, value) = ("the number of landmarks", 0.0);
            return Err(GpError::BadParameter { name, value, range: "at least 1" });
        }
        let landmarks = points.select(landmarks)?;
        let cross = kernel.cross(&points, &landmarks)?;
        let bent = laplacian.apply_power(graph, cross.view(), warp.power as usize)?;
        let own = kernel.gram(&landmarks)?;
        let jitter = JITTER * own.diag().mean().unwrap_or(0.0);
        let mut matrix = own + cross.t().dot(&bent) * warp.ratio();
        matrix = (&matrix + &matrix.t()) * 0.5;
        matrix.diag_mut().mapv_inplace(|entry| entry + jitter);
        let factor = matrix.cholesky(UPLO::Lower).map_err(|error| lapack("Cholesky", &error))?;
        let graph = graph.clone();
        Ok(Self { kernel, warp, landmarks, points, graph, laplacian, cross, bent, factor })
    }

    /// The number of landmarks, m.
    pub fn landmarks(&self) -> usize {
        self.landmarks.len()
    }

    /// Λ⁻¹ K_Z*, from rows K_*Z.
    fn half(&self, rows: &Array2<f64>) -> Result<Array2<f64>, GpError> {
        let x = rows.t().as_standard_layout().into_owned();
        let solved = self.factor.solve_triangular_into(UPLO::Lower, Diag::NonUnit, x);
        solved.map_err(|error| lapack("triangular solve", &error))
    }

    /// Y = (K_ZZ + K_ZD M K_DZ)⁻¹ K_ZL, m × l.
    fn weights(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        let half = self.half(&self.cross.select(Axis(0), nodes))?;
        let upper = self.factor.t().as_standard_layout().into_owned();
        let solved = upper.solve_triangular_into(UPLO::Upper, Diag::NonUnit, half);
        solved.map_err(|error| lapack("triangular solve", &error))
    }

    /// ∂J by the kernel's parameters: through K_DL twice, K_ZZ, and K_DZ inside the brackets.
    fn by_kernel(&self, nodes: &[usize], by_gram: &Array2<f64>) -> Result<Vec<f64>, GpError> {
        let weights = self.weights(nodes)?;
        let pulled = weights.dot(by_gram);
        let inner = pulled.dot(&weights.t()) / -self.warp.gamma_a;
        // ∂J/∂K_DZ: −2M K_DZ Y M_L Yᵀ for every node, and 2 M_L Yᵀ more for labelled ones.
        let mut by_cross = self.bent.dot(&inner) * (2.0 * self.warp.ratio());
        for (at, &node) in nodes.iter().enumerate() {
            by_cross.row_mut(node).scaled_add(2.0 / self.warp.gamma_a, &pulled.column(at));
        }
        let outer = self.kernel.pullback_cross(&self.points, &self.landmarks, by_cross.view())?;
        let own = self.kernel.pullback(&self.landmarks, inner.view())?;
        Ok(outer.iter().zip(own).map(|(a, b)| a + b).collect())
    }

    /// The edges of the graph, with `powers` = Lᵃ Z for a = 0 … p.
    fn by_edges(&self, by_gram: &Array2<f64>, powers: &[Array2<f64>]) -> Option<EdgeGradient> {
        // Through the normalised Laplacian the degrees count too; only the eigenvector form
        // follows that.
        if self.laplacian != Laplacian::Combinatorial {
            return None;
        }
        let last = self.warp.power as usize;
        let scale = self.warp.ratio() / self.warp.gamma_a;
        let potentials: Vec<_> = (0..last).map(|a| powers[a].dot(by_gram) * scale).collect();
        let adjoints: Vec<_> = (0..last).map(|a| powers[last - 1 - a].clone()).collect();
        Some(EdgeGradient {
            potentials: beside(&potentials),
            adjoints: beside(&adjoints),
            node_terms: Array1::zeros(self.nodes()),
        })
    }
}

impl Prior for LandmarkKernel {
    fn nodes(&self) -> usize {
        self.cross.nrows()
    }

    fn columns(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        check_nodes(nodes, self.nodes())?;
        Ok(self.cross.dot(&self.weights(nodes)?) / self.warp.gamma_a)
    }

    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        check_nodes(nodes, self.nodes())?;
        let half = self.half(&self.cross.select(Axis(0), nodes))?;
        Ok(squared_columns(&half) / self.warp.gamma_a)
    }

    fn parameter_names(&self) -> Vec<&'static str> {
        parameter_names(self.kernel)
    }

    /// As for [`WarpedKernel`](super::WarpedKernel). The edges are followed through the
    /// combinatorial Laplacian only.
    fn pull_back(
        &self,
        nodes: &[usize],
        columns: &Array2<f64>,
        by_gram: &Array2<f64>,
    ) -> PriorGradient {
        let unknown = |_| vec![f64::NAN; self.kernel.parameters().len()];
        let mut parameters = self.by_kernel(nodes, by_gram).unwrap_or_else(unknown);
        let z = columns * self.warp.gamma_a;
        let mut powers = vec![z];
        for at in 0..self.warp.power as usize {
            match self.laplacian.apply(&self.graph, powers[at].view()) {
                Ok(next) => powers.push(next),
                Err(_) => powers.push(Array2::from_elem(columns.dim(), f64::NAN)),
            }
        }
        let gram = columns.select(Axis(0), nodes);
        let last = self.warp.power as usize;
        let by_warp = ByWarp::new(&self.warp, &powers[0], &powers[last], by_gram, &gram);
        parameters.extend([by_warp.gamma_a, by_warp.gamma_i]);
        PriorGradient { parameters, edges: self.by_edges(by_gram, &powers) }
    }
}

impl Inductive for LandmarkKernel {
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        check_nodes(nodes, self.nodes())?;
        self.weights(nodes)
    }

    fn at(
        &self,
        extension: &Array2<f64>,
        queries: &Points,
        rows: Range<usize>,
    ) -> Result<(Array2<f64>, Array1<f64>), GpError> {
        let cross = self.kernel.cross_rows(queries, rows, &self.landmarks)?;
        let variances = squared_columns(&self.half(&cross)?) / self.warp.gamma_a;
        Ok((cross.dot(extension) / self.warp.gamma_a, variances))
    }
}
