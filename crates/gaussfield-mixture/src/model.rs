//! The harmonic mixture, and the model for unseen points it leaves.

use crate::mixture::check_lambda;
use crate::responsibilities::ByBlocks as _;
use crate::{
    Assignment, Backbone, Discriminative, Keep, MembershipSearch, Memberships, Mixture,
    MixtureError, Prototypes, Responsibilities,
};
use gaussfield_core::{Budget, Facts, SizeMismatch};
use gaussfield_graph::Graph;
use gaussfield_labels::{Inductive, Labels, Named, Scores, Transductive};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// What shares a point among M components: p(m | x) for any x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Encoder {
    /// A mixture fitted by EM.
    #[serde(alias = "Mixture")]
    Mixture(Mixture),
    /// k-means centres or anchors.
    #[serde(alias = "Prototypes")]
    Prototypes(Prototypes),
    /// A discriminative model of clusters.
    Discriminative(Discriminative),
}

impl Encoder {
    /// The number of components, M.
    pub fn len(&self) -> usize {
        match self {
            Self::Mixture(mixture) => mixture.len(),
            Self::Prototypes(prototypes) => prototypes.len(),
            Self::Discriminative(model) => model.len(),
        }
    }

    /// Whether there is no component; never true.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// R_im = p(m | x_i).
    ///
    /// # Errors
    /// As [`Mixture::responsibilities`], [`Prototypes::responsibilities`] and
    /// [`Discriminative::responsibilities`].
    pub fn responsibilities(
        &self,
        points: &Points,
        keep: Keep,
    ) -> Result<Responsibilities, MixtureError> {
        match self {
            Self::Mixture(mixture) => mixture.responsibilities(points, keep),
            Self::Prototypes(prototypes) => prototypes.responsibilities(points, keep),
            Self::Discriminative(model) => model.responsibilities(points, keep),
        }
    }

    /// RΛ, a block of points at a time.
    fn predict(
        &self,
        points: &Points,
        lambda: ArrayView2<'_, f64>,
        keep: Keep,
    ) -> Result<Scores, MixtureError> {
        match self {
            Self::Mixture(mixture) => mixture.predict_with(points, lambda, keep),
            Self::Prototypes(prototypes) => prototypes.predict_with(points, lambda, keep),
            Self::Discriminative(model) => model.predict_with(points, lambda, keep),
        }
    }

    /// Whether R has all n × M numbers.
    fn is_dense(&self, keep: Keep) -> bool {
        let soft = match self {
            Self::Mixture(_) | Self::Discriminative(_) => true,
            Self::Prototypes(found) => matches!(found.assignment(), Assignment::Soft { .. }),
        };
        soft && keep == Keep::All
    }

    /// That what is stored can be used: densities that exist, numbers that belong together.
    fn check(&self, names: &[String]) -> Result<(), MixtureError> {
        let mixture = match self {
            Self::Mixture(mixture) => mixture,
            Self::Prototypes(_) => return Ok(()),
            Self::Discriminative(model) => return model.check(),
        };
        if mixture.class_names() != names {
            let own = mixture.class_names();
            let reason = format!("its mixture has the classes {own:?}, the model {names:?}");
            return Err(MixtureError::BadModel { reason });
        }
        let components = mixture.components();
        components.prepare(mixture.gamma(), components.centre().view()).map(|_| ())
    }
}

impl From<Mixture> for Encoder {
    fn from(mixture: Mixture) -> Self {
        Self::Mixture(mixture)
    }
}

impl From<Discriminative> for Encoder {
    fn from(model: Discriminative) -> Self {
        Self::Discriminative(model)
    }
}

impl From<Prototypes> for Encoder {
    fn from(prototypes: Prototypes) -> Self {
        Self::Prototypes(prototypes)
    }
}

/// Fits the class memberships of given components to a graph (Zhu and Lafferty 2005, Figures 2
/// and 3).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HarmonicMixture {
    /// α and the accuracy of the search. Default: α = 0.
    pub search: MembershipSearch,
    /// How many responsibilities of each point are kept. Default: all.
    pub keep: Keep,
    /// Whether the energy is that of the normalised Laplacian. Default: no, that of Δ = D − W.
    pub normalised: bool,
    /// Memory for all n × M responsibilities, should all be kept. Default 4 GiB.
    pub budget: Budget,
}

/// A harmonic mixture on its training points: the class probabilities are RΛ on unlabelled nodes,
/// one-hot on labelled ones. It answers for new points too.
#[derive(Debug, Clone)]
pub struct HarmonicMixtureFit {
    /// For unseen points.
    pub model: Model,
    /// λ and its certificate.
    pub memberships: Memberships,
    scores: Scores,
    interior: Vec<usize>,
}

impl HarmonicMixture {
    /// The memberships of the encoder's components on the graph. O(nMd + edges·M + n·M² + M³), or
    /// O(nMd + edges·r² + M³) if r responsibilities are kept.
    ///
    /// # Errors
    /// α outside [0, 1]; points, graph and labels of different size; no label; points the encoder
    /// does not take; responsibilities over the memory budget; components that nothing determines
    /// (see [`Undetermined`](crate::Undetermined)); a search that did not converge.
    pub fn fit(
        &self,
        points: &Points,
        graph: &Graph,
        labels: &Labels,
        encoder: impl Into<Encoder>,
    ) -> Result<HarmonicMixtureFit, MixtureError> {
        let encoder = encoder.into();
        SizeMismatch::check("points, one for each node of the graph", graph.nodes(), points.len())?;
        if encoder.is_dense(self.keep) {
            let all = "all responsibilities (Keep::Largest keeps fewer)";
            let columns = if self.normalised { 2 * encoder.len() } else { encoder.len() };
            self.budget.matrix(all, points.len(), columns)?;
        }
        let responsibilities = encoder.responsibilities(points, self.keep)?;
        let measure = if self.normalised { Backbone::normalised } else { Backbone::new };
        let backbone = measure(graph, labels, &responsibilities)?;
        let em = match &encoder {
            Encoder::Mixture(mixture) => Some(mixture.lambda()),
            Encoder::Prototypes(_) | Encoder::Discriminative(_) => None,
        };
        let memberships = self.search.solve(&backbone, em)?;
        let mut values = responsibilities.product(memberships.lambda.view())?;
        for (mut row, class) in values.rows_mut().into_iter().zip(labels.as_slice()) {
            if let Some(class) = *class {
                row.fill(0.0);
                row[class] = 1.0;
            }
        }
        let scores = Scores::new(values)?;
        let names = labels.names().to_vec();
        let model = Model::new(encoder, memberships.lambda.clone(), names, self.keep)?;
        Ok(HarmonicMixtureFit { model, memberships, scores, interior: labels.unlabelled() })
    }
}

impl Named for HarmonicMixtureFit {
    fn class_names(&self) -> &[String] {
        &self.model.names
    }
}

impl Transductive for HarmonicMixtureFit {
    fn scores(&self) -> &Scores {
        &self.scores
    }

    fn interior(&self) -> &[usize] {
        &self.interior
    }

    fn facts(&self) -> Facts {
        let found = &self.memberships;
        Facts::default()
            .with("method", "harmonic mixture")
            .with("components", found.lambda.nrows())
            .with("rank of the backbone", found.rank)
            .with("steps for the memberships", found.iterations)
            .with("optimality residual", found.kkt.residual)
            .with("duality gap", found.kkt.gap)
            .with("components left open", found.undetermined.len())
    }
}

impl Inductive<Points> for HarmonicMixtureFit {
    type Error = MixtureError;

    fn predict(&self, points: &Points) -> Result<Scores, MixtureError> {
        self.model.predict(points)
    }
}

/// A fitted classifier for unseen points: p(y | x) = Σ_m p(m | x) λ_my. It needs no graph.
///
/// Invariant: λ is M × C, its rows distributions; C ≥ 1 different class names, those of the encoder
/// if it has any; the encoder's densities exist. It is read back by serde through the same checks; the
/// umbrella's models are sealed files of any method.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(crate) encoder: Encoder,
    pub(crate) lambda: Array2<f64>,
    pub(crate) names: Vec<String>,
    pub(crate) keep: Keep,
}

impl Model {
    /// A model from its parts.
    ///
    /// # Errors
    /// A λ of another size or whose rows are no distributions, r = 0, class names that repeat or
    /// are not those of the encoder, a covariance that is not positive definite.
    pub fn new(
        encoder: Encoder,
        lambda: Array2<f64>,
        names: Vec<String>,
        keep: Keep,
    ) -> Result<Self, MixtureError> {
        keep.check()?;
        check_lambda(lambda.view(), encoder.len(), names.len())?;
        // Labels know which names are allowed.
        Labels::new(Vec::new(), names.clone())?;
        encoder.check(&names)?;
        Ok(Self { encoder, lambda, names, keep })
    }

    /// λ_my = p(y | m), M × C.
    pub fn lambda(&self) -> ArrayView2<'_, f64> {
        self.lambda.view()
    }
}

impl Named for Model {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl Inductive<Points> for Model {
    type Error = MixtureError;

    /// O(nMd), a block of points at a time.
    fn predict(&self, points: &Points) -> Result<Scores, MixtureError> {
        self.encoder.predict(points, self.lambda.view(), self.keep)
    }
}
