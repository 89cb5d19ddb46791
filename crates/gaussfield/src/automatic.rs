//! A description chosen from the data, with the reason of every choice.

use crate::description::{
    Description, DescriptionError, EntropyChoice, Method, ObjectiveChoice, Tuning,
};
use gaussfield_graph::{Metric, PatternChoice};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Decision, Islands, Labels};
use gaussfield_points::{Points, Rows};
use serde::Serialize;
use std::fmt;

/// Neighbours of each point.
const NEIGHBOURS: usize = 10;

/// Past this many points the length scale is not learned unless it is asked for: every step of the
/// search solves a system of this size.
const LEARNED_UP_TO: usize = 50_000;

/// A description for data at hand, and why it is what it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// What to run. Change what you know better.
    pub description: Description,
    /// One choice for each part, in the order of the road.
    pub choices: Vec<Choice>,
}

/// One automatic choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Which part of the description.
    pub part: &'static str,
    /// What was chosen, in words.
    pub chosen: String,
    /// Why.
    pub because: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, because {}", self.part, self.chosen, self.because)
    }
}

impl Description {
    /// A sound description for these points and labels, each choice with its reason.
    ///
    /// ```
    /// use gaussfield::data::generate::TwoMoons;
    /// use gaussfield::description::Description;
    ///
    /// let moons = TwoMoons { n: 100, noise: 0.05 }.generate(1)?;
    /// let labels = moons.labels.keep(&[0, 99])?;
    /// let plan = Description::automatic(&moons.points, &labels)?;
    /// for choice in &plan.choices {
    ///     println!("{choice}");
    /// }
    /// let fitted = plan.description.fit(&moons.points, &labels)?;
    /// assert_eq!(fitted.predictions().len(), 98);
    /// # Ok::<(), gaussfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// Labels without any class.
    pub fn automatic(points: &Points, labels: &Labels) -> Result<Plan, DescriptionError> {
        let mut choices = Vec::new();
        let mut choose = |part, chosen: String, because: String| {
            choices.push(Choice { part, chosen, because });
        };
        let prior = ClassPrior::add_one(labels)?;
        let k = points.len().saturating_sub(1).clamp(1, NEIGHBOURS);
        let (metric, why_metric) = match points.rows() {
            Rows::Sparse(_) => (Metric::Cosine, "sparse rows, as of text, differ by direction"),
            _ => (Metric::Euclidean, "the rows are dense numbers"),
        };
        let name = if metric == Metric::Cosine { "cosine" } else { "Euclidean" };
        choose(
            "graph",
            format!("{k} nearest neighbours, {name} distance"),
            format!("{why_metric}; a sparse graph follows the shape of the data"),
        );
        let (symmetry, search) = Default::default();
        let graph = Some(PatternChoice::Knn { k, symmetry, metric, search });

        let nothing_open = labels.unlabelled().is_empty();
        let learns = points.len() <= LEARNED_UP_TO && !nothing_open;
        let tuning = learns.then(|| Tuning {
            objective: ObjectiveChoice::Entropy(EntropyChoice::default()),
            minimise: Default::default(),
            hold: Vec::new(),
            believe: Default::default(),
            domains: Default::default(),
            starts: Vec::new(),
        });
        choose(
            "weights",
            if learns {
                "exponential, length scale learned by label entropy".to_owned()
            } else {
                "exponential, length scale at the mean edge".to_owned()
            },
            if learns {
                "with a learned scale probabilities mean what they say".to_owned()
            } else if nothing_open {
                "every point has a label, and entropy needs points without".to_owned()
            } else {
                format!(
                    "{} points are more than {LEARNED_UP_TO}; ask for tuning to learn it",
                    points.len()
                )
            },
        );
        choose(
            "method",
            "harmonic function".to_owned(),
            "it keeps the labels as they are and has one exact solution".to_owned(),
        );
        choose(
            "islands",
            "the class prior, flagged".to_owned(),
            "a part of the graph without a label tells nothing of its classes".to_owned(),
        );
        choose(
            "decision",
            "class mass normalisation to the proportions of the labels, each counted once more"
                .to_owned(),
            "with few labels a harmonic function favours classes that lie in the middle".to_owned(),
        );
        let islands = Islands::Prior(prior.clone());
        let method = Method::Harmonic(Harmonic { islands, ..Harmonic::default() });
        let decision = Decision::ClassMass(prior);
        let description = Self { graph, tuning, decision, ..Self::from(method) };
        Ok(Plan { description, choices })
    }
}
