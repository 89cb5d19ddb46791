//! Long work is heard, and stops where it is asked to.

use crate::support::*;
use gaussfield_core::{Cancelled, Progress};
use gaussfield_graph::Graph;
use gaussfield_laplacian::{
    Boundary, Grounded, InverseDiagonal, LanczosOptions, Laplacian, LaplacianError, Preconditioner,
    Solver, Workbench,
};
use std::sync::{Arc, Mutex, OnceLock};

/// Runs work that is cancelled as soon as it reports a stage, or only listened to; returns the
/// stages heard as well.
fn heard<T>(stop_at: Option<&'static str>, work: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
    let stages = Arc::new(Mutex::new(Vec::new()));
    let handle: Arc<OnceLock<Progress>> = Arc::default();
    let (notes, own) = (Arc::clone(&stages), Arc::clone(&handle));
    let progress = Progress::new(move |report| {
        notes.lock().unwrap().push(report.stage);
        if stop_at == Some(report.stage) {
            own.get().unwrap().cancel();
        }
    });
    handle.set(progress.clone()).unwrap();
    let result = progress.during(work);
    let mut stages = stages.lock().unwrap().clone();
    stages.dedup();
    (result, stages)
}

fn solve(graph: &Graph, solver: Solver, workbench: &mut Workbench) -> Result<(), LaplacianError> {
    let boundary = Boundary::new(graph.nodes(), &[0, 7])?;
    let excess = Grounded::dirichlet(graph, &boundary)?.excess().to_vec();
    let nodes = boundary.interior();
    workbench.prepare(graph, nodes, 1.0, excess, &with(solver))?;
    workbench.solve("x", right_hand_sides(nodes.len(), 2).view()).map(|_| ())
}

#[test]
fn every_stage_is_heard_and_can_be_stopped() {
    let approximate = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    let cases: [(Solver, &[&str]); 4] = [
        (Solver::DenseCholesky, &["factorisation"]),
        (Solver::SparseCholesky, &["factorisation", "fill-reducing order", "factorisation"]),
        (approximate, &["preconditioner", "conjugate gradients"]),
        (Solver::Auto, &["fill-reducing order", "factorisation"]),
    ];
    let graph = grid(20);
    for (solver, expected) in cases {
        let (done, stages) = heard(None, || solve(&graph, solver, &mut Workbench::new()));
        done.unwrap();
        assert_eq!(stages, expected, "{solver}");
        for &stage in expected {
            let mut workbench = Workbench::new();
            let (stopped, _) = heard(Some(stage), || solve(&graph, solver, &mut workbench));
            assert_eq!(stopped, Err(Cancelled { stage }.into()), "{solver}");
            solve(&graph, solver, &mut workbench).unwrap();
        }
    }
    // A kept preconditioner is no reason to go on.
    let mut workbench = Workbench::new();
    solve(&graph, approximate, &mut workbench).unwrap();
    let stage = "conjugate gradients";
    let (stopped, _) = heard(Some(stage), || solve(&graph, approximate, &mut workbench));
    assert_eq!(stopped, Err(Cancelled { stage }.into()));
}

#[test]
fn eigenpairs_and_diagonals_can_be_stopped() {
    let graph = grid(25);
    let smallest = || Laplacian::Combinatorial.smallest(&graph, 3, &LanczosOptions::default());
    let (stopped, stages) = heard(Some("eigenpairs"), smallest);
    assert!(stages.contains(&"eigenpairs"));
    assert_eq!(stopped, Err(Cancelled { stage: "eigenpairs" }.into()));
    let system = shifted(&graph, 1.0).unwrap();
    for solver in [Solver::Elimination, Solver::ConjugateGradient(Preconditioner::Jacobi)] {
        let prepared = system.prepare(&with(solver)).unwrap();
        let probes = InverseDiagonal::Stochastic { probes: 4, seed: 0 };
        let stage = "inverse diagonal";
        let (stopped, _) = heard(Some(stage), || prepared.inverse_diagonal(probes));
        assert!(matches!(stopped, Err(LaplacianError::Cancelled(_))), "{solver}: {stopped:?}");
    }
}
