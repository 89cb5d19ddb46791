//! Columns that were solved, on disk: of a fit to many classes a restart goes on from the last of them.

use crate::packed::Words;
use crate::world::{Item, agree, unpacked};
use crate::{DistributedError, Stages, World};
use gaussfield_laplacian::shared::MOST;
use ndarray::{Array2, ArrayView2};

/// How the stages of groups of columns are called.
const NAME: &str = "columns-";

/// Where solved columns are kept: a stage for each group of 16, where there is more than one.
#[derive(Debug)]
pub struct Columns<'a> {
    stages: &'a Stages,
    key: String,
}

/// Columns that are solved together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    /// How often the tolerance was tightened.
    pub(crate) round: usize,
    pub(crate) tolerance: f64,
    /// The first of the group, and how many.
    pub(crate) first: usize,
    pub(crate) width: usize,
}

/// What was found for a group.
#[derive(Debug)]
pub(crate) struct Solved {
    /// A column for each of the group.
    pub(crate) values: Array2<f64>,
    pub(crate) iterations: usize,
    pub(crate) residual: f64,
}

impl<'a> Columns<'a> {
    /// Among these stages. The key tells what is solved: of another nothing is taken.
    pub fn new(stages: &'a Stages, key: impl Into<String>) -> Self {
        Self { stages, key: key.into() }
    }

    /// Takes them away, once their fit is kept.
    ///
    /// # Errors
    /// None of this member; one that cannot be taken away is left.
    pub fn forget(&self, world: &impl World) -> Result<(), DistributedError> {
        self.stages.forget(world, NAME)
    }

    fn key(&self, group: Group) -> String {
        format!("{} {:e} {MOST}", self.key, group.tolerance)
    }

    /// Those of a group, if they were kept: on all members or none.
    pub(crate) fn kept(
        &self,
        world: &impl World,
        group: Group,
        rows: usize,
    ) -> Result<Option<Solved>, DistributedError> {
        let Some((stage, bytes)) = self.stages.kept(world, &group.name())? else {
            return Ok(None);
        };
        if stage.key != self.key(group) {
            return Ok(None);
        }
        let cut = || {
            let mut words = Words(&bytes);
            let head = words.next(2)?;
            let values = unpacked(words.bytes((rows * group.width) as u64)?);
            let values = Array2::from_shape_vec((rows, group.width), values).ok()?;
            let (iterations, residual) = (head[0] as usize, f64::from_bits(head[1]));
            Some(Solved { values, iterations, residual })
        };
        let whole = cut().ok_or("columns of an earlier run do not fit: take their manifest away");
        agree(world, whole).map(Some)
    }

    /// Keeps a group; `all` has its columns among others.
    pub(crate) fn keep(
        &self,
        world: &impl World,
        group: Group,
        all: ArrayView2<f64>,
        (iterations, residual): (usize, f64),
    ) -> Result<(), DistributedError> {
        let mut bytes = Vec::with_capacity(8 * (2 + all.nrows() * group.width));
        (iterations as u64).put(&mut bytes);
        residual.put(&mut bytes);
        for row in all.rows() {
            row.iter().skip(group.first).take(group.width).for_each(|x| x.put(&mut bytes));
        }
        let facts = serde_json::json!({ "first": group.first, "columns": group.width });
        self.stages.keep(world, &group.name(), (&self.key(group), facts), &bytes)
    }
}

impl Group {
    fn name(self) -> String {
        format!("{NAME}{}-{:06}", self.round, self.first)
    }
}
