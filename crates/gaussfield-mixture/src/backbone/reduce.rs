//! R_UᵀΔ_UU R_U and R_UᵀΔ_UL F, a part of the interior at a time.

use crate::Responsibilities;
use crate::blocks::{BLOCK, parts, split};
use gaussfield_graph::Graph;
use gaussfield_laplacian::Boundary;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1};
use rayon::prelude::*;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Reduced {
    /// M × M, symmetric.
    pub(super) laplacian: Array2<f64>,
    /// M × C.
    pub(super) inflow: Array2<f64>,
}

/// `fixed` has a row for each boundary node.
pub(super) fn reduce(
    graph: &Graph,
    boundary: &Boundary,
    resp: &Responsibilities,
    fixed: ArrayView2<'_, f64>,
) -> Reduced {
    let m = resp.components();
    let zero =
        || Reduced { laplacian: Array2::zeros((m, m)), inflow: Array2::zeros((m, fixed.ncols())) };
    let interior = boundary.interior();
    let of_part = |part: Range<usize>| {
        let mut sums = zero();
        let nodes = &interior[part];
        match resp {
            Responsibilities::Dense(values) => {
                for range in split(nodes.len(), BLOCK) {
                    dense_block(graph, boundary, values.view(), &nodes[range], fixed, &mut sums);
                }
            }
            Responsibilities::Sparse(_) => {
                let mut row = Scratch {
                    values: vec![0.0; m],
                    is_touched: vec![false; m],
                    touched: Vec::new(),
                };
                for &i in nodes {
                    sparse_row(graph, boundary, resp, i, fixed, &mut row, &mut sums);
                }
            }
        }
        sums
    };
    let bytes = 8 * m * (m + fixed.ncols());
    let found: Vec<Reduced> = parts(interior.len(), bytes).into_par_iter().map(of_part).collect();
    let mut total = zero();
    for part in found {
        total.laplacian += &part.laplacian;
        total.inflow += &part.inflow;
    }
    total.laplacian = 0.5 * (&total.laplacian + &total.laplacian.t());
    total
}

/// A += R_blockᵀ (Δ_UU R)_block, with the rows of Δ_UU R in difference form.
fn dense_block(
    graph: &Graph,
    boundary: &Boundary,
    resp: ArrayView2<'_, f64>,
    nodes: &[usize],
    fixed: ArrayView2<'_, f64>,
    sums: &mut Reduced,
) {
    let mut here = Array2::zeros((nodes.len(), resp.ncols()));
    let mut applied = Array2::zeros((nodes.len(), resp.ncols()));
    let mut inflow = Array2::zeros((nodes.len(), fixed.ncols()));
    for (at, &i) in nodes.iter().enumerate() {
        let own = resp.row(i);
        here.row_mut(at).assign(&own);
        let mut row = applied.row_mut(at);
        graph.for_each_neighbour(i, |j, weight| match boundary.boundary_position(j) {
            Some(label) => {
                row.scaled_add(weight, &own);
                inflow.row_mut(at).scaled_add(-weight, &fixed.row(label));
            }
            None => add_difference(row.view_mut(), weight, own, resp.row(j)),
        });
    }
    general_mat_mul(1.0, &here.t(), &applied, 1.0, &mut sums.laplacian);
    general_mat_mul(1.0, &here.t(), &inflow, 1.0, &mut sums.inflow);
}

/// sum += weight · (own − other). Slices, where the rows are such, become vector instructions.
fn add_difference(
    mut sum: ArrayViewMut1<'_, f64>,
    weight: f64,
    own: ArrayView1<'_, f64>,
    other: ArrayView1<'_, f64>,
) {
    match (sum.as_slice_mut(), own.as_slice(), other.as_slice()) {
        (Some(sum), Some(own), Some(other)) => sum
            .iter_mut()
            .zip(own.iter().zip(other))
            .for_each(|(sum, (own, other))| *sum += weight * (own - other)),
        _ => sum
            .iter_mut()
            .zip(own.iter().zip(other))
            .for_each(|(sum, (own, other))| *sum += weight * (own - other)),
    }
}

/// A dense row of which few entries are set.
struct Scratch {
    values: Vec<f64>,
    is_touched: Vec<bool>,
    touched: Vec<usize>,
}

impl Scratch {
    fn add(&mut self, at: usize, value: f64) {
        if !self.is_touched[at] {
            self.is_touched[at] = true;
            self.touched.push(at);
        }
        self.values[at] += value;
    }
}

/// A += r_i (Δ_UU R)_i: the row of Δ_UU R first, then its outer product with r_i.
fn sparse_row(
    graph: &Graph,
    boundary: &Boundary,
    resp: &Responsibilities,
    i: usize,
    fixed: ArrayView2<'_, f64>,
    row: &mut Scratch,
    sums: &mut Reduced,
) {
    let mut degree = 0.0;
    graph.for_each_neighbour(i, |j, weight| {
        degree += weight;
        match boundary.boundary_position(j) {
            Some(label) => resp.for_each(i, |m, r| {
                sums.inflow.row_mut(m).scaled_add(-weight * r, &fixed.row(label));
            }),
            None => resp.for_each(j, |m, r| row.add(m, -weight * r)),
        }
    });
    resp.for_each(i, |m, r| row.add(m, degree * r));
    resp.for_each(i, |m, r| {
        let mut out = sums.laplacian.row_mut(m);
        for &k in &row.touched {
            out[k] += r * row.values[k];
        }
    });
    for k in row.touched.drain(..) {
        row.values[k] = 0.0;
        row.is_touched[k] = false;
    }
}
