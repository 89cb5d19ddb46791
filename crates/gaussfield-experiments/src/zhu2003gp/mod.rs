//! Zhu, Lafferty and Ghahramani, "Semi-Supervised Learning: From Gaussian Fields to Gaussian
//! Processes", CMU-CS-03-175, 2003.

mod beyond;
mod claims;
mod curves;
mod guide;
mod identities;
mod look;
mod plans;
mod scans;
mod search;
mod sizes;
mod statistics;
mod study;
mod surfaces;
mod tables;
mod task;

use crate::Paper;
use crate::tasks::USPS;
use crate::texts::{self, BASEBALL_HOCKEY, NEWSGROUPS, PC_MAC, RELIGION_ATHEISM};

/// The paper.
pub const PAPER: Paper = Paper {
    key: "zhu2003gp",
    title: "Semi-Supervised Learning: From Gaussian Fields to Gaussian Processes",
    authors: "Xiaojin Zhu, John Lafferty and Zoubin Ghahramani",
    venue: "Technical report CMU-CS-03-175, Carnegie Mellon University, 2003",
    summary: "The Gaussian field on a graph becomes the prior of a Gaussian process by a small \
              regularisation of the Laplacian, and labels become noisy looks at it. The evidence, \
              the probability of the labels given the graph, then says which graph to use: the \
              number of neighbours, the radius, or the parameters of the weights. The report asks \
              how well the evidence chooses on six tasks with four kinds of graphs.",
    data: &[USPS, NEWSGROUPS],
    run: |ctx| {
        let studies = study::run(ctx)?;
        tables::run(ctx, &studies)?;
        let pairs = [("b/h", BASEBALL_HOCKEY), ("p/m", PC_MAC), ("r/a", RELIGION_ATHEISM)];
        texts::readings(ctx, &pairs, 20)?;
        curves::run(ctx, &studies)?;
        surfaces::run(ctx, &studies)?;
        guide::run(ctx, &studies)?;
        claims::run(ctx, &studies)?;
        identities::run(ctx, &studies)?;
        sizes::run(ctx, &studies)?;
        beyond::run(ctx, &studies)
    },
};
