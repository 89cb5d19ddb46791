//! An approximate factor L D Lᵀ ≈ A with about as many entries as A has.

mod elimination;
mod queue;

use super::block::Block;
use elimination::Elimination;
use rayon::prelude::*;

use crate::Grounded;

/// L D Lᵀ in the order of elimination, L with ones on the diagonal.
///
/// Eliminating a node exactly joins its neighbours by a clique. Here each clique is replaced by a
/// random tree on the same nodes whose weights are right on average (Kyng and Sachdeva 2016; Gao,
/// Kyng and Spielman 2023), so that edges never become more. Everything is sums of non-negative
/// numbers: weak links keep their digits.
#[derive(Debug)]
pub(crate) struct ApproximateFactor {
    /// The node that was eliminated at each place.
    order: Vec<u32>,
    /// Where the entries of each column of L begin.
    starts: Vec<usize>,
    /// Places, all later than that of their column.
    places: Vec<u32>,
    /// Shares −L: the weight to each neighbour over the weight to all, the ground included.
    shares: Vec<f64>,
    /// D⁻¹; zero for a part without ground, whose constant is left where it is.
    inverse_pivots: Vec<f64>,
}

impl ApproximateFactor {
    /// Samples with this seed: the same system, the same factor.
    pub(crate) fn new(system: &Grounded, seed: u64) -> Self {
        let mut elimination = Elimination::new(system, seed);
        let n = system.len();
        let mut order = Vec::with_capacity(n);
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        let (mut nodes, mut shares) = (Vec::new(), Vec::new());
        let mut inverse_pivots = Vec::with_capacity(n);
        while let Some(node) = elimination.next(&mut nodes, &mut shares, &mut inverse_pivots) {
            order.push(node);
            starts.push(nodes.len());
        }
        let mut place_of = vec![0_u32; n];
        for (place, &node) in order.iter().enumerate() {
            place_of[node as usize] = place as u32;
        }
        let mut places = nodes;
        places.par_iter_mut().for_each(|node| *node = place_of[*node as usize]);
        Self { order, starts, places, shares, inverse_pivots }
    }

    /// z = (L D Lᵀ)⁻¹ r / scale. The columns are dealt out to the threads; each share of them goes
    /// through the factor once. The numbers of a column do not depend on its company.
    pub(crate) fn solve(&self, r: &Block, scale: f64, z: &mut Block) {
        let columns = r.columns;
        if columns == 0 {
            return;
        }
        let wide = columns.div_ceil(rayon::current_num_threads()).min(8);
        let parts: Vec<(usize, Part)> = (0..columns.div_ceil(wide))
            .into_par_iter()
            .map(|part| {
                let first = part * wide;
                let width = wide.min(columns - first);
                (first, self.solve_part(r, first, width, scale))
            })
            .collect();
        for (first, part) in &parts {
            part.write(&self.order, *first, z);
        }
    }

    /// Columns side by side: as wide as a kernel that has at least this width.
    fn solve_part(&self, r: &Block, first: usize, width: usize, scale: f64) -> Part {
        match width {
            1 => Part::One(self.solve_wide(r, first, width, scale)),
            2 => Part::Two(self.solve_wide(r, first, width, scale)),
            3..=4 => Part::Four(self.solve_wide(r, first, width, scale)),
            5..=6 => Part::Six(self.solve_wide(r, first, width, scale)),
            _ => Part::Eight(self.solve_wide(r, first, width, scale)),
        }
    }

    fn solve_wide<const W: usize>(
        &self,
        r: &Block,
        first: usize,
        width: usize,
        scale: f64,
    ) -> Vec<[f64; W]> {
        let columns = r.columns;
        let mut x = vec![[0.0; W]; self.order.len()];
        for (x, &node) in x.iter_mut().zip(&self.order) {
            let from = node as usize * columns + first;
            for (x, r) in x.iter_mut().zip(&r.data[from..from + width]) {
                *x = r / scale;
            }
        }
        // L y = r, then D⁻¹.
        for place in 0..x.len() {
            let own = x[place];
            for entry in self.starts[place]..self.starts[place + 1] {
                let share = self.shares[entry];
                let target = &mut x[self.places[entry] as usize];
                for (target, own) in target.iter_mut().zip(own) {
                    *target += share * own;
                }
            }
            let inverse = self.inverse_pivots[place];
            x[place].iter_mut().for_each(|x| *x *= inverse);
        }
        // Lᵀ x = y.
        for place in (0..x.len()).rev() {
            let mut own = x[place];
            for entry in self.starts[place]..self.starts[place + 1] {
                let share = self.shares[entry];
                let source = x[self.places[entry] as usize];
                for (own, source) in own.iter_mut().zip(source) {
                    *own += share * source;
                }
            }
            x[place] = own;
        }
        x
    }
}

/// Some columns in the order of elimination.
enum Part {
    One(Vec<[f64; 1]>),
    Two(Vec<[f64; 2]>),
    Four(Vec<[f64; 4]>),
    Six(Vec<[f64; 6]>),
    Eight(Vec<[f64; 8]>),
}

impl Part {
    fn write(&self, order: &[u32], first: usize, z: &mut Block) {
        match self {
            Self::One(x) => write(x, order, first, z),
            Self::Two(x) => write(x, order, first, z),
            Self::Four(x) => write(x, order, first, z),
            Self::Six(x) => write(x, order, first, z),
            Self::Eight(x) => write(x, order, first, z),
        }
    }
}

fn write<const W: usize>(x: &[[f64; W]], order: &[u32], first: usize, z: &mut Block) {
    let columns = z.columns;
    for (x, &node) in x.iter().zip(order) {
        let row = &mut z.data[node as usize * columns..(node as usize + 1) * columns];
        for (z, x) in row[first..].iter_mut().zip(x) {
            *z = *x;
        }
    }
}
