//! Elimination orders that keep a sparse factor sparse.

use crate::LaplacianError;
use crate::coupling::SparsePattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// An approximate minimum-degree order (Amestoy, Davis, Duff 1996), and what a factorisation in
/// this order will cost.
#[derive(Debug)]
pub(crate) struct Order {
    /// Position → row.
    pub(crate) forward: Vec<usize>,
    /// Row → position.
    pub(crate) inverse: Vec<usize>,
    /// Predicted off-diagonal entries of the factor.
    pub(crate) entries: f64,
    /// Predicted multiplications of the factorisation.
    pub(crate) multiplications: f64,
}

impl Order {
    pub(crate) fn new(lower: &LowerPattern) -> Result<Self, LaplacianError> {
        let n = lower.starts.len() - 1;
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        let scratch = amd::order_scratch::<usize>(n, lower.rows.len());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| library("out of memory"))?;
        let counts = amd::order(
            &mut forward,
            &mut inverse,
            lower.view(),
            amd::Control::default(),
            MemStack::new(&mut memory),
        )
        .map_err(library)?;
        Ok(Self {
            forward,
            inverse,
            entries: counts.n_div,
            multiplications: counts.n_div + counts.n_mult_subs_ldl,
        })
    }
}

/// The places of the lower triangle with its diagonal, by columns.
#[derive(Debug)]
pub(crate) struct LowerPattern {
    pub(crate) starts: Vec<usize>,
    pub(crate) rows: Vec<usize>,
}

impl LowerPattern {
    /// Row j of a symmetric matrix is its column j: the diagonal first, then what lies below.
    pub(crate) fn new(pattern: &SparsePattern) -> Self {
        let n = pattern.starts.len() - 1;
        let mut starts = Vec::with_capacity(n + 1);
        let mut rows = Vec::with_capacity(n + pattern.columns.len() / 2);
        starts.push(0);
        for j in 0..n {
            rows.push(j);
            rows.extend(pattern.row(j).iter().map(|&i| i as usize).filter(|&i| i > j));
            starts.push(rows.len());
        }
        Self { starts, rows }
    }

    pub(crate) fn view(&self) -> SymbolicSparseColMatRef<'_, usize> {
        let n = self.starts.len() - 1;
        SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows)
    }
}

fn library(reason: impl std::fmt::Debug) -> LaplacianError {
    LaplacianError::Library { routine: "minimum-degree ordering", reason: format!("{reason:?}") }
}
