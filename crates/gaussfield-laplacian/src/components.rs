//! Connected components.

use crate::Boundary;
use gaussfield_graph::Graph;

/// The connected components of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// How many there are.
    pub count: usize,
    /// The component of every node; components are numbered by their smallest node.
    pub of: Vec<usize>,
}

/// Connected components by edges of positive weight (an underflowed weight links nothing).
/// O(n + m), O(n²) for a dense graph.
pub fn components(graph: &Graph) -> Components {
    flood(graph.nodes(), |i, visit| graph.for_each_neighbour(i, |j, _| visit(j)))
}

/// The interior nodes, increasing, from which no path of positive weights leads to the boundary:
/// where the harmonic function does not exist. O(n + m).
///
/// # Panics
/// If the boundary was made for another number of nodes.
pub fn unreachable(graph: &Graph, boundary: &Boundary) -> Vec<usize> {
    assert_eq!(graph.nodes(), boundary.nodes(), "the boundary belongs to another graph");
    let components = components(graph);
    let mut touched = vec![false; components.count];
    for &node in boundary.boundary() {
        touched[components.of[node]] = true;
    }
    boundary.interior().iter().copied().filter(|&i| !touched[components.of[i]]).collect()
}

/// Components of any symmetric adjacency; `neighbours(i, visit)` calls `visit(j)` for each neighbour
/// of i. Rows are read in their order, not in that of a walk: points come in any order, and every step
/// of a walk would miss the caches.
pub(crate) fn flood(nodes: usize, neighbours: impl Fn(usize, &mut dyn FnMut(usize))) -> Components {
    // Each node points at itself, or at a smaller one of its component.
    let mut below: Vec<usize> = (0..nodes).collect();
    let smallest = |below: &mut [usize], mut i: usize| {
        while below[i] != i {
            below[i] = below[below[i]];
            i = below[i];
        }
        i
    };
    for i in 0..nodes {
        let mut own = i;
        neighbours(i, &mut |j| {
            if j < i {
                let other = smallest(&mut below, j);
                let (low, high) = (own.min(other), own.max(other));
                below[high] = low;
                own = low;
            }
        });
    }
    let mut count = 0;
    for i in 0..nodes {
        // The smallest of a component comes first, and what a node points at has its number already.
        below[i] = if below[i] == i {
            count += 1;
            count - 1
        } else {
            below[below[i]]
        };
    }
    Components { count, of: below }
}
