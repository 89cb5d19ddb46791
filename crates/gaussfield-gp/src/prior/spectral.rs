//! A prior from the smallest eigenpairs of a graph Laplacian.

use super::{Columns, Prior, PriorFamily, PriorGradient};
use crate::GpError;
use crate::error::{check_nodes, check_positive};
use gaussfield_core::Domain;
use gaussfield_graph::Graph;
use gaussfield_laplacian::Spectrum;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use std::sync::Arc;

/// A covariance as a function of the eigenvalues of a Laplacian: K = Σ f(λₖ) uₖuₖᵀ with
/// f = 1/r (Smola and Kondor 2003; CMU-CS-03-175, section 3). The smoother an eigenvector, the
/// smaller its λ and the larger its share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Transform {
    /// r(λ) = λ + 1/σ²: the regularised Laplacian.
    Regularised {
        /// σ, positive.
        sigma: f64,
    },
    /// r(λ) = e^(σ²λ/2): heat that has spread for the time σ²/2.
    Diffusion {
        /// σ, positive.
        sigma: f64,
    },
    /// f(λ) = (a − λ)ᵖ: p steps of a lazy random walk. For the normalised Laplacian, whose
    /// eigenvalues are at most 2.
    RandomWalk {
        /// a, at least 2.
        a: f64,
        /// p, at least 1.
        steps: u32,
    },
    /// f(λ) = 1/(1 − α(1 − λ)): all walks with the similarity I − L, a walk of k steps weighed by
    /// αᵏ. For the normalised Laplacian.
    VonNeumann {
        /// α, above 0 and below 1.
        alpha: f64,
    },
}

impl Transform {
    fn check(&self, largest: f64) -> Result<(), GpError> {
        let bad = |name, value, range| Err(GpError::BadParameter { name, value, range });
        match *self {
            Self::Regularised { sigma } | Self::Diffusion { sigma } => check_positive("σ", sigma),
            Self::RandomWalk { steps: 0, .. } => bad("the number of steps p", 0.0, "at least 1"),
            Self::RandomWalk { a, .. } if !(a >= 2.0 && a.is_finite()) => {
                bad("a of the random walk", a, "at least 2")
            }
            Self::VonNeumann { alpha } if !(alpha > 0.0 && alpha < 1.0) => {
                bad("α of the von Neumann kernel", alpha, "above 0 and below 1")
            }
            Self::RandomWalk { .. } | Self::VonNeumann { .. } if largest > 2.0 + 1e-9 => bad(
                "the largest eigenvalue",
                largest,
                "at most 2: this transform is for the normalised Laplacian",
            ),
            Self::RandomWalk { .. } | Self::VonNeumann { .. } => Ok(()),
        }
    }

    /// f(λ), and its derivative in the transform's parameter.
    fn at(&self, lambda: f64) -> (f64, f64) {
        match *self {
            Self::Regularised { sigma } => {
                let value = 1.0 / (lambda + sigma.powi(-2));
                (value, 2.0 * value * value / sigma.powi(3))
            }
            Self::Diffusion { sigma } => {
                let value = (-0.5 * sigma * sigma * lambda).exp();
                (value, -sigma * lambda * value)
            }
            Self::RandomWalk { a, steps } => {
                let (base, power) = ((a - lambda).max(0.0), f64::from(steps));
                (base.powf(power), power * base.powf(power - 1.0))
            }
            Self::VonNeumann { alpha } => {
                let value = 1.0 / (1.0 - alpha * (1.0 - lambda));
                (value, (1.0 - lambda) * value * value)
            }
        }
    }

    fn parameter_name(&self) -> &'static str {
        match self {
            Self::Regularised { .. } | Self::Diffusion { .. } => "sigma",
            Self::RandomWalk { .. } => "a",
            Self::VonNeumann { .. } => "alpha",
        }
    }

    fn parameter(&self) -> f64 {
        match *self {
            Self::Regularised { sigma } | Self::Diffusion { sigma } => sigma,
            Self::RandomWalk { a, .. } => a,
            Self::VonNeumann { alpha } => alpha,
        }
    }

    fn with_parameter(self, value: f64) -> Self {
        match self {
            Self::Regularised { .. } => Self::Regularised { sigma: value },
            Self::Diffusion { .. } => Self::Diffusion { sigma: value },
            Self::RandomWalk { steps, .. } => Self::RandomWalk { a: value, steps },
            Self::VonNeumann { .. } => Self::VonNeumann { alpha: value },
        }
    }

    fn parameter_domain(&self) -> Domain {
        match self {
            Self::Regularised { .. } | Self::Diffusion { .. } => Domain::Positive,
            // A walk lazier than this hardly moves in any number of steps worth taking.
            Self::RandomWalk { .. } => Domain::Between { low: 2.0, high: 1e3 },
            Self::VonNeumann { .. } => Domain::Between { low: 0.0, high: 1.0 },
        }
    }
}

/// A prior from the smallest eigenpairs of a Laplacian, of rank k: K = scale · Σ f(λₖ) uₖuₖᵀ over
/// those kept. Another transform of the same graph costs O(k); the eigenvectors stay.
///
/// As a [`PriorFamily`] it learns the scale and the transform's parameter. The eigenvectors are
/// those of one graph: the graph given to [`PriorFamily::on`] must have as many nodes, and is not
/// looked at otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectralPrior {
    vectors: Arc<Array2<f64>>,
    values: Arc<Array1<f64>>,
    transform: Transform,
    scale: f64,
}

impl SpectralPrior {
    /// From eigenpairs (see [`Laplacian::smallest`](gaussfield_laplacian::Laplacian::smallest)).
    ///
    /// # Errors
    /// A transform out of range, or one that is not for these eigenvalues.
    pub fn new(spectrum: &Spectrum, transform: Transform, scale: f64) -> Result<Self, GpError> {
        check_positive("the scale of the prior", scale)?;
        let largest = spectrum.values.iter().copied().fold(0.0, f64::max);
        transform.check(largest)?;
        Ok(Self {
            vectors: Arc::new(spectrum.vectors.clone()),
            values: Arc::new(spectrum.values.clone()),
            transform,
            scale,
        })
    }

    /// The same eigenvectors under another transform.
    ///
    /// # Errors
    /// As [`SpectralPrior::new`].
    pub fn with_transform(mut self, transform: Transform) -> Result<Self, GpError> {
        transform.check(self.values.iter().copied().fold(0.0, f64::max))?;
        self.transform = transform;
        Ok(self)
    }

    /// scale · f(λₖ) for every eigenpair kept.
    pub fn weights(&self) -> Array1<f64> {
        self.values.mapv(|lambda| self.scale * self.transform.at(lambda).0)
    }

    fn row(&self, node: usize) -> ArrayView1<'_, f64> {
        self.vectors.row(node)
    }
}

impl Prior for SpectralPrior {
    fn nodes(&self) -> usize {
        self.vectors.nrows()
    }

    /// O(n·k·l) for l columns from k eigenpairs.
    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        check_nodes(nodes, self.nodes())?;
        let weighted = &self.vectors.select(Axis(0), nodes) * &self.weights();
        Ok(self.vectors.dot(&weighted.t()).into())
    }

    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        check_nodes(nodes, self.nodes())?;
        let weights = self.weights();
        let variance = |&node: &usize| {
            self.row(node).iter().zip(&weights).map(|(u, weight)| u * u * weight).sum()
        };
        Ok(nodes.iter().map(variance).collect())
    }

    fn pullback(
        &self,
        nodes: &[usize],
        columns: &Columns,
        by_gram: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        let by_scale: f64 = (&columns.values.select(Axis(0), nodes) * by_gram).sum() / self.scale;
        // uₖ,Lᵀ M uₖ,L for every eigenpair.
        let labelled = self.vectors.select(Axis(0), nodes);
        let seen = (&by_gram.dot(&labelled) * &labelled).sum_axis(Axis(0));
        let slope = |lambda: &f64| self.scale * self.transform.at(*lambda).1;
        let by_transform = self.values.iter().map(slope).zip(&seen).map(|(f, s)| f * s).sum();
        Ok(PriorGradient { parameters: vec![by_scale, by_transform], edges: None })
    }
}

impl PriorFamily for SpectralPrior {
    type On = Self;

    fn parameters(&self) -> Vec<f64> {
        vec![self.scale, self.transform.parameter()]
    }

    fn parameter_names(&self) -> Vec<&'static str> {
        vec!["scale", self.transform.parameter_name()]
    }

    fn parameter_domains(&self) -> Vec<Domain> {
        vec![Domain::Positive, self.transform.parameter_domain()]
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GpError> {
        let &[scale, parameter] = parameters else {
            return Err(GpError::ParameterCount { expected: 2, got: parameters.len() });
        };
        check_positive("the scale of the prior", scale)?;
        let moved = self.clone().with_transform(self.transform.with_parameter(parameter))?;
        Ok(Self { scale, ..moved })
    }

    fn follows_graph(&self) -> bool {
        false
    }

    fn on(&self, graph: &Graph) -> Result<Self, GpError> {
        let (got, nodes) = (self.nodes(), graph.nodes());
        if got != nodes {
            return Err(GpError::NodeCount { what: "the spectrum of the prior", nodes, got });
        }
        Ok(self.clone())
    }
}
