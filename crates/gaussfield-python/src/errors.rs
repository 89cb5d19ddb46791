//! Our errors as the exceptions that Python's users expect, in the same words.

use gaussfield::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// What every refusal of memory says. (Errors hand it on in their own variants, many deep.)
const MEMORY: &str = "of the memory budget are left";

/// What every iteration says that ended before its tolerance.
const NOT_CONVERGED: &str = " did not converge: after ";

/// `MemoryError` for memory, `RuntimeError` for what did not converge, `ValueError` for the rest.
pub(crate) fn raised(error: impl Into<Error>) -> PyErr {
    let said = format!("{:?}", error.into());
    if said.contains(MEMORY) {
        PyMemoryError::new_err(said)
    } else if said.contains(NOT_CONVERGED) {
        PyRuntimeError::new_err(said)
    } else {
        PyValueError::new_err(said)
    }
}
