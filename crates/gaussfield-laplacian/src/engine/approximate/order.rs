//! The order of elimination, found before anything is eliminated.

use crate::coupling::Coupling;

/// The nodes, those first that are expected to have few neighbours when their turn comes. O(n log d + m)
/// for degrees up to d.
///
/// A node with d neighbours takes one edge from each of them and leaves them d − 1 others with two ends
/// each: 2(d − 1)/d − 1 = 1 − 2/d more for a neighbour. Degrees are counted that way, as if all that is
/// joined were neighbours already. True degrees would be known only while edges come and go; an order
/// that is known before needs every edge once, at the end that is eliminated first, and no search for
/// the next node. That halves the work, and the factor is about as good.
///
/// Nodes are taken in sweeps: each goes through all that wait in the order of their numbers and takes
/// those whose degree is at most its bound; the next has a larger bound. Nodes that follow each other are
/// neighbours of each other, and what a sweep touches stays in the caches.
pub(super) fn order(coupling: &Coupling) -> Vec<u32> {
    let n = coupling.len();
    let degree = |i: usize| {
        let mut degree = 0_u32;
        coupling.for_each(i, |j, _| degree += u32::from(j != i));
        f64::from(degree)
    };
    /// Of a node that was taken.
    const TAKEN: f64 = f64::INFINITY;
    let mut degrees: Vec<f64> = (0..n).map(degree).collect();
    let mut waiting: Vec<u32> = (0..n as u32).collect();
    let mut order = Vec::with_capacity(n);
    let mut bound = degrees.iter().copied().fold(f64::INFINITY, f64::min);
    while !waiting.is_empty() {
        waiting.retain(|&node| {
            let degree = degrees[node as usize];
            if degree > bound {
                return true;
            }
            order.push(node);
            degrees[node as usize] = TAKEN;
            let more = 1.0 - 2.0 / degree.max(1.0);
            coupling.for_each(node as usize, |j, _| degrees[j] += more);
            false
        });
        bound += (bound / 8.0).max(1.0);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grounded;
    use gaussfield_graph::Graph;

    fn order_of(nodes: usize, edges: &[(usize, usize)]) -> Vec<u32> {
        let edges = edges.iter().map(|&(i, j)| (i, j, 1.0));
        let graph = Graph::from_edges(nodes, edges).unwrap();
        let all: Vec<usize> = (0..nodes).collect();
        order(Grounded::new(&graph, &all, 1.0, vec![1.0; nodes]).unwrap().coupling())
    }

    #[test]
    fn leaves_come_first_and_hubs_last() {
        // A star around node 0.
        assert_eq!(order_of(4, &[(0, 1), (0, 2), (0, 3)]), [1, 2, 3, 0]);
        // A path 3 − 1 − 0 − 2 − 4: from its ends inwards, without an edge that was not there.
        assert_eq!(order_of(5, &[(3, 1), (1, 0), (0, 2), (2, 4)]), [3, 4, 0, 1, 2]);
    }

    #[test]
    fn every_node_has_its_turn() {
        let edges: Vec<_> = (0..50).flat_map(|i| [(i, (i + 1) % 50), (i, (i + 7) % 50)]).collect();
        let mut order = order_of(51, &edges);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..51));
    }
}
