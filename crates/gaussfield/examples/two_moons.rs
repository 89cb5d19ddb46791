//! Two moons, two labels: `cargo run -p gaussfield --example two_moons`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use gaussfield::data::generate::TwoMoons;
use gaussfield::prelude::*;
use openblas_src as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moons = TwoMoons { n: 400, noise: 0.08 }.generate(7)?;
    let labels = moons.labels.keep(&[0, 399])?;
    let pattern = Pattern::knn(moons.points, 10, Metric::Euclidean, Symmetry::Either)?;
    let sigma = pattern.mean_distance();
    let graph = Exponential { sigma }.graph(&pattern, Budget::default())?;
    let field = Harmonic::default().fit(&graph, &labels)?;
    let classes = Decision::Argmax.decide(&field.interior_scores()?)?;
    let right = field.interior().iter().zip(&classes);
    let right = right.filter(|&(&i, &class)| moons.labels.get(i) == Some(class)).count();
    println!("{right} of {} unlabelled points right, from two labels", classes.len());
    println!("solver: {:?}", field.facts());
    Ok(())
}
