//! One function by every road of Zhu et al. 2003, section 3: `cargo run -p gaussfield-harmonic --example views`.

#![allow(clippy::print_stdout, reason = "an example that prints what it finds")]

use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::views::{
    AbsorbingWalk, BeliefPropagation, green_function, harmonic_by_green_function, heat_kernel,
};
use gaussfield_harmonic::{Harmonic, HarmonicError, energy};
use gaussfield_labels::Labels;
use gaussfield_laplacian::Boundary;
use ndarray::Array2;

fn main() -> Result<(), HarmonicError> {
    // Two triangles that hang together by one weak link; a label in each.
    let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 0.5), (2, 3, 0.2), (3, 4, 1.0), (4, 5, 1.0)];
    let graph = Graph::from_edges(6, edges.into_iter().chain([(3, 5, 0.5)]))?;
    let labels = Labels::from_names([Some("a"), None, None, None, None, Some("b")]);
    let budget = Budget::default();

    let field = Harmonic::default().fit(&graph, &labels)?;
    let kernel = harmonic_by_green_function(&graph, &labels, budget)?;
    let beliefs = BeliefPropagation::default().run(&graph, &labels)?;
    let walk = AbsorbingWalk { walks: 10_000, ..AbsorbingWalk::default() };
    println!("node  harmonic  Green's  beliefs  walks (standard error)");
    for (at, &node) in field.interior().iter().enumerate() {
        let (f, green, belief) = (field.class(1)[node], kernel[[at, 1]], beliefs.means[[at, 1]]);
        let seen = walk.run(&graph, &labels, node)?.frequencies[1];
        let error = (f * (1.0 - f) / walk.walks as f64).sqrt();
        println!("{node:4}  {f:8.5}  {green:7.5}  {belief:7.5}  {seen:7.5} ({error:.5})");
    }
    println!("energy {:.5}, the least that these labels allow", energy(&graph, field.class(1)));

    // Heat that leaves through the labelled nodes: its integral over time is Green's function.
    let boundary = Boundary::new(graph.nodes(), &labels.labelled())?;
    let (step, steps) = (0.01, 20_000);
    let one = heat_kernel(&graph, &boundary, step, budget)?;
    let (mut now, mut integral) = (one.clone(), Array2::eye(one.nrows()) / 2.0);
    for _ in 0..steps {
        integral += &now;
        now = now.dot(&one);
    }
    let gap = integral * step - green_function(&graph, &boundary, budget)?;
    let gap = gap.fold(0.0_f64, |most, gap| most.max(gap.abs()));
    println!("the integral of the heat kernel is Green's function but for {gap:.1e}");
    Ok(())
}
