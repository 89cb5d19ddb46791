//! A description chosen from the data, with the reason of every choice.

use crate::description::{
    Description, DescriptionError, EntropyChoice, Method, ObjectiveChoice, Tuning,
};
use gaussfield_graph::{Metric, PatternChoice};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Decision, Islands, Labels};
use gaussfield_points::prepare::Preparation;
use gaussfield_points::{Points, Rows};
use ndarray::Axis;
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
        let standardises = in_other_units(points);
        choose(
            "features",
            if standardises { "standardised" } else { "as they are" }.to_owned(),
            if standardises {
                "their ranges differ, and the widest would decide alone".to_owned()
            } else {
                "most of them have about the same range".to_owned()
            },
        );
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
        let prepare = if standardises { vec![Preparation::Standardise] } else { Vec::new() };
        let description = Self { prepare, graph, tuning, ..plain(&prior) };
        choices.extend(usual());
        Ok(Plan { description, choices })
    }

    /// A sound description for labels on a graph that is there already.
    ///
    /// # Errors
    /// Labels without any class.
    pub fn automatic_on_graph(labels: &Labels) -> Result<Plan, DescriptionError> {
        let description = plain(&ClassPrior::add_one(labels)?);
        let mut choices = vec![Choice {
            part: "graph",
            chosen: "as it is".to_owned(),
            because: "a graph was given".to_owned(),
        }];
        choices.extend(usual());
        Ok(Plan { description, choices })
    }
}

/// The harmonic function with class mass normalisation; islands have the prior.
fn plain(prior: &ClassPrior) -> Description {
    let islands = Islands::Prior(prior.clone());
    let method = Method::Harmonic(Harmonic { islands, ..Harmonic::default() });
    Description { decision: Decision::ClassMass(prior.clone()), ..Description::from(method) }
}

/// Why it is so.
fn usual() -> [Choice; 3] {
    let choice = |part, chosen: &str, because: &str| Choice {
        part,
        chosen: chosen.to_owned(),
        because: because.to_owned(),
    };
    [
        choice(
            "method",
            "harmonic function",
            "it keeps the labels as they are and has one exact solution",
        ),
        choice(
            "islands",
            "the class prior, flagged",
            "a part of the graph without a label tells nothing of its classes",
        ),
        choice(
            "decision",
            "class mass normalisation to the proportions of the labels, each counted once more",
            "with few labels a harmonic function favours classes that lie in the middle",
        ),
    ]
}

/// Whether features look as if they were in different units: no more than half of those that are not
/// constant have a range within a factor of four of the widest. Pixels share theirs, though some hardly
/// change; an age and an income do not.
fn in_other_units(points: &Points) -> bool {
    let Some(rows) = points.as_dense() else { return false };
    let range = |column: ndarray::ArrayView1<'_, f64>| {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Halves do not overflow.
        high / 2.0 - low / 2.0
    };
    let mut ranges: Vec<f64> = rows.axis_iter(Axis(1)).map(range).collect();
    ranges.retain(|range| *range > 0.0);
    let widest = ranges.iter().copied().fold(0.0, f64::max);
    let alike = ranges.iter().filter(|range| **range >= widest / 4.0).count();
    2 * alike <= ranges.len() && !ranges.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn units_are_told_by_ranges() {
        let other = |rows| in_other_units(&Points::dense(rows).unwrap());
        assert!(!other(array![[0.0, 1.0], [3.0, 2.0]]));
        assert!(other(array![[20.0, 1e4], [60.0, 9e4]]));
        // One feature that hardly changes, or none that does, is no reason.
        assert!(!other(array![[0.0, 0.0, 1.0, 5.0], [255.0, 200.0, 2.0, 5.0]]));
        assert!(!other(array![[1.0], [1.0]]));
    }
}
