//! Baselines: what graph methods are compared with, and can be combined with.
//!
//! | baseline | rule |
//! |---|---|
//! | [`NearestNeighbours`] | the class of the nearest labelled point, or of most of the k nearest |
//! | [`Rbf`] | class 1 if and only if $`W_{ul} f_l > W_{ul}(1 - f_l)`$: one step of the graph |
//! | [`VotedPerceptron`] | all vectors of a kernel perceptron vote, each by how long it lasted |
//! | [`SupportVectorMachine`] | the widest margin, at a price C for what lies on its wrong side |
//! | [`RegularisedLeastSquares`] | the labels ±1 by ridge regression with a kernel |
//! | [`SupervisedGp`] | a Gaussian process with probit noise, its kernel chosen by the evidence |
//! | [`BayesPointMachine`] | of all classifiers that agree with the labels the mean one |
//! | [`LaplacianSvm`] | a support vector machine that is also smooth along a graph |
//! | [`LaplacianLeastSquares`] | least squares that is also smooth along a graph |
//! | [`SampleBaseline`] | a harmonic function on a sample of the points, averages elsewhere |
//!
//! The first seven see labelled points only, so the gap between them and a graph method shows what
//! the unlabelled points are worth. The first three are the baselines of Zhu, Ghahramani and
//! Lafferty (ICML 2003), section 7; support vector machines are those of Kapoor, Qi, Ahn and
//! Picard (NIPS 2005), who also name the Bayes point machine; the Gaussian process and the Laplacian ones are what Sindhwani, Chu and
//! Keerthi (IJCAI 2007) compare with; the sample is that of Zhu and Lafferty (ICML 2005). All of
//! them handle any number of classes. Those on points take dense or sparse rows; support vectors
//! and least squares also take any Gram matrix, such as that of a graph kernel: `fit` is for
//! points, `fit_gram` for a matrix, `fit_on` for a prior that covers all of space.
//!
//! The kernel of a Gaussian process is chosen by its evidence; the other hyperparameters come from
//! cross-validation (`cross_validate` and `choose` of `gaussfield-labels`).
//!
//! # Answers
//!
//! A method on points is [`Inductive`](gaussfield_labels::Inductive): it predicts any points of the
//! same dimension, or, fitted to a bare matrix, the rows of a cross matrix. One on a graph is
//! [`Transductive`](gaussfield_labels::Transductive). Scores are rows that sum to one, and the class
//! of the largest is the one that the method itself would name:
//!
//! | baseline | its scores |
//! |---|---|
//! | nearest neighbours | shares of the k votes; at equal votes the class of the nearest is ahead by 10⁻⁹ |
//! | weights to labelled nodes | shares of the weight |
//! | voted perceptron | (1 + vote)/2, of several classes divided by their sum |
//! | support vectors, least squares, their Laplacian forms | the logistic function 1/(1 + e⁻ᶠ) of f, the soft maximum for several classes |
//! | Gaussian process, Bayes point machine | probabilities, of several classes divided by their sum |
//! | sample | harmonic values and their averages |
//!
//! Only these of processes are probabilities; the others rank. Hard predictions, as the dongles
//! of Zhu et al. 2003, section 5, take them, are
//! [`Scores::one_hot`](gaussfield_labels::Scores::one_hot) of the classes decided.
//!
//! ```
//! use gaussfield_baselines::{Kernel, NearestNeighbours, VotedPerceptron};
//! use gaussfield_graph::Metric;
//! use gaussfield_labels::{Decision, Inductive, Labels};
//! use gaussfield_points::Points;
//! use ndarray::array;
//!
//! let points = Points::dense(array![[1.0, 0.1], [2.0, -0.3], [-1.0, 0.2], [-1.5, -0.1]])?;
//! let labels = Labels::from_names([Some("right"), None, Some("left"), None]);
//! let unlabelled = points.select(&labels.unlabelled())?;
//!
//! let nearest = NearestNeighbours::one(Metric::Euclidean).fit(&points, &labels)?;
//! let told = nearest.predictions_at(&unlabelled, &Decision::Argmax)?;
//! assert_eq!(told.to_string(), "0: right (1.00)\n1: left (1.00)\n");
//!
//! let perceptron = VotedPerceptron::new(Kernel::Linear).fit(&points, &labels)?;
//! assert_eq!(perceptron.predictions_at(&unlabelled, &Decision::Argmax)?.classes(), [0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bayes_point;
mod error;
mod expansion;
mod gram;
mod least_squares;
mod manifold;
mod neighbours;
mod on_points;
mod on_prior;
mod perceptron;
mod rbf;
mod sample;
mod supervised_gp;
mod svm;
mod training;

pub use bayes_point::BayesPointMachine;
pub use error::BaselineError;
pub use expansion::Expansion;
pub use gaussfield_kernel::Kernel;
pub use least_squares::RegularisedLeastSquares;
pub use manifold::{LaplacianLeastSquares, LaplacianSvm};
pub use neighbours::{NearestModel, NearestNeighbours};
pub use on_points::OnPoints;
pub use on_prior::OnPrior;
pub use perceptron::{VotedPerceptron, VotedPerceptronModel};
pub use rbf::Rbf;
pub use sample::{SampleBaseline, SampleFit};
pub use supervised_gp::{SupervisedGp, SupervisedGpModel};
pub use svm::{SupportVectorMachine, SvmCertificate, SvmModel};
