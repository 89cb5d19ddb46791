//! The kernels and their parameters.

use gaussfield_core::exponential::{exp, exp_all};
use gaussfield_core::{
    Domain, OutOfRange, Parameter, ParameterError, Parameters, SizeMismatch, check,
};
use serde::{Deserialize, Serialize};

/// An inner product of two points in a space of features that is never formed.
///
/// Every kernel here is positive semidefinite: its Gram matrix on any points is a covariance. A
/// value is checked when it is used, so that a kernel can be written as a plain literal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Kernel {
    /// exp(−‖x − z‖² / (2·width²)): near points are alike, far ones have nothing in common. Note
    /// the factor 2 ([sindhwani2007 (choices)]); the weights of a graph often do without.
    Rbf {
        /// Positive and finite, in the unit of the features.
        width: f64,
    },
    /// xᵀz. The separating plane passes through the origin unless the method has a bias.
    Linear,
    /// (scale·xᵀz + offset)^degree: all products of up to `degree` features, or of exactly
    /// `degree` features when the offset is 0.
    Polynomial {
        /// At least 1.
        degree: u32,
        /// Positive and finite; 1 leaves the features as they are.
        scale: f64,
        /// Finite and not negative. Next to products in the thousands an offset of 1 is nothing.
        offset: f64,
    },
    /// xᵀz / (‖x‖‖z‖): the cosine of the angle, for texts of different lengths. A row of zeros
    /// has no direction and is an error.
    Cosine,
}

/// The continuous parameters: the width of RBF, scale and offset of the polynomial, none for the
/// others. The degree is part of the kind, not a parameter. An offset of 0 is allowed; it is moved
/// on the scale of its logarithm, and so it stays 0 or positive.
impl Parameters for Kernel {
    fn parameters(&self) -> Vec<Parameter> {
        let positive = |name, value| Parameter::new(name, value, Domain::Positive);
        match *self {
            Self::Rbf { width } => vec![positive("width", width)],
            Self::Polynomial { scale, offset, .. } => {
                vec![positive("scale", scale), positive("offset", offset)]
            }
            Self::Linear | Self::Cosine => Vec::new(),
        }
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        let expected = self.parameters().len();
        SizeMismatch::check("parameters of the kernel", expected, values.len())?;
        let mut moved = *self;
        match (&mut moved, values) {
            (Self::Rbf { width }, &[value]) => *width = value,
            (Self::Polynomial { scale, offset, .. }, &[first, second]) => {
                (*scale, *offset) = (first, second);
            }
            _ => {}
        }
        moved.check_parameters()?;
        *self = moved;
        Ok(())
    }

    /// Every method that computes something checks this itself.
    fn check_parameters(&self) -> Result<(), OutOfRange> {
        match *self {
            Self::Rbf { width } => check::positive("the width of the RBF kernel", width),
            Self::Polynomial { degree, scale, offset } => {
                check::at_least("the degree of the polynomial kernel", degree as usize, 1)?;
                check::positive("the scale of the polynomial kernel", scale)?;
                check::not_negative("the offset of the polynomial kernel", offset)
            }
            Self::Linear | Self::Cosine => Ok(()),
        }
    }
}

/// The most parameters a kernel has.
pub(crate) const MOST: usize = 2;

impl Kernel {
    /// What it is called in messages and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rbf { .. } => "RBF",
            Self::Linear => "linear",
            Self::Polynomial { .. } => "polynomial",
            Self::Cosine => "cosine",
        }
    }

    /// The kernel as a function of its argument: (‖x − z‖/width)² for RBF, the cosine for
    /// [`Kernel::Cosine`], else xᵀz.
    pub(crate) fn value(self, argument: f64) -> f64 {
        match self {
            Self::Rbf { .. } => exp(-0.5 * argument),
            Self::Linear => argument,
            Self::Polynomial { degree, scale, offset } => {
                (scale * argument + offset).powi(power(degree))
            }
            // Rounding must not make a cosine of more than one.
            Self::Cosine => argument.clamp(-1.0, 1.0),
        }
    }

    /// Replaces the arguments of a row by the kernel's values.
    pub(crate) fn values_of(self, row: &mut [f64]) {
        if let Self::Rbf { .. } = self {
            row.iter_mut().for_each(|x| *x *= -0.5);
            exp_all(row);
        } else if self != Self::Linear {
            row.iter_mut().for_each(|x| *x = self.value(*x));
        }
    }

    /// The derivative of [`Kernel::value`] by each parameter.
    pub(crate) fn slopes(self, argument: f64) -> [f64; MOST] {
        match self {
            // d/dwidth exp(−r²/(2·width²)) = r²/width³ · exp(…).
            Self::Rbf { width } => {
                let value = self.value(argument);
                // An underflowed value has no slope left, and ∞ · 0 would be NaN.
                if value > 0.0 { [argument * value / width, 0.0] } else { [0.0; MOST] }
            }
            Self::Polynomial { degree, scale, offset } => {
                let base = scale * argument + offset;
                let outer = f64::from(degree) * base.powi(power(degree) - 1);
                [outer * argument, outer]
            }
            Self::Linear | Self::Cosine => [0.0; MOST],
        }
    }
}

/// Past `i32::MAX` a power is 0, ±1 or infinite; the parity is kept.
fn power(degree: u32) -> i32 {
    let most = if degree % 2 == 1 { i32::MAX } else { i32::MAX - 1 };
    i32::try_from(degree).unwrap_or(most)
}
