//! Our errors as the exceptions that Python's users expect, in the same words.

use gaussfield::Error;
use gaussfield::baselines::BaselineError;
use gaussfield::data::DataError;
use gaussfield::description::{DescriptionError, MethodError};
use gaussfield::gp::GpError;
use gaussfield::graph::GraphError;
use gaussfield::harmonic::HarmonicError;
use gaussfield::kernel::KernelError;
use gaussfield::laplacian::LaplacianError;
use gaussfield::mixture::MixtureError;
use gaussfield::points::PointsError;
use gaussfield::tune::TuneError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// `MemoryError` for memory, `RuntimeError` for what did not converge, `ValueError` for the rest.
pub(crate) fn raised(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let said = format!("{error:?}");
    match error.kind() {
        Kind::Memory => PyMemoryError::new_err(said),
        Kind::NotConverged => PyRuntimeError::new_err(said),
        Kind::Value => PyValueError::new_err(said),
    }
}

/// Which exception an error is.
enum Kind {
    Memory,
    NotConverged,
    Value,
}

trait Kinds {
    fn kind(&self) -> Kind;
}

/// Of each enum the variants that are of a kind themselves, and those that hand on the error of
/// another crate.
macro_rules! kinds {
    ($($error:ident { $($own:ident: $kind:ident),* ; $($other:ident),* })*) => {$(
        impl Kinds for $error {
            fn kind(&self) -> Kind {
                match self {
                    $(Self::$own(_) => Kind::$kind,)*
                    $(Self::$other(error) => error.kind(),)*
                    _ => Kind::Value,
                }
            }
        }
    )*};
}

kinds! {
    PointsError { OverBudget: Memory; }
    KernelError { OverBudget: Memory; Points }
    GraphError { OverBudget: Memory; Points }
    LaplacianError { OverBudget: Memory, NotConverged: NotConverged; Graph }
    HarmonicError { OverBudget: Memory, NotConverged: NotConverged; Graph, Laplacian }
    GpError {
        OverBudget: Memory, NotConverged: NotConverged; Graph, Laplacian, Kernel, Points
    }
    MixtureError {
        OverBudget: Memory, NotConverged: NotConverged; Points, Graph, Harmonic, Laplacian
    }
    BaselineError {
        OverBudget: Memory, NotConverged: NotConverged;
        Points, Graph, Kernel, Gp, Laplacian, Harmonic
    }
    TuneError { OverBudget: Memory; Graph, Harmonic, Gp }
    DataError { ; Points }
    MethodError { ; Harmonic, Gp, Mixture, Baseline }
    Error {
        OverBudget: Memory;
        Data, Description, Points, Kernel, Graph, Laplacian, Harmonic, Gp, Mixture, Tune, Baseline
    }
}

impl Kinds for DescriptionError {
    fn kind(&self) -> Kind {
        match self {
            Self::Prepare(error) => error.kind(),
            Self::Graph(error) | Self::Weights(error) => error.kind(),
            Self::Tuning(error) => error.kind(),
            Self::Method { error, .. } => error.kind(),
            Self::OverBudget(_) => Kind::Memory,
            _ => Kind::Value,
        }
    }
}
