//! Labels on a shared graph.

use crate::world::total;
use crate::{DistributedError, Part, World};
use ndarray::Array2;
use std::collections::HashSet;

/// The classes of the nodes that a member sees.
#[derive(Debug)]
pub(crate) struct Boundary {
    /// Of each own node.
    pub(crate) own: Vec<Option<u32>>,
    /// Of each ghost.
    ghosts: Vec<Option<u32>>,
    classes: usize,
}

impl Boundary {
    /// From labels (row, class), which every member is given alike.
    ///
    /// # Errors
    /// No label, a label twice or of a row or class that does not exist, rows that no label reaches.
    pub(crate) fn new(
        world: &impl World,
        part: &Part,
        labels: &[(u64, u32)],
        classes: usize,
    ) -> Result<Self, DistributedError> {
        let own = placed(world, part, labels, classes)?;
        check_islands(world, part, &own)?;
        let told: Vec<f64> = own.iter().map(|class| class.map_or(-1.0, f64::from)).collect();
        let ghosts = part.halo.fetch_one(world, &told);
        let ghosts = ghosts.into_iter().map(|class| (class >= 0.0).then_some(class as u32));
        Ok(Self { ghosts: ghosts.collect(), own, classes })
    }

    /// The own nodes without a label.
    pub(crate) fn unknowns(&self) -> Vec<usize> {
        (0..self.own.len()).filter(|&node| self.own[node].is_none()).collect()
    }

    /// Which own nodes have none.
    pub(crate) fn inside(&self) -> Vec<bool> {
        self.own.iter().map(Option::is_none).collect()
    }

    /// The weight with which each unknown is tied to labels of each class.
    pub(crate) fn pull(&self, part: &Part, unknowns: &[usize]) -> Array2<f64> {
        let mut pull = Array2::zeros((unknowns.len(), self.classes));
        for (at, &node) in unknowns.iter().enumerate() {
            let (places, weights) = part.row(node);
            for (&place, &weight) in places.iter().zip(weights) {
                let place = place as usize;
                let class = match self.own.get(place) {
                    Some(own) => *own,
                    None => self.ghosts[place - self.own.len()],
                };
                if let Some(class) = class {
                    pull[[at, class as usize]] += weight;
                }
            }
        }
        pull
    }

    /// Values of all own nodes: those of the unknowns, and 1 at the class of a label.
    pub(crate) fn filled(&self, values: &Array2<f64>, unknowns: &[usize]) -> Array2<f64> {
        let mut all = Array2::zeros((self.own.len(), self.classes));
        for (row, &node) in values.rows().into_iter().zip(unknowns) {
            all.row_mut(node).assign(&row);
        }
        for (node, class) in self.own.iter().enumerate() {
            if let Some(class) = class {
                all[[node, *class as usize]] = 1.0;
            }
        }
        all
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
    let mut seen = HashSet::with_capacity(labels.len());
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
        if !seen.insert(row) {
            let node = row as usize;
            return Err(gaussfield_laplacian::LaplacianError::DuplicateNode { node }.into());
        }
    }
    Ok(part.labelled(labels))
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
