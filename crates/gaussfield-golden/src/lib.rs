//! Golden vectors: numbers of an independent implementation, checked case by case.
//!
//! ```
//! # fn main() -> anyhow::Result<()> {
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/sindhwani2007_ssgp.json");
//! let tally = gaussfield_golden::run(&[file], |case, verdict| assert!(!case.is_empty(), "{verdict}"))?;
//! assert!(tally.is_clean(), "{tally}");
//! # Ok(())
//! # }
//! ```
//!
//! A file holds cases; a case holds all its inputs, what is expected and how closely. Every case
//! type that a module here knows is computed with the public API of the crates and compared field
//! by field; the others are reported as unsupported.

mod compare;
mod entropy;
mod ep;
mod gp;
mod graphs;
mod harmonic;
mod mixture;
mod schema;
mod ssgp;

use anyhow::{Context as _, Result};
use schema::{Case, File};
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;

/// The fields a case computed, by name.
pub(crate) type Fields = Map<String, Value>;

/// How one case went.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Every expected field agrees; the worst share of its tolerance used up, and where.
    Ok(String),
    /// A field differs, is missing, or the computation failed.
    Fail(String),
    /// The case's type is not known.
    Unsupported(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok(words) => write!(f, "ok           {words}"),
            Self::Fail(words) => write!(f, "FAIL         {words}"),
            Self::Unsupported(words) => write!(f, "unsupported  {words}"),
        }
    }
}

/// How many cases went which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Cases that agree.
    pub ok: usize,
    /// Cases that do not.
    pub failed: usize,
    /// Cases of an unknown type.
    pub unsupported: usize,
}

impl Tally {
    /// Whether every case was computed and agrees.
    pub fn is_clean(self) -> bool {
        self.failed == 0 && self.unsupported == 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ok, failed, unsupported } = *self;
        let cases = ok + failed + unsupported;
        write!(f, "{cases} cases: {ok} ok, {failed} failed, {unsupported} unsupported")
    }
}

/// Checks every case of the files, in order, telling each verdict as it falls.
///
/// # Errors
/// A file that cannot be read or is not of the schema.
pub fn run<P: AsRef<Path>>(files: &[P], mut tell: impl FnMut(&str, &Verdict)) -> Result<Tally> {
    let mut tally = Tally::default();
    for file in files {
        let path = file.as_ref();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the golden file {}", path.display()))?;
        let file: File = serde_json::from_str(&text).with_context(|| {
            format!("{} is not a golden file (see its schema, version 1)", path.display())
        })?;
        file.check().with_context(|| path.display().to_string())?;
        for case in &file.cases {
            let verdict = check(case);
            match verdict {
                Verdict::Ok(_) => tally.ok += 1,
                Verdict::Fail(_) => tally.failed += 1,
                Verdict::Unsupported(_) => tally.unsupported += 1,
            }
            tell(&case.name, &verdict);
        }
    }
    Ok(tally)
}

/// Computes one case and compares.
fn check(case: &Case) -> Verdict {
    let computed = match case.kind.as_str() {
        "weights" => harmonic::weights(case),
        "harmonic" => harmonic::harmonic(case),
        "entropy" => entropy::value_and_gradient(case),
        "entropy_optimum_tied" | "entropy_optimum_separate" => {
            return entropy::optimum(case).unwrap_or_else(|error| failed(case, &error));
        }
        "gp_laplace" => gp::laplace(case),
        "evidence_scan" => gp::scan(case),
        "evidence_optimum_exp" | "evidence_optimum_tanh" => {
            return gp::optimum(case).unwrap_or_else(|error| failed(case, &error));
        }
        "ep_flip" => ep::flip(case),
        "ep_evidence_optimum" => {
            return ep::optimum(case).unwrap_or_else(|error| failed(case, &error));
        }
        "ep_em" => return ep::em(case).unwrap_or_else(|error| failed(case, &error)),
        "ssgp" => ssgp::warped(case),
        "ssgp_evidence_optimum" => {
            return ssgp::optimum(case).unwrap_or_else(|error| failed(case, &error));
        }
        "harmonic_mixture" => mixture::harmonic_mixture(case),
        "mixture_em" => mixture::em(case),
        "hard_clustering" => mixture::hard_clustering(case),
        "sample_baseline" => mixture::sample_baseline(case),
        other => return Verdict::Unsupported(format!("type {other:?}")),
    };
    match computed {
        Ok(fields) => compare::fields(case, &fields),
        Err(error) => failed(case, &error),
    }
}

/// A computation that ended in an error.
fn failed(case: &Case, error: &anyhow::Error) -> Verdict {
    if case.accepts_error() {
        Verdict::Ok(format!("explicit error: {error:#}"))
    } else {
        Verdict::Fail(format!("{error:#}"))
    }
}
