//! The compiled half of the Python package `gaussfield`: arrays in, a fitted description out.
//!
//! Estimators, labels of any type and figures are written in Python, in `python/gaussfield`; here is
//! what must be compiled. A model is described in the JSON of
//! `gaussfield::description::Description`, so that nothing of it is said twice. Every call that takes
//! time gives Python's lock back, stops at Ctrl-C and reports how far it is.
//!
//! Without the feature `extension` this crate is empty: the workspace then needs no Python.

#![allow(clippy::result_large_err)] // an error becomes an exception at once

#[cfg(feature = "extension")]
mod arrays;
#[cfg(feature = "extension")]
mod errors;
#[cfg(feature = "extension")]
mod model;
#[cfg(feature = "extension")]
mod regression;
#[cfg(feature = "extension")]
mod run;

/// The module that `gaussfield` imports.
#[cfg(feature = "extension")]
#[pyo3::pymodule]
mod _gaussfield {
    #[pymodule_export]
    use crate::model::{Model, Problem};
    #[pymodule_export]
    use crate::regression::{at_new_points, interpolate};

    #[allow(non_upper_case_globals)] // the name that Python's users look for
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
