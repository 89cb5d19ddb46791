//! Block Lanczos with full reorthogonalisation and thick restarts (Golub, Underwood 1977; Wu,
//! Simon 2000) for the largest eigenvalues θ of T = δ (L + δI)⁻¹ off the null space of L.
//!
//! The projected matrix is not assumed to be banded: every block is multiplied with the whole
//! basis for reorthogonalisation anyway, and these products are its entries. So restarts and
//! fresh random directions need no case of their own.

use super::LanczosOptions;
use super::null_space::NullSpace;
use super::tall::Tall;
use crate::{LaplacianError, Prepared};
use gaussfield_core::dense::symmetric_eigen;
use gaussfield_core::{NotConverged, Progress, Stage};
use ndarray::{Array1, Array2, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Vectors that are multiplied together; an eigenvalue of up to this multiplicity is found whole.
const BLOCK: usize = 4;
/// Blocks between two looks at the Ritz pairs, which cost O(dimension³).
const LOOK: usize = 4;
/// Ritz vectors kept at a restart beyond those wanted.
const SPARE: usize = 32;
/// Largest dimension of the basis beyond twice the pairs wanted. With n > 400 nodes and at most
/// n/5 pairs, null space included, there is always another direction off the basis.
const ROOM: usize = 128;
/// What is left of a vector after orthogonalisation is rounding below this share of it.
const ROUNDING: f64 = 1e-12;
/// How sharp the first pair past the wanted ones must be, relative to its θ, before a sweep from
/// fresh random vectors is taken to have missed nothing.
const SHARP: f64 = 1e-3;

/// T = δ (L + δI)⁻¹, all eigenvalues in (0, 1]; by congruence for the symmetric Laplacian.
pub(super) struct ShiftInvert {
    pub(super) prepared: Prepared,
    pub(super) delta: f64,
    /// √d where the system is D^½ (L + δI) D^½.
    pub(super) root: Option<Array1<f64>>,
}

impl ShiftInvert {
    fn apply(&self, x: &Tall) -> Result<Tall, LaplacianError> {
        let root = |i: usize| self.root.as_ref().map_or(1.0, |root| root[i]);
        let mut rhs = x.to_array();
        for (i, mut row) in rhs.rows_mut().into_iter().enumerate() {
            row *= self.delta * root(i);
        }
        let solved = self.prepared.solve(rhs.view())?.values;
        Ok(Tall::from_fn(x.rows(), x.columns(), |i, c| root(i) * solved[[i, c]]))
    }
}

/// Orthonormal vectors, and how many columns were multiplied with T to find them.
pub(super) struct Found {
    pub(super) vectors: Tall,
    pub(super) solves: usize,
}

/// The eigenvectors of the `wanted` largest eigenvalues of T off the null space.
///
/// Once they have converged, the search is repeated from random vectors orthogonal to them: what
/// a block Krylov space cannot see, a further copy of an eigenvalue of high multiplicity, is seen
/// by the next. It ends when a sweep changes nothing and the first pair past the wanted ones is
/// sharp.
pub(super) fn largest(
    operator: &ShiftInvert,
    null_space: &NullSpace,
    wanted: usize,
    options: &LanczosOptions,
) -> Result<Found, LaplacianError> {
    let mut krylov = Krylov::new(operator, null_space, wanted, options.seed);
    let mut block = krylov.fresh();
    let mut confirmed: Option<Vec<f64>> = None;
    let (mut restarts, mut steps) = (0, 0_usize);
    let stage = Progress::shares("eigenpairs");
    // The largest residual of the pairs wanted, when it was first looked at and now.
    let (mut first, mut worst) = (None, f64::INFINITY);
    loop {
        stage.reach(first.map_or(0.0, |first| Stage::way(first, worst, options.tolerance)))?;
        let next = krylov.expand(&block)?;
        block = next.block;
        let full = krylov.basis.columns() + BLOCK > krylov.most;
        steps += 1;
        if krylov.basis.columns() <= wanted || (!full && steps % LOOK != 0) {
            continue;
        }
        let ritz = krylov.ritz(&next.coupling)?;
        worst = (0..wanted).map(|i| ritz.residuals[i] / ritz.values[i]).fold(0.0, f64::max);
        first.get_or_insert(worst);
        let open = |i: usize| ritz.residuals[i] - options.tolerance * ritz.values[i];
        if (0..wanted).all(|i| open(i) <= 0.0) {
            let values = ritz.values[..wanted].to_vec();
            let same = |before: &Vec<f64>| {
                let close = |(new, old): (&f64, &f64)| *new <= old * (1.0 + options.tolerance);
                values.iter().zip(before).all(close)
            };
            if confirmed.as_ref().is_some_and(same) {
                let gap = ritz.values[wanted - 1] - ritz.values[wanted];
                let sharp = ritz.residuals[wanted] <= SHARP * ritz.values[wanted];
                if sharp && (ritz.residuals[wanted] <= gap || open(wanted) <= 0.0) {
                    krylov.keep(&ritz, wanted);
                    return Ok(Found { vectors: krylov.basis, solves: krylov.solves });
                }
            } else {
                confirmed = Some(values);
                krylov.keep(&ritz, wanted);
                block = krylov.fresh();
                continue;
            }
        }
        if full {
            restarts += 1;
            if restarts > options.max_restarts {
                let worst = (0..=wanted).map(|i| ritz.residuals[i] / ritz.values[i]);
                let residual = worst.fold(0.0, f64::max);
                return Err(not_converged(residual, options.tolerance, krylov.solves).into());
            }
            krylov.keep(&ritz, wanted + SPARE);
        }
    }
}

/// Pairs that did not get as sharp as asked for, after multiplying `solves` columns.
pub(super) fn not_converged(reached: f64, tolerance: f64, solves: usize) -> NotConverged {
    NotConverged {
        method: "the search for eigenpairs",
        iterations: solves.div_ceil(BLOCK),
        measure: "the relative residual",
        reached,
        tolerance,
        remedy: "allow more restarts, a larger tolerance, or a smaller shift",
    }
}

struct Krylov<'a> {
    operator: &'a ShiftInvert,
    null_space: &'a NullSpace,
    /// V, orthonormal and orthogonal to the null space.
    basis: Tall,
    /// VᵀTV in its leading part.
    projected: Array2<f64>,
    most: usize,
    random: ChaCha8Rng,
    solves: usize,
}

/// Ritz pairs, decreasing.
struct Ritz {
    values: Vec<f64>,
    /// A column of coefficients in the basis for each.
    coefficients: Array2<f64>,
    /// ‖T v − θ v‖ each.
    residuals: Vec<f64>,
}

/// The next block X, and B with T V = V (VᵀTV) + X B in the columns of the last block.
struct Next {
    block: Tall,
    coupling: Array2<f64>,
}

/// The largest dimension of the basis.
pub(super) fn most(wanted: usize) -> usize {
    2 * wanted + ROOM
}

impl<'a> Krylov<'a> {
    fn new(operator: &'a ShiftInvert, null_space: &'a NullSpace, wanted: usize, seed: u64) -> Self {
        let most = most(wanted);
        let n = operator.prepared.system().len();
        Self {
            operator,
            null_space,
            basis: Tall::with_room(n, most),
            projected: Array2::zeros((most, most)),
            most,
            random: ChaCha8Rng::seed_from_u64(seed),
            solves: 0,
        }
    }

    /// Random vectors, orthonormal and orthogonal to all that is known.
    fn fresh(&mut self) -> Tall {
        self.completed(Vec::new())
    }

    /// Given vectors and, up to a whole block, random ones; orthonormal and orthogonal to the
    /// basis. The order of columns is kept: the given ones are not turned towards random ones.
    fn completed(&mut self, given: Vec<Vec<f64>>) -> Tall {
        let n = self.basis.rows();
        let mut block = Tall::from_fn(n, BLOCK, |i, c| match given.get(c) {
            Some(column) => column[i],
            None => self.random.random_range(-1.0..1.0),
        });
        // Twice, since the first pass leaves rounding where little of a vector remains.
        for _ in 0..2 {
            self.orthogonalise(&mut block);
            let columns = gram_schmidt(&block, &[0.0; BLOCK]).columns;
            block = Tall::from_fn(n, BLOCK, |i, c| columns[c][i]);
        }
        block
    }

    /// Removes the null space and the basis from a block; returns what was removed of the basis.
    fn orthogonalise(&self, block: &mut Tall) -> Array2<f64> {
        self.null_space.remove_from(block);
        let coefficients = self.basis.inner(block);
        block.subtract(&self.basis, &coefficients);
        coefficients
    }

    /// Appends an orthonormal block to the basis and multiplies it.
    fn expand(&mut self, block: &Tall) -> Result<Next, LaplacianError> {
        let from = self.basis.columns();
        self.basis.append(block);
        let to = self.basis.columns();
        let mut image = self.operator.apply(block)?;
        self.solves += BLOCK;
        self.null_space.remove_from(&mut image);
        let sizes = norms(&image);
        let mut h = self.orthogonalise(&mut image);
        h += &self.orthogonalise(&mut image);
        self.projected.slice_mut(s![..to, from..to]).assign(&h);
        self.projected.slice_mut(s![from..to, ..to]).assign(&h.t());
        let own = h.slice(s![from..to, ..]);
        let symmetric = (&own + &own.t()) / 2.0;
        self.projected.slice_mut(s![from..to, from..to]).assign(&symmetric);
        let Factored { columns, coupling } = gram_schmidt(&image, &sizes);
        Ok(Next { block: self.completed(columns), coupling })
    }

    fn ritz(&self, coupling: &Array2<f64>) -> Result<Ritz, LaplacianError> {
        let m = self.basis.columns();
        let (values, vectors) = symmetric_eigen(self.projected.slice(s![..m, ..m]).to_owned())?;
        let values: Vec<f64> = values.iter().rev().copied().collect();
        let coefficients = vectors.slice(s![.., ..;-1]).to_owned();
        let residual = |i: usize| {
            let last = coefficients.slice(s![m - BLOCK.., i]);
            let row = |row: ndarray::ArrayView1<f64>| -> f64 {
                row.iter().zip(last).map(|(b, s)| b * s).sum::<f64>().powi(2)
            };
            coupling.rows().into_iter().map(row).sum::<f64>().sqrt()
        };
        let residuals = (0..m).map(residual).collect();
        Ok(Ritz { values, coefficients, residuals })
    }

    /// Restarts with the first Ritz vectors as basis.
    fn keep(&mut self, ritz: &Ritz, count: usize) {
        let count = count.min(ritz.values.len());
        self.basis.rotate(ritz.coefficients.slice(s![.., ..count]));
        self.projected.fill(0.0);
        for (i, &value) in ritz.values[..count].iter().enumerate() {
            self.projected[[i, i]] = value;
        }
    }
}

/// R = X B, X orthonormal; columns of R that depend on those before are left out of X.
struct Factored {
    columns: Vec<Vec<f64>>,
    /// BLOCK × BLOCK; rows past the columns are zero.
    coupling: Array2<f64>,
}

/// Modified Gram–Schmidt, twice. `sizes` are the sizes of the vectors a block was obtained from
/// by subtraction: what is small beside them is rounding.
fn gram_schmidt(block: &Tall, sizes: &[f64]) -> Factored {
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(block.columns());
    let mut coupling = Array2::zeros((block.columns(), block.columns()));
    for c in 0..block.columns() {
        let mut vector: Vec<f64> = (0..block.rows()).map(|i| block.row(i)[c]).collect();
        for _ in 0..2 {
            for (at, before) in columns.iter().enumerate() {
                let share = dot(before, &vector);
                coupling[[at, c]] += share;
                vector.iter_mut().zip(before).for_each(|(v, b)| *v -= share * b);
            }
        }
        let size = dot(&vector, &vector).sqrt();
        if size > ROUNDING * sizes[c] {
            coupling[[columns.len(), c]] = size;
            vector.iter_mut().for_each(|v| *v /= size);
            columns.push(vector);
        }
    }
    Factored { columns, coupling }
}

fn norms(block: &Tall) -> Vec<f64> {
    let mut squares = vec![0.0; block.columns()];
    for i in 0..block.rows() {
        squares.iter_mut().zip(block.row(i)).for_each(|(sum, x)| *sum += x * x);
    }
    squares.into_iter().map(f64::sqrt).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
