//! What the probabilities of several descriptions are worth on digits: the table of the guide's chapter on
//! trust. `cargo run --release -p gaussfield --example probabilities -- usps 5` takes the data from the
//! catalogue and that many draws of 1, 2, 5 and 10 labels a class; nothing was chosen on these draws.

#![allow(clippy::print_stdout, reason = "an example tells what it found")]

use gaussfield::data::catalog::Catalog;
use gaussfield::data::split::Split;
use gaussfield::description::{Description, Method};
use gaussfield::harmonic::{Dynamics, Harmonic};
use gaussfield::labels::metrics::{Calibration, MeanStd, accuracy, log_loss};
use gaussfield::labels::{ClassPrior, Decision, HeldOut, Labels};
use gaussfield::points::Points;

/// Seeds of the draws: those the automatic choice was made on are smaller.
const FIRST_SEED: u64 = 1000;

/// What is told of a failure.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How a description is made for points and labels.
type Make = fn(&Points, &Labels) -> Outcome<Description>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "optdigits".to_owned());
    let draws = arguments.next().and_then(|draws| draws.parse().ok()).unwrap_or(3);
    let data = Catalog::builtin()?.load(&name)?;
    println!("{name}: accuracy, log loss, calibration error (mean of {draws} draws)");
    println!("| probabilities of | 1 label a class | 2 | 5 | 10 |\n|---|---|---|---|---|");
    let descriptions: [(&str, Make); 6] = [
        ("the automatic choice", automatic),
        ("the last walk of the dynamics", walk),
        ("the harmonic function, class masses equal", masses),
        ("the harmonic function", plain),
        ("the same, 10 neighbours, one scale, the mean edge", mean_edge),
        ("the same, the scale learned by entropy", learned),
    ];
    for (words, description) in descriptions {
        let mut line = format!("| {words} |");
        for count in [1, 2, 5, 10] {
            let (mut right, mut loss, mut gap) = (Vec::new(), Vec::new(), Vec::new());
            for seed in FIRST_SEED..FIRST_SEED + draws {
                let labels = Split::per_class(&data.labels, count, seed)?.partial(&data.labels)?;
                let fitted = description(&data.points, &labels)?.fit(&data.points, &labels)?;
                let truth = HeldOut::new(&data.labels, &labels)?;
                let scores = fitted.probabilities()?.select(truth.nodes())?;
                right.push(accuracy(&truth, &scores.argmax())?);
                loss.push(log_loss(&truth, &scores)?);
                gap.push(Calibration::new(&truth, &scores, 10)?.expected_error());
            }
            for of in [&right, &loss, &gap] {
                line += &format!(" {:.3}", MeanStd::over(of)?.mean);
            }
            line += " |";
        }
        println!("{line}");
    }
    Ok(())
}

fn automatic(points: &Points, labels: &Labels) -> Outcome<Description> {
    Ok(Description::automatic(points, labels)?.description)
}

/// The automatic graph with another method.
fn with(
    points: &Points,
    labels: &Labels,
    method: Method,
    decision: Decision,
) -> Outcome<Description> {
    Ok(Description { method, decision, ..automatic(points, labels)? })
}

fn walk(points: &Points, labels: &Labels) -> Outcome<Description> {
    let islands = gaussfield::labels::Islands::Prior(ClassPrior::uniform(labels.classes())?);
    let method = Method::Dynamics(Dynamics { islands, ..Dynamics::default() });
    with(points, labels, method, Decision::Argmax)
}

fn harmonic(labels: &Labels) -> Outcome<Method> {
    let islands = gaussfield::labels::Islands::Prior(ClassPrior::uniform(labels.classes())?);
    Ok(Method::Harmonic(Harmonic { islands, ..Harmonic::default() }))
}

fn masses(points: &Points, labels: &Labels) -> Outcome<Description> {
    let decision = Decision::ClassMass(ClassPrior::uniform(labels.classes())?);
    with(points, labels, harmonic(labels)?, decision)
}

fn plain(points: &Points, labels: &Labels) -> Outcome<Description> {
    with(points, labels, harmonic(labels)?, Decision::Argmax)
}

fn mean_edge(_: &Points, labels: &Labels) -> Outcome<Description> {
    let decision = Decision::ClassMass(ClassPrior::add_one(labels)?);
    Ok(Description { decision, ..Description::from(harmonic(labels)?) })
}

fn learned(points: &Points, labels: &Labels) -> Outcome<Description> {
    use gaussfield::description::{EntropyChoice, ObjectiveChoice, Tuning};
    let tuning = Some(Tuning::from(ObjectiveChoice::Entropy(EntropyChoice::default())));
    Ok(Description { tuning, ..mean_edge(points, labels)? })
}
