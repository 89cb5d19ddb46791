//! Sparse Cholesky by faer: the analysis of the pattern is kept, the numbers are replaced.

use super::Factor;
use super::order::{LowerPattern, Order};
use super::selected_inverse::{Supernodes, selected_diagonal};
use super::simplicial_solve::Columns;
use crate::coupling::SparseRows;
use crate::{Grounded, LaplacianError};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::perm::PermRef;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal,
};
use faer::{Conj, MatMut, Par, Side, Spec};
use gaussfield_core::dense::solve_by_columns;
use ndarray::{Array2, ArrayView2};
use std::sync::Arc;

/// Columns solved together.
const WIDTH: usize = 8;

/// What depends on the pattern alone.
#[derive(Debug)]
pub(crate) struct SparseAnalysis {
    order: Arc<Order>,
    lower: Arc<LowerPattern>,
    symbolic: SymbolicCholesky<usize>,
}

impl SparseAnalysis {
    pub(crate) fn new(lower: Arc<LowerPattern>, order: Arc<Order>) -> Result<Self, LaplacianError> {
        let n = order.forward.len();
        let permutation = PermRef::new_checked(&order.forward, &order.inverse, n);
        let symbolic = factorize_symbolic_cholesky(
            lower.view(),
            Side::Lower,
            SymmetricOrdering::Custom(permutation),
            CholeskySymbolicParams::default(),
        )
        .map_err(library)?;
        Ok(Self { order, lower, symbolic })
    }
}

/// P A Pᵀ = L Lᵀ.
#[derive(Debug)]
pub(crate) struct SparseCholesky {
    analysis: Arc<SparseAnalysis>,
    values: Vec<f64>,
}

impl SparseCholesky {
    /// `None` where a pivot is not positive: the rounded matrix is not positive definite.
    pub(crate) fn factorise(
        system: &Grounded,
        coupling: &SparseRows,
        analysis: Arc<SparseAnalysis>,
        mut values: Vec<f64>,
    ) -> Result<Option<Self>, LaplacianError> {
        let symbolic = &analysis.symbolic;
        let mut entries = Vec::with_capacity(analysis.lower.rows.len());
        for (j, &diagonal) in system.diagonal_slice().iter().enumerate() {
            entries.push(diagonal);
            let (rows, weights) = coupling.row(j);
            let below = rows.partition_point(|&i| (i as usize) < j);
            entries.extend(weights[below..].iter().map(|&weight| -weight));
        }
        let matrix = SparseColMatRef::new(analysis.lower.view(), &entries);
        values.clear();
        values.resize(symbolic.len_val(), 0.0);
        let mut memory =
            memory(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default()))?;
        let positive = symbolic.factorize_numeric_llt(
            &mut values,
            matrix,
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        );
        let positive = positive.is_ok();
        Ok(positive.then_some(Self { analysis, values }))
    }
}

impl Factor for SparseCholesky {
    fn solve(&self, rhs: ArrayView2<f64>) -> Result<Array2<f64>, LaplacianError> {
        let symbolic = &self.analysis.symbolic;
        if let SymbolicCholeskyRaw::Simplicial(places) = symbolic.raw() {
            let (starts, rows, values) = (places.col_ptr(), places.row_idx(), &self.values);
            return Ok(Columns { starts, rows, values }.solve(&self.analysis.order, rhs));
        }
        let n = symbolic.nrows();
        let factor = LltRef::new(symbolic, &self.values);
        // Tried once here, so that a block cannot run out of memory later.
        memory(symbolic.solve_in_place_scratch::<f64>(WIDTH, Par::Seq))?;
        Ok(solve_by_columns(rhs, WIDTH, |block, columns| {
            let scratch = symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
            factor.solve_in_place_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(block, n, columns),
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
            );
        }))
    }

    fn log_det(&self) -> f64 {
        let values = &self.values;
        let half: f64 = match self.analysis.symbolic.raw() {
            // The diagonal stands first in each column.
            SymbolicCholeskyRaw::Simplicial(symbolic) => {
                let firsts = &symbolic.col_ptr()[..symbolic.ncols()];
                firsts.iter().map(|&at| values[at].ln()).sum()
            }
            SymbolicCholeskyRaw::Supernodal(symbolic) => {
                let factor = supernodal::SupernodalLltRef::new(symbolic, values);
                (0..symbolic.n_supernodes())
                    .map(|s| {
                        let block = factor.supernode(s).val();
                        (0..block.ncols()).map(|j| block[(j, j)].ln()).sum::<f64>()
                    })
                    .sum()
            }
        };
        2.0 * half
    }

    /// The diagonal of A⁻¹ by a selected inverse; about as much work and memory as the factor.
    fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        let symbolic = &self.analysis.symbolic;
        let values = &self.values;
        let mut supernodes = Supernodes::with_columns(symbolic.nrows());
        let diagonal = match symbolic.raw() {
            // The diagonal stands first in each column.
            SymbolicCholeskyRaw::Simplicial(symbolic) => {
                let (starts, rows) = (symbolic.col_ptr(), symbolic.row_idx());
                for column in starts.windows(2) {
                    supernodes.push(1, rows[column[0] + 1..column[1]].iter().map(|&i| i as u32));
                }
                selected_diagonal(&supernodes, |s, pivot| {
                    let column = &values[starts[s]..starts[s + 1]];
                    pivot.inverse[0] = 1.0 / column[0] / column[0];
                    for (ratio, l) in pivot.ratios.iter_mut().zip(&column[1..]) {
                        *ratio = l / column[0];
                    }
                })
            }
            SymbolicCholeskyRaw::Supernodal(symbolic) => {
                let factor = supernodal::SupernodalLltRef::new(symbolic, values);
                for s in 0..symbolic.n_supernodes() {
                    let block = factor.supernode(s);
                    let rows = block.pattern().iter().map(|&i| i as u32);
                    supernodes.push(block.val().ncols(), rows);
                }
                selected_diagonal(&supernodes, |s, pivot| {
                    let (top, below) = {
                        let block = factor.supernode(s).val();
                        block.split_at_row(block.ncols())
                    };
                    let (depth, width) = below.shape();
                    let mut ratios =
                        MatMut::from_column_major_slice_mut(&mut pivot.ratios, depth, width);
                    ratios.copy_from(below);
                    solve_upper_triangular_in_place(
                        top.transpose(),
                        ratios.transpose_mut(),
                        Par::Seq,
                    );
                    pivot.inverse.iter_mut().step_by(width + 1).for_each(|one| *one = 1.0);
                    let mut inverse =
                        MatMut::from_column_major_slice_mut(&mut pivot.inverse, width, width);
                    solve_lower_triangular_in_place(top, inverse.as_mut(), Par::Seq);
                    solve_upper_triangular_in_place(top.transpose(), inverse, Par::Seq);
                })
            }
        };
        Some(self.analysis.order.inverse.iter().map(|&at| diagonal[at]).collect())
    }

    fn into_buffer(self: Box<Self>) -> Vec<f64> {
        self.values
    }
}

fn memory(scratch: StackReq) -> Result<MemBuffer, LaplacianError> {
    MemBuffer::try_new(scratch).map_err(|_| library("out of memory"))
}

fn library(reason: impl std::fmt::Debug) -> LaplacianError {
    LaplacianError::Library { routine: "sparse Cholesky", reason: format!("{reason:?}") }
}
