//! Labels, scores, decisions and metrics: everything about classes that does not need a graph.
//!
//! # From scores to classes
//!
//! A graph method gives every unlabelled node i a probability `f(i)` of class 1 (or a row of C
//! probabilities, [`Scores`]). How should that become a class? There are several answers, and on
//! real data the choice matters more than the graph ([`Decision`]).
//!
//! **Thresh** ([`Decision::Argmax`]). Class 1 if and only if `f(i) > 1/2`; with C classes, the
//! largest score. It is the right rule if the scores are calibrated. Often they are not: when the
//! classes are poorly separated in the graph, nearly all `f(i)` lie close to 1 (or to 0), although
//! their *ranking* is good.
//!
//! **Class mass normalisation** ([`Decision::ClassMass`]; Zhu, Ghahramani and Lafferty, ICML 2003,
//! section 4). Suppose a proportion q of the points is of class 1. The mass of class 1 is
//! $`\sum_i f_u(i)`$, the mass of class 0 is $`\sum_i (1 - f_u(i))`$. Scale both so that
//! they stand in the ratio q : 1 − q. Then node i is of class 1 if and only if [zhu2003 (9)]
//!
//! ```math
//! q\,\frac{f_u(i)}{\sum_i f_u(i)} > (1-q)\,\frac{1-f_u(i)}{\sum_i (1-f_u(i))}
//! ```
//!
//! With C classes the share of class c is $`q_c F_{ic} / \sum_i F_{ic}`$ and the largest share
//! wins. The sums run over *unlabelled* nodes only, so hand in their scores only
//! ([`Scores::select`] with [`Labels::unlabelled`]).
//!
//! **Known proportions** ([`Decision::Proportions`]; Zhu, Lafferty and Ghahramani, CMU-CS-03-175,
//! section 4: the "tuned" columns). Move the threshold until exactly the known share of nodes is
//! positive. It trusts q fully, where class mass normalisation only leans on it.
//!
//! **Counts** ([`Decision::Counts`], [`balance_counts`]). Exactly the known shares too, but by one
//! multiplier for each class, so that only the ranking within a class counts: scores of harmonic
//! functions with few labels differ in size from class to class. Apt where the proportions
//! are true; where they are wrong it forces the mistake on every class, so give it proportions that you
//! know.
//!
//! **Median** ([`Decision::Median`]; Zhu and Lafferty, ICML 2005). The same with q = 1/2. New points are
//! cut where the old ones were ([`Decision::Above`]).
//!
//! The proportions come from an oracle ([`ClassPrior::given`]) or from the labels with add-one
//! smoothing ([`ClassPrior::add_one`]), as in section 7 of the ICML 2003 paper.
//!
//! # The answer
//!
//! [`Transductive`] and [`Inductive`], both [`Named`], are what every method of gaussfield gives:
//! scores, names and facts, for the nodes of a graph or for new points. [`Predictions`] are the
//! classes decided, each with its row, its name and its probability.
//!
//! # How good is it?
//!
//! [`metrics`] compares a decision, or the scores themselves, with the truth on a [`HeldOut`] set:
//! nodes whose class is known to the judge and was not shown to the method. A labelled point can
//! not slip in and flatter the result. Where only the given labels are known, [`cross_validate`]
//! hides them in turn, and [`choose`] picks the best of a grid that way.
//!
//! # Example
//!
//! ```
//! use gaussfield_labels::{Decision, HeldOut, Labels, ClassPrior, Scores, metrics};
//! use ndarray::array;
//!
//! // Six nodes; the method saw the classes of nodes 0 and 5 only.
//! let truth = Labels::numbered(&[0, 0, 0, 1, 1, 1], 2)?;
//! let given = truth.keep(&[0, 5])?;
//!
//! // P(class 1) of every node. The ranking is right, but everything is close to 1.
//! let f = array![0.0, 0.80, 0.85, 0.95, 0.97, 1.0];
//! let scores = Scores::binary(f.view())?.select(&given.unlabelled())?;
//!
//! let thresh = Decision::Argmax.decide(&scores)?;
//! let cmn = Decision::ClassMass(ClassPrior::add_one(&given)?).decide(&scores)?;
//! assert_eq!(thresh, [1, 1, 1, 1]);
//! assert_eq!(cmn, [0, 0, 1, 1]);
//!
//! let held_out = HeldOut::new(&truth, &given)?;
//! assert!((metrics::accuracy(&held_out, &thresh)? - 0.5).abs() < 1e-12);
//! assert!((metrics::accuracy(&held_out, &cmn)? - 1.0).abs() < 1e-12);
//! # Ok::<(), gaussfield_labels::LabelsError>(())
//! ```

#![forbid(unsafe_code)]

mod answer;
mod counts;
mod decision;
mod error;
mod held_out;
mod hold_out;
mod islands;
mod labels;
mod mass;
pub mod metrics;
mod node_scores;
mod prior;
mod proportions;
mod scores;
mod soft;
mod threshold;
mod validation;

pub use answer::{Inductive, Named, Prediction, Predictions, Transductive};
pub use counts::{CountBalanced, balance_counts};
pub use decision::Decision;
pub use error::LabelsError;
pub use held_out::HeldOut;
pub use hold_out::HoldOut;
pub use islands::Islands;
pub use labels::Labels;
pub use mass::{MassNormalised, class_mass_normalise};
pub use node_scores::NodeScores;
pub use prior::ClassPrior;
pub use proportions::class_counts;
pub use scores::Scores;
pub use soft::SoftLabels;
pub use threshold::{TunedThreshold, above_median, median, tuned_threshold};
pub use validation::{Choice, CrossValidation, Folds, choose, cross_validate};
