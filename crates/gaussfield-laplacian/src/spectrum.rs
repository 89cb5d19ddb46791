//! The smallest eigenpairs of a Laplacian.

mod lanczos;
mod null_space;
mod tall;

use crate::grounded::normalising_degrees;
use crate::{Grounded, Laplacian, LaplacianError, SolverOptions};
use gaussfield_core::dense::symmetric_eigen;
use gaussfield_core::{Budget, check};
use gaussfield_graph::Graph;
use lanczos::ShiftInvert;
use ndarray::{Array1, Array2, Axis, concatenate};
use null_space::NullSpace;
use serde::{Deserialize, Serialize};
use tall::Tall;

/// Up to this many nodes the full matrix is decomposed.
const SMALL: usize = 400;
/// The full matrix is decomposed as well when more than one in this many pairs is wanted.
const SHARE: usize = 5;

/// The smallest eigenvalues of a Laplacian and their vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// λ₁ ≤ λ₂ ≤ …, none negative; exactly 0 once for every connected component.
    pub values: Array1<f64>,
    /// A column for each, orthonormal. Those of the eigenvalue 0 are known exactly: one for each
    /// component, constant on it (combinatorial) or proportional to √d (symmetric), components
    /// in the order of their smallest node.
    pub vectors: Array2<f64>,
    /// ‖L v − λ v‖ / ‖L‖ for each, the product in difference form; ‖L‖ by Gershgorin's bound,
    /// 2·max d (combinatorial) or 2 (symmetric).
    pub residuals: Array1<f64>,
    /// Columns solved with the shifted Laplacian; 0 where the full matrix was decomposed, or
    /// where only the null space was asked for.
    pub solves: usize,
}

impl Spectrum {
    /// The largest of [`residuals`](Self::residuals).
    pub fn worst_residual(&self) -> f64 {
        self.residuals.iter().copied().fold(0.0, f64::max)
    }
}

/// How [`Laplacian::smallest`] searches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LanczosOptions {
    /// Largest [residual](Spectrum::residuals) allowed, in (0, 1). An eigenvector is then off by
    /// about this divided by the gap to the next eigenvalue, relative to ‖L‖. Default 1e-10.
    pub tolerance: f64,
    /// The shift δ relative to ‖L‖, in (0, 1). Smaller separates small eigenvalues better, and
    /// makes the systems harder to solve. Default 1e-6.
    pub shift: f64,
    /// Where the random start comes from. Default 0.
    pub seed: u64,
    /// Most restarts. Default 200.
    pub max_restarts: usize,
    /// How the shifted systems are solved; its budget holds for the full matrix too. Conjugate
    /// gradients go to a tenth of [`tolerance`](Self::tolerance) at least. Default as always.
    pub solver: SolverOptions,
}

impl Default for LanczosOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            shift: 1e-6,
            seed: 0,
            max_restarts: 200,
            solver: SolverOptions::default(),
        }
    }
}

impl LanczosOptions {
    fn check(&self) -> Result<(), LaplacianError> {
        check::fraction("the tolerance", self.tolerance)?;
        check::fraction("the relative shift", self.shift)?;
        self.solver.check()
    }
}

impl Laplacian {
    /// The `count` smallest eigenvalues with their vectors, of the combinatorial or the symmetric
    /// Laplacian of any graph, connected or not.
    ///
    /// 1. The null space is read off the connected components. Where `count` is not larger, this
    ///    is all.
    /// 2. n ≤ 400 or `count` > n/5: the full matrix. O(n³) time, O(n²) memory.
    /// 3. Else block Lanczos on (L + δI)⁻¹ off the null space (shift and invert: Ericsson, Ruhe
    ///    1980), with full reorthogonalisation and thick restarts (Wu, Simon 2000). The small
    ///    eigenvalues of L, crowded at one end, are far apart in the inverse. One preparation of
    ///    Δ + δI or Δ + δD; then about 5 to 15 solves for each pair, more where eigenvalues are crowded; O(n·count²) time and
    ///    n·(2·count + 128) numbers for the vectors.
    ///    A second search from random vectors orthogonal to the result looks for copies of a
    ///    multiple eigenvalue that the first could not see, and is repeated until it finds none:
    ///    very strong evidence that nothing is missing, not a proof.
    ///
    /// At last one Rayleigh–Ritz step with L itself, in difference form. The result depends on
    /// the seed, not on the number of threads.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_laplacian::{Laplacian, LanczosOptions};
    ///
    /// // A path of 500 nodes: λ = 2 − 2 cos(πj/n), and the second vector orders the nodes.
    /// let n = 500;
    /// let path = Graph::from_edges(n, (1..n).map(|i| (i - 1, i, 1.0)))?;
    /// let spectrum = Laplacian::Combinatorial.smallest(&path, 3, &LanczosOptions::default())?;
    /// let expected = 2.0 - 2.0 * (std::f64::consts::PI / n as f64).cos();
    /// assert!((spectrum.values[1] - expected).abs() < 1e-13);
    /// let fiedler = spectrum.vectors.column(1);
    /// let direction = (fiedler[1] - fiedler[0]).signum();
    /// assert!((1..n).all(|i| direction * (fiedler[i] - fiedler[i - 1]) > 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No pair or more pairs than nodes asked for, the random-walk Laplacian, an option out of
    /// range, a full matrix or the vectors over the budget, a shifted system that cannot be solved, pairs that do
    /// not converge (with the residual reached).
    pub fn smallest(
        self,
        graph: &Graph,
        count: usize,
        options: &LanczosOptions,
    ) -> Result<Spectrum, LaplacianError> {
        let nodes = graph.nodes();
        if count == 0 || count > nodes {
            return Err(LaplacianError::Eigenpairs { count, nodes });
        }
        if self == Self::RandomWalk {
            return Err(LaplacianError::NotSymmetric);
        }
        options.check()?;
        let null_space = NullSpace::new(self, graph);
        let zeros = null_space.dimension().min(count);
        let rest = count - zeros;
        let (vectors, solves) = if rest == 0 {
            (Tall::from_fn(nodes, 0, |_, _| 0.0), 0)
        } else if nodes <= SMALL || count > nodes / SHARE {
            (self.full(graph, &null_space, rest, options.solver.budget)?, 0)
        } else {
            // What is searched in, and the vectors found with their products and copies.
            let numbers = lanczos::most(rest) + 4 * rest + count;
            let budget = options.solver.budget;
            let budget =
                budget.matrix("the vectors of the search for eigenpairs", nodes, numbers)?;
            let solver = SolverOptions { budget, ..options.solver };
            let operator = self.shift_invert(graph, &LanczosOptions { solver, ..*options })?;
            let found = lanczos::largest(&operator, &null_space, rest, options)?;
            (found.vectors, found.solves)
        };
        let pairs = Pairs::refined(self, graph, vectors)?;
        let spectrum = pairs.with_null_space(&null_space.vectors(zeros), solves)?;
        let (residual, tolerance) = (spectrum.worst_residual(), options.tolerance);
        if residual <= tolerance {
            Ok(spectrum)
        } else {
            Err(lanczos::not_converged(residual, tolerance, solves).into())
        }
    }

    /// Gershgorin's bound of ‖L‖.
    fn size(self, graph: &Graph) -> f64 {
        match self {
            Self::Combinatorial => 2.0 * graph.degrees().iter().copied().fold(0.0, f64::max),
            Self::Symmetric | Self::RandomWalk => 2.0,
        }
    }

    /// The smallest pairs off the null space from the full matrix, the null space lifted past the
    /// others.
    fn full(
        self,
        graph: &Graph,
        null_space: &NullSpace,
        count: usize,
        budget: Budget,
    ) -> Result<Tall, LaplacianError> {
        let size = self.size(graph);
        let mut matrix = self.dense(graph, budget)?;
        matrix.mapv_inplace(|entry| entry / size);
        null_space.lift(&mut matrix, 2.0);
        let (_, vectors) = symmetric_eigen(matrix)?;
        let mut tall = Tall::from_fn(graph.nodes(), count, |i, c| vectors[[i, c]]);
        null_space.remove_from(&mut tall);
        Ok(tall)
    }

    fn shift_invert(
        self,
        graph: &Graph,
        options: &LanczosOptions,
    ) -> Result<ShiftInvert, LaplacianError> {
        let delta = options.shift * self.size(graph);
        // Δ + δI, or D^½ (L + δI) D^½ = Δ + δD: to solve (L + δI) x = b, that is solved for y with
        // D^½ b on the right, and x = D^½ y.
        let (excess, root) = match self {
            Self::Combinatorial => (vec![delta; graph.nodes()], None),
            Self::Symmetric | Self::RandomWalk => {
                let degrees = normalising_degrees(graph);
                ((&degrees * delta).to_vec(), Some(degrees.mapv(f64::sqrt)))
            }
        };
        let nodes: Vec<usize> = (0..graph.nodes()).collect();
        let system = Grounded::new(graph, &nodes, 1.0, excess)?;
        let tolerance = options.solver.tolerance.min(0.1 * options.tolerance);
        let prepared = system.prepare(&SolverOptions { tolerance, ..options.solver })?;
        Ok(ShiftInvert { prepared, delta, root })
    }
}

/// Eigenpairs off the null space, increasing.
struct Pairs {
    values: Vec<f64>,
    vectors: Array2<f64>,
    residuals: Vec<f64>,
}

impl Pairs {
    /// One Rayleigh–Ritz step with L on the span of orthonormal vectors.
    fn refined(
        laplacian: Laplacian,
        graph: &Graph,
        mut vectors: Tall,
    ) -> Result<Self, LaplacianError> {
        let (n, k) = (vectors.rows(), vectors.columns());
        if k == 0 {
            return Ok(Self {
                values: Vec::new(),
                vectors: Array2::zeros((n, 0)),
                residuals: Vec::new(),
            });
        }
        // Divided by ‖L‖, so that nothing leaves the range whatever the weights.
        let size = laplacian.size(graph);
        let image = |vectors: &Tall| -> Result<Tall, LaplacianError> {
            let view = vectors.view().map_err(shape)?;
            let image = laplacian.apply(graph, view)?;
            Ok(Tall::from_fn(n, k, |i, c| image[[i, c]] / size))
        };
        let energy = vectors.inner(&image(&vectors)?);
        let (_, rotation) = symmetric_eigen((&energy + &energy.t()) / 2.0)?;
        vectors.rotate(rotation.view());
        let image = image(&vectors)?;
        let mut values = vec![0.0; k];
        for i in 0..n {
            for (c, value) in values.iter_mut().enumerate() {
                *value += vectors.row(i)[c] * image.row(i)[c];
            }
        }
        let mut squares = vec![0.0; k];
        for i in 0..n {
            for (c, square) in squares.iter_mut().enumerate() {
                *square += (image.row(i)[c] - values[c] * vectors.row(i)[c]).powi(2);
            }
        }
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        Ok(Self {
            values: order.iter().map(|&c| size * values[c].max(0.0)).collect(),
            vectors: vectors.to_array().select(Axis(1), &order),
            residuals: order.iter().map(|&c| squares[c].sqrt()).collect(),
        })
    }

    fn with_null_space(
        self,
        null_vectors: &Array2<f64>,
        solves: usize,
    ) -> Result<Spectrum, LaplacianError> {
        let zeros = || std::iter::repeat_n(0.0, null_vectors.ncols());
        let vectors = concatenate(Axis(1), &[null_vectors.view(), self.vectors.view()]);
        Ok(Spectrum {
            values: zeros().chain(self.values).collect(),
            vectors: vectors.map_err(shape)?,
            residuals: zeros().chain(self.residuals).collect(),
            solves,
        })
    }
}

fn shape(error: ndarray::ShapeError) -> LaplacianError {
    LaplacianError::Library { routine: "the eigendecomposition", reason: error.to_string() }
}
