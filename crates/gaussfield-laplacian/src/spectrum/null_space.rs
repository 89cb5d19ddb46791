//! The null space of a Laplacian, which is known without arithmetic: one vector for every
//! connected component, constant on it (Δ), or proportional to √d (the symmetric one).

use super::tall::Tall;
use crate::grounded::normalising_degrees;
use crate::{Components, Laplacian, components};
use gaussfield_graph::Graph;
use ndarray::Array2;

/// An orthonormal basis of disjoint vectors: the one of component c has the entries `entry[i]`
/// at the nodes i of c, and zeros elsewhere.
#[derive(Debug)]
pub(crate) struct NullSpace {
    components: Components,
    entry: Vec<f64>,
}

impl NullSpace {
    pub(crate) fn new(laplacian: Laplacian, graph: &Graph) -> Self {
        let components = components(graph);
        let degrees = normalising_degrees(graph);
        // Relative to the largest of the component, so that no sum leaves the range.
        let mut largest = vec![0.0_f64; components.count];
        for (&c, &d) in components.of.iter().zip(&degrees) {
            largest[c] = largest[c].max(d);
        }
        let square = |(&c, &d): (&usize, &f64)| match laplacian {
            Laplacian::Combinatorial => 1.0,
            Laplacian::Symmetric | Laplacian::RandomWalk => d / largest[c],
        };
        let squares: Vec<f64> = components.of.iter().zip(&degrees).map(square).collect();
        let mut sums = vec![0.0; components.count];
        for (&c, square) in components.of.iter().zip(&squares) {
            sums[c] += square;
        }
        let entry = |(&c, square): (&usize, &f64)| (square / sums[c]).sqrt();
        let entry = components.of.iter().zip(&squares).map(entry).collect();
        Self { components, entry }
    }

    /// The number of components.
    pub(crate) fn dimension(&self) -> usize {
        self.components.count
    }

    /// The vectors of the first `count` components.
    pub(crate) fn vectors(&self, count: usize) -> Array2<f64> {
        let mut vectors = Array2::zeros((self.entry.len(), count));
        for (i, (&c, &entry)) in self.components.of.iter().zip(&self.entry).enumerate() {
            if c < count {
                vectors[[i, c]] = entry;
            }
        }
        vectors
    }

    /// Removes the null space from every column. O(n) a column.
    pub(crate) fn remove_from(&self, block: &mut Tall) {
        let b = block.columns();
        let mut sums = vec![0.0; self.dimension() * b];
        for (i, (&c, &entry)) in self.components.of.iter().zip(&self.entry).enumerate() {
            for (sum, x) in sums[c * b..(c + 1) * b].iter_mut().zip(block.row(i)) {
                *sum += entry * x;
            }
        }
        for (i, (&c, &entry)) in self.components.of.iter().zip(&self.entry).enumerate() {
            for (x, sum) in block.row_mut(i).iter_mut().zip(&sums[c * b..(c + 1) * b]) {
                *x -= entry * sum;
            }
        }
    }

    /// Adds size·Σ q qᵀ to a full matrix, which lifts the null space to the eigenvalue `size`.
    /// O(Σ of squared component sizes).
    pub(crate) fn lift(&self, matrix: &mut Array2<f64>, size: f64) {
        let mut members = vec![Vec::new(); self.dimension()];
        for (i, &c) in self.components.of.iter().enumerate() {
            members[c].push(i);
        }
        for members in members {
            for &i in &members {
                for &j in &members {
                    matrix[[i, j]] += size * self.entry[i] * self.entry[j];
                }
            }
        }
    }
}
