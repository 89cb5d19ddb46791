use crate::{Likelihood, Posterior};
use gaussfield_graph::EdgeGradient;
use ndarray::{Array1, Array2, Axis};

/// The gradient of the log evidence, eq. (54), in everything it depends on.
///
/// Corrected: with the report's formulas for ∂w/∂α and ∂G/∂σ a factor of 2 would be missing.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceGradient {
    /// ∂/∂β.
    pub beta: f64,
    /// ∂/∂σ.
    pub sigma: f64,
    /// The change when the prior mean of all nodes is raised together.
    pub mean: f64,
    /// For each parameter of the likelihood, in its own order.
    pub likelihood: Vec<f64>,
    /// ∂/∂w on every edge, for a weight family to pull back.
    pub edges: EdgeGradient,
}

impl<L: Likelihood> Posterior<L> {
    /// The gradient of [`Posterior::log_evidence`].
    ///
    /// No solve beyond those of the fit: O(l³ + n l²), and O(m·l) for the pullback of the edges
    /// whatever the number of parameters of the weights.
    pub fn gradient(&self) -> EvidenceGradient {
        let sensitivity = self.sensitivity();
        let Sensitivity { gram: by_gram, pulled, variances } = &sensitivity;
        let (beta, sigma) = (self.prior.beta, self.prior.sigma);

        // With Q = β(Δ + I/σ²): ∂G/∂β = −G/β, ∂G/∂σ = (2β/σ³) G².
        let potentials = self.columns.dot(by_gram);
        let by_square = (&potentials * &self.columns).sum();
        let by_beta = -(by_gram * &self.gram).sum() / beta;
        let by_sigma = 2.0 * beta / sigma.powi(3) * by_square;

        // A constant added to a column of Z changes no difference across an edge. Taking its mean
        // off keeps the differences exact where the columns are large and nearly constant.
        let centre = self.columns.mean_axis(Axis(0));
        let centred = centre.map_or_else(|| self.columns.clone(), |mean| &self.columns - &mean);
        let edges = EdgeGradient {
            potentials: centred.dot(by_gram) * beta,
            adjoints: centred,
            node_terms: Array1::zeros(self.prior.nodes),
        };
        EvidenceGradient {
            beta: by_beta,
            sigma: by_sigma,
            mean: self.labelled.dual.sum() + pulled.sum(),
            likelihood: self.likelihood_gradient(pulled, variances),
            edges,
        }
    }

    /// ∂ log p at ŷ, the change of W in log|B|, and the mode that moves by
    /// (I + GW)⁻¹ G ∂(∇log p).
    fn likelihood_gradient(&self, pulled: &Array1<f64>, variances: &Array1<f64>) -> Vec<f64> {
        let moved = self.gram.dot(pulled);
        let mut gradient = vec![0.0; self.likelihood.parameter_names().len()];
        let targets = self.observed.targets();
        for (i, &latent) in self.labelled.latent.iter().enumerate() {
            let slopes = self.likelihood.slopes(targets[i], latent);
            for (sum, slope) in gradient.iter_mut().zip(slopes) {
                *sum += slope.value + 0.5 * variances[i] * slope.second + moved[i] * slope.first;
            }
        }
        gradient
    }

    /// With R = W½B⁻¹W½, the evidence has the explicit derivative ½(aaᵀ − R) in G_LL. The mode
    /// moves too: log p − ½aᵀ(y−μ) is stationary there, but −½ log|B| has the slope
    /// sᵢ = ½ Σᵢᵢ ∂³ log p in ŷᵢ, and dŷ = (I + GW)⁻¹ dG a. Together, with c = (I + WG)⁻¹ s,
    /// M = ½(aaᵀ − R + caᵀ + acᵀ).
    fn sensitivity(&self) -> Sensitivity {
        let labelled = &self.labelled;
        let half = labelled.factor.forward(Array2::from_diag(&labelled.root));
        let inverse = half.t().dot(&half);
        let explained = half.dot(&self.gram);
        let known = explained.map_axis(Axis(0), |column| column.dot(&column));
        let variances = &self.gram.diag() - &known;
        let by_mode: Array1<f64> = labelled
            .densities
            .iter()
            .zip(&variances)
            .map(|(density, variance)| 0.5 * variance * density.third)
            .collect();
        let pulled = &by_mode - &inverse.dot(&self.gram.dot(&by_mode));
        let dual = &labelled.dual;
        let gram = Array2::from_shape_fn(inverse.dim(), |(i, j)| {
            let direct = dual[i] * dual[j] - inverse[[i, j]];
            0.5 * (direct + pulled[i] * dual[j] + dual[i] * pulled[j])
        });
        Sensitivity { gram, pulled, variances }
    }
}

/// How the log evidence reacts.
struct Sensitivity {
    /// M = ∂/∂G_LL, symmetric.
    gram: Array2<f64>,
    /// c = (I + WG)⁻¹ s.
    pulled: Array1<f64>,
    /// The diagonal of Σ_LL.
    variances: Array1<f64>,
}
