mod support;
use gaussfield_laplacian::*;
use support::*;
#[test]
fn dbg() {
    for n in [60usize, 64, 65, 70, 128, 129, 200, 300, 1500] {
        let graph = expander(n);
        let b = Boundary::new(n, &[5, 20, 33]).unwrap();
        let s = Grounded::dirichlet(&graph, &b).unwrap();
        let rhs = right_hand_sides(s.len(), 3);
        let mut e = s.prepare(&with(Solver::Elimination)).unwrap().solve(rhs.view()).unwrap();
        let mut d = s.prepare(&with(Solver::DenseCholesky)).unwrap().solve(rhs.view()).unwrap();
        eprintln!("{n} {:e} {:e} {:e}", distance(&e.values, &d.values), e.facts.relative_residual, d.facts.relative_residual);
    }
    for n in [10usize, 18,20,30] {
        let graph = grid(n);
        let b = Boundary::new(n*n, &[5, 20, 33]).unwrap();
        let s = Grounded::dirichlet(&graph, &b).unwrap();
        let rhs = right_hand_sides(s.len(), 3);
        let mut e = s.prepare(&with(Solver::Elimination)).unwrap().solve(rhs.view()).unwrap();
        let mut d = s.prepare(&with(Solver::DenseCholesky)).unwrap().solve(rhs.view()).unwrap();
        eprintln!("grid {n} {:e} {:e} {:e}", distance(&e.values, &d.values), e.facts.relative_residual, d.facts.relative_residual);
    }
}
