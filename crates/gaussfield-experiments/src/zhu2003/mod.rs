//! Zhu, Ghahramani and Lafferty, "Semi-Supervised Learning Using Gaussian Fields and Harmonic
//! Functions", ICML 2003.

mod digits;
mod figure2;
mod figure3;
mod figure4;
mod figure5;
mod limit;
mod machines;
mod relatives;
mod table1;
mod threads;

use crate::Paper;
use crate::tasks::USPS;
use crate::texts::NEWSGROUPS;

/// The paper.
pub const PAPER: Paper = Paper {
    key: "zhu2003",
    title: "Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions",
    authors: "Xiaojin Zhu, Zoubin Ghahramani and John Lafferty",
    venue: "Proceedings of the Twentieth International Conference on Machine Learning (ICML 2003)",
    summary: "Labelled and unlabelled points are the nodes of a graph whose weights say how alike \
              two points are. Fixing a Gaussian field on it at the labels, its mean is a harmonic \
              function: at every unlabelled node it is the weighted mean of its neighbours. That \
              function classifies, with few labels and many unlabelled points, along the shape of \
              the data.",
    data: &[USPS, NEWSGROUPS],
    run: |ctx| {
        figure2::run(ctx)?;
        let digits = digits::load(ctx)?;
        figure3::run(ctx, &digits)?;
        figure4::run(ctx)?;
        threads::run(ctx)?;
        figure5::run(ctx)?;
        table1::run(ctx, &digits)?;
        relatives::run(ctx, &digits)?;
        limit::run(ctx, &digits)
    },
};
