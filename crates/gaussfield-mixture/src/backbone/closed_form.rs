use super::{Backbone, row_sum_error};
use crate::MixtureError;
use crate::factorise::{Spd, factorise};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use ndarray_linalg::UPLO;
use ndarray_linalg::eigh::Eigh;
use serde::{Deserialize, Serialize};

/// A pivot of the scaled matrix below this asks for a closer look by eigenvalues.
const SMALL_PIVOT: f64 = 1e-9;

/// Eigenvalues of the scaled matrix below this, beside the largest, are taken as zero.
const ZERO_EIGENVALUE: f64 = 1e-12;

/// A component whose diagonal entry of A is below this, beside the largest, has less than about
/// 10⁻¹² of every point: whatever its membership, no prediction on the graph would change.
const NEGLIGIBLE: f64 = 1e-24;

/// The membership of a component that graph and labels do not determine: because its share of
/// every point is negligible, because components are redundant, or because no label reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Undetermined {
    /// As near as possible to even, 1/C: not known. The default.
    #[default]
    Even,
    /// As near as possible to class 0: the pseudo-inverse of the paper, whose λ_m = p(y = 1 | m)
    /// is then 0.
    ClassZero,
}

impl Undetermined {
    /// The membership of class `c` out of `classes`.
    fn reference(self, c: usize, classes: usize) -> f64 {
        match self {
            Self::Even => 1.0 / classes as f64,
            Self::ClassZero => f64::from(c == 0),
        }
    }
}

/// Which entries of a diagonal are not negligible.
pub(crate) fn counts(diagonal: ArrayView1<'_, f64>) -> Vec<bool> {
    let top = diagonal.fold(0.0_f64, |top, &a| top.max(a));
    diagonal.iter().map(|&a| a > NEGLIGIBLE * top).collect()
}

/// The minimiser of the energy without regard to bounds, eq. (5).
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedForm {
    /// Λ* = −A⁻¹B, M × C. Rows add up to one, but entries may leave [0, 1].
    pub lambda: Array2<f64>,
    /// The rank of A: M, unless components are redundant or unreached by labels.
    pub rank: usize,
    /// Components whose membership the graph and the labels do not determine.
    pub undetermined: Vec<usize>,
    /// How far the rows are from adding up to one: the digits lost in the solve.
    pub partition_error: f64,
}

impl Backbone {
    /// Λ* = −(RᵀΔ_UU R)⁻¹RᵀΔ_UL F_L, eq. (5) of Zhu and Lafferty (2005). O(M³/3), or a few times
    /// M³ where A is singular.
    ///
    /// If A is singular, the minimiser closest to the memberships that `undetermined` names is
    /// returned, each component weighted by its diagonal entry of A.
    ///
    /// # Errors
    /// A failure of LAPACK.
    pub fn closed_form(&self, undetermined: Undetermined) -> Result<ClosedForm, MixtureError> {
        let (m, classes) = self.inflow.dim();
        let counts = counts(self.laplacian.diag());
        let alive: Vec<usize> = (0..m).filter(|&i| counts[i]).collect();
        let reference: Array1<f64> =
            (0..classes).map(|c| undetermined.reference(c, classes)).collect();
        // Unit diagonal: rare components count as any other.
        let scale: Array1<f64> =
            alive.iter().map(|&i| 1.0 / self.laplacian[[i, i]].sqrt()).collect();
        let matrix = Array2::from_shape_fn((alive.len(), alive.len()), |(i, j)| {
            self.laplacian[[alive[i], alive[j]]] * scale[i] * scale[j]
        });
        // Deviations X from the reference q: A X = −B − A·1qᵀ, and A·1 = −B·1, since the rows of
        // eq. (6) sum to zero.
        let rhs = Array2::from_shape_fn((alive.len(), classes), |(i, c)| {
            let row = self.inflow.row(alive[i]);
            scale[i] * (reference[c] * row.sum() - row[c])
        });
        let (solved, rank, loose) = solve(&matrix, rhs)?;
        let mut lambda = Array2::from_shape_fn((m, classes), |(_, c)| reference[c]);
        for (at, &i) in alive.iter().enumerate() {
            lambda.row_mut(i).scaled_add(scale[at], &solved.row(at));
        }
        let mut undetermined: Vec<usize> = (0..m).filter(|&i| !counts[i]).collect();
        undetermined.extend(loose.iter().map(|&at| alive[at]));
        undetermined.sort_unstable();
        let partition_error = row_sum_error(lambda.view());
        Ok(ClosedForm { lambda, rank, undetermined, partition_error })
    }
}

/// The solution, the rank, and the unknowns that take part in the null space.
fn solve(
    matrix: &Array2<f64>,
    rhs: Array2<f64>,
) -> Result<(Array2<f64>, usize, Vec<usize>), MixtureError> {
    let size = matrix.nrows();
    if size == 0 {
        return Ok((rhs, 0, Vec::new()));
    }
    if let Some(factor) = factorise(matrix.clone())
        && factor.smallest_pivot() > SMALL_PIVOT
    {
        return Ok((refined(matrix, &factor, rhs)?, size, Vec::new()));
    }
    let (values, vectors) = matrix
        .eigh(UPLO::Lower)
        .map_err(|e| MixtureError::Library { routine: "eigenvalues", reason: e.to_string() })?;
    let top = values.iter().fold(0.0_f64, |top, &v| top.max(v));
    let is_zero = |v: f64| v <= ZERO_EIGENVALUE * top;
    let mut weights = vectors.t().dot(&rhs);
    for (mut row, &value) in weights.rows_mut().into_iter().zip(&values) {
        if is_zero(value) { row.fill(0.0) } else { row /= value }
    }
    let mut in_null = Array1::<f64>::zeros(size);
    for (vector, _) in vectors.columns().into_iter().zip(&values).filter(|(_, v)| is_zero(**v)) {
        in_null += &vector.mapv(|x| x * x);
    }
    let loose = (0..size).filter(|&i| in_null[i] > 1e-8).collect();
    let rank = values.iter().filter(|&&value| !is_zero(value)).count();
    Ok((vectors.dot(&weights), rank, loose))
}

/// A solve with one step of iterative refinement.
fn refined(
    matrix: &Array2<f64>,
    factor: &Spd,
    rhs: Array2<f64>,
) -> Result<Array2<f64>, MixtureError> {
    let mut solution = Array2::zeros(rhs.dim());
    for (mut out, rhs) in solution.axis_iter_mut(Axis(1)).zip(rhs.axis_iter(Axis(1))) {
        let first = factor.solve(rhs.to_owned())?;
        let correction = factor.solve(&rhs - &matrix.dot(&first))?;
        out.assign(&(first + correction));
    }
    Ok(solution)
}
