//! Kapoor, Qi, Ahn and Picard, "Hyperparameter and Kernel Learning for Graph Based
//! Semi-Supervised Classification", NIPS 2005.

mod affect;
mod comparison;
mod curves;
mod data;
mod diffusion;
mod flips;
mod identities;
mod judge;
mod leave_one_out;
mod model;
mod moons;
mod one_two;
mod rates;
mod rules;
mod scan;

use crate::Paper;
use crate::tasks::USPS;
use crate::texts::{NEWSGROUPS, PC_MAC, Texts};

/// The paper.
pub const PAPER: Paper = Paper {
    key: "kapoor2005",
    title: "Hyperparameter and Kernel Learning for Graph Based Semi-Supervised Classification",
    authors: "Ashish Kapoor, Yuan (Alan) Qi, Hyungil Ahn and Rosalind W. Picard",
    venue: "Advances in Neural Information Processing Systems 18 (NIPS 2005)",
    summary: "A Gaussian process on a graph whose labels may be wrong: each is flipped with a \
              small probability ε. Expectation propagation finds the posterior and the evidence, \
              and the evidence says which graph, which prior and which ε to use. Learned this way, \
              graph methods need no cross-validation and tell wrong labels from right ones.",
    data: &[USPS, NEWSGROUPS],
    run: |ctx| {
        let images = data::images(ctx)?;
        // PC is the negative class.
        let texts = Texts::load(ctx, &PC_MAC)?;
        identities::run(ctx)?;
        curves::run(ctx, &images, &texts)?;
        let affect = affect::StandIn::load(ctx)?;
        affect::curves(ctx, &affect)?;
        rates::run(ctx, &images, &texts)?;
        moons::run(ctx)?;
        affect::noise(ctx, &affect)?;
        comparison::run(ctx, &affect)?;
        one_two::run(ctx, &images)?;
        flips::run(ctx, &images)?;
        rules::run(ctx, &images)
    },
};
