//! A description that was run.

use super::answer::Answer;
use super::extension::Extension;
use super::{Description, DescriptionError};
use crate::Choice;
use gaussfield_core::Facts;
use gaussfield_graph::Graph;
use gaussfield_harmonic::Field;
use gaussfield_labels::{Inductive, Labels, Named, Predictions, Scores, Transductive};
use gaussfield_points::Points;
use gaussfield_points::prepare::{self, Prepared};
use std::collections::BTreeMap;
use std::fmt;

/// What came of a [`Description`]: classes of the unlabelled points by name and probability, how they
/// were computed, and the description with every choice made.
///
/// It answers for points that come later too ([`Inductive`]): by its method where that has an answer
/// for them, else by a rule that the facts name under "new points", the weighted mean of the scores of
/// the nearest points it was fitted to. [`Fitted::save`] keeps all of it in a file.
pub struct Fitted {
    pub(super) description: Description,
    /// What the preparations learned.
    pub(super) prepared: Vec<Prepared>,
    pub(super) predictions: Predictions,
    pub(super) facts: Facts,
    pub(super) answer: Answer,
    pub(super) graph: Option<Graph>,
    pub(super) labels: Labels,
    /// The points it was fitted to, prepared; none if it was fitted to a graph.
    pub(super) points: Option<Points>,
    pub(super) extension: Option<Extension>,
    pub(super) notes: BTreeMap<String, String>,
    pub(super) choices: Vec<Choice>,
}

/// What a method was fitted to, beside its graph.
pub(super) struct Seen {
    pub(super) prepared: Vec<Prepared>,
    /// Prepared.
    pub(super) points: Option<Points>,
    pub(super) labels: Labels,
    pub(super) extension: Option<Extension>,
}

impl Fitted {
    pub(super) fn new(
        description: Description,
        seen: Seen,
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
        facts.extend(answer.before.clone());
        facts.extend(description.decision.facts());
        let Seen { prepared, points, labels, extension } = seen;
        let extension = extension.filter(|_| answer.new.is_none());
        let rule = match (&answer.new, &extension) {
            (Some(_), _) => "by the method".to_owned(),
            (None, Some(extension)) => extension.words(),
            (None, None) => "no answer: a graph was given, and no points".to_owned(),
        };
        facts.add("new points", rule);
        let (notes, choices) = (BTreeMap::new(), Vec::new());
        Ok(Self {
            description,
            prepared,
            predictions,
            facts,
            answer,
            graph,
            labels,
            points,
            extension,
            notes,
            choices,
        })
    }

    /// With choices that were made before: what was found out since takes the place of an earlier
    /// choice about the same part, or comes after all.
    pub(crate) fn planned(mut self, before: &[Choice]) -> Self {
        let found = std::mem::replace(&mut self.choices, before.to_vec());
        for choice in found {
            match self.choices.iter_mut().find(|known| known.part == choice.part) {
                Some(known) => *known = choice,
                None => self.choices.push(choice),
            }
        }
        self
    }

    /// Every automatic choice with its reason: those of the [`Plan`](crate::Plan) it came from, if
    /// there was one, then what was left open and found out on the way: graph, search, weights,
    /// solver. Saved with the model.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
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
        let shares = self.description.decision.shares(&self.interior_scores()?)?;
        let mut all = self.scores().values().to_owned();
        for (row, &node) in shares.values().rows().into_iter().zip(interior) {
            if self.islands().binary_search(&node).is_err() {
                all.row_mut(node).assign(&row);
            }
        }
        Ok(Scores::new(all)?)
    }

    /// The points it was fitted to, as the preparations made them; none if a graph was given.
    pub fn points(&self) -> Option<&Points> {
        self.points.as_ref()
    }

    /// The labels it was fitted to.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// What a program noted down beside the model, by name: it is saved with it.
    pub fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// Notes something down.
    pub fn note(&mut self, name: impl Into<String>, note: impl Into<String>) {
        self.notes.insert(name.into(), note.into());
    }

    /// The graph it ran on, if its method runs on one. A model that was loaded keeps it only where
    /// its method needs it for new points.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The field of a method on the graph that gives one: it keeps its factorisation and answers
    /// further questions, such as what each label is in the eyes of the others
    /// ([`Field::leave_one_out`]) or which node to ask about next ([`Field::what_if`]). A model that
    /// was loaded has none: run its description again on the points.
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

    fn islands(&self) -> &[usize] {
        self.answer.nodes.islands()
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

impl Inductive<Points> for Fitted {
    type Error = DescriptionError;

    fn predict(&self, points: &Points) -> Result<Scores, DescriptionError> {
        let method = self.description.method.name();
        let budget = self.description.budget;
        let points = prepare::apply_all(&self.prepared, points, budget)
            .map_err(DescriptionError::Prepare)?;
        match (&self.answer.new, &self.extension) {
            (Some(new), _) => {
                new(&points).map_err(|error| DescriptionError::Method { method, error })
            }
            (None, Some(extension)) => {
                let values = extension.predict(self.scores(), &points, budget);
                Ok(Scores::new(values.map_err(DescriptionError::Graph)?)?)
            }
            (None, None) => Err(DescriptionError::NotForNewPoints { method }),
        }
    }
}
