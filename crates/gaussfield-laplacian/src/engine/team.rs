//! Who shares the work of conjugate gradients.
//!
//! A system may be cut into rows that lie on several machines. Conjugate gradients then need three
//! things of the others: sums and maxima over all rows, and the rows of vectors to which their own are
//! linked. With nobody else there is nothing to do, and it costs nothing.

use super::block::Block;

/// Those who hold rows of one system.
pub trait Team: Sync {
    /// Adds up what each member has, place by place; all get the sums.
    fn sum(&self, values: &mut [f64]);

    /// The largest of what the members have, place by place.
    fn max(&self, values: &mut [f64]);

    /// Fetches the rows of others that the operator of this member needs, in the order of its
    /// [ghosts](Operator::ghosts).
    fn exchange(&self, own: &Block, ghosts: &mut Block);
}

/// One machine that holds all rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Solo;

impl Team for Solo {
    fn sum(&self, _: &mut [f64]) {}

    fn max(&self, _: &mut [f64]) {}

    fn exchange(&self, _: &Block, _: &mut Block) {}
}

/// A = L(W) + diag(e) on the rows of one member.
pub trait Operator: Sync {
    /// Rows of this member.
    fn rows(&self) -> usize;

    /// Rows of others that they are linked to.
    fn ghosts(&self) -> usize {
        0
    }

    /// y = A x in difference form, yᵢ = Σⱼ aᵢⱼ (xᵢ − xⱼ) + eᵢ xᵢ; gives Σᵢ xᵢ yᵢ for each column, over the
    /// rows of this member.
    fn apply(&self, x: &Block, ghosts: &Block, y: &mut Block) -> Vec<f64>;

    /// The diagonal of A on the rows of this member.
    fn diagonal(&self) -> &[f64];
}

/// M ≈ A with M⁻¹ cheap, on the rows of one member.
pub trait Precondition: Sync {
    /// Memory that one application leaves to the next.
    type Scratch;

    /// Such memory for blocks of this width.
    fn scratch(&self, width: usize) -> Self::Scratch;

    /// z = M⁻¹ r. The numbers of a column do not depend on its company.
    fn apply(&self, r: &Block, z: &mut Block, scratch: &mut Self::Scratch);
}
