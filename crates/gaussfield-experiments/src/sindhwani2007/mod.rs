//! Sindhwani, Chu and Keerthi, "Semi-Supervised Gaussian Process Classifiers", IJCAI 2007.

mod benefit;
mod choice;
mod comparison;
mod grid;
mod laplacians;
mod moons;
mod outside;
mod selection;
mod study;
mod tasks;

use crate::Paper;
use crate::tasks::USPS;
use crate::texts::NEWSGROUPS;

/// The paper.
pub const PAPER: Paper = Paper {
    key: "sindhwani2007",
    title: "Semi-Supervised Gaussian Process Classifiers",
    authors: "Vikas Sindhwani, Wei Chu and S. Sathiya Keerthi",
    venue: "Proceedings of the 20th International Joint Conference on Artificial Intelligence \
            (IJCAI 2007)",
    summary: "A kernel on all of space is bent by the graph of labelled and unlabelled points, so \
              that points which the graph links are correlated. A Gaussian process with this \
              kernel uses unlabelled points and still predicts any new point; its evidence chooses \
              the kernel without holding back a label.",
    data: &[USPS, NEWSGROUPS, &["reuters21578"], &["coil20"]],
    run: |ctx| {
        moons::run(ctx)?;
        let [cases, others] = study::run(ctx)?;
        benefit::run(ctx, &cases)?;
        selection::run(ctx, &cases)?;
        laplacians::run(ctx, &cases, &others)
    },
};

/// Standard deviation of the probit noise: σ_n² = 10⁻⁴.
const NOISE: f64 = 0.01;
