#![allow(missing_docs, clippy::print_stdout)]
use gaussfield_graph::Graph;
use gaussfield_laplacian::*;
use ndarray::Array2;
use openblas_src as _;
use rayon::prelude::*;
use std::time::Instant;
fn rnd(s: &mut u64) -> f64 { *s ^= *s << 13; *s ^= *s >> 7; *s ^= *s << 17; (*s >> 11) as f64 / (1u64 << 53) as f64 }
fn knn(n: usize, d: usize, k: usize, clusters: bool) -> Graph {
    let mut s = 88172645463325252u64;
    let pts: Vec<f64> = (0..n).flat_map(|i| { let c = if clusters { (i % 10) as f64 * 0.35 } else { 0.0 }; (0..d).map(|_| c + (0..4).map(|_| rnd(&mut s)).sum::<f64>() / if d==2 && !clusters {1.0} else {2.0}).collect::<Vec<_>>() }).collect();
    let pts: Vec<f64> = if d == 2 && !clusters { (0..n*2).map(|_| rnd(&mut s)).collect() } else { pts };
    let nb: Vec<Vec<(usize, f64)>> = (0..n).into_par_iter().map(|i| {
        let a = &pts[i*d..(i+1)*d];
        let mut v: Vec<(f64, usize)> = (0..n).filter(|&j| j != i).map(|j| (a.iter().zip(&pts[j*d..(j+1)*d]).map(|(x,y)| (x-y)*(x-y)).sum::<f64>(), j)).collect();
        v.select_nth_unstable_by(k-1, |x,y| x.partial_cmp(y).unwrap());
        v[..k].iter().map(|&(d,j)| (j,d)).collect()
    }).collect();
    let mean: f64 = nb.iter().flatten().map(|x| x.1).sum::<f64>() / (n*k) as f64;
    let mut m = std::collections::BTreeMap::new();
    for (i, v) in nb.iter().enumerate() { for &(j, d) in v { m.insert((i.min(j), i.max(j)), (-d/mean).exp()); } }
    Graph::from_edges(n, m.into_iter().map(|((i,j),w)| (i,j,w))).unwrap()
}
fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    for (name, n, d, cl) in [("2d20k", 20000, 2, false), ("16d20k", 20000, 16, false), ("16d20k-clusters", 20000, 16, true), ("2d60k", 60000, 2, false), ("4d20k", 20000, 4, false), ("16d3k", 3000, 16, false), ("4d3k", 3000, 4, false), ("2d3k", 3000, 2, false)] {
        if !only.is_empty() && !only.iter().any(|o| o == name) { continue; }
        let t = Instant::now();
        let g = knn(n, d, 10, cl);
        let comps = components(&g);
        println!("== {name} edges {} components {} ({:.1}s)", g.edges(), comps.count, t.elapsed().as_secs_f64());
        let mut b: Vec<usize> = (0..20).map(|i| i * n / 20 + i).collect();
        for c in 0..comps.count { let i = comps.of.iter().position(|&x| x == c).unwrap(); if !b.contains(&i) { b.push(i); } }
        let bd = Boundary::new(n, &b).unwrap();
        let t = Instant::now();
        let sys = Grounded::dirichlet(&g, &bd).unwrap();
        println!("build {:.3}", t.elapsed().as_secs_f64());
        for cols in [2, 10] {
            let vals = Array2::from_shape_fn((b.len(), cols), |(i, c)| f64::from(u8::from(i % cols == c)));
            let rhs = bd.product(&g, vals.view()).unwrap();
            let mut list = vec![Solver::Auto, Solver::SparseCholesky, Solver::ConjugateGradient(Preconditioner::Jacobi), Solver::ConjugateGradient(Preconditioner::ApproximateCholesky)];
            if n <= 4000 { list.push(Solver::DenseCholesky); }
            list.push(Solver::Elimination);
            for s in list {
                if n > 4000 && d == 16 && s == Solver::Elimination { continue; }
                if d == 16 && n > 4000 && s == Solver::SparseCholesky && cols == 10 { continue; }
                let opts = SolverOptions { solver: s, ..Default::default() };
                let t = Instant::now();
                let mut p = match sys.prepare(&opts) { Ok(p) => p, Err(e) => { println!("{s}: {e}"); continue; } };
                let tp = t.elapsed().as_secs_f64();
                let t = Instant::now();
                let x = p.solve(rhs.view()).unwrap();
                let ts = t.elapsed().as_secs_f64();
                let t = Instant::now();
                p.update(&sys).unwrap();
                println!("C={cols} {s:?}: ran {:?} prepare {tp:.3} solve {ts:.3} update {:.3} its {} res {:.1e} pe {:.1e}", x.facts.solver, t.elapsed().as_secs_f64(), x.facts.iterations, x.facts.relative_residual, x.facts.partition_error);
            }
        }
    }
}
