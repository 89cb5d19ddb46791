//! One data set of section 4, measured.

use super::curves::Curves;
use super::task::Task;
use gaussfield_report::ClaimKind;

/// A data set with what the methods reached on it.
pub(super) struct Study {
    /// Begins the ids of its figures and claims.
    pub(super) id: &'static str,
    /// What it is called.
    pub(super) name: &'static str,
    /// The data: for generated data those of the first trial.
    pub(super) task: Task,
    /// Labels of each trial.
    pub(super) labels: usize,
    /// The number of components the paper's text speaks of.
    pub(super) size: usize,
    /// σ as the paper prints it, in the units of these points; `None` if it prints none for them.
    pub(super) printed: Option<f64>,
    /// What claims about it are judged on.
    pub(super) kind: ClaimKind,
    /// What the methods reached.
    pub(super) curves: Curves,
    /// Why claims of the paper cannot be judged on these data, if they cannot.
    pub(super) missing: Option<String>,
    /// What to write under figures drawn on other data.
    pub(super) note: Option<String>,
}
