//! What can go wrong, in one type.

use gaussfield_core::{OutOfRange, OverBudget};
use gaussfield_graph::GraphError;
use gaussfield_labels::LabelsError;
use gaussfield_laplacian::LaplacianError;
use gaussfield_points::PointsError;
use std::path::PathBuf;

/// What can go wrong where several members work on one graph. Every member gets an error for the same
/// reason, so that all of them end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DistributedError {
    /// A member met an error of its own.
    #[error("member {member} of {members}: {message}")]
    Member {
        /// Which one.
        member: usize,
        /// Of how many.
        members: usize,
        /// What it said.
        message: String,
    },
    /// More members than rows.
    #[error(
        "member {member} of {members} would have no rows, as there are {rows}: start fewer members"
    )]
    NoRows {
        /// The first member without.
        member: usize,
        /// Members in all.
        members: usize,
        /// Rows in all.
        rows: u64,
    },
    /// Members that were given different things.
    #[error(
        "member {member} sees another {what} than member 0: start all members with the same \
         arguments, on files that all machines share"
    )]
    Different {
        /// The first that differs.
        member: usize,
        /// What differs.
        what: &'static str,
    },
    /// A file that does not hold what it must.
    #[error("{}: {problem}: {remedy}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A label that fits nothing.
    #[error("{}, line {line}: {problem}", path.display())]
    Label {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// An edge that cannot be.
    #[error("the edge between {from} and {to}: {problem}")]
    Edge {
        /// One end.
        from: u64,
        /// The other.
        to: u64,
        /// What is wrong, and the remedy.
        problem: String,
    },
    /// No label at all, or one class only.
    #[error("there is no labelled row: label at least one row of each class")]
    NoLabel,
    /// No row without a label, where the doubt about them is asked.
    #[error("every row is labelled: there is no doubt to learn a length scale from")]
    AllLabelled,
    /// Rows that no label reaches.
    #[error(
        "{nodes} row(s), for example row {example}, are linked to no labelled row: label a row of \
         each part, or take more neighbours"
    )]
    Islands {
        /// How many.
        nodes: u64,
        /// The lowest.
        example: u64,
    },
    /// Weights further apart than the engines hold.
    #[error(
        "weights range from {least:.1e} (between rows {from} and {to}) to {most:.1e}: more than the \
         distributed solvers resolve (a factor of 1e48); widen the length scale"
    )]
    Spread {
        /// The smallest.
        least: f64,
        /// The largest.
        most: f64,
        /// One end of the smallest.
        from: u64,
        /// The other.
        to: u64,
    },
    /// The solutions do not add up.
    #[error(
        "the solutions add up to 1 only within {error:.1e} at row {row} (allowed {allowed:.1e}): some \
         part hangs on by very weak links; widen the length scale, or take the engine hypre"
    )]
    Partition {
        /// By how much.
        error: f64,
        /// Where it is worst.
        row: u64,
        /// How much is allowed.
        allowed: f64,
    },
    /// Something that only one machine can do.
    #[error(
        "{what} needs all scores on one machine, {numbers} numbers where {most} are allowed: {remedy}"
    )]
    OneMachine {
        /// What was asked.
        what: &'static str,
        /// How many numbers it takes.
        numbers: u64,
        /// How many it may.
        most: u64,
        /// What to do instead.
        remedy: &'static str,
    },
    /// This program was built without it.
    #[error("the engine hypre is not part of this build: build with --features hypre")]
    NoHypre,
    /// hypre was asked for by members that are no ranks.
    #[error("the engine hypre needs the ranks of an MPI job: members that are threads take block")]
    NoRanks,
    /// More entries than hypre counts.
    #[error(
        "a member holds {stored} entries of the matrix, and hypre counts those of one rank by 31 bits: \
         start more ranks"
    )]
    TooManyEntries {
        /// How many.
        stored: u64,
    },
    /// hypre reported an error.
    #[error("hypre failed in {call} with code {code}")]
    Hypre {
        /// Which of its calls.
        call: &'static str,
        /// What it returned.
        code: i32,
    },
    /// A parameter outside its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// More memory than allowed.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A shard that is stored column by column.
    #[cfg(feature = "columnar")]
    #[error(transparent)]
    Data(#[from] gaussfield_data::DataError),
    /// A file that cannot be read.
    #[error(transparent)]
    NotRead(#[from] gaussfield_core::files::NotRead),
    /// A file that cannot be written.
    #[error(transparent)]
    NotWritten(#[from] gaussfield_core::files::NotWritten),
    /// Of the points.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// Of the search.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Of the solver.
    #[error(transparent)]
    Laplacian(#[from] LaplacianError),
    /// Of the search for a length scale.
    #[error(transparent)]
    Tune(#[from] gaussfield_tune::TuneError),
    /// Sizes that do not fit each other.
    #[error(transparent)]
    SizeMismatch(#[from] gaussfield_core::SizeMismatch),
    /// Of labels and decisions.
    #[error(transparent)]
    Labels(#[from] LabelsError),
}
