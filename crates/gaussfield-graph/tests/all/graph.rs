//! Constructors of `Graph` keep its invariant.

use gaussfield_core::Budget;
use gaussfield_graph::{Graph, GraphError, SparseWeights, Weights};
use ndarray::{Array2, array};
use proptest::prelude::*;
use sprs::CsMatI;

fn sparse(dense: &Array2<f64>) -> SparseWeights {
    let n = dense.nrows();
    let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
    for row in dense.rows() {
        for (j, &w) in row.iter().enumerate() {
            if w.to_bits() != 0 {
                indices.push(j as u32);
                data.push(w);
            }
        }
        indptr.push(indices.len());
    }
    CsMatI::new((n, dense.ncols()), indptr, indices, data)
}

#[test]
fn edges_in_any_order_and_direction_make_the_same_graph() {
    let want = array![[0.0, 2.0, 0.5], [2.0, 0.0, 0.0], [0.5, 0.0, 0.0]];
    let graph = Graph::from_edges(3, [(2, 0, 0.5), (0, 1, 2.0), (1, 0, 2.0)]).unwrap();
    assert_eq!(graph, Graph::from_sparse(sparse(&want)).unwrap());
    assert_eq!(graph.to_dense(Budget::default()).unwrap(), want);
    assert_eq!((graph.nodes(), graph.edges()), (3, 2));
    assert_eq!(graph.degrees(), array![2.5, 2.0, 0.5]);
    let mut seen = Vec::new();
    graph.for_each_neighbour(0, |j, w| seen.push((j, w)));
    assert_eq!(seen, [(1, 2.0), (2, 0.5)]);
}

#[test]
fn graphs_without_nodes_or_edges_exist() {
    for nodes in [0, 1, 4] {
        let graph = Graph::from_edges(nodes, []).unwrap();
        assert_eq!((graph.nodes(), graph.edges()), (nodes, 0));
        assert_eq!(Graph::from_dense(Array2::zeros((nodes, nodes))).unwrap().edges(), 0);
    }
}

#[test]
fn stored_zeros_are_no_edges_but_keep_their_place_in_both_directions() {
    // (0, 1) and (0, 0) are stored zeros without a partner; −0 is 0.
    let lopsided =
        CsMatI::new((3, 3), vec![0, 3, 3, 4], vec![0, 1, 2, 0], vec![0.0, -0.0, 1.0, 1.0]);
    let graph = Graph::from_sparse(lopsided).unwrap();
    let Weights::Sparse(weights) = graph.weights() else { panic!("stays sparse") };
    assert_eq!(weights.indptr().raw_storage(), [0, 2, 3, 4]);
    assert_eq!(weights.indices(), [1, 2, 0, 0]);
    assert!(weights.data().iter().all(|w| w.is_sign_positive()));
    assert_eq!(graph.edges(), 1);
}

#[test]
fn column_major_matrices_are_converted() {
    let want = array![[0.0, 2.0], [2.0, 0.0]];
    let graph = Graph::from_sparse(sparse(&want).to_csc()).unwrap();
    assert_eq!(graph, Graph::from_sparse(sparse(&want)).unwrap());
}

#[test]
fn bad_matrices_are_refused_with_the_place() {
    let nan = f64::NAN;
    let table: Vec<(Array2<f64>, &str)> = vec![
        (array![[0.0, -1.0], [-1.0, 0.0]], "between nodes 0 and 1 is -1"),
        (array![[0.0, nan], [nan, 0.0]], "between nodes 0 and 1 is NaN"),
        (array![[0.0, f64::INFINITY], [1.0, 0.0]], "is inf"),
        (array![[0.0, 1.0], [2.0, 0.0]], "undirected"),
        (array![[0.0, 1.0], [0.0, 0.0]], "undirected"),
        (array![[0.0, 0.0], [1.0, 0.0]], "undirected"),
        (array![[0.0, 0.0], [0.0, 3.0]], "node 1 has a self-loop of weight 3"),
        (array![[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]], "2 × 3"),
    ];
    for (matrix, words) in table {
        for error in [Graph::from_sparse(sparse(&matrix)), Graph::from_dense(matrix.clone())] {
            let message = error.unwrap_err().to_string();
            assert!(message.contains(words), "{message:?} should say {words:?}");
        }
    }
}

#[test]
fn bad_edges_are_refused_with_the_place() {
    type Edges = Vec<(usize, usize, f64)>;
    let table: Vec<(Edges, &str)> = vec![
        (vec![(0, 3, 1.0)], "node 3 was named, but there are 3 nodes (0 to 2)"),
        (vec![(1, 1, 1.0)], "node 1 has a self-loop"),
        (vec![(0, 1, -0.5)], "is -0.5"),
        (vec![(0, 1, 1.0), (1, 0, 2.0)], "from node 0 to node 1 is 1 but back it is 2"),
    ];
    for (edges, words) in table {
        let message = Graph::from_edges(3, edges).unwrap_err().to_string();
        assert!(message.contains(words), "{message:?} should say {words:?}");
    }
}

#[test]
fn dense_matrices_over_the_budget_are_refused() {
    let graph = Graph::from_edges(100, []).unwrap();
    let error = graph.to_dense(Budget { bytes: 79_999 }).unwrap_err();
    assert!(
        matches!(&error, GraphError::OverBudget(over) if over.bytes == 80_000 && over.left == 79_999)
    );
    assert!(graph.to_dense(Budget { bytes: 80_000 }).is_ok());
}

proptest! {
    /// A symmetric matrix is accepted; with one entry changed it is not.
    #[test]
    fn any_single_asymmetry_is_found(
        n in 2_usize..90,
        seeds in prop::collection::vec((0_usize..90, 0_usize..90, 0.1_f64..2.0), 1..60),
        which in any::<prop::sample::Index>(),
        missing in any::<bool>(),
    ) {
        let mut matrix = Array2::<f64>::zeros((n, n));
        for &(i, j, w) in &seeds {
            let (i, j) = (i % n, j % n);
            if i != j {
                matrix[[i, j]] = w;
                matrix[[j, i]] = w;
            }
        }
        let from_sparse = Graph::from_sparse(sparse(&matrix)).unwrap();
        let from_dense = Graph::from_dense(matrix.clone()).unwrap();
        prop_assert_eq!(from_sparse.edges(), from_dense.edges());
        let stored: Vec<_> = matrix.indexed_iter().filter(|(_, w)| **w > 0.0).map(|(at, _)| at).collect();
        prop_assume!(!stored.is_empty());
        let at = stored[which.index(stored.len())];
        matrix[at] = if missing { 0.0 } else { 2.5 };
        for error in [Graph::from_sparse(sparse(&matrix)), Graph::from_dense(matrix.clone())] {
            let Err(GraphError::Asymmetric { i, j, .. }) = error else { panic!("accepted") };
            prop_assert!((i, j) == at || (j, i) == at);
        }
    }
}
