//! Faults that every crate knows. Each crate's error type carries them as they are.

use std::borrow::Cow;
use std::fmt;

/// A number that is not where it may be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} is {value}: it must be {allowed}", value = shown(*.value))]
pub struct OutOfRange {
    /// What the number is called.
    pub name: Cow<'static, str>,
    /// The number given.
    pub value: f64,
    /// Where it may be, as it follows "it must be".
    pub allowed: Cow<'static, str>,
}

/// Things that do not belong together by their number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {got} given where {expected} are needed")]
pub struct SizeMismatch {
    /// What is counted.
    pub what: &'static str,
    /// How many are needed.
    pub expected: usize,
    /// How many were given.
    pub got: usize,
}

impl SizeMismatch {
    /// Whether there are as many as needed.
    ///
    /// # Errors
    /// This, if not.
    pub fn check(what: &'static str, expected: usize, got: usize) -> Result<(), Self> {
        if expected == got { Ok(()) } else { Err(Self { what, expected, got }) }
    }
}

/// Memory that would pass the [`Budget`](crate::Budget) of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} take {}, and {} of the memory budget are left: use a sparse graph (k nearest neighbours \
     or an ε-ball) with an iterative solver, fewer points, or a larger budget",
    Bytes(*.bytes), Bytes(*.left)
)]
pub struct OverBudget {
    /// What the memory is for, in the plural or as a quantity.
    pub what: &'static str,
    /// Bytes it would take.
    pub bytes: u64,
    /// Bytes that were left.
    pub left: u64,
}

/// A node past the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("node {node} was named, but there are {nodes} nodes{}", last(*.nodes))]
pub struct NoSuchNode {
    /// The node named.
    pub node: usize,
    /// The number of nodes.
    pub nodes: usize,
}

impl NoSuchNode {
    /// Whether all nodes are below `nodes`.
    ///
    /// # Errors
    /// This, with the first that is not.
    pub fn check(named: &[usize], nodes: usize) -> Result<(), Self> {
        match named.iter().find(|&&node| node >= nodes) {
            Some(&node) => Err(Self { node, nodes }),
            None => Ok(()),
        }
    }
}

fn last(nodes: usize) -> String {
    nodes.checked_sub(1).map(|last| format!(" (0 to {last})")).unwrap_or_default()
}

/// An iteration that ended before it reached its tolerance.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "{method} did not converge: after {iterations} iterations {measure} is {reached:.1e}, tolerance \
     {tolerance:.1e}; {remedy}"
)]
pub struct NotConverged {
    /// Which iteration.
    pub method: &'static str,
    /// Iterations made.
    pub iterations: usize,
    /// What was watched: "the relative residual", "the largest change".
    pub measure: &'static str,
    /// Where it stood at the end.
    pub reached: f64,
    /// Where it had to be.
    pub tolerance: f64,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Work that was stopped through a [`Progress`](crate::Progress) handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request, during {stage}")]
pub struct Cancelled {
    /// What was under way.
    pub stage: &'static str,
}

/// A number as people read it: plain digits, and a power of ten where there would be more than
/// fifteen of them.
///
/// ```
/// use gaussfield_core::shown;
///
/// assert_eq!(shown(-0.25).to_string(), "-0.25");
/// assert_eq!(shown(1e300).to_string(), "1e300");
/// assert_eq!(shown(5e-324).to_string(), "5e-324");
/// ```
pub fn shown(value: f64) -> impl fmt::Display {
    Shown(value)
}

struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        let plain = value.abs() < 1e15 && value.abs() >= 1e-5;
        // A class of a number, not a comparison: zero, infinities and NaN have no power of ten.
        if plain || !value.is_normal() && !value.is_subnormal() {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}

/// Bytes as people read them.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} bytes", self.0),
            1_000..1_000_000 => write!(f, "{:.1} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            _ => write!(f, "{:.2} GB", bytes / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_value_and_the_remedy() {
        let node = NoSuchNode::check(&[1, 7], 5).unwrap_err();
        assert_eq!(node.to_string(), "node 7 was named, but there are 5 nodes (0 to 4)");
        let empty = NoSuchNode::check(&[0], 0).unwrap_err();
        assert_eq!(empty.to_string(), "node 0 was named, but there are 0 nodes");
        let size = SizeMismatch::check("labels", 4, 3).unwrap_err();
        assert_eq!(size.to_string(), "labels: 3 given where 4 are needed");
        let memory = OverBudget { what: "the weights", bytes: 5_000_000_000, left: 20 };
        assert!(memory.to_string().starts_with("the weights take 5.00 GB, and 20 bytes"));
    }
}
