//! Supervised baselines: what graph methods are compared with, and can be combined with.
//!
//! None of them uses unlabelled points, so the gap between them and a graph method shows what the
//! unlabelled points are worth.
//!
//! | baseline | rule |
//! |---|---|
//! | [`NearestNeighbours`] | the class of the nearest labelled point, or of most of the k nearest |
//! | [`rbf`] | class 1 if and only if \\(W_{ul} f_l > W_{ul}(1 - f_l)\\): one step of the graph |
//! | [`VotedPerceptron`] | all vectors of a kernel perceptron vote, each by how long it lasted |
//!
//! These are the baselines of Zhu, Ghahramani and Lafferty (ICML 2003), section 7. All of them
//! handle any number of classes, and dense or sparse rows.
//!
//! A fitted model is inductive: it predicts any points of the same dimension. A [`Prediction`]
//! holds hard classes and soft scores; either can be the outside classifier of *dongles* (section
//! 5 of that paper), which takes [`Prediction::hard_scores`] (as the paper does) or
//! [`Prediction::scores`] for the unlabelled nodes.
//!
//! ```
//! # use openblas_src as _;
//! use gaussfield_baselines::{Kernel, NearestNeighbours, VotedPerceptron};
//! use gaussfield_graph::Metric;
//! use gaussfield_labels::Labels;
//! use gaussfield_points::Points;
//! use ndarray::array;
//!
//! let points = Points::dense(array![[1.0, 0.1], [2.0, -0.3], [-1.0, 0.2], [-1.5, -0.1]])?;
//! let labels = Labels::from_names([Some("right"), None, Some("left"), None]);
//! let unlabelled = points.select(&labels.unlabelled())?;
//!
//! let nearest = NearestNeighbours::one(Metric::Euclidean).fit(&points, &labels)?;
//! assert_eq!(nearest.predict(&unlabelled)?.classes(), [0, 1]);
//!
//! let perceptron = VotedPerceptron::new(Kernel::Linear).fit(&points, &labels)?;
//! let prediction = perceptron.predict(&unlabelled)?;
//! assert_eq!(prediction.classes(), [0, 1]);
//! assert_eq!(prediction.hard_scores().values(), array![[1.0, 0.0], [0.0, 1.0]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
use openblas_src as _;

mod error;
mod kernel;
mod neighbours;
mod perceptron;
mod prediction;
mod rbf;
mod training;

pub use error::BaselineError;
pub use kernel::Kernel;
pub use neighbours::{NearestModel, NearestNeighbours};
pub use perceptron::{VotedPerceptron, VotedPerceptronModel};
pub use prediction::Prediction;
pub use rbf::{RbfPrediction, rbf};
