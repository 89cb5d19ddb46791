//! R_UᵀΔ_UU R_U and R_UᵀΔ_UL F, a part of the interior at a time.

use crate::Responsibilities;
use crate::responsibilities::Values;
use crate::rows::BLOCK;
use gaussfield_core::blocks::{parts, split};
use gaussfield_graph::Graph;
use gaussfield_laplacian::Boundary;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Zip};
use rayon::prelude::*;
use std::ops::Range;

/// Random numbers of each node in the sketch.
const PROBES: usize = 8;

#[derive(Debug)]
pub(super) struct Reduced {
    /// M × M, symmetric.
    pub(super) laplacian: Array2<f64>,
    /// M × C.
    pub(super) inflow: Array2<f64>,
    /// R_Uᵀ D_U^½ P with random numbers P, M × a few: the mean square of sketchᵀv is about
    /// Σ_i d_i (Rv)_i², and zero where Rv is.
    pub(super) sketch: Array2<f64>,
    /// The largest share of any unlabelled point, component by component.
    pub(super) largest: Array1<f64>,
}

impl Reduced {
    fn zeros(components: usize, columns: usize) -> Self {
        Self {
            laplacian: Array2::zeros((components, components)),
            inflow: Array2::zeros((components, columns)),
            sketch: Array2::zeros((components, PROBES)),
            largest: Array1::zeros(components),
        }
    }

    fn add(&mut self, other: &Self) {
        self.laplacian += &other.laplacian;
        self.inflow += &other.inflow;
        self.sketch += &other.sketch;
        self.largest.zip_mut_with(&other.largest, |top, &x| *top = top.max(x));
    }
}

/// The lower blocks of [zhu2005 (6)]. `fixed` has a row for each boundary node.
pub(super) fn reduce(
    graph: &Graph,
    boundary: &Boundary,
    resp: &Responsibilities,
    fixed: ArrayView2<'_, f64>,
) -> Reduced {
    let m = resp.components();
    let interior = boundary.interior();
    let of_part = |part: Range<usize>| {
        let mut sums = Reduced::zeros(m, fixed.ncols());
        let nodes = &interior[part];
        match resp.values() {
            Values::Dense(values) => {
                for range in split(nodes.len(), BLOCK) {
                    dense_block(graph, boundary, values.view(), &nodes[range], fixed, &mut sums);
                }
            }
            Values::Sparse(_) => {
                let mut row = Scratch::new(m);
                for &i in nodes {
                    sparse_row(graph, boundary, resp, i, fixed, &mut row, &mut sums);
                }
            }
        }
        sums
    };
    let bytes = 8 * m * (m + fixed.ncols());
    let found: Vec<Reduced> =
        parts(interior.len(), BLOCK, bytes).into_par_iter().map(of_part).collect();
    let mut total = Reduced::zeros(m, fixed.ncols());
    found.iter().for_each(|part| total.add(part));
    total.laplacian = 0.5 * (&total.laplacian + &total.laplacian.t());
    total
}

/// The random numbers of a node, uniform with variance one (not signs, which may cancel exactly), by
/// splitmix64 (Steele, Lea and Flood 2014).
fn probe(node: usize) -> [f64; PROBES] {
    let mut state = (node as u64).wrapping_mul(0xd134_2543_de82_ef95);
    std::array::from_fn(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let unit = (z >> 11) as f64 / (1_u64 << 53) as f64;
        3.0_f64.sqrt() * (2.0 * unit - 1.0)
    })
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
    let mut probes = Array2::zeros((nodes.len(), PROBES));
    for (at, &i) in nodes.iter().enumerate() {
        let own = resp.row(i);
        here.row_mut(at).assign(&own);
        sums.largest.zip_mut_with(&own, |top, &r| *top = top.max(r));
        let mut row = applied.row_mut(at);
        let mut degree = 0.0;
        graph.for_each_neighbour(i, |j, weight| {
            degree += weight;
            match boundary.boundary_position(j) {
                Some(label) => {
                    row.scaled_add(weight, &own);
                    inflow.row_mut(at).scaled_add(-weight, &fixed.row(label));
                }
                None => add_difference(row.view_mut(), weight, own, resp.row(j)),
            }
        });
        Zip::from(probes.row_mut(at)).and(&probe(i)).for_each(|p, x| *p = x * degree.sqrt());
    }
    general_mat_mul(1.0, &here.t(), &applied, 1.0, &mut sums.laplacian);
    general_mat_mul(1.0, &here.t(), &inflow, 1.0, &mut sums.inflow);
    general_mat_mul(1.0, &here.t(), &probes, 1.0, &mut sums.sketch);
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
    fn new(size: usize) -> Self {
        Self { values: vec![0.0; size], is_touched: vec![false; size], touched: Vec::new() }
    }

    fn add(&mut self, at: usize, value: f64) {
        if !self.is_touched[at] {
            self.is_touched[at] = true;
            self.touched.push(at);
        }
        self.values[at] += value;
    }

    /// Adds weight · (own − other), two sparse rows by increasing index. Differences come first:
    /// what two rows have in common must not lose a weak link in rounding.
    fn add_difference(&mut self, weight: f64, own: &[(usize, f64)], other: &[(usize, f64)]) {
        let (mut a, mut b) = (own.iter().peekable(), other.iter().peekable());
        loop {
            let (at, gap) = match (a.peek(), b.peek()) {
                (Some(&&(i, x)), Some(&&(j, y))) if i == j => {
                    a.next();
                    b.next();
                    (i, x - y)
                }
                (Some(&&(i, x)), other) if other.is_none_or(|other| i < other.0) => {
                    a.next();
                    (i, x)
                }
                (_, Some(&&(j, y))) => {
                    b.next();
                    (j, -y)
                }
                (_, None) => break,
            };
            self.add(at, weight * gap);
        }
    }
}

/// A += r_i (Δ_UU R)_i: the row of Δ_UU R first, in difference form, then its outer product with
/// r_i.
fn sparse_row(
    graph: &Graph,
    boundary: &Boundary,
    resp: &Responsibilities,
    i: usize,
    fixed: ArrayView2<'_, f64>,
    row: &mut Scratch,
    sums: &mut Reduced,
) {
    let entries = |node: usize, into: &mut Vec<(usize, f64)>| {
        into.clear();
        resp.for_each(node, |m, r| into.push((m, r)));
    };
    let (mut own, mut other) = (Vec::new(), Vec::new());
    entries(i, &mut own);
    let mut degree = 0.0;
    graph.for_each_neighbour(i, |j, weight| {
        degree += weight;
        match boundary.boundary_position(j) {
            Some(label) => {
                for &(m, r) in &own {
                    row.add(m, weight * r);
                    sums.inflow.row_mut(m).scaled_add(-weight * r, &fixed.row(label));
                }
            }
            None => {
                entries(j, &mut other);
                row.add_difference(weight, &own, &other);
            }
        }
    });
    let probe = probe(i);
    for &(m, r) in &own {
        sums.largest[m] = sums.largest[m].max(r);
        let root = r * degree.sqrt();
        Zip::from(sums.sketch.row_mut(m)).and(&probe).for_each(|sum, x| *sum += x * root);
        let mut out = sums.laplacian.row_mut(m);
        for &k in &row.touched {
            out[k] += r * row.values[k];
        }
    }
    for k in row.touched.drain(..) {
        row.values[k] = 0.0;
        row.is_touched[k] = false;
    }
}
