//! Methods on a shared graph.

use crate::boundary::Boundary;
use crate::dynamics::dynamics;
use crate::engine::Prepared;
use crate::system::{SolveOptions, SolvedFacts, System};
use crate::{Columns, DistributedError, Part, World};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// What is fitted. What is not here needs one machine: Gaussian processes ask for a column for each
/// label, mixtures for the points beside the graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// The harmonic function of every class.
    Harmonic,
    /// Local and global consistency: (I − αS)⁻¹ Y, rows divided by their sums.
    Consistency {
        /// How far labels spread, in (0, 1).
        alpha: f64,
    },
    /// Threshold dynamics from the harmonic function: walk a few steps, decide, and again until nothing
    /// changes. Masses are made even once, at the start.
    Dynamics {
        /// Steps of each walk, at least 1.
        steps: usize,
        /// Most rounds, at least 1.
        rounds: usize,
    },
}

/// What a method found, for the rows of this member.
#[derive(Debug, Clone)]
pub struct Fit {
    /// A row for each own node, a column for each class; rows add up to one.
    pub scores: Array2<f64>,
    /// The class of each own node that was labelled.
    pub labelled: Vec<Option<u32>>,
    /// How it was solved.
    pub facts: SolvedFacts,
    /// Rounds of threshold dynamics; 0 without.
    pub rounds: usize,
}

impl Method {
    /// Fits to labels (row, class), which every member is given alike.
    ///
    /// # Errors
    /// No label, a label twice or of a row or class that does not exist, rows that no label reaches,
    /// weights too far apart, a parameter out of range, a solver that failed.
    pub fn fit(
        &self,
        world: &impl World,
        part: &Part,
        labels: &[(u64, u32)],
        classes: usize,
        options: &SolveOptions,
    ) -> Result<Fit, DistributedError> {
        self.fit_on(world, part, labels, classes, options, None)
    }

    /// The same, keeping columns as they are solved: the same call after an interruption takes up those
    /// that were, and gives the same bits.
    ///
    /// # Errors
    /// As [`Method::fit`]; a file that cannot be written.
    pub fn fit_on(
        &self,
        world: &impl World,
        part: &Part,
        labels: &[(u64, u32)],
        classes: usize,
        options: &SolveOptions,
        kept: Option<&Columns<'_>>,
    ) -> Result<Fit, DistributedError> {
        self.check(options)?;
        options.room(world, part, classes)?;
        part.check_spread(world)?;
        let boundary = Boundary::new(world, part, labels, classes)?;
        let how = (options, kept);
        let fit = match *self {
            Self::Consistency { alpha } => consistent(world, part, boundary, alpha, how)?,
            Self::Harmonic | Self::Dynamics { .. } => harmonic(world, part, boundary, how)?,
        };
        Ok(match *self {
            Self::Dynamics { steps, rounds } => dynamics(world, part, fit, steps, rounds),
            _ => fit,
        })
    }

    fn check(&self, options: &SolveOptions) -> Result<(), DistributedError> {
        use gaussfield_core::check;
        options.check()?;
        match *self {
            Self::Harmonic => {}
            Self::Consistency { alpha } => check::fraction("α", alpha)?,
            Self::Dynamics { steps, rounds } => {
                check::at_least("the number of steps between decisions", steps, 1)?;
                check::at_least("the number of rounds allowed", rounds, 1)?;
            }
        }
        Ok(())
    }
}

/// The harmonic function of every class.
fn harmonic(
    world: &impl World,
    part: &Part,
    boundary: Boundary,
    (options, kept): (&SolveOptions, Option<&Columns<'_>>),
) -> Result<Fit, DistributedError> {
    let unknowns = boundary.unknowns();
    let right = boundary.pull(part, &unknowns);
    let mut excess = vec![0.0; part.len()];
    for (row, &node) in right.rows().into_iter().zip(&unknowns) {
        excess[node] = row.sum();
    }
    let system = System::new(world, part, &boundary.inside(), 1.0, &excess)?;
    let prepared = Prepared::new(world, options.engine, &system)?;
    let (mut solved, facts) = system.solve(world, part, right.view(), options, &prepared, kept)?;
    for mut row in solved.rows_mut() {
        // [0, 1] but for the last digits.
        row.mapv_inplace(|x| x.max(0.0));
        let sum = row.sum();
        row.mapv_inplace(|x| x / sum);
    }
    let scores = boundary.filled(&solved, &unknowns);
    Ok(Fit { scores, labelled: boundary.own, facts, rounds: 0 })
}

/// Local and global consistency: all nodes are unknown, and labels pull at their own.
fn consistent(
    world: &impl World,
    part: &Part,
    boundary: Boundary,
    alpha: f64,
    (options, kept): (&SolveOptions, Option<&Columns<'_>>),
) -> Result<Fit, DistributedError> {
    let degrees = part.degrees();
    let tie = |d: &f64| if *d > 0.0 { (1.0 - alpha) * d } else { 1.0 };
    let ties: Vec<f64> = degrees.iter().map(tie).collect();
    let root = |node: usize| if degrees[node] > 0.0 { degrees[node].sqrt() } else { 1.0 };
    let system = System::new(world, part, &vec![true; part.len()], alpha, &ties)?;
    let mut right = boundary.filled(&Array2::zeros((0, 0)), &[]);
    for (node, mut row) in right.rows_mut().into_iter().enumerate() {
        row.mapv_inplace(|x| (1.0 - alpha) * root(node) * x);
    }
    let prepared = Prepared::new(world, options.engine, &system)?;
    let (mut scores, facts) = system.solve(world, part, right.view(), options, &prepared, kept)?;
    let classes = scores.ncols() as f64;
    for (node, mut row) in scores.rows_mut().into_iter().enumerate() {
        row.mapv_inplace(|x| (x * root(node)).max(0.0));
        let sum = row.sum();
        // A label reaches every node, if only by a number too small for an f64.
        row.mapv_inplace(|x| if sum > 0.0 { x / sum } else { 1.0 / classes });
    }
    Ok(Fit { scores, labelled: boundary.own, facts, rounds: 0 })
}
