//! Preconditioners of shared systems.

use crate::system::System;
use crate::{DistributedError, World};
use gaussfield_laplacian::shared::{Block, Memory, OwnBlock, Precondition};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::time::Instant;

/// How shared systems are preconditioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Engine {
    /// An approximate Cholesky factor of the rows of each member: nothing to send, but iterations grow
    /// with the members.
    #[default]
    Block,
    /// Algebraic multigrid (BoomerAMG of hypre), with the feature `hypre`: about ten iterations for any
    /// size, any number of members, any weights.
    Hypre,
}

/// A preconditioner that was made for one system.
#[derive(Debug)]
pub(crate) struct Prepared<'a, W> {
    kind: Kind<'a, W>,
    pub(crate) engine: Engine,
    /// Seconds that this member took to make it.
    pub(crate) seconds: f64,
}

#[derive(Debug)]
enum Kind<'a, W> {
    Block(OwnBlock, PhantomData<&'a W>),
    #[cfg(feature = "hypre")]
    Hypre(crate::hypre::Multigrid<'a, W>),
}

impl<'a, W: World> Prepared<'a, W> {
    /// A call of all members.
    pub(crate) fn new(
        world: &'a W,
        engine: Engine,
        system: &System,
    ) -> Result<Self, DistributedError> {
        let begun = Instant::now();
        let kind = match engine {
            Engine::Block => {
                Kind::Block(crate::agree(world, OwnBlock::new(&system.rows))?, PhantomData)
            }
            #[cfg(feature = "hypre")]
            Engine::Hypre => Kind::Hypre(crate::hypre::Multigrid::new(world, system)?),
            #[cfg(not(feature = "hypre"))]
            Engine::Hypre => return Err(DistributedError::NoHypre),
        };
        Ok(Self { kind, engine, seconds: begun.elapsed().as_secs_f64() })
    }
}

impl<W: World> Precondition for Prepared<'_, W> {
    /// What the factor of own rows leaves; hypre keeps what it needs.
    type Scratch = Option<Memory>;

    fn scratch(&self, width: usize) -> Self::Scratch {
        match &self.kind {
            Kind::Block(own, _) => Some(own.scratch(width)),
            #[cfg(feature = "hypre")]
            Kind::Hypre(_) => None,
        }
    }

    fn apply(&self, r: &Block, z: &mut Block, scratch: &mut Self::Scratch) {
        match &self.kind {
            Kind::Block(own, _) => {
                own.apply(r, z, scratch.get_or_insert_with(|| own.scratch(r.width())));
            }
            #[cfg(feature = "hypre")]
            Kind::Hypre(multigrid) => multigrid.apply(r, z),
        }
    }
}
