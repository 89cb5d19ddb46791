//! Elimination orders that keep a sparse factor sparse.

use crate::LaplacianError;
use crate::coupling::SparsePattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Nodes of the parts by which a large pattern is judged.
const BALLS: [usize; 2] = [1024, 4096];
/// How far above the limit it must be.
const MARGIN: f64 = 2.0;

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
    multiplications: f64,
    /// Off-diagonal entries of the matrix, both triangles.
    stored: usize,
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
            stored: 2 * (lower.rows.len() - n),
        })
    }

    /// Predicted multiplications for each stored weight.
    pub(crate) fn work_per_weight(&self) -> f64 {
        self.multiplications / self.stored.max(1) as f64
    }
}

/// Whether parts of a large pattern tell that a factorisation of all of it takes far more than `limit`
/// multiplications for each stored weight.
///
/// An order of the whole pattern is costly, and of no use where a factor is out of the question. Work
/// for each weight grows as a power of the size: its square root on a sheet, the size itself in three
/// dimensions, and more in more. The power is read off balls of two sizes around two nodes, and both
/// have to agree.
pub(crate) fn hopeless(pattern: &SparsePattern, limit: f64) -> Result<bool, LaplacianError> {
    let n = pattern.starts.len() - 1;
    let [small, large] = BALLS;
    if n < 2 * large {
        return Ok(false);
    }
    let work = |centre: usize, size: usize| -> Result<f64, LaplacianError> {
        Ok(Order::new(&LowerPattern::new(&ball(pattern, centre, size)))?.work_per_weight())
    };
    let beyond = |centre: usize| -> Result<bool, LaplacianError> {
        let (less, more) = rayon::join(|| work(centre, small), || work(centre, large));
        let (less, more) = (less?, more?);
        let power = (more / less).ln() / (large as f64 / small as f64).ln();
        let whole = more * (n as f64 / large as f64).powf(power.clamp(0.0, 1.0));
        Ok(whole > MARGIN * limit)
    };
    let (one, other) = rayon::join(|| beyond(n / 3), || beyond(n - n / 3));
    Ok(one? && other?)
}

/// The pattern between the `size` nodes that are found first from a node.
fn ball(pattern: &SparsePattern, centre: usize, size: usize) -> SparsePattern {
    const NONE: u32 = u32::MAX;
    let n = pattern.starts.len() - 1;
    let mut places = vec![NONE; n];
    let mut nodes = Vec::with_capacity(size);
    let mut next = 0;
    for seed in (centre..n).chain(0..centre) {
        if nodes.len() == size {
            break;
        }
        if places[seed] == NONE {
            places[seed] = nodes.len() as u32;
            nodes.push(seed as u32);
        }
        while next < nodes.len() && nodes.len() < size {
            for &j in pattern.row(nodes[next] as usize) {
                if places[j as usize] == NONE && nodes.len() < size {
                    places[j as usize] = nodes.len() as u32;
                    nodes.push(j);
                }
            }
            next += 1;
        }
    }
    let (mut starts, mut columns) = (vec![0], Vec::new());
    for &node in &nodes {
        let row = pattern.row(node as usize).iter().map(|&j| places[j as usize]);
        let first = columns.len();
        columns.extend(row.filter(|&place| place != NONE));
        columns[first..].sort_unstable();
        starts.push(columns.len());
    }
    SparsePattern { starts, columns }
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
