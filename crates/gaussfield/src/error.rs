//! One error for a whole program.

use crate::description::{DescriptionError, ModelError};
use gaussfield_baselines::BaselineError;
use gaussfield_core::files::NotWritten;
use gaussfield_core::{OutOfRange, OverBudget, ParameterError};
use gaussfield_data::DataError;
use gaussfield_gp::GpError;
use gaussfield_graph::GraphError;
use gaussfield_harmonic::HarmonicError;
use gaussfield_kernel::KernelError;
use gaussfield_labels::LabelsError;
use gaussfield_laplacian::LaplacianError;
use gaussfield_mixture::MixtureError;
use gaussfield_points::PointsError;
use gaussfield_tune::TuneError;
use std::error::Error as _;
use std::fmt;

/// Anything that can go wrong in any of the crates: what a program's `main` returns.
///
/// A `main` that ends in an error prints its `Debug` form. That of other errors is for programmers;
/// this one prints the message itself, place, value and remedy, and then its causes.
///
/// ```
/// use gaussfield::Error;
/// use gaussfield::data::read::csv::CsvOptions;
/// use std::path::Path;
///
/// fn rows(text: &[u8]) -> Result<usize, Error> {
///     Ok(CsvOptions::new().label("kind").parse(Path::new("pets.csv"), text)?.len())
/// }
///
/// let error = rows(b"height,kind\ntall,cat\n").unwrap_err();
/// let printed = format!("{error:?}");
/// assert!(printed.starts_with("pets.csv, line 2, column \"height\": \"tall\" is not a number"));
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Files and data sets.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A description, or what became of it.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// Points.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// Labels, scores, decisions.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// Kernels.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Patterns, weights, graphs.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Linear systems and spectra.
    #[error(transparent)]
    Laplacian(#[from] LaplacianError),
    /// Harmonic functions and their relatives.
    #[error(transparent)]
    Harmonic(#[from] HarmonicError),
    /// Gaussian processes.
    #[error(transparent)]
    Gp(#[from] GpError),
    /// Mixtures.
    #[error(transparent)]
    Mixture(#[from] MixtureError),
    /// Searches for hyperparameters.
    #[error(transparent)]
    Tune(#[from] TuneError),
    /// What the papers compare with.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// A parameter of a family, a kernel or a prior.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A setting.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Memory.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A model in a file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file that could not be written.
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.to_string();
        f.write_str(&said)?;
        let mut cause = self.source();
        while let Some(error) = cause {
            let words = error.to_string();
            // Many messages hold that of their cause already.
            if !said.contains(&words) {
                write!(f, "\n  because: {words}")?;
                said = words;
            }
            cause = error.source();
        }
        Ok(())
    }
}
