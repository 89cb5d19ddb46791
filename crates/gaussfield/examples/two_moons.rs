//! Two moons, two labels: `cargo run -p gaussfield --example two_moons`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]
#![allow(clippy::result_large_err, reason = "an error ends the program")]

use gaussfield::data::generate::TwoMoons;
use gaussfield::prelude::*;

fn main() -> Result<(), gaussfield::Error> {
    let moons = TwoMoons { n: 400, noise: 0.08 }.generate(7)?;
    let labels = moons.labels.keep(&[0, 399])?; // two labels, 398 points without
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    let graph = family.graph(&pattern, Budget::default())?;
    let field = Harmonic::default().fit(&graph, &labels)?;
    for p in field.predictions(&Decision::Argmax)?.iter().take(3) {
        println!("{}: {} ({:.2})", p.row, p.class, p.probability);
    }
    judge(&field, &moons.labels)?;
    // Another method is another line; the answer has one shape.
    let field = Consistency { alpha: 0.9, ..Consistency::default() }.fit(&graph, &labels)?;
    judge(&field, &moons.labels)
}

fn judge(field: &dyn Transductive, truth: &Labels) -> Result<(), gaussfield::Error> {
    let told = field.predictions(&Decision::Argmax)?;
    let right = told.iter().filter(|p| truth.get(p.row) == Some(p.number)).count();
    println!("{right} of {} unlabelled points right, from two labels", told.len());
    println!("{}", field.facts());
    Ok(())
}
