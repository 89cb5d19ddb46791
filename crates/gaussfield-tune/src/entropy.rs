//! Label entropy as an objective.

use crate::{Evaluation, Objective, TuneError, Workbench};
use gaussfield_core::{check, parameters};
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Field, HarmonicError, Smoothing};
use gaussfield_labels::{ClassPrior, Labels};
use gaussfield_laplacian::SolverOptions;
use ndarray::{Array1, Array2, Axis};

/// Average label entropy H(f) = (1/u) Σᵢ H(fᵢ) over the unlabelled nodes, in nats
/// [zhu2003 (11)]; divide by ln 2 for bits.
///
/// A good graph labels with confidence: small entropy. Without smoothing the entropy also
/// vanishes as the length scale goes to zero; a smoothing ε > 0 removes that nuisance minimum
/// (section 6). With [`Entropy::normalised`] the entropy is that of the probabilities after class
/// mass normalisation ([zhu2003 (15)], whose last factor is 1 − f(i)).
#[derive(Debug, Clone)]
pub struct Entropy {
    labels: Labels,
    smoothing: Smoothing,
    prior: Option<ClassPrior>,
}
parameters!(Entropy {});

impl Entropy {
    /// The plain entropy, without smoothing.
    pub fn new(labels: Labels) -> Self {
        Self { labels, smoothing: Smoothing::default(), prior: None }
    }

    /// Smooths the walk: P̃ = ε𝒰 + (1−ε)P. Default 0; the paper uses 0.01.
    ///
    /// # Errors
    /// ε outside [0, 1).
    pub fn smoothed(mut self, epsilon: f64) -> Result<Self, TuneError> {
        let inside = (0.0..1.0).contains(&epsilon);
        check::range("the smoothing ε", epsilon, inside, "at least 0 and below 1")?;
        self.smoothing.epsilon = epsilon;
        Ok(self)
    }

    /// Takes the entropy after class mass normalisation to this prior.
    ///
    /// # Errors
    /// A prior for another number of classes.
    pub fn normalised(mut self, prior: ClassPrior) -> Result<Self, TuneError> {
        prior.check_classes(self.labels.classes()).map_err(HarmonicError::from)?;
        self.prior = Some(prior);
        Ok(self)
    }

    /// Counts a self-loop of this weight on every node in the smoothed walk. Default 0;
    /// [zhu2003 (1)] read literally gives 1. Without smoothing it changes nothing.
    ///
    /// # Errors
    /// A weight that is negative or not finite.
    pub fn with_self_loops(mut self, weight: f64) -> Result<Self, TuneError> {
        check::not_negative("the self-loop weight", weight).map_err(HarmonicError::from)?;
        self.smoothing.self_loop = weight;
        Ok(self)
    }

    /// Chooses the solver. Default: by size and density.
    #[must_use]
    pub fn with_solver(mut self, solver: SolverOptions) -> Self {
        self.smoothing.solver = solver;
        self
    }

    /// The smoothed field that the entropy is taken of.
    ///
    /// # Errors
    /// Parts of the graph without a label when ε = 0, nodes without an edge, a failing solver.
    pub fn field(&self, graph: &Graph) -> Result<Field, TuneError> {
        Ok(self.smoothing.fit(graph, &self.labels)?)
    }

    fn field_on(&self, workbench: &mut Workbench, graph: &Graph) -> Result<Field, TuneError> {
        Ok(self.smoothing.fit_on(&mut workbench.memory.system, graph, &self.labels)?)
    }

    /// The class probabilities on the unlabelled nodes whose entropy counts, u × C.
    fn probabilities(&self, field: &Field) -> Result<Probabilities, TuneError> {
        let plain = field.values().select(Axis(0), field.interior());
        let Some(prior) = &self.prior else {
            return Ok(Probabilities { shares: plain.clone(), plain, masses: None });
        };
        let masses = plain.sum_axis(Axis(0));
        if let Some(class) = masses.iter().position(|&mass| mass <= 0.0) {
            return Err(TuneError::ZeroMass { class });
        }
        let scales: Array1<f64> =
            prior.as_slice().iter().zip(&masses).map(|(q, mass)| q / mass).collect();
        let scaled = &plain * &scales.clone().insert_axis(Axis(0));
        let sums = scaled.sum_axis(Axis(1)).insert_axis(Axis(1));
        let shares = scaled / &sums;
        Ok(Probabilities { shares, plain, masses: Some(Masses { masses, scales, sums }) })
    }
}

/// Probabilities before and after normalisation.
struct Probabilities {
    plain: Array2<f64>,
    /// F̄: what the entropy is taken of.
    shares: Array2<f64>,
    masses: Option<Masses>,
}

/// m_c = Σᵢ F_ic, a_c = q_c/m_c, zᵢ = Σ_c a_c F_ic.
struct Masses {
    masses: Array1<f64>,
    scales: Array1<f64>,
    sums: Array2<f64>,
}

impl Probabilities {
    fn entropy(&self) -> f64 {
        let sum: f64 = self.shares.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
        sum / self.shares.nrows() as f64
    }

    /// ∂H/∂F, u × C, up to a constant per row (rows of F sum to one).
    fn sensitivity(&self) -> Array2<f64> {
        let u = self.shares.nrows() as f64;
        // A value that underflowed to zero has no finite logarithm; the smallest number stands in.
        let direct = self.shares.mapv(|p| -p.max(f64::MIN_POSITIVE).ln() / u);
        let Some(Masses { masses, scales, sums }) = &self.masses else {
            return direct;
        };
        // Through F̄ = a_c F_ic / zᵢ: t_ic = (e_ic − Σ_c e_ic F̄_ic)/zᵢ with respect to a_c F_ic,
        // then directly and through the masses m_c.
        let mean = (&direct * &self.shares).sum_axis(Axis(1)).insert_axis(Axis(1));
        let scaled = (direct - &mean) / sums;
        let through_mass = (&scaled * &self.plain).sum_axis(Axis(0)) / masses;
        (scaled - &through_mass.insert_axis(Axis(0))) * &scales.clone().insert_axis(Axis(0))
    }
}

impl Objective for Entropy {
    fn value_on(&self, workbench: &mut Workbench, graph: &Graph) -> Result<f64, TuneError> {
        Ok(self.probabilities(&self.field_on(workbench, graph)?)?.entropy())
    }

    fn evaluate_on(
        &self,
        workbench: &mut Workbench,
        graph: &Graph,
    ) -> Result<Evaluation, TuneError> {
        let field = self.field_on(workbench, graph)?;
        let probabilities = self.probabilities(&field)?;
        let edges = field
            .edge_gradient_on(&mut workbench.memory.system, probabilities.sensitivity().view())?;
        Ok(Evaluation { value: probabilities.entropy(), parameters: Vec::new(), edges })
    }
}
