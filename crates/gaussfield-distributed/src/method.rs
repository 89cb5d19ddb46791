//! Methods on a shared graph.

use crate::system::{SolveOptions, SolvedFacts, System};
use crate::world::{sum, total};
use crate::{DistributedError, Part, World};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What is fitted. What is not here needs one machine: Gaussian processes and learning of weights ask
/// for a column for each label, mixtures for the points beside the graph.
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
        self.check(options)?;
        part.check_spread(world)?;
        let labelled = placed(world, part, labels, classes)?;
        check_islands(world, part, &labelled)?;
        let weights = |node: usize| part.row(node).1.iter().sum::<f64>();
        let of_ghosts = fetch_classes(world, part, &labelled);
        match *self {
            Self::Consistency { alpha } => {
                let degrees: Vec<f64> = (0..part.len()).map(weights).collect();
                let tie = |d: &f64| if *d > 0.0 { (1.0 - alpha) * d } else { 1.0 };
                let ties: Vec<f64> = degrees.iter().map(tie).collect();
                let root =
                    |node: usize| if degrees[node] > 0.0 { degrees[node].sqrt() } else { 1.0 };
                let system = System::new(world, part, &vec![true; part.len()], alpha, &ties)?;
                let mut right = Array2::zeros((part.len(), classes));
                for (node, class) in labelled.iter().enumerate() {
                    if let Some(class) = class {
                        right[[node, *class as usize]] = (1.0 - alpha) * root(node);
                    }
                }
                let (mut scores, facts) = system.solve(world, part, right.view(), options)?;
                for (node, mut row) in scores.rows_mut().into_iter().enumerate() {
                    let root = root(node);
                    row.mapv_inplace(|x| (x * root).max(0.0));
                    let sum = row.sum();
                    // A label reaches every node, if only by a number too small for an f64.
                    row.mapv_inplace(|x| if sum > 0.0 { x / sum } else { 1.0 / classes as f64 });
                }
                Ok(Fit { scores, labelled, facts, rounds: 0 })
            }
            Self::Harmonic | Self::Dynamics { .. } => {
                let inside: Vec<bool> = labelled.iter().map(Option::is_none).collect();
                let mut excess = vec![0.0; part.len()];
                let unknowns: Vec<usize> = (0..part.len()).filter(|&node| inside[node]).collect();
                let mut right = Array2::zeros((unknowns.len(), classes));
                for (at, &node) in unknowns.iter().enumerate() {
                    let (places, weights) = part.row(node);
                    for (&place, &weight) in places.iter().zip(weights) {
                        let place = place as usize;
                        let class = match labelled.get(place) {
                            Some(own) => *own,
                            None => of_ghosts[place - part.len()],
                        };
                        if let Some(class) = class {
                            excess[node] += weight;
                            right[[at, class as usize]] += weight;
                        }
                    }
                }
                let system = System::new(world, part, &inside, 1.0, &excess)?;
                let (solved, facts) = system.solve(world, part, right.view(), options)?;
                let mut scores = Array2::zeros((part.len(), classes));
                for (row, &node) in solved.rows().into_iter().zip(&unknowns) {
                    // [0, 1] but for the last digits.
                    let sum: f64 = row.iter().map(|x| x.max(0.0)).sum();
                    let clean = row.mapv(|x| x.max(0.0) / sum);
                    scores.row_mut(node).assign(&clean);
                }
                for (node, class) in labelled.iter().enumerate() {
                    if let Some(class) = class {
                        scores[[node, *class as usize]] = 1.0;
                    }
                }
                let mut fit = Fit { scores, labelled, facts, rounds: 0 };
                if let Self::Dynamics { steps, rounds } = *self {
                    dynamics(world, part, &mut fit, steps, rounds);
                }
                Ok(fit)
            }
        }
    }

    fn check(&self, options: &SolveOptions) -> Result<(), DistributedError> {
        use gaussfield_core::check;
        check::fraction("the tolerance", options.tolerance)?;
        check::fraction("the partition tolerance", options.partition_tolerance)?;
        check::at_least("the number of iterations allowed", options.max_iterations, 1)?;
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

/// The class of each own node.
fn placed(
    world: &impl World,
    part: &Part,
    labels: &[(u64, u32)],
    classes: usize,
) -> Result<Vec<Option<u32>>, DistributedError> {
    let told: Vec<u64> = labels.iter().flat_map(|&(row, class)| [row, u64::from(class)]).collect();
    crate::world::same(world, "list of labels", &crate::world::packed(&told))?;
    if labels.is_empty() {
        return Err(DistributedError::NoLabel);
    }
    let mut by_row = HashMap::with_capacity(labels.len());
    for &(row, class) in labels {
        let size = gaussfield_core::NoSuchNode { node: row as usize, nodes: part.nodes() as usize };
        if row >= part.nodes() {
            return Err(gaussfield_laplacian::LaplacianError::from(size).into());
        }
        if class as usize >= classes {
            let (node, nodes) = (class as usize, classes);
            let size = gaussfield_core::NoSuchNode { node, nodes };
            return Err(gaussfield_laplacian::LaplacianError::from(size).into());
        }
        if by_row.insert(row, class).is_some() {
            let node = row as usize;
            return Err(gaussfield_laplacian::LaplacianError::DuplicateNode { node }.into());
        }
    }
    Ok(part.rows.iter().map(|row| by_row.get(row).copied()).collect())
}

/// The classes of the ghosts.
fn fetch_classes(world: &impl World, part: &Part, own: &[Option<u32>]) -> Vec<Option<u32>> {
    let told: Vec<f64> = own.iter().map(|class| class.map_or(-1.0, f64::from)).collect();
    let ghosts = part.halo.fetch_one(world, &told);
    ghosts.into_iter().map(|class| (class >= 0.0).then_some(class as u32)).collect()
}

/// Refuses rows that no label reaches, wherever they are: each member floods its own rows, and borders
/// are told until nothing changes.
fn check_islands(
    world: &impl World,
    part: &Part,
    labelled: &[Option<u32>],
) -> Result<(), DistributedError> {
    let mut reached: Vec<f64> =
        labelled.iter().map(|class| f64::from(u8::from(class.is_some()))).collect();
    let mut open: Vec<u32> =
        (0..part.len() as u32).filter(|&node| labelled[node as usize].is_some()).collect();
    loop {
        let mut news = 0.0;
        while let Some(node) = open.pop() {
            let (places, weights) = part.row(node as usize);
            for (&place, &weight) in places.iter().zip(weights) {
                if weight > 0.0
                    && let Some(at) = reached.get_mut(place as usize)
                    && *at < 0.5
                {
                    *at = 1.0;
                    news += 1.0;
                    open.push(place);
                }
            }
        }
        let ghosts = part.halo.fetch_one(world, &reached);
        for node in 0..part.len() {
            if reached[node] < 0.5 {
                let (places, weights) = part.row(node);
                let from = |(&place, &weight): (&u32, &f64)| {
                    let ghost = (place as usize).checked_sub(part.len());
                    weight > 0.0 && ghost.is_some_and(|ghost| ghosts[ghost] > 0.5)
                };
                if places.iter().zip(weights).any(from) {
                    reached[node] = 1.0;
                    news += 1.0;
                    open.push(node as u32);
                }
            }
        }
        if total(world, news) < 0.5 {
            break;
        }
    }
    let islands = || (0..part.len()).filter(|&node| reached[node] < 0.5);
    let nodes = total(world, islands().count() as f64);
    if nodes < 0.5 {
        return Ok(());
    }
    let lowest = islands().map(|node| part.rows[node]).min();
    let all = world.gather(&[lowest.map_or(f64::INFINITY, |row| row as f64)]);
    let example = all.into_iter().fold(f64::INFINITY, f64::min) as u64;
    Err(DistributedError::Islands { nodes: nodes as u64, example })
}

/// Merriman, Bence and Osher's scheme with random-walk steps, as on one machine.
fn dynamics(world: &impl World, part: &Part, fit: &mut Fit, steps: usize, most: usize) {
    let classes = fit.scores.ncols();
    let moving: Vec<usize> = (0..part.len()).filter(|&n| fit.labelled[n].is_none()).collect();
    // Masses to the uniform prior, once.
    let mut masses = vec![0.0; classes];
    for &node in &moving {
        masses.iter_mut().zip(fit.scores.row(node)).for_each(|(mass, x)| *mass += x);
    }
    sum(world, &mut masses);
    for &node in &moving {
        for c in 0..classes {
            fit.scores[[node, c]] =
                if masses[c] > 0.0 { fit.scores[[node, c]] / masses[c] } else { 0.0 };
        }
        let sum = fit.scores.row(node).sum();
        fit.scores.row_mut(node).mapv_inplace(|x| x / sum);
    }
    let mut decided = crate::decide::largest(&fit.scores);
    while fit.rounds < most {
        fit.rounds += 1;
        let mut values = vec![0.0; part.len() * classes];
        decided.iter().enumerate().for_each(|(node, &class)| values[node * classes + class] = 1.0);
        for _ in 0..steps {
            values = walk(world, part, &values, classes);
        }
        for &node in &moving {
            let from = &values[node * classes..][..classes];
            fit.scores.row_mut(node).iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        let now = crate::decide::largest(&fit.scores);
        let changed = now.iter().zip(&decided).filter(|(a, b)| a != b).count();
        if total(world, changed as f64) < 0.5 {
            return;
        }
        decided = now;
    }
}

/// One step of P = D⁻¹W.
fn walk(world: &impl World, part: &Part, values: &[f64], width: usize) -> Vec<f64> {
    let mut ghosts = vec![0.0; part.halo.ghosts.len() * width];
    part.halo.fetch(world, values, &mut ghosts, width);
    let mut next = vec![0.0; values.len()];
    for node in 0..part.len() {
        let (places, weights) = part.row(node);
        let degree: f64 = weights.iter().sum();
        let to = &mut next[node * width..][..width];
        if degree > 0.0 {
            for (&place, &weight) in places.iter().zip(weights) {
                let place = place as usize;
                let from = match place < part.len() {
                    true => &values[place * width..][..width],
                    false => &ghosts[(place - part.len()) * width..][..width],
                };
                to.iter_mut().zip(from).for_each(|(to, x)| *to += weight / degree * x);
            }
        } else {
            to.copy_from_slice(&values[node * width..][..width]);
        }
    }
    next
}
