//! Points that come later: `cargo run -p gaussfield --example new_points`.
//!
//! A kernel on all of space is bent by the graph of 200 points, four of them labelled; its width
//! and how much the graph counts are learned by the evidence; then points that were never in the
//! graph get a class and a probability.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use gaussfield::data::generate::TwoMoons;
use gaussfield::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moons = TwoMoons { n: 200, noise: 0.1 }.generate(7)?;
    let labels = moons.labels.keep(&[10, 60, 120, 170])?;
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let graph =
        Exponential::gaussian(pattern.mean_distance()).graph(&pattern, Budget::default())?;

    let warp = Warp { gamma_a: 1.0, gamma_i: 10.0, power: 1 };
    let prior =
        WarpedPrior::new(&moons.points, Kernel::Rbf { width: 0.5 }, warp).fixed_on(&graph)?;
    let process = GaussianProcess::ep(Probit { noise: 0.01 });
    let evidence = Evidence::new(process, prior, &labels)?.learning(&["width", "gamma_i"])?;
    let learned = learn_on(&graph, &evidence, &Minimise { max_steps: 20, ..Minimise::default() })?;
    let parameters = &learned.minimum.parameters;
    println!("width {:.3}, γ_I {:.3}: {}", parameters[0], parameters[1], learned.minimum.stop);

    let new = TwoMoons { n: 1000, noise: 0.1 }.generate(8)?;
    let posterior = learned.objective.posterior(&graph)?;
    let found = posterior.predictions_at(&new.points, &Decision::Argmax)?;
    let right = found.iter().filter(|one| new.labels.get(one.row) == Some(one.number)).count();
    println!("{right} of {} new points right, from four labels", new.len());
    for prediction in found.iter().step_by(250) {
        println!("{prediction}");
    }
    Ok(())
}
