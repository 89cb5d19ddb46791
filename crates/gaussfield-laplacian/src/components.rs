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

/// Components of any adjacency; `neighbours(i, visit)` calls `visit(j)` for each neighbour of i.
pub(crate) fn flood(nodes: usize, neighbours: impl Fn(usize, &mut dyn FnMut(usize))) -> Components {
    const UNSEEN: usize = usize::MAX;
    let mut of = vec![UNSEEN; nodes];
    let mut count = 0;
    let mut stack = Vec::new();
    for start in 0..nodes {
        if of[start] != UNSEEN {
            continue;
        }
        of[start] = count;
        stack.push(start);
        while let Some(i) = stack.pop() {
            neighbours(i, &mut |j| {
                if of[j] == UNSEEN {
                    of[j] = count;
                    stack.push(j);
                }
            });
        }
        count += 1;
    }
    Components { count, of }
}
