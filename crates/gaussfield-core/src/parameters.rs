//! One protocol for everything that can be learned.

use crate::{OutOfRange, SizeMismatch, check};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Where a parameter may lie; a search chooses its coordinates by this.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Domain {
    /// θ > 0.
    Positive,
    /// θ < 0.
    Negative,
    /// Any finite number.
    Real,
    /// low < θ < high.
    Between {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

impl Domain {
    /// Whether a value lies inside.
    ///
    /// # Errors
    /// [`OutOfRange`] under the parameter's name.
    pub fn check(self, name: impl Into<Cow<'static, str>>, value: f64) -> Result<(), OutOfRange> {
        match self {
            Self::Positive => check::positive(name, value),
            Self::Negative => {
                let inside = value < 0.0 && value.is_finite();
                check::range(name, value, inside, "negative and finite")
            }
            Self::Real => check::finite(name, value),
            Self::Between { low, high } if low < value && value < high => Ok(()),
            Self::Between { low, high } => Err(OutOfRange {
                name: name.into(),
                value,
                allowed: format!("above {low} and below {high}").into(),
            }),
        }
    }
}

/// One parameter: what it is called, where it stands, where it may lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name by which it can be held, believed in or given another domain.
    pub name: Cow<'static, str>,
    /// Its value now.
    pub value: f64,
    /// Where it may lie.
    pub domain: Domain,
}

impl Parameter {
    /// A parameter.
    pub fn new(name: impl Into<Cow<'static, str>>, value: f64, domain: Domain) -> Self {
        Self { name: name.into(), value, domain }
    }
}

/// What can be wrong with new values of parameters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// A value outside its domain.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Another number of values than of parameters.
    #[error(transparent)]
    Count(#[from] SizeMismatch),
}

/// Something with parameters that can be learned: a weight family, a kernel, a prior, a likelihood,
/// an objective.
///
/// The trait is object-safe, so that what is learned can be chosen at run time. Structs whose
/// parameters are fields implement it by the macro [`parameters!`](crate::parameters!).
pub trait Parameters {
    /// The parameters in a fixed order.
    fn parameters(&self) -> Vec<Parameter>;

    /// Moves to other values, in the order of [`Parameters::parameters`]. Nothing changes on an
    /// error.
    ///
    /// # Errors
    /// Another number of values, or a value outside its domain.
    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError>;

    /// The values alone, in the same order.
    fn values(&self) -> Vec<f64> {
        self.parameters().into_iter().map(|parameter| parameter.value).collect()
    }

    /// Whether the values of now lie in their domains: fields may have been set by hand.
    ///
    /// # Errors
    /// The first that does not.
    fn check_parameters(&self) -> Result<(), OutOfRange> {
        self.parameters().into_iter().try_for_each(|p| p.domain.check(p.name, p.value))
    }
}

impl<P: Parameters + ?Sized> Parameters for Box<P> {
    fn parameters(&self) -> Vec<Parameter> {
        (**self).parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        (**self).set_parameters(values)
    }

    fn check_parameters(&self) -> Result<(), OutOfRange> {
        (**self).check_parameters()
    }
}

/// Whether new values fit parameters in number and domain: for implementations of
/// [`Parameters::set_parameters`] by hand.
///
/// # Errors
/// Another number of values, or the first value outside its domain.
pub fn check_values(parameters: &[Parameter], values: &[f64]) -> Result<(), ParameterError> {
    SizeMismatch::check("parameters", parameters.len(), values.len())?;
    for (parameter, &value) in parameters.iter().zip(values) {
        parameter.domain.check(parameter.name.clone(), value)?;
    }
    Ok(())
}

/// Implements [`Parameters`](crate::Parameters) for a struct whose parameters are fields, each with
/// its [`Domain`](crate::Domain); without fields, for a type that has none.
///
/// ```
/// use gaussfield_core::{Domain, Parameters, parameters};
///
/// struct Slope {
///     at: f64,
///     width: f64,
/// }
/// parameters!(Slope { at: Domain::Real, width: Domain::Positive });
/// assert_eq!(Slope { at: 0.0, width: 1.0 }.parameters().len(), 2);
/// ```
#[macro_export]
macro_rules! parameters {
    ($type:ty { $($field:ident : $domain:expr),* $(,)? }) => {
        impl $crate::Parameters for $type {
            fn parameters(&self) -> Vec<$crate::Parameter> {
                vec![$($crate::Parameter::new(stringify!($field), self.$field, $domain)),*]
            }

            fn set_parameters(&mut self, values: &[f64]) -> Result<(), $crate::ParameterError> {
                $crate::check_values(&self.parameters(), values)?;
                let mut _values = values.iter().copied();
                $(if let Some(value) = _values.next() {
                    self.$field = value;
                })*
                Ok(())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Noise {
        share: f64,
        offset: f64,
    }
    parameters!(Noise { share: Domain::Between { low: 0.0, high: 0.5 }, offset: Domain::Real });

    struct Nothing;
    parameters!(Nothing {});

    #[test]
    fn a_refused_value_changes_nothing_and_is_named() {
        let mut noise: Box<Noise> = Box::new(Noise { share: 0.1, offset: 3.0 });
        let error = noise.set_parameters(&[0.2, f64::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "offset is NaN: it must be a finite number");
        let error = noise.set_parameters(&[0.5, 0.0]).unwrap_err();
        assert_eq!(error.to_string(), "share is 0.5: it must be above 0 and below 0.5");
        assert!(matches!(noise.set_parameters(&[0.2]), Err(ParameterError::Count(_))));
        assert_eq!(*noise, Noise { share: 0.1, offset: 3.0 });
        noise.set_parameters(&[0.2, -1.0]).unwrap();
        assert_eq!(*noise, Noise { share: 0.2, offset: -1.0 });
    }

    #[test]
    fn fields_set_by_hand_are_found() {
        assert!(Noise { share: 0.9, offset: 0.0 }.check_parameters().is_err());
        assert!(Nothing.check_parameters().is_ok() && Nothing.parameters().is_empty());
        assert!(Nothing.set_parameters(&[1.0]).is_err());
        for value in [0.0, 1.0, f64::NEG_INFINITY] {
            assert!(Domain::Negative.check("x", value).is_err());
        }
    }
}
