//! Which labels are wrong? `cargo run -p gaussfield --example wrong_labels`.
//!
//! Of 60 labels on two moons six are wrong. The width of the weights, the prior and the share of
//! wrong labels are learned from the labels themselves; then every label is asked how probably it
//! was flipped, and of the first suspect which other labels contradict it.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use gaussfield::data::generate::TwoMoons;
use gaussfield::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moons = TwoMoons { n: 300, noise: 0.08 }.generate(7)?;
    let shown: Vec<usize> = (0..300).step_by(5).collect();
    let wrong: Vec<usize> = shown.iter().copied().skip(3).step_by(10).collect();
    let mut classes = moons.labels.keep(&shown)?.as_slice().to_vec();
    for &node in &wrong {
        classes[node] = classes[node].map(|class| 1 - class);
    }
    let labels = Labels::new(classes, moons.labels.names().to_vec())?;

    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    let process = GaussianProcess::ep(Flip { epsilon: 0.05 });
    let evidence = Evidence::new(process, GraphPrior::normalised(0.01), &labels)?
        .learning(&["delta", "epsilon"])?;
    let learned = learn(&pattern, &family, &evidence, &Minimise::default())?;
    let share = learned.objective.process().likelihood.epsilon;
    println!("learned share of wrong labels: {share:.3} (in truth {:.3})", 6.0 / 60.0);

    let graph = learned.family.graph(&pattern, Budget::default())?;
    let audit = learned.objective.posterior(&graph)?.audit();
    if let Some(warning) = audit.warning {
        println!("{warning}");
    }
    for suspect in audit.suspects.iter().take(8) {
        let truth = if wrong.contains(&suspect.node) { "wrong" } else { "right" };
        println!(
            "node {:3}: flipped with probability {:.3} ({truth})",
            suspect.node, suspect.probability
        );
    }

    // Who contradicts the first of them: the labels that decide there once its own is taken away.
    if let Some(first) = audit.suspects.first() {
        let others = Harmonic::default().fit(&graph, &labels)?.without_label(first.node)?;
        let mut shares = others.influence(first.node)?.labels;
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let class = |node: usize| labels.get(node).map_or("", |class| &labels.names()[class]);
        println!("node {} was said to be {:?}; beside it count", first.node, class(first.node));
        for &(node, share) in shares.iter().take(3) {
            println!("  node {node:3}, {:?}: {:.0} %", class(node), 100.0 * share);
        }
    }
    Ok(())
}
