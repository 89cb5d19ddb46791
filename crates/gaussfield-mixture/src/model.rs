//! The harmonic mixture, and the model for unseen points it leaves.

use crate::error::{check, check_length};
use crate::mixture::check_lambda;
use crate::{
    Assignment, Backbone, Keep, MembershipSearch, Memberships, Mixture, MixtureError, Prototypes,
    Responsibilities,
};
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, Scores, median};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2, Axis};
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
        }
    }

    /// Whether R has all n × M numbers.
    fn is_dense(&self, keep: Keep) -> bool {
        let soft = match self {
            Self::Mixture(_) => true,
            Self::Prototypes(found) => matches!(found.assignment(), Assignment::Soft { .. }),
        };
        soft && keep == Keep::All
    }

    /// That what is stored can be used: densities that exist.
    fn check(&self, names: &[String]) -> Result<(), MixtureError> {
        let Self::Mixture(mixture) = self else { return Ok(()) };
        if mixture.names() != names {
            let reason =
                format!("its mixture has the classes {:?}, the model {names:?}", mixture.names());
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
    /// Most bytes of all n × M responsibilities, should all be kept. Default 4 GiB.
    pub memory: Budget,
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
    /// For two classes, the median of f on the unlabelled nodes: where the paper cuts, assuming
    /// classes of about equal size. [`Model::with_cut`] makes a model decide by it.
    pub median: Option<f64>,
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
        encoder: impl Into<Encoder>,
        points: &Points,
        graph: &Graph,
        labels: &Labels,
    ) -> Result<HarmonicMixtureFit, MixtureError> {
        let encoder = encoder.into();
        check_length("points, one for each node of the graph", graph.nodes(), points.len())?;
        if encoder.is_dense(self.keep) {
            let all = "all responsibilities (Keep::Largest keeps fewer)";
            self.memory.matrix(all, points.len(), encoder.len())?;
        }
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
        let median = match values.ncols() {
            2 => median(values.column(1).select(Axis(0), &labels.unlabelled()).view())?,
            _ => None,
        };
        let scores = Scores::new(values)?;
        let names = labels.names().to_vec();
        let model = Model::new(encoder, memberships.lambda.clone(), names, self.keep)?;
        Ok(HarmonicMixtureFit { model, memberships, scores, median })
    }
}

/// A fitted classifier for unseen points: p(y | x) = Σ_m p(m | x) λ_my. It needs no graph.
///
/// Invariant: λ is M × C, its rows distributions; C ≥ 1 different class names, those of the encoder
/// if it has any; the encoder's densities exist; a cut only for two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(crate) encoder: Encoder,
    pub(crate) lambda: Array2<f64>,
    pub(crate) names: Vec<String>,
    pub(crate) keep: Keep,
    pub(crate) cut: Option<f64>,
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
        Ok(Self { encoder, lambda, names, keep, cut: None })
    }

    /// The model with a place to cut: of two classes, [`Model::decide`] then says class 1 exactly
    /// if f is above it.
    ///
    /// # Errors
    /// Other than two classes, a cut outside [0, 1].
    pub fn with_cut(self, cut: f64) -> Result<Self, MixtureError> {
        check_length("classes of a model with a cut", 2, self.names.len())?;
        check("the cut", cut, (0.0..=1.0).contains(&cut), "between 0 and 1")?;
        Ok(Self { cut: Some(cut), ..self })
    }

    /// Where f is cut, if a place was given.
    pub fn cut(&self) -> Option<f64> {
        self.cut
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

    /// Class probabilities of any points. O(nMd), a block of points at a time.
    ///
    /// # Errors
    /// Points the encoder does not take: another dimension, counts that are no counts.
    pub fn predict(&self, points: &Points) -> Result<Scores, MixtureError> {
        self.encoder.predict(points, self.lambda.view(), self.keep)
    }

    /// The class of any points: by the cut, if there is one, else the most probable.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn decide(&self, points: &Points) -> Result<Vec<usize>, MixtureError> {
        let scores = self.predict(points)?;
        Ok(match self.cut {
            Some(cut) => scores.class(1).iter().map(|&f| usize::from(f > cut)).collect(),
            None => scores.argmax(),
        })
    }
}
