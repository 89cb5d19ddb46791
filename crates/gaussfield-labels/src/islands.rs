//! What a method does where no label reaches.

use crate::ClassPrior;
use serde::{Deserialize, Serialize};

/// What to do with unlabelled nodes that no label reaches: in every method on a graph the same.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Islands {
    /// An error that names these nodes. The default: no label says anything about them.
    #[default]
    Error,
    /// Fill them with the class prior; the result lists them.
    Prior(ClassPrior),
}
