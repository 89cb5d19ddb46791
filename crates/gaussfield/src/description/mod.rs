//! One description of a whole model: what a program, a file and another language share.
//!
//! Graph, weights, method, decision and tuning are plain values, so that a [`Description`] can be
//! written in TOML or JSON, checked, run and kept beside its answer. Names are in kebab-case. What is
//! left out takes its default or is chosen from the points, and the [`Fitted`] model says what was
//! chosen: its description runs again without any choice left, to the same answer.
//!
//! ```
//! use gaussfield::data::generate::TwoMoons;
//! use gaussfield::description::Description;
//! use gaussfield::prelude::*;
//!
//! let description = Description::from_toml(
//!     r#"
//!     [graph.knn]
//!     k = 8
//!
//!     [method.consistency]
//!     alpha = 0.95
//!
//!     [tuning.objective.entropy]
//!     epsilon = 0.01
//!     "#,
//! )?;
//! let moons = TwoMoons { n: 60, noise: 0.05 }.generate(7)?;
//! let labels = moons.labels.keep(&[0, 59])?;
//! let fitted = description.fit(&moons.points, &labels)?;
//! for p in fitted.predictions().iter().take(3) {
//!     assert_eq!(p.to_string(), format!("{}: {} ({:.2})", p.row, p.class, p.probability));
//! }
//! // The length scale was left out: it began at the mean distance and was then learned.
//! let chosen = fitted.description();
//! assert!(chosen.weights.is_some() && chosen.tuning.is_none());
//! let again = Description::from_toml(&chosen.to_toml()?)?.fit(&moons.points, &labels)?;
//! assert_eq!(again.predictions(), fitted.predictions());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | part | what it says | left out |
//! |---|---|---|
//! | `prepare` | a list of [`Preparation`]s: `standardise`, `unit-rows`, `hog`, … | features as they are |
//! | `graph` | a [`PatternChoice`]: `knn`, `ball`, `complete` | the ten nearest neighbours |
//! | `weights` | a [`FamilyChoice`]: `exponential`, `tanh`, … | exponential, on the mean distance of the edges |
//! | `method` | a [`Method`] | must be said |
//! | `decision` | a [`Decision`] | the largest score |
//! | `tuning` | a [`Tuning`]: which objective learns the weights, and how | nothing is learned |
//! | `budget` | the memory of patterns and weights, and of scores | 4 GiB |
//!
//! A method that sees no graph ([`Method::needs_graph`]) refuses one, and its tuning.

mod answer;
mod choices;
mod error;
mod extension;
mod fitted;
mod method;
mod process;
mod questions;
mod saved;
mod tuning;

pub use error::{DescriptionError, MethodError};
pub use fitted::Fitted;
pub use method::Method;
pub use process::{InferenceChoice, PriorChoice, Probabilities, ProcessChoice, WarpedChoice};
pub use saved::ModelError;
pub use tuning::{EntropyChoice, ObjectiveChoice, Tuning};

use crate::Choice;
use extension::{Extension, Scales};
use fitted::Seen;
use gaussfield_core::{Budget, Facts, Parameters as _};
use gaussfield_graph::{
    CosineExponential, Exponential, FamilyChoice, Graph, Metric, Pattern, PatternChoice,
    WeightFamily as _,
};
use gaussfield_labels::{Decision, Labels, LabelsError, Scores};
use gaussfield_points::Points;
use gaussfield_points::prepare::{self, Preparation};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A model, said in full before any point is seen. The module's page shows one in TOML.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Description {
    /// What is done to the features first, one thing after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepare: Vec<Preparation>,
    /// Which pairs of points have an edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<PatternChoice>,
    /// What an edge weighs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<FamilyChoice>,
    /// How labels become scores.
    pub method: Method,
    /// How scores become classes.
    #[serde(default)]
    pub decision: Decision,
    /// How the weights are learned, from where they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Tuning>,
    /// The memory that the pattern and its weights may take, and the scores of all classes; that of
    /// solvers is among their options.
    #[serde(default)]
    pub budget: Budget,
}

impl From<Method> for Description {
    /// The method with everything else left out.
    fn from(method: Method) -> Self {
        let (graph, weights, tuning) = (None, None, None);
        Self {
            prepare: Vec::new(),
            graph,
            weights,
            method,
            decision: Decision::default(),
            tuning,
            budget: Budget::default(),
        }
    }
}

impl Description {
    /// Reads TOML, and [checks](Description::check) it.
    ///
    /// # Errors
    /// Not TOML, a field that does not exist, a value of the wrong kind, each with its line; as
    /// [`Description::check`].
    pub fn from_toml(text: &str) -> Result<Self, DescriptionError> {
        let unreadable = |error: toml::de::Error| DescriptionError::unreadable("TOML", &error);
        let read: Self = toml::from_str(text).map_err(unreadable)?;
        read.check().map(|()| read)
    }

    /// Reads JSON, and [checks](Description::check) it.
    ///
    /// # Errors
    /// As [`Description::from_toml`].
    pub fn from_json(text: &str) -> Result<Self, DescriptionError> {
        let unreadable = |error: serde_json::Error| DescriptionError::unreadable("JSON", &error);
        let read: Self = serde_json::from_str(text).map_err(unreadable)?;
        read.check().map(|()| read)
    }

    /// Writes TOML.
    ///
    /// # Errors
    /// A number that TOML does not have, such as a seed past 2⁶³.
    pub fn to_toml(&self) -> Result<String, DescriptionError> {
        toml::to_string(self).map_err(|error| DescriptionError::unwritable("TOML", &error))
    }

    /// Writes JSON.
    ///
    /// # Errors
    /// A number that JSON does not have: one that is not finite.
    pub fn to_json(&self) -> Result<String, DescriptionError> {
        serde_json::to_string_pretty(self)
            .map_err(|error| DescriptionError::unwritable("JSON", &error))
    }

    /// Whether the parts go together, and the weights have parameters in their ranges: all that can
    /// be said without points. The options of a method are checked by the method, at the fit.
    ///
    /// # Errors
    /// A part that the method does not use, parameters of weights out of range, tuning of weights
    /// that have nothing to learn.
    pub fn check(&self) -> Result<(), DescriptionError> {
        let method = self.method.name();
        let parts = [
            ("graph", self.graph.is_some()),
            ("weights", self.weights.is_some()),
            ("tuning", self.tuning.is_some()),
        ];
        if let Some((part, _)) = parts.into_iter().find(|part| part.1)
            && !self.method.needs_graph()
        {
            return Err(DescriptionError::NotUsed { part, method });
        }
        if let Some(weights) = &self.weights {
            weights.check_parameters().map_err(|error| DescriptionError::Weights(error.into()))?;
        }
        let still = self.weights.as_ref().is_some_and(|weights| weights.parameters().is_empty());
        match &self.tuning {
            Some(tuning) => tuning.check(&self.method, still),
            None => Ok(()),
        }
    }

    /// Runs the description: preparations, graph, weights, tuning, method, decision.
    ///
    /// # Errors
    /// As [`Description::check`], and what each part returns, under its name.
    pub fn fit(&self, points: &Points, labels: &Labels) -> Result<Fitted, DescriptionError> {
        self.check()?;
        self.check_labels(labels)?;
        let mut chosen = Self { tuning: None, ..self.clone() };
        let mut facts = Facts::default();
        let mut found = Vec::new();
        let (prepared, points) = prepare::fit_all(&self.prepare, points, self.budget)
            .map_err(DescriptionError::Prepare)?;
        let points = &points;
        let (graph, scales) = if self.method.needs_graph() {
            self.graph(points, labels, &mut chosen, (&mut facts, &mut found))?
        } else {
            (Graph::from_edges(points.len(), []).map_err(DescriptionError::Graph)?, None)
        };
        let extension = match (&chosen.graph, &chosen.weights) {
            (Some(graph), Some(weights)) => Some(Extension::new(points, graph, weights, scales)),
            _ => None,
        };
        let (points, labels) = (Some(points.clone()), labels.clone());
        let seen = Seen { prepared, points, labels, extension };
        Ok(chosen.answer(seen, graph, facts)?.planned(&found))
    }

    /// The graph that it runs on: preparations, pattern, weights. Nothing is learned.
    ///
    /// # Errors
    /// A method that sees no graph, and what each part returns, under its name.
    pub fn graph_of(&self, points: &Points) -> Result<Graph, DescriptionError> {
        self.check()?;
        if !self.method.needs_graph() {
            return Err(DescriptionError::NoGraph { method: self.method.name() });
        }
        let (_, points) = prepare::fit_all(&self.prepare, points, self.budget)
            .map_err(DescriptionError::Prepare)?;
        let choice = self.graph.unwrap_or_else(|| usual_graph(&points));
        let pattern = choice.pattern(&points, self.budget).map_err(DescriptionError::Graph)?;
        let weights = self.weights.clone().unwrap_or_else(|| usual_weights(&pattern));
        weights.graph(&pattern, self.budget).map_err(DescriptionError::Weights)
    }

    /// Runs the description on a graph that is there already: method and decision.
    ///
    /// ```
    /// use gaussfield::description::Description;
    /// use gaussfield::graph::Graph;
    /// use gaussfield::labels::Labels;
    ///
    /// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.2), (2, 3, 1.0)])?;
    /// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
    /// let fitted = Description::from_toml("method.harmonic = {}")?.fit_graph(graph, &labels)?;
    /// assert_eq!(fitted.predictions().classes(), [0, 1]);
    /// # Ok::<(), gaussfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// A description that says how to make a graph, a method that looks at points, and what the
    /// method returns.
    pub fn fit_graph(&self, graph: Graph, labels: &Labels) -> Result<Fitted, DescriptionError> {
        let parts = [
            ("prepare", !self.prepare.is_empty()),
            ("graph", self.graph.is_some()),
            ("weights", self.weights.is_some()),
            ("tuning", self.tuning.is_some()),
        ];
        if let Some((part, _)) = parts.into_iter().find(|part| part.1) {
            return Err(DescriptionError::GraphGiven { part });
        }
        if self.method.needs_points() {
            return Err(DescriptionError::NeedsPoints { method: self.method.name() });
        }
        self.check_labels(labels)?;
        let facts = Facts::default().with("edges", graph.edges());
        let (prepared, labels) = (Vec::new(), labels.clone());
        let seen = Seen { prepared, points: None, labels, extension: None };
        self.clone().answer(seen, graph, facts)
    }

    /// Labels that nothing can be learned from, more classes than there is memory for, and a decision
    /// for another number of them, are found before the work, not after it.
    fn check_labels(&self, labels: &Labels) -> Result<(), DescriptionError> {
        if labels.as_slice().iter().all(Option::is_none) {
            return Err(LabelsError::NoLabels.into());
        }
        labels.take_scores(self.budget)?;
        self.decision.decide(&Scores::new(Array2::zeros((0, labels.classes())))?)?;
        Ok(())
    }

    /// Runs the method and the decision, with everything before them done.
    fn answer(
        mut self,
        seen: Seen,
        graph: Graph,
        facts: Facts,
    ) -> Result<Fitted, DescriptionError> {
        // Who was given a graph alone does not look at points: one number for each node.
        let nothing = || Points::dense(Array2::zeros((graph.nodes(), 1)));
        let points = seen.points.clone().map_or_else(nothing, Ok);
        let points = points.map_err(|error| DescriptionError::Graph(error.into()))?;
        let answer = self.method.fit(&points, &graph, &seen.labels)?;
        let said = self.method.clone();
        if let Some(method) = &answer.chosen {
            self.method = method.clone();
        }
        let graph = Some(graph).filter(|_| self.method.needs_graph());
        let mut fitted = Fitted::new(self, seen, facts, answer, graph)?;
        let done = &fitted.description.method;
        fitted.choices = choices::of_method(&said, done, &fitted.facts);
        Ok(fitted)
    }

    /// The graph, and the local scales of its weights if they have any; what was chosen for it goes to
    /// `chosen`.
    fn graph(
        &self,
        points: &Points,
        labels: &Labels,
        chosen: &mut Self,
        (facts, found): (&mut Facts, &mut Vec<Choice>),
    ) -> Result<(Graph, Option<Scales>), DescriptionError> {
        let choice = self.graph.unwrap_or_else(|| usual_graph(points));
        let pattern = choice.pattern(points, self.budget).map_err(DescriptionError::Graph)?;
        if let Some(recall) = pattern.recall() {
            facts.add("recall of the neighbours", recall.share);
            facts.add("lists compared for it", recall.sample);
        }
        found.extend(choices::of_pattern(self, &choice, points));
        let mut weights = self.weights.clone().unwrap_or_else(|| usual_weights(&pattern));
        if let Some(tuning) = &self.tuning {
            weights = tuning.learn(&pattern, weights, labels, chosen, facts)?;
        }
        found.extend(choices::of_weights(self, &weights, facts));
        let graph = weights.graph(&pattern, self.budget).map_err(DescriptionError::Weights)?;
        facts.add("edges", graph.edges());
        let scales = weights.local_scale().map(|near| pattern.local_scales(near, self.budget));
        let scales = scales.transpose().map_err(DescriptionError::Weights)?;
        (chosen.graph, chosen.weights) = (Some(choice), Some(weights));
        Ok((graph, scales))
    }
}

/// The ten nearest neighbours, or all where there are fewer.
fn usual_graph(points: &Points) -> PatternChoice {
    let (symmetry, metric, search) = Default::default();
    PatternChoice::Knn { k: points.len().saturating_sub(1).clamp(1, 10), symmetry, metric, search }
}

/// Weights that fall to 1/e at the mean distance of the edges.
fn usual_weights(pattern: &Pattern) -> FamilyChoice {
    // Where all points are equal, any scale will do.
    let mean = Some(pattern.mean_distance()).filter(|mean| *mean > 0.0).unwrap_or(1.0);
    match pattern.metric() {
        Metric::Cosine => FamilyChoice::CosineExponential(CosineExponential { scale: mean }),
        _ => FamilyChoice::Exponential(Exponential { sigma: mean }),
    }
}
