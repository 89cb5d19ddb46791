//! Baselines: what graph methods are compared with, and can be combined with.
//!
//! | baseline | rule |
//! |---|---|
//! | [`NearestNeighbours`] | the class of the nearest labelled point, or of most of the k nearest |
//! | [`rbf`] | class 1 if and only if \\(W_{ul} f_l > W_{ul}(1 - f_l)\\): one step of the graph |
//! | [`VotedPerceptron`] | all vectors of a kernel perceptron vote, each by how long it lasted |
//! | [`SupportVectorMachine`] | the widest margin, at a price C for what lies on its wrong side |
//! | [`RegularisedLeastSquares`] | the labels ±1 by ridge regression with a kernel |
//! | [`SupervisedGp`] | a Gaussian process with probit noise, its kernel chosen by the evidence |
//! | [`LaplacianSvm`] | a support vector machine that is also smooth along a graph |
//! | [`LaplacianLeastSquares`] | least squares that is also smooth along a graph |
//!
//! The first six see labelled points only, so the gap between them and a graph method shows what
//! the unlabelled points are worth. The first three are the baselines of Zhu, Ghahramani and
//! Lafferty (ICML 2003), section 7; support vector machines are those of Kapoor, Qi, Ahn and
//! Picard (NIPS 2005); the Gaussian process and the Laplacian ones are what Sindhwani, Chu and
//! Keerthi (IJCAI 2007) compare with. All of them handle any number of classes. Those on points take dense or sparse rows;
//! support vectors and least squares also take any Gram matrix, such as that of a graph kernel.
//!
//! The kernel of a Gaussian process is chosen by its evidence; the other hyperparameters come from
//! cross-validation (`cross_validate` and `choose` of `gaussfield-labels`).
//!
//! A fitted model is inductive: it predicts any points of the same dimension. The Laplacian ones do
//! so when they are fitted to a prior that covers all of space ([`LaplacianSvm::fit_on`]); fitted
//! to a bare matrix, they take the rows of a cross matrix. A [`Prediction`]
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
mod expansion;
mod gram;
mod least_squares;
mod manifold;
mod neighbours;
mod on_points;
mod on_prior;
mod perceptron;
mod prediction;
mod rbf;
mod supervised_gp;
mod svm;
mod training;

pub use error::BaselineError;
pub use expansion::Expansion;
pub use gaussfield_kernel::Kernel;
pub use least_squares::RegularisedLeastSquares;
pub use manifold::{LaplacianLeastSquares, LaplacianSvm};
pub use neighbours::{NearestModel, NearestNeighbours};
pub use on_points::OnPoints;
pub use on_prior::OnPrior;
pub use perceptron::{VotedPerceptron, VotedPerceptronModel};
pub use prediction::Prediction;
pub use rbf::{RbfPrediction, rbf};
pub use supervised_gp::{SupervisedGp, SupervisedGpModel};
pub use svm::{SupportVectorMachine, SvmCertificate, SvmModel};
