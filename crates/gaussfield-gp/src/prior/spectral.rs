//! A prior from the smallest eigenpairs of a graph Laplacian.

use super::{Columns, Prior, PriorFamily, PriorGradient};
use crate::{GpError, Memory};
use gaussfield_core::{
    Budget, Domain, NoSuchNode, OutOfRange, Parameter, ParameterError, Parameters, SizeMismatch,
    check,
};
use gaussfield_graph::Graph;
use gaussfield_laplacian::Spectrum;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A covariance as a function of the eigenvalues of a Laplacian: K = Σ f(λₖ) uₖuₖᵀ with
/// f = 1/r, [kapoor2005 (2)] (Smola and Kondor 2003; CMU-CS-03-175, section 3). The smoother an eigenvector, the
/// smaller its λ and the larger its share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
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
    fn check(&self, largest: f64) -> Result<(), OutOfRange> {
        let normalised = || {
            let allowed = "at most 2: this transform is for the normalised Laplacian";
            check::range("the largest eigenvalue", largest, largest <= 2.0 + 1e-9, allowed)
        };
        match *self {
            Self::Regularised { sigma } | Self::Diffusion { sigma } => {
                check::positive("sigma", sigma)
            }
            Self::RandomWalk { a, steps } => {
                check::at_least("the number of steps p", steps as usize, 1)?;
                check::range("a", a, a >= 2.0 && a.is_finite(), "at least 2")?;
                normalised()
            }
            Self::VonNeumann { alpha } => {
                check::fraction("alpha", alpha)?;
                normalised()
            }
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

    /// The one parameter.
    fn parameter(&self) -> Parameter {
        match *self {
            Self::Regularised { sigma } | Self::Diffusion { sigma } => {
                Parameter::new("sigma", sigma, Domain::Positive)
            }
            // A walk lazier than this hardly moves in any number of steps worth taking.
            Self::RandomWalk { a, .. } => {
                Parameter::new("a", a, Domain::Between { low: 2.0, high: 1e3 })
            }
            Self::VonNeumann { alpha } => {
                Parameter::new("alpha", alpha, Domain::Between { low: 0.0, high: 1.0 })
            }
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
        check::positive("scale", scale)?;
        let largest = spectrum.values.iter().copied().fold(0.0, f64::max);
        transform.check(largest)?;
        Ok(Self {
            vectors: Arc::new(spectrum.vectors.clone()),
            values: Arc::new(spectrum.values.clone()),
            transform,
            scale,
        })
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
        NoSuchNode::check(nodes, self.nodes())?;
        let what = "the columns of the covariance";
        Budget::default().matrix(what, self.nodes(), 2 * nodes.len())?;
        let weighted = &self.vectors.select(Axis(0), nodes) * &self.weights();
        Ok(self.vectors.dot(&weighted.t()).into())
    }

    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
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

/// The scale, and the parameter of the transform.
impl Parameters for SpectralPrior {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::new("scale", self.scale, Domain::Positive), self.transform.parameter()]
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        let &[scale, parameter] = values else {
            return Err(SizeMismatch { what: "parameters", expected: 2, got: values.len() }.into());
        };
        let moved =
            Self { scale, transform: self.transform.with_parameter(parameter), ..self.clone() };
        moved.check_parameters()?;
        *self = moved;
        Ok(())
    }

    fn check_parameters(&self) -> Result<(), OutOfRange> {
        check::positive("scale", self.scale)?;
        self.transform.check(self.values.iter().copied().fold(0.0, f64::max))
    }
}

impl PriorFamily for SpectralPrior {
    type On = Self;

    fn follows_graph(&self) -> bool {
        false
    }

    fn on_with(&self, graph: &Graph, _: &mut Memory) -> Result<Self, GpError> {
        SizeMismatch::check("nodes of the spectrum", graph.nodes(), self.nodes())?;
        Ok(self.clone())
    }
}
