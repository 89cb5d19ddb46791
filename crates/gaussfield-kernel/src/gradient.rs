//! From ∂J/∂K to ∂J/∂θ: the way back through a kernel matrix.

use crate::kernel::MOST;
use crate::pairs::Pairs;
use crate::{Kernel, KernelError};
use gaussfield_core::Parameters as _;
use gaussfield_core::blocks::split;
use gaussfield_points::Points;
use gaussfield_points::pairs::BLOCK;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

impl Kernel {
    /// ∂J/∂θ of any objective J of the Gram matrix, from its sensitivity S = ∂J/∂K:
    ///
    /// ```math
    /// \frac{\partial J}{\partial\theta} = \sum_{i,j} S_{ij}\,
    /// \frac{\partial K_{ij}}{\partial\theta},\qquad
    /// \frac{\partial K_{ij}}{\partial\,\mathrm{width}}
    /// = K_{ij}\,\frac{\lVert x_i-x_j\rVert^2}{\mathrm{width}^3}.
    /// ```
    ///
    /// The sum runs over both triangles; of an S that is not symmetric only the symmetric part
    /// counts. One number for each of its [`Parameters`](gaussfield_core::Parameters). O(n²d/2) and no n × n memory.
    ///
    /// # Errors
    /// A parameter out of range, a sensitivity of another shape or not finite, a row of zeros
    /// under [`Kernel::Cosine`], or a sum past the largest number.
    pub fn pullback(
        self,
        points: &Points,
        sensitivity: ArrayView2<'_, f64>,
    ) -> Result<Vec<f64>, KernelError> {
        self.check_parameters()?;
        let n = points.len();
        check_sensitivity((n, n), sensitivity)?;
        let pairs = Pairs::alone(self, points)?;
        self.sum_blocks(n, |rows| {
            let mut arguments = Array2::zeros((rows.len(), rows.end));
            pairs.arguments(rows.clone(), arguments.view_mut());
            let mut sums = [0.0; MOST];
            for (i, arguments) in rows.zip(arguments.outer_iter()) {
                for (j, &argument) in arguments.iter().enumerate().take(i) {
                    let both = sensitivity[[i, j]] + sensitivity[[j, i]];
                    add(&mut sums, both, self.slopes(argument));
                }
                add(&mut sums, sensitivity[[i, i]], self.slopes(arguments[i]));
            }
            sums
        })
    }

    /// The same for [`Kernel::cross`]: Σ S_ij ∂k(a_i, b_j)/∂θ. O(rows·columns·d).
    ///
    /// # Errors
    /// As [`Kernel::pullback`], or points of different dimensions.
    pub fn pullback_cross(
        self,
        a: &Points,
        b: &Points,
        sensitivity: ArrayView2<'_, f64>,
    ) -> Result<Vec<f64>, KernelError> {
        self.check_parameters()?;
        a.check_dim(b.dim())?;
        check_sensitivity((a.len(), b.len()), sensitivity)?;
        let pairs = Pairs::between(self, a, b)?;
        self.sum_blocks(a.len(), |rows| {
            let mut arguments = Array2::zeros((rows.len(), b.len()));
            pairs.arguments(rows.clone(), arguments.view_mut());
            let mut sums = [0.0; MOST];
            for (i, arguments) in rows.zip(arguments.outer_iter()) {
                for (&argument, &s) in arguments.iter().zip(sensitivity.row(i)) {
                    add(&mut sums, s, self.slopes(argument));
                }
            }
            sums
        })
    }

    /// Sums over blocks of rows, each on a thread of its own, added in the order of the rows.
    fn sum_blocks(
        self,
        n: usize,
        block: impl Fn(std::ops::Range<usize>) -> [f64; MOST] + Send + Sync,
    ) -> Result<Vec<f64>, KernelError> {
        let mut sums = [0.0; MOST];
        if !self.parameters().is_empty() {
            let parts: Vec<[f64; MOST]> = split(n, BLOCK).into_par_iter().map(block).collect();
            parts.into_iter().for_each(|part| add(&mut sums, 1.0, part));
        }
        self.finished(sums)
    }

    /// As many sums as the kernel has parameters.
    fn finished(self, sums: [f64; MOST]) -> Result<Vec<f64>, KernelError> {
        let parameters = self.parameters();
        let gradient: Vec<f64> = sums.into_iter().take(parameters.len()).collect();
        match parameters.into_iter().zip(&gradient).find(|(_, value)| !value.is_finite()) {
            Some((of, &value)) => Err(KernelError::GradientOverflow { name: of.name, value }),
            None => Ok(gradient),
        }
    }
}

fn add(sums: &mut [f64; MOST], factor: f64, terms: [f64; MOST]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

fn check_sensitivity(
    expected: (usize, usize),
    sensitivity: ArrayView2<'_, f64>,
) -> Result<(), KernelError> {
    if sensitivity.dim() != expected {
        return Err(KernelError::Shape { expected, got: sensitivity.dim() });
    }
    match sensitivity.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), &value)) => Err(KernelError::BadSensitivity { row, column, value }),
        None => Ok(()),
    }
}
