//! Two moons, two labels: `cargo run -p gaussfield --example two_moons`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use gaussfield::data::generate::TwoMoons;
use gaussfield::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moons = TwoMoons { n: 400, noise: 0.08 }.generate(7)?;
    let labels = moons.labels.keep(&[0, 399])?;
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let sigma = pattern.mean_distance();
    let graph = Exponential { sigma }.graph(&pattern, Budget::default())?;
    // Another method is another line; the answer has one shape.
    let harmonic = Harmonic::default().fit(&graph, &labels)?;
    let consistent = Consistency { alpha: 0.9, ..Consistency::default() }.fit(&graph, &labels)?;
    for field in [&harmonic as &dyn Transductive, &consistent] {
        let told = field.predictions(&Decision::Argmax)?;
        for p in told.iter().take(3) {
            println!("{}: {} ({:.2})", p.row, p.class, p.probability);
        }
        let right = told.iter().filter(|p| moons.labels.get(p.row) == Some(p.number)).count();
        println!("{right} of {} unlabelled points right, from two labels", told.len());
        println!("{}", field.facts());
    }
    Ok(())
}
