//! The exact data-dependent kernel, n × n matrices.

use super::edges::edge_gradient;
use super::polynomial::roots;
use super::{Ambient, ByWarp, Warp, WarpTerm, by_term, squared_columns};
use crate::{Columns, GpError, InductivePrior, Prior, PriorGradient, Queries};
use gaussfield_core::dense::Spd;
use gaussfield_core::{Facts, NoSuchNode};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis};
use std::ops::Range;
use std::sync::Arc;

/// Columns made at one time when variances are asked for.
const BLOCK: usize = 256;

/// The data-dependent kernel
///
/// ```math
/// \tilde K(x,z) = \bigl[K(x,z) - K_{xD}(I + MK_{DD})^{-1}MK_{Dz}\bigr]/\gamma_A, \qquad
///     M = (\gamma_I/\gamma_A)\,L^p
/// ```
///
/// [sindhwani2007 (kernel)]: points that the graph links have like values, and new points
/// have values too. With further terms ([`Ambient::warp_by`]) M is a polynomial of L. K is never
/// inverted, so that duplicate points do no harm. With the root C of M, for one power U√(γ_I/γ_A)Λ^(p/2), (I + MK)⁻¹M = C(I + CᵀKC)⁻¹Cᵀ: one Cholesky factorisation of a
/// matrix whose eigenvalues are at least one serves labels and queries alike.
#[derive(Debug)]
pub struct WarpedKernel {
    ambient: Arc<Ambient>,
    warp: Warp,
    further: Vec<WarpTerm>,
    /// The roots of M's eigenvalues.
    roots: Array1<f64>,
    /// Of B = I + CᵀKC; `None` where the graph does not count.
    factor: Option<Spd>,
    /// Whether the weights of the graph may move, so that [`Prior::pullback`] follows them.
    graph_moves: bool,
}

impl WarpedKernel {
    pub(super) fn new(
        ambient: Arc<Ambient>,
        warp: Warp,
        further: &[WarpTerm],
    ) -> Result<Self, GpError> {
        warp.check()?;
        further.iter().try_for_each(WarpTerm::check)?;
        let roots = roots(&ambient.geometry.values, &warp, further);
        let bends = warp.gamma_i > 0.0 || further.iter().any(|term| term.beta > 0.0);
        let factor = if bends && !roots.is_empty() {
            let mut matrix = &ambient.spectral * &roots;
            matrix *= &roots.view().insert_axis(Axis(1));
            matrix.diag_mut().mapv_inplace(|entry| entry + 1.0);
            Some(Spd::factorise(warp.checked(matrix)?)?)
        } else {
            None
        };
        let further = further.to_vec();
        Ok(Self { ambient, warp, further, roots, factor, graph_moves: true })
    }

    /// On a graph whose weights stay: no gradient on them.
    pub(super) fn on_fixed_graph(self) -> Self {
        Self { graph_moves: false, ..self }
    }

    pub(super) fn ambient(&self) -> &Arc<Ambient> {
        &self.ambient
    }

    /// What bends the kernel.
    pub fn warp(&self) -> Warp {
        self.warp
    }

    /// log p(G|φ) = −½ log|I + MK_DD|, without its constant. It favours M → 0 always: report it,
    /// do not maximise it alone.
    pub fn log_geometry(&self) -> f64 {
        self.factor.as_ref().map_or(0.0, |factor| -0.5 * factor.log_det())
    }

    /// The whole matrix K̃_DD. O(n³).
    pub fn gram(&self) -> Array2<f64> {
        let warped = match self.half(self.ambient.turned.clone()) {
            Some(half) => &self.ambient.gram - &half.t().dot(&half),
            None => self.ambient.gram.clone(),
        };
        (&warped + &warped.t()) * (0.5 / self.warp.gamma_a)
    }

    /// K̃ between any two sets of points, in the graph or not. O((a + b)·n²).
    ///
    /// # Errors
    /// Points of another dimension, a matrix over the budget.
    pub fn covariance(&self, a: &Points, b: &Points) -> Result<Array2<f64>, GpError> {
        let Ambient { geometry, points, kernel, budget, .. } = &*self.ambient;
        let plain = kernel.cross(a, b, *budget)?;
        let turned = |x: &Points| -> Result<_, GpError> {
            x.check_dim(points.dim())?;
            Ok(geometry.vectors.t().dot(&kernel.cross(points, x, *budget)?))
        };
        let warped = match (self.half(turned(a)?), self.half(turned(b)?)) {
            (Some(a), Some(b)) => plain - a.t().dot(&b),
            _ => plain,
        };
        Ok(warped / self.warp.gamma_a)
    }

    /// Λ_B⁻¹ Cᵀ X from UᵀX, B = Λ_BΛ_Bᵀ.
    pub(super) fn half(&self, turned: Array2<f64>) -> Option<Array2<f64>> {
        let factor = self.factor.as_ref()?;
        Some(factor.half_solve(turned * self.roots.view().insert_axis(Axis(1))))
    }

    /// H = (I + MK)⁻¹E_L = E_L − C B⁻¹ CᵀK_DL, n × l, so that γ_A·K̃\[:, L\] = K H.
    fn weights(&self, nodes: &[usize]) -> Array2<f64> {
        let mut weights = Array2::zeros((self.nodes(), nodes.len()));
        for (at, &node) in nodes.iter().enumerate() {
            weights[[node, at]] = 1.0;
        }
        if let Some(factor) = &self.factor {
            let turned = self.ambient.turned.select(Axis(1), nodes);
            let solved = factor.solve((turned * self.roots.view().insert_axis(Axis(1))).view());
            let scaled = solved * self.roots.view().insert_axis(Axis(1));
            weights -= &self.ambient.geometry.vectors.dot(&scaled);
        }
        weights
    }
}

impl Prior for WarpedKernel {
    fn nodes(&self) -> usize {
        self.ambient.gram.nrows()
    }

    /// O(n²l).
    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        let extension = self.extend(nodes)?;
        let values = self.ambient.gram.dot(&extension);
        Ok(Columns { values, extension: Some(extension), facts: Facts::default() })
    }

    /// O(n²) a node, in blocks.
    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        let mut variances = Vec::with_capacity(nodes.len());
        for block in nodes.chunks(BLOCK) {
            let half = self.half(self.ambient.turned.select(Axis(1), block));
            let bent = half.map_or_else(|| Array1::zeros(block.len()), |h| squared_columns(&h));
            let one = |(&node, bent): (&usize, f64)| {
                (self.ambient.gram[[node, node]] - bent).max(0.0) / self.warp.gamma_a
            };
            variances.extend(block.iter().zip(bent).map(one));
        }
        Ok(Array1::from(variances))
    }

    /// With Z = KH: dJ = \[tr(M_L HᵀdK H) − tr(M_L ZᵀdM Z)\]/γ_A, and dM = ratio Σ LᵃdL Lᵇ over
    /// a + b = p − 1, and so for every further term. O(n²(pl + d)), without a solve. No edges where the
    /// graph is fixed.
    fn pullback(
        &self,
        nodes: &[usize],
        columns: &Columns,
        by_gram: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        let Ambient { geometry, points, kernel, .. } = &*self.ambient;
        let gamma_a = self.warp.gamma_a;
        let extension = self.extension(nodes, columns)?;
        let columns = &columns.values;
        let z = columns * gamma_a;
        let sensitivity = extension.dot(by_gram).dot(&extension.t()) * gamma_a;
        let mut parameters = kernel.pullback(points, sensitivity.view())?;
        let of_term = |term: &WarpTerm| (term.power as usize, term.beta);
        let mut terms = vec![(self.warp.power as usize, self.warp.gamma_i)];
        terms.extend(self.further.iter().map(of_term));
        let last = terms.iter().map(|term| term.0).max().unwrap_or(0);
        let powers: Vec<Array2<f64>> =
            (0..=last as u32).map(|power| geometry.power(&z, power)).collect();
        let gram = columns.select(Axis(0), nodes);
        let own = &powers[self.warp.power as usize];
        let by_warp = ByWarp::new(&self.warp, &z, own, by_gram, &gram);
        let weighted = z.dot(by_gram);
        let by_further: Vec<f64> = terms[1..]
            .iter()
            .map(|&(power, _)| by_term(gamma_a, &weighted, &powers[power]))
            .collect();
        // M is divided by γ_A in every term.
        let through: f64 = terms[1..].iter().zip(&by_further).map(|(term, by)| term.1 * by).sum();
        parameters.extend([by_warp.gamma_a - through / gamma_a, by_warp.gamma_i]);
        parameters.extend(by_further);
        let edges = self.graph_moves.then(|| {
            let scaled: Vec<(usize, f64)> = terms
                .iter()
                .map(|&(power, factor)| (power, factor / (gamma_a * gamma_a)))
                .collect();
            edge_gradient(geometry.laplacian, &geometry.degrees, &scaled, by_gram, &powers)
        });
        Ok(PriorGradient { parameters, edges })
    }
}

impl InductivePrior for WarpedKernel {
    /// H/γ_A: the features are K_xD.
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(self.weights(nodes) / self.warp.gamma_a)
    }

    fn ready(&self, queries: &Points, rows: Range<usize>) -> Result<Queries, GpError> {
        let Ambient { geometry, points, kernel, budget, .. } = &*self.ambient;
        let cross = kernel.cross_rows(queries, rows.clone(), points, *budget)?;
        let own = kernel.diagonal(&queries.select(&rows.collect::<Vec<_>>())?)?;
        let turned = geometry.vectors.t().dot(&cross.t());
        Ok(self.bend(Arc::new(cross), &own, turned))
    }
}
