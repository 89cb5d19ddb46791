//! A description that was run.

use super::method::Answer;
use super::{Description, DescriptionError};
use gaussfield_core::Facts;
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
}

impl Fitted {
    pub(super) fn new(
        description: Description,
        prepared: Vec<Prepared>,
        mut facts: Facts,
        answer: Answer,
    ) -> Result<Self, DescriptionError> {
        let predictions = answer.nodes.predictions(&description.decision)?;
        let found = answer.nodes.facts();
        if found.get("method").is_none() {
            facts = facts.with("method", description.method.name());
        }
        facts.extend(found);
        facts.extend(description.decision.facts());
        Ok(Self { description, prepared, predictions, facts, answer })
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
