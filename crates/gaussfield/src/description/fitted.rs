//! A description that was run.

use super::method::Answer;
use super::{Description, DescriptionError};
use gaussfield_core::Facts;
use gaussfield_graph::Graph;
use gaussfield_harmonic::Field;
use gaussfield_labels::{Inductive, Named, Predictions, Scores, Transductive};
use gaussfield_points::Points;
use gaussfield_points::prepare::{self, Prepared};
use std::fmt;

/// What came of a [`Description`]: classes of the unlabelled points by name and probability, how they
/// were computed, and the description with every choice made. It answers for points that come later
/// too ([`Inductive`]) where its method does.
pub struct Fitted {
    description: Description,
    /// What the preparations learned.
    prepared: Vec<Prepared>,
    predictions: Predictions,
    facts: Facts,
    answer: Answer,
    graph: Option<Graph>,
}

impl Fitted {
    pub(super) fn new(
        description: Description,
        prepared: Vec<Prepared>,
        mut facts: Facts,
        answer: Answer,
        graph: Option<Graph>,
    ) -> Result<Self, DescriptionError> {
        let predictions = answer.nodes.predictions(&description.decision)?;
        let found = answer.nodes.facts();
        if found.get("method").is_none() {
            facts = facts.with("method", description.method.name());
        }
        facts.extend(found);
        facts.extend(description.decision.facts());
        Ok(Self { description, prepared, predictions, facts, answer, graph })
    }

    /// The description with every automatic choice filled in and every learned parameter in its
    /// place: it runs again to the same answer, with nothing left to learn.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The class of every unlabelled point, by the decision of the description.
    pub fn predictions(&self) -> &Predictions {
        &self.predictions
    }

    /// The probability of each class at every point, as the decision sees it: class mass normalised
    /// where that is the decision. Labelled points hold what the method says of them, and points
    /// that no label reaches keep their prior.
    ///
    /// # Errors
    /// None for a model that was fitted: the decision has been made once.
    pub fn probabilities(&self) -> Result<Scores, DescriptionError> {
        let interior = self.interior();
        let islands = self.field().map(Field::islands).unwrap_or_default();
        let shares = self.description.decision.shares(&self.interior_scores()?)?;
        let mut all = self.scores().values().to_owned();
        for (row, &node) in shares.values().rows().into_iter().zip(interior) {
            if islands.binary_search(&node).is_err() {
                all.row_mut(node).assign(&row);
            }
        }
        Ok(Scores::new(all)?)
    }

    /// The graph it ran on, if its method runs on one.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The field of a method on the graph that gives one: it keeps its factorisation and answers
    /// further questions, such as what each label is in the eyes of the others
    /// ([`Field::leave_one_out`]) or which node to ask about next ([`Field::what_if`]).
    pub fn field(&self) -> Option<&Field> {
        self.answer.field.as_deref()
    }

    /// The classes of new points, by the same decision, which sees these points together.
    ///
    /// # Errors
    /// As [`Inductive::predict`] here: a method for the nodes of its graph only, points of another
    /// dimension.
    pub fn predict_new(&self, points: &Points) -> Result<Predictions, DescriptionError> {
        self.predictions_at(points, &self.description.decision)
    }
}

impl fmt::Debug for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Fitted");
        fields.field("description", &self.description).field("facts", &self.facts);
        fields.finish_non_exhaustive()
    }
}

impl Named for Fitted {
    fn class_names(&self) -> &[String] {
        self.answer.nodes.class_names()
    }
}

impl Transductive for Fitted {
    fn scores(&self) -> &Scores {
        self.answer.nodes.scores()
    }

    fn interior(&self) -> &[usize] {
        self.answer.nodes.interior()
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

impl Inductive<Points> for Fitted {
    type Error = DescriptionError;

    fn predict(&self, points: &Points) -> Result<Scores, DescriptionError> {
        let method = self.description.method.name();
        let new = self.answer.new.as_ref().ok_or(DescriptionError::NotForNewPoints { method })?;
        let points = prepare::apply_all(&self.prepared, points, self.description.budget)
            .map_err(DescriptionError::Prepare)?;
        new(&points).map_err(|error| DescriptionError::Method { method, error })
    }
}
