//! Zhu and Lafferty, "Harmonic Mixtures: Combining Mixture Models and Graph-Based Methods for
//! Inductive and Scalable Semi-Supervised Learning", ICML 2005.

mod alpha;
mod choose;
mod cost;
mod curves;
mod digits;
mod figure1;
mod identities;
mod methods;
mod prototypes;
mod rotations;
mod study;
mod synthetic;
mod task;
mod text;
mod weights;

use crate::Paper;
use crate::tasks::USPS;
use crate::texts::NEWSGROUPS;

/// The paper.
pub const PAPER: Paper = Paper {
    key: "zhu2005",
    title: "Harmonic Mixtures: Combining Mixture Models and Graph-Based Methods for Inductive and \
            Scalable Semi-Supervised Learning",
    authors: "Xiaojin Zhu and John Lafferty",
    venue: "Proceedings of the 22nd International Conference on Machine Learning (ICML 2005)",
    summary: "A mixture model is small and takes any new point, but its labels do not follow a \
              manifold; a harmonic function follows it, but is as large as the data and knows no \
              new point. A harmonic mixture keeps the components of the mixture and chooses their \
              class memberships to be harmonic on a small backbone graph that the components \
              inherit from the large one.",
    data: &[USPS, NEWSGROUPS, &["coil20"]],
    run: |ctx| {
        identities::run(ctx)?;
        figure1::run(ctx)?;
        let mut studies = vec![synthetic::run(ctx)?];
        let digits = digits::run(ctx)?;
        alpha::run(ctx, &digits)?;
        studies.push(digits.study);
        studies.extend(rotations::run(ctx)?);
        studies.extend(text::run(ctx)?);
        weights::run(ctx, &studies)?;
        prototypes::run(ctx, &studies)?;
        choose::run(ctx, &studies)?;
        cost::run(ctx, &studies)
    },
};
