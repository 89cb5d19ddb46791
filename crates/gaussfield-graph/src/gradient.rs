//! The gradient of an objective on the edges, in factored form.

use gaussfield_core::SizeMismatch;
use ndarray::{Array1, Array2, Axis, Zip, linalg::general_mat_mul, s};
use std::ops::Range;

/// ∂J/∂w of an objective J on every undirected edge, in factored form.
///
/// For edge (i, j), counted once,
/// gᵢⱼ = −Σₖ (aₖᵢ − aₖⱼ)(bₖᵢ − bₖⱼ) + sᵢ + sⱼ:
/// potential difference times adjoint potential difference, plus a term for each end (how the
/// degrees of its ends enter the objective otherwise). An objective hands this over after its
/// adjoint solves; a weight family turns it into the gradient of its own hyperparameters in one
/// pass over the edges. Neither knows the other.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeGradient {
    /// aₖᵢ: n rows, K columns.
    pub potentials: Array2<f64>,
    /// bₖᵢ: n rows, K columns.
    pub adjoints: Array2<f64>,
    /// sᵢ: one per node.
    pub node_terms: Array1<f64>,
}

impl EdgeGradient {
    /// gᵢⱼ. O(K).
    ///
    /// # Panics
    /// If a node is past the end.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (&self.potentials, &self.adjoints);
        let mut g = self.node_terms[i] + self.node_terms[j];
        let (here, there) = ((a.row(i), b.row(i)), (a.row(j), b.row(j)));
        Zip::from(here.0).and(there.0).and(here.1).and(there.1).for_each(|ai, aj, bi, bj| {
            g -= (ai - aj) * (bi - bj);
        });
        g
    }

    /// Whether this is a gradient on a graph of `nodes` nodes.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), SizeMismatch> {
        SizeMismatch::check("node terms of the gradient", nodes, self.node_terms.len())?;
        SizeMismatch::check("rows of potentials", nodes, self.potentials.nrows())?;
        SizeMismatch::check("rows of adjoint potentials", nodes, self.adjoints.nrows())?;
        SizeMismatch::check(
            "columns of adjoint potentials",
            self.potentials.ncols(),
            self.adjoints.ncols(),
        )
    }
}

/// gᵢⱼ of many pairs at once, for complete graphs.
#[derive(Debug)]
pub(crate) enum LowerRows {
    /// Few potentials: the difference formula, one potential at a time (rows are potentials).
    Differences { potentials: Array2<f64>, adjoints: Array2<f64>, node_terms: Array1<f64> },
    /// Many potentials: gᵢⱼ = cᵢ + cⱼ + Σₖ (aₖᵢbₖⱼ + bₖᵢaₖⱼ) with cᵢ = sᵢ − Σₖ aₖᵢbₖᵢ, a product of
    /// `left` = [a b] and `right` = [b a]. Potentials are centred first, which changes no
    /// difference and keeps the products small.
    Products { left: Array2<f64>, right: Array2<f64>, node_terms: Array1<f64> },
}

impl LowerRows {
    pub(crate) fn new(gradient: &EdgeGradient) -> Self {
        const FEW: usize = 16;
        let (a, b) = (&gradient.potentials, &gradient.adjoints);
        if a.ncols() <= FEW {
            let transposed = |x: &Array2<f64>| x.t().as_standard_layout().into_owned();
            return Self::Differences {
                potentials: transposed(a),
                adjoints: transposed(b),
                node_terms: gradient.node_terms.clone(),
            };
        }
        let centred = |x: &Array2<f64>| match x.mean_axis(Axis(0)) {
            Some(mean) => x - &mean,
            None => x.clone(),
        };
        let (a, b) = (centred(a), centred(b));
        let node_terms = &gradient.node_terms - &(&a * &b).sum_axis(Axis(1));
        let beside = |x: &Array2<f64>, y: &Array2<f64>| {
            let k = x.ncols();
            let mut both = Array2::zeros((x.nrows(), 2 * k));
            both.slice_mut(s![.., ..k]).assign(x);
            both.slice_mut(s![.., k..]).assign(y);
            both
        };
        Self::Products { left: beside(&a, &b), right: beside(&b, &a), node_terms }
    }

    /// gᵢⱼ for the rows of a block and the columns up to its end. Entries on and above the
    /// diagonal are not meaningful.
    pub(crate) fn block(&self, rows: Range<usize>) -> Array2<f64> {
        let (Self::Differences { node_terms, .. } | Self::Products { node_terms, .. }) = self;
        let mut out = Array2::zeros((rows.len(), rows.end));
        if let Self::Products { left, right, .. } = self {
            let (x, y) = (left.slice(s![rows.clone(), ..]), right.slice(s![..rows.end, ..]));
            general_mat_mul(1.0, &x, &y.t(), 0.0, &mut out);
        }
        for (i, mut row) in rows.clone().zip(out.rows_mut()) {
            let own = node_terms[i];
            row.iter_mut().zip(node_terms).for_each(|(g, other)| *g += own + other);
            if let Self::Differences { potentials, adjoints, .. } = self {
                for (a, b) in potentials.rows().into_iter().zip(adjoints.rows()) {
                    let (own_a, own_b) = (a[i], b[i]);
                    for ((g, a), b) in row.iter_mut().zip(a).zip(b) {
                        *g -= (own_a - a) * (own_b - b);
                    }
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_agree_with_single_edges_for_few_and_many_potentials() {
        for columns in [0, 1, 3, 16, 17, 40] {
            let wave = |shift: usize| move |(i, k)| f64::sin((i * 7 + k * 3 + shift) as f64) + 2.0;
            let gradient = EdgeGradient {
                potentials: Array2::from_shape_fn((9, columns), wave(0)),
                adjoints: Array2::from_shape_fn((9, columns), wave(5)),
                node_terms: Array1::from_shape_fn(9, |i| wave(11)((i, 0))),
            };
            let block = LowerRows::new(&gradient).block(4..9);
            for i in 4..9 {
                for j in 0..i {
                    let difference = block[[i - 4, j]] - gradient.at(i, j);
                    assert!(difference.abs() < 1e-12 * (1.0 + columns as f64), "{columns}");
                }
            }
        }
    }
}
