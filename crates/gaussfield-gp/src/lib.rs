//! Gaussian processes on graphs.
//!
//! # The idea
//!
//! A harmonic function is the mean of a Gaussian field. Here the whole field is kept: before any
//! label is seen, the latent values y on the n nodes are Gaussian with mean μ and covariance
//!
//! ```math
//! G = \bigl[\beta\,(\Delta + I/\sigma^2)\bigr]^{-1},
//! ```
//!
//! so that linked nodes have like values ([`GraphPrior`]). A label t = ±1 at a node is a noisy
//! look at the sign of y, by a [`Likelihood`] such as the [`Sigmoid`]
//! $`P(t \mid y) = 1/(1 + e^{-2\gamma t y})`$. What the labels say about all nodes is the
//! posterior, and what the labels say about the graph itself is the *evidence*
//! $`p(t_L) = \int p(t_L \mid y_L)\,p(y_L)\,dy_L`$: a graph on which the labels are likely is a
//! good graph, and hyperparameters are learned by climbing its logarithm (Zhu, Lafferty,
//! Ghahramani 2003, CMU-CS-03-175).
//!
//! # Laplace approximation
//!
//! The posterior is replaced by a Gaussian at its mode. With W the negative second derivatives of
//! the log likelihood at the mode and $`B = I + W^{1/2} G_{LL} W^{1/2}`$,
//!
//! ```math
//! \hat y = \mu + G_{:L}\,a, \qquad
//!     \log p(t_L) \approx \log p(t_L \mid \hat y_L) - \tfrac12 a^\top(\hat y_L - \mu_L)
//!     - \tfrac12 \log |B|,
//! ```
//! ```math
//! \Sigma = G - G_{:L}\,W^{1/2} B^{-1} W^{1/2}\,G_{L:}.
//! ```
//!
//! Newton's method runs in a, never dividing by G. This survives priors like the paper's
//! σ = 1000, β = 0.1, where G has an eigenvalue of 10⁷: B has eigenvalues of at least one, and
//! the errors of a that G would magnify are just those that B⁻¹ suppresses.
//!
//! Only the l columns $`G_{:L}`$ are ever needed: l solves, never an n × n matrix.
//!
//! # Expectation propagation
//!
//! A mode is a poor summary where the likelihood is a step or labels may be flipped
//! ([`Flip`], $`P(t \mid y) = \epsilon + (1 - 2\epsilon)\,\theta(ty)`$ with the step θ, not even
//! log-concave). [`ExpectationPropagation`] replaces every likelihood term by a Gaussian *site* with
//! the moments of the term itself (Kapoor et al. 2005). Both inferences see the l × l block
//! $`K_{LL}`$ only, and both end in the same two things: a with the mean
//! $`\mu + K_{:L}\,a`$ and R with the covariance $`K - K_{:L} R K_{L:}`$.
//!
//! Sweeps over the sites settle within a dozen rounds unless labels contradict each other; then they
//! can go round in circles, whatever the damping. The double loop of Heskes and Zoeter (2002), which
//! cannot, takes over, and near the fixed point Newton's method. Rarely that takes more sweeps than
//! are allowed, and is then an error.
//!
//! # Gradient
//!
//! The evidence depends on the prior through $`K_{LL}`$ alone. With M = ∂J/∂K_LL (for Laplace
//! the moving mode included) and $`Z = K_{:L}`$, its gradient in the precision is
//! $`-Z M Z^\top`$, so that the weight of edge (i, j) gets
//! $`-\beta\,(z_i - z_j)^\top M (z_i - z_j)`$: [`Posterior::gradient`] needs no solve beyond the
//! l forward ones, however many hyperparameters the weights have. At a fixed point of expectation
//! propagation M = ½(aaᵀ − R) is exact.
//!
//! # What there is
//!
//! | prior | covariance | cost of l columns |
//! |---|---|---|
//! | [`GraphPrior`] | inverse of a regularised, shifted or normalised Laplacian | l solves |
//! | [`SpectralPrior`] | a function of the smallest eigenvalues ([`Transform`]) | O(n·k·l) |
//! | [`WarpedKernel`] | a kernel on all of space, bent by a graph ([`Warp`]); covers new points | O(n²l), after O(n³) |
//! | [`LandmarkKernel`] | the same through m landmarks ([`LandmarkPrior`]) | O(n·m·l), after O(n·m²) |
//! | [`KernelPrior`] | a kernel on all of space, no graph; covers new points | — |
//! | [`GivenCovariance`] | a matrix of yours | — |
//!
//! | likelihood | Laplace | EP |
//! |---|---|---|
//! | [`Sigmoid`], [`Probit`], [`Gaussian`] | yes | yes |
//! | [`Flip`], [`FlippedProbit`]: labels that may be wrong | not log-concave | yes |
//!
//! Several classes: [`Softmax`], or [`GaussianProcess::one_against_rest`]. New points: the
//! nearest node ([`Posterior::at_new_points`]), a combination of all nodes in
//! the space of a kernel ([`KernelExtension`], section 5 of the report and Kapoor et al. 2005),
//! or a prior that covers them ([`Posterior::marginals`]).
//!
//! ```
//! use gaussfield_gp::{GaussianProcess, GraphPrior, Observed, Sigmoid};
//! use gaussfield_core::Budget;
//! use gaussfield_graph::{Exponential, Metric, Pattern, WeightFamily};
//! use gaussfield_points::Points;
//! use ndarray::array;
//!
//! // Two clusters on a line, one label in each.
//! let points = Points::dense(array![[0.0], [0.4], [0.9], [3.0], [3.5], [3.9]])?;
//! let pattern = Pattern::complete(&points, Metric::Euclidean)?;
//! let family = Exponential { sigma: 1.0 };
//! let graph = family.graph(&pattern, Budget::default())?;
//!
//! let prior = GraphPrior::regularised(0.1, 1000.0).on(&graph)?;
//! let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
//! let posterior = process.fit(&prior, &Observed::new(&[0, 5], &[-1.0, 1.0])?)?;
//! assert!(posterior.latent()[1] < 0.0 && posterior.latent()[4] > 0.0);
//! let probabilities = posterior.probabilities(&[1, 4])?;
//! assert!(probabilities[0] < 0.5 && probabilities[1] > 0.5);
//!
//! // How the evidence changes with the length scale of the weights, and with β.
//! let gradient = posterior.gradient()?;
//! if let Some(edges) = &gradient.edges {
//!     assert!(family.pullback(&pattern, &graph, edges)?[0].is_finite());
//! }
//! assert!(gradient.prior[0].is_finite());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alignment;
mod audit;
mod bound;
mod error;
mod gradient;
mod inductive;
mod inference;
mod kernel_extension;
mod likelihood;
mod memory;
mod new_points;
mod normal;
mod observed;
mod one_against_rest;
mod posterior;
mod prior;
mod process;
mod softmax;
mod warped;

pub use alignment::{Aligned, alignment};
pub use audit::{Audit, Suspect, Warning};
pub use bound::FlipBound;
pub use error::GpError;
pub use gaussfield_kernel::Kernel;
pub use gradient::EvidenceGradient;
pub use inductive::{InductivePrior, Marginals, Queries};
pub use inference::{
    Block, BlockFit, Cavity, EpFit, ExpectationPropagation, Inference, Laplace, LaplaceFit,
    Schedule, Sensitivity, Shrinkage, Sites,
};
pub use kernel_extension::{KernelExtension, Ridge};
pub use likelihood::{
    BoxedSmooth, BoxedTilted, Flip, FlippedProbit, Gaussian, LabelNoise, Likelihood,
    LikelihoodChoice, LogDensity, ParameterSlope, Probit, Sigmoid, SmoothLikelihood, Tilted,
    TiltedLikelihood,
};
pub use memory::Memory;
pub use new_points::NewPoints;
pub use observed::Observed;
pub use one_against_rest::{OneAgainstRest, OneAgainstRestPosterior};
pub use posterior::Posterior;
pub use prior::{
    Columns, GivenCovariance, GraphCovariance, GraphPrior, KernelPrior, Prior, PriorFamily,
    PriorGradient, Regularisation, SpectralPrior, Transform,
};
pub use process::{Fitted, GaussianProcess, Mean, Process};
pub use softmax::{Draws, Softmax, SoftmaxPosterior};
pub use warped::{
    Ambient, AmbientQueries, Geometry, LandmarkKernel, LandmarkPrior, Warp, WarpTerm, WarpedKernel,
    WarpedPrior,
};
