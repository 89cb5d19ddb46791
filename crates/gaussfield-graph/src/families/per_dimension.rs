//! Weights that fall with the squared distance, on one length scale for each dimension.

use super::{
    Later, WeightFamily, check_belongs,
    radial::{rows_mut, take_sparse},
};
use crate::gradient::LowerRows;
use crate::{EdgeGradient, Graph, GraphError, Pattern, SparseWeights, Weights};
use gaussfield_core::blocks::split;
use gaussfield_core::exponential::exp_all;
use gaussfield_core::{
    Budget, Domain, Parameter, ParameterError, Parameters, SizeMismatch, check_values,
};
use gaussfield_points::pairs::{BLOCK, Scale, Side, symmetric};
use gaussfield_points::{Points, Rows};
use ndarray::{Array1, Array2, ArrayView1, s};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// wᵢⱼ = exp(−Σ_d (x_id − x_jd)²/σ_d²): one length scale for each dimension.
///
/// [zhu2003 (1)]. The slope is ∂w/∂σ_d = 2·w·(x_id − x_jd)²/σ_d³.
/// The weights come from the coordinates; the pattern (of any metric) only says which pairs have
/// an edge.
///
/// On complete patterns both directions are matrix products. With z = (x − mean)/σ the exponent
/// is ‖zᵢ‖² + ‖zⱼ‖² − 2zᵢ·zⱼ, computed again from differences for close pairs and for rows so
/// long that the products would lose digits of the weight; weights are accurate to about 10⁻¹².
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExponentialPerDimension {
    /// σ_d > 0, one for each dimension.
    pub sigmas: Vec<f64>,
}

impl ExponentialPerDimension {
    /// The same length scale in every dimension, to start from.
    pub fn uniform(sigma: f64, dimensions: usize) -> Self {
        Self { sigmas: vec![sigma; dimensions] }
    }

    /// 1/σ_d, after all checks.
    fn factors(&self, pattern: &Pattern) -> Result<Vec<f64>, GraphError> {
        self.check_parameters()?;
        let dimensions = pattern.points().dim();
        SizeMismatch::check(
            "length scales, one for each dimension",
            dimensions,
            self.sigmas.len(),
        )?;
        // The reciprocal of a subnormal scale would be infinite.
        Ok(self.sigmas.iter().map(|sigma| sigma.recip().min(f64::MAX)).collect())
    }
}

impl Parameters for ExponentialPerDimension {
    fn parameters(&self) -> Vec<Parameter> {
        let named = |(d, &sigma)| Parameter::new(format!("sigma[{d}]"), sigma, Domain::Positive);
        self.sigmas.iter().enumerate().map(named).collect()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        check_values(&self.parameters(), values)?;
        self.sigmas = values.to_vec();
        Ok(())
    }
}

impl WeightFamily for ExponentialPerDimension {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        let (factors, points) = (self.factors(pattern)?, pattern.points());
        Ok(Graph::trusted(match pattern.sparse_distances() {
            Some(distances) => {
                take_sparse(distances, budget)?;
                Weights::Sparse(sparse_weights(points, distances, factors))
            }
            None => {
                let (n, dim) = (points.len(), points.dim());
                let rest = budget.matrix("the weights of a complete graph", n, n)?;
                rest.matrix("dense copies of the points", 2 * n, dim)?;
                Weights::Dense(dense_weights(&dense(points)?, factors)?)
            }
        }))
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        let (factors, points) = (self.factors(pattern)?, pattern.points());
        check_belongs(pattern, graph, gradient)?;
        let sums = match graph.weights() {
            Weights::Dense(weights) => dense_sums(&dense(points)?, &factors, weights, gradient),
            Weights::Sparse(weights) => sparse_sums(points, &factors, weights, gradient),
        };
        Ok(sums.iter().zip(&self.sigmas).map(|(sum, sigma)| 2.0 * sum / sigma).collect())
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        let Later { points, nodes, among, row, .. } = *later;
        let what = "length scales, one for each dimension";
        SizeMismatch::check(what, points.dim(), self.sigmas.len())?;
        let nodes: Vec<usize> = nodes.iter().map(|&node| node as usize).collect();
        let (old, new) = (points.select(&nodes)?.to_dense(), among.select(&[row])?.to_dense());
        let log = |old: ArrayView1<'_, f64>| {
            let terms = old.iter().zip(new.row(0)).zip(&self.sigmas);
            let sum: f64 = terms.map(|((x, y), sigma)| ((x - y) / sigma).powi(2)).sum();
            (-sum).max(-f64::MAX)
        };
        Ok(old.outer_iter().map(log).collect())
    }
}

/// The points with dense rows.
fn dense(points: &Points) -> Result<Points, GraphError> {
    Ok(match points.rows() {
        Rows::Dense(_) => points.clone(),
        Rows::Sparse(rows) => Points::dense(rows.to_dense())?,
    })
}

fn sparse_weights(points: &Points, distances: &SparseWeights, factors: Vec<f64>) -> SparseWeights {
    let (mut weights, scale) = (distances.clone(), Scale::Each(factors));
    let rows = rows_mut(distances.indptr().raw_storage(), weights.data_mut());
    rows.into_par_iter().for_each(|(i, start, row)| {
        for (at, entry) in row.iter_mut().enumerate() {
            let j = distances.indices()[start + at] as usize;
            *entry = -scale.squared_distance((points, i), (points, j));
        }
        exp_all(row);
    });
    weights
}

fn dense_weights(points: &Points, factors: Vec<f64>) -> Result<Array2<f64>, GraphError> {
    let side = Side::alone(points, Scale::Each(factors));
    // An absolute error in the exponent is a relative error in the weight. It is about ε times the
    // squared norms, harmless for norms up to LONG; past the exponent GONE every weight is zero.
    const LONG: f64 = 2000.0;
    const GONE: f64 = 800.0;
    let doubtful = |squared: f64, norms: f64| {
        squared < 1e-6 * norms || (norms > LONG && squared < GONE + 1e-12 * norms)
    };
    symmetric(points.len(), |rows, mut out| {
        side.squared(rows.clone(), &side, out.view_mut(), doubtful);
        for (i, mut row) in rows.zip(out.rows_mut()) {
            let (below, rest) = row.as_slice_mut().unwrap_or_default().split_at_mut(i);
            below.iter_mut().for_each(|x| *x = -*x);
            exp_all(below);
            rest.fill(0.0);
        }
        Ok(())
    })
}

/// Σ over edges of g·w·((x_id − x_jd)/σ_d)² for each d, from the edges of a sparse graph.
fn sparse_sums(
    points: &Points,
    factors: &[f64],
    weights: &SparseWeights,
    gradient: &EdgeGradient,
) -> Vec<f64> {
    let sum_block = |rows: Range<usize>| {
        let mut sums = vec![0.0; factors.len()];
        for i in rows {
            for at in weights.indptr().outer_inds_sz(i) {
                let (j, w) = (weights.indices()[at] as usize, weights.data()[at]);
                if j < i && w > 0.0 {
                    add_pair(points, factors, i, j, w * gradient.at(i, j), &mut sums);
                }
            }
        }
        sums
    };
    // At most 64 partial sums, of length d each.
    let size = points.len().div_ceil(64).max(BLOCK);
    let parts = split(points.len(), size).into_par_iter().map(sum_block).collect();
    total(parts, factors.len())
}

fn add_pair(points: &Points, factors: &[f64], i: usize, j: usize, m: f64, sums: &mut [f64]) {
    match (points.dense_row(i), points.dense_row(j)) {
        (Some(x), Some(z)) => add_dense_pair(x, z, factors, m, sums),
        _ => points.for_each_difference(i, points, j, |d, difference| {
            sums[d] += m * (difference * factors[d]).powi(2);
        }),
    }
}

fn add_dense_pair(x: &[f64], z: &[f64], factors: &[f64], m: f64, sums: &mut [f64]) {
    for (((sum, x), z), factor) in sums.iter_mut().zip(x).zip(z).zip(factors) {
        let difference = (x - z) * factor;
        *sum += m * difference * difference;
    }
}

/// The same sums over all pairs. With M = w∘g and z = (x − mean)/σ,
/// Σ_{i>j} Mᵢⱼ(z_id − z_jd)² = Σᵢ rᵢz_id² + Σⱼ cⱼz_jd² − 2Σᵢ z_id(Lz)_id,
/// where L is the strict lower triangle of M and r, c are its row and column sums. Pairs that are
/// close compared with their norms would cancel; they are taken out of M and added one by one.
fn dense_sums(
    points: &Points,
    factors: &[f64],
    weights: &Array2<f64>,
    gradient: &EdgeGradient,
) -> Vec<f64> {
    const CLOSE: f64 = 1e-4;
    const SMALL: usize = 1 << 20;
    let (n, dim) = (points.len(), points.dim());
    let side = Side::alone(points, Scale::Each(factors.to_vec()));
    let lower = LowerRows::new(gradient);
    // −ln w < CLOSE·(‖zᵢ‖² + ‖zⱼ‖²) is w > qᵢqⱼ with q = exp(−CLOSE·‖z‖²). Where norms overflow,
    // and where the problem is small, every pair is "close".
    let one_by_one = n * n * dim <= SMALL || side.norms().iter().any(|norm| !norm.is_finite());
    let near: Array1<f64> = if one_by_one {
        Array1::zeros(n)
    } else {
        side.norms().iter().map(|norm| (-CLOSE * norm).exp()).collect()
    };
    let row_of = |i: usize| points.dense_row(i).unwrap_or_default();
    let sum_block = |range: Range<usize>| {
        let mut sums = vec![0.0; dim];
        let mut m = lower.block(range.clone());
        let mut column_sums = vec![0.0; range.end];
        let mut row_sums = vec![0.0; range.len()];
        for ((i, mut m), row_sum) in range.clone().zip(m.rows_mut()).zip(&mut row_sums) {
            let weights = weights.slice(s![i, ..range.end]);
            for (j, (m, &w)) in m.iter_mut().zip(weights).enumerate() {
                if j >= i {
                    *m = 0.0;
                    continue;
                }
                *m *= w;
                if w > near[i] * near[j] {
                    add_dense_pair(row_of(i), row_of(j), factors, *m, &mut sums);
                    *m = 0.0;
                }
                *row_sum += *m;
                column_sums[j] += *m;
            }
        }
        let (Some(z), false) = (side.as_dense(), one_by_one) else { return sums };
        let z = z.slice(s![..range.end, ..]);
        let product = m.dot(&z);
        let own = z.rows().into_iter().skip(range.start);
        for ((product, row_sum), z) in product.rows().into_iter().zip(&row_sums).zip(own) {
            for ((sum, z), product) in sums.iter_mut().zip(z).zip(product) {
                *sum += z * (row_sum * z - 2.0 * product);
            }
        }
        for (z, column_sum) in z.rows().into_iter().zip(&column_sums) {
            for (sum, z) in sums.iter_mut().zip(z) {
                *sum += column_sum * z * z;
            }
        }
        sums
    };
    let parts = split(n, BLOCK).into_par_iter().map(sum_block).collect();
    total(parts, dim)
}

fn total(parts: Vec<Vec<f64>>, dim: usize) -> Vec<f64> {
    let mut sums = vec![0.0; dim];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    sums
}
