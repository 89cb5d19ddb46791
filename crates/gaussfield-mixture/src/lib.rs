//! Mixtures that follow a graph: small, inductive, scalable.
//!
//! # The idea
//!
//! A harmonic function on a graph of n points needs an n × n system, and says nothing about a point
//! that was not in the graph. A mixture model is the opposite: small, and ready for any point, but
//! blind to the manifold that the points lie on. Zhu and Lafferty (ICML 2005) let each do what it is
//! good at.
//!
//! 1. **A mixture** $`p(x) = \sum_m \gamma_m\, p(x \mid m)`$ is fitted to all points by EM ([`Em`]);
//!    each component has class memberships $`\lambda_m = p(y \mid m)`$, so that
//!    $`p(y \mid x) = \sum_m p(m \mid x)\, \lambda_{my}`$.
//! 2. **The backbone.** Write $`R_{im} = p(m \mid x_i)`$ ([`Responsibilities`]). On the unlabelled points
//!    $`f_U = R\lambda`$, and the energy of the graph $`f^\top\Delta f`$ becomes a quadratic form in
//!    the M numbers λ, with the matrix $`R^\top\Delta_{UU}R`$: the Laplacian of a small graph whose
//!    nodes are the components ([`Backbone`]).
//! 3. **The harmonic mixture** keeps γ and the densities, and chooses the λ of least energy,
//!    [zhu2005 (5)] ([`HarmonicMixture`]):
//!
//! ```math
//! \lambda^* = -(R^\top\Delta_{UU}R)^{-1} R^\top\Delta_{UL} f_L
//! ```
//!
//! within $`0 \le \lambda \le 1`$, or on the simplex for several classes. More generally it minimises
//! $`-\alpha\,\ell + (1-\alpha)\,\mathcal E`$, a convex function of λ ([`MembershipSearch`]); the
//! result carries a certificate of its optimality ([`Kkt`]).
//!
//! With one component for each unlabelled point the harmonic mixture *is* the harmonic function. With
//! far fewer it is close to it as long as no component straddles two classes, and
//! [`ChooseComponents`] finds out how many are needed.
//!
//! # Cheaper parts
//!
//! - [`Keep::Largest`] keeps only the r largest responsibilities of each point; the backbone then
//!   costs at most edges · r² instead of n · M².
//! - [`Prototypes`] replace EM by k-means centres or anchors: only R is needed.
//! - A [`Discriminative`] model, trained on clusters by [`LogisticRegression`], gives R without a density.
//!
//! # Example
//!
//! ```
//! use gaussfield_core::Budget;
//! use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
//! use gaussfield_labels::{Decision, Inductive, Labels, Transductive};
//! use gaussfield_mixture::{Covariance, Em, Family, HarmonicMixture};
//! use gaussfield_points::Points;
//! use ndarray::{Array2, array};
//!
//! // Two half circles, one label at an end of each.
//! let rows = Array2::from_shape_fn((120, 2), |(i, k)| {
//!     let (arc, t) = ((i % 2) as f64, (i / 2) as f64 / 59.0 * std::f64::consts::PI);
//!     let (x, y) = (t.cos() + arc, (1.0 - 2.0 * arc) * t.sin() + 0.3 * arc);
//!     if k == 0 { x } else { y }
//! });
//! let mut classes = vec![None; 120];
//! (classes[0], classes[1]) = (Some("upper"), Some("lower"));
//! let labels = Labels::from_names(classes);
//! let points = Points::dense(rows)?;
//!
//! let pattern = Pattern::knn(&points, Metric::Euclidean, 6, Symmetry::Either)?;
//! let graph = Exponential { sigma: 0.1 }.graph(&pattern, Budget::default())?;
//!
//! let em = Em::new(Family::gaussian(Covariance::Full), 16).fit(&points, &labels)?;
//! let fit = HarmonicMixture::default().fit(&points, &graph, &labels, em.mixture)?;
//! assert!(fit.memberships.kkt.residual < 1e-8);
//! let told = fit.predictions(&Decision::Argmax)?;
//! let wrong = told.iter().filter(|told| told.number != told.row % 2).count();
//! assert!(wrong <= 6, "{wrong} of 118");
//!
//! // A point that was in no graph: the top of the upper arc.
//! let new = Points::dense(array![[0.0, 1.02]])?;
//! let told = fit.model.predictions_at(&new, &Decision::Argmax)?;
//! assert_eq!(told.get(0).map(|told| told.class), Some("upper"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What holds
//!
//! - Results do not depend on the number of threads: rows are handled in blocks of a fixed size, and
//!   sums are added in the order of the blocks.
//! - EM runs in the log domain and block by block; the n × M responsibilities never exist at once.
//! - Factorisations are pure Rust or, with the feature `openblas`, LAPACK's; BLAS then runs on one
//!   thread, since the blocks are already spread over the cores.

mod backbone;
mod choose;
mod components;
mod discriminative;
mod em;
mod error;
mod kmeans;
mod memberships;
mod mixture;
mod model;
mod prototypes;
mod responsibilities;
mod rows;
mod storage;

pub use backbone::{Backbone, ClosedForm, Undetermined, generalised_laplacian};
pub use choose::{BackboneError, Candidate, Choice, ChooseComponents, Criterion, Picked};
pub use components::{Components, Covariance, Covariances, Family, Floor, Gaussian, Multinomial};
pub use discriminative::{Discriminative, LogisticRegression};
pub use em::{Em, EmFacts, EmFit, EmptyComponents, Repair, Stop};
pub use error::MixtureError;
pub use kmeans::{KMeans, KMeansFit};
pub use memberships::{Kkt, MembershipSearch, Memberships};
pub use mixture::Mixture;
pub use model::{Encoder, HarmonicMixture, HarmonicMixtureFit, Model};
pub use prototypes::{Assignment, Prototypes};
pub use responsibilities::{Keep, Responsibilities};
