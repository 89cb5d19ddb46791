use crate::error::check_length;
use crate::mixture::check_lambda;
use crate::{
    Backbone, Keep, MembershipSearch, Memberships, Mixture, MixtureError, Prototypes,
    Responsibilities,
};
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, Scores};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// What shares a point among M components: p(m | x) for any x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Encoder {
    /// A mixture fitted by EM.
    Mixture(Mixture),
    /// k-means centres or anchors.
    Prototypes(Prototypes),
}

impl Encoder {
    /// The number of components, M.
    pub fn len(&self) -> usize {
        match self {
            Self::Mixture(mixture) => mixture.len(),
            Self::Prototypes(prototypes) => prototypes.len(),
        }
    }

    /// Whether there is no component; never true.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// R_im = p(m | x_i).
    ///
    /// # Errors
    /// As [`Mixture::responsibilities`] and [`Prototypes::responsibilities`].
    pub fn responsibilities(
        &self,
        points: &Points,
        keep: Keep,
    ) -> Result<Responsibilities, MixtureError> {
        match self {
            Self::Mixture(mixture) => mixture.responsibilities(points, keep),
            Self::Prototypes(prototypes) => prototypes.responsibilities(points, keep),
        }
    }
}

impl From<Mixture> for Encoder {
    fn from(mixture: Mixture) -> Self {
        Self::Mixture(mixture)
    }
}

impl From<Prototypes> for Encoder {
    fn from(prototypes: Prototypes) -> Self {
        Self::Prototypes(prototypes)
    }
}

/// Fits the class memberships of given components to a graph (Zhu and Lafferty 2005, Figures 2
/// and 3).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HarmonicMixture {
    /// α and the accuracy of the search. Default: α = 0.
    pub search: MembershipSearch,
    /// How many responsibilities of each point are kept. Default: all.
    pub keep: Keep,
}

/// A harmonic mixture on its training points.
#[derive(Debug, Clone)]
pub struct HarmonicMixtureFit {
    /// For unseen points.
    pub model: Model,
    /// λ and its certificate.
    pub memberships: Memberships,
    /// Class probabilities of all training nodes: RΛ on unlabelled nodes, one-hot on labelled ones.
    pub scores: Scores,
}

impl HarmonicMixture {
    /// The memberships of the encoder's components on the graph. O(nMd + edges·M + M³).
    ///
    /// # Errors
    /// α outside [0, 1]; points, graph and labels of different size; no label; points the encoder
    /// does not take; a search that did not converge.
    pub fn fit(
        &self,
        encoder: impl Into<Encoder>,
        points: &Points,
        graph: &Graph,
        labels: &Labels,
    ) -> Result<HarmonicMixtureFit, MixtureError> {
        let encoder = encoder.into();
        check_length("points, one for each node of the graph", graph.nodes(), points.len())?;
        let responsibilities = encoder.responsibilities(points, self.keep)?;
        let backbone = Backbone::new(graph, labels, &responsibilities)?;
        let em = match &encoder {
            Encoder::Mixture(mixture) => Some(mixture.lambda()),
            Encoder::Prototypes(_) => None,
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
        Ok(HarmonicMixtureFit { model, memberships, scores })
    }
}

/// A fitted classifier for unseen points: p(y | x) = Σ_m p(m | x) λ_my. It needs no graph.
///
/// Invariant: λ is M × C, its rows distributions; C ≥ 1 class names.
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
    /// A λ of another size or whose rows are no distributions, r = 0.
    pub fn new(
        encoder: Encoder,
        lambda: Array2<f64>,
        names: Vec<String>,
        keep: Keep,
    ) -> Result<Self, MixtureError> {
        keep.check()?;
        check_lambda(lambda.view(), encoder.len(), names.len())?;
        Ok(Self { encoder, lambda, names, keep })
    }

    /// What shares points among components.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// λ_my = p(y | m), M × C.
    pub fn lambda(&self) -> ArrayView2<'_, f64> {
        self.lambda.view()
    }

    /// The class names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Class probabilities of any points. O(nMd).
    ///
    /// # Errors
    /// Points the encoder does not take: another dimension, counts that are no counts.
    pub fn predict(&self, points: &Points) -> Result<Scores, MixtureError> {
        let responsibilities = self.encoder.responsibilities(points, self.keep)?;
        Ok(Scores::new(responsibilities.product(self.lambda.view())?)?)
    }
}
