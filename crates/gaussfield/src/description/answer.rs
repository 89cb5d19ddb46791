//! What every method gives, whatever it is.

use super::{Method, MethodError};
use gaussfield_core::Facts;
use gaussfield_harmonic::{Field, Tempered, Weighed};
use gaussfield_labels::{Inductive, Labels, NodeScores, Scores, Transductive};
use gaussfield_mixture::EmFacts;
use gaussfield_points::Points;
use std::sync::Arc;

/// What a method found.
pub(super) struct Answer {
    /// About the points it was fitted to.
    pub(super) nodes: Arc<dyn Transductive + Send + Sync>,
    /// The same, where it is a field, which can be asked more.
    pub(super) field: Option<Arc<Field>>,
    /// About others.
    pub(super) new: Option<Predict>,
    /// The method with its choices made, if it had any to make.
    pub(super) chosen: Option<Method>,
    /// What was done before it, which the nodes do not tell of.
    pub(super) before: Facts,
}

pub(super) type Predict = Box<dyn Fn(&Points) -> Result<Scores, MethodError> + Send + Sync>;

impl Answer {
    /// About nodes only.
    pub(super) fn nodes(nodes: impl Transductive + Send + Sync + 'static) -> Self {
        Self::shared(Arc::new(nodes))
    }

    fn shared(nodes: Arc<dyn Transductive + Send + Sync>) -> Self {
        Self { nodes, field: None, new: None, chosen: None, before: Facts::default() }
    }

    /// About nodes, by a field.
    pub(super) fn field(field: Field) -> Self {
        let field = Arc::new(field);
        Self { field: Some(field.clone()), ..Self::shared(field) }
    }

    /// About nodes, by a field and what came of it.
    pub(super) fn weighed(found: Weighed, method: &Tempered) -> Self {
        let field = Some(Arc::new(found.field().clone()));
        let chosen = Tempered { sharpness: Some(found.sharpness()), ..method.clone() };
        Self { field, chosen: Some(Method::Tempered(chosen)), ..Self::nodes(found) }
    }

    /// About nodes and new points.
    pub(super) fn both<T>(answer: T) -> Self
    where
        T: Transductive + Inductive<Points> + Send + Sync + 'static,
        MethodError: From<T::Error>,
    {
        let answer = Arc::new(answer);
        let nodes = answer.clone();
        let new: Predict = Box::new(move |points| Ok(answer.predict(points)?));
        Self { new: Some(new), ..Self::shared(nodes) }
    }

    /// Of a method without a graph: the points it was fitted to are asked about like any others.
    pub(super) fn points<T>(
        method: &'static str,
        model: T,
        points: &Points,
        labels: &Labels,
    ) -> Result<Self, MethodError>
    where
        T: Inductive<Points> + Send + Sync + 'static,
        MethodError: From<T::Error>,
    {
        let facts = Facts::default().with("method", method);
        let nodes = NodeScores::new(labels, model.predict(points)?, facts)?;
        let new: Predict = Box::new(move |points| Ok(model.predict(points)?));
        Ok(Self { new: Some(new), ..Self::nodes(nodes) })
    }

    pub(super) fn choosing(self, method: Method) -> Self {
        Self { chosen: Some(method), ..self }
    }

    /// After EM, which went as these facts say.
    pub(super) fn after(self, em: &EmFacts) -> Self {
        Self { before: em.into(), ..self }
    }
}
