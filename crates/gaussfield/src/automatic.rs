//! A description chosen from the data, with the reason of every choice.

use crate::description::{Description, DescriptionError, Fitted, Method};
use gaussfield_graph::{FamilyChoice, Graph, PatternChoice, SelfTuning};
use gaussfield_harmonic::{Dynamics, Tempered};
use gaussfield_labels::{ClassPrior, Islands, Labels};
use gaussfield_points::Points;
use gaussfield_points::prepare::Preparation;
use ndarray::Axis;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Neighbours of each point.
const NEIGHBOURS: usize = 5;

/// From so many features that are never negative on, their direction tells more than their length.
const DIRECTION_FROM: usize = 20;

/// A description for data at hand, and why it is what it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// What to run. Change what you know better.
    pub description: Description,
    /// One choice for each part, in the order of the road.
    pub choices: Vec<Choice>,
}

/// One automatic choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Which part of the description, or of what came of it.
    pub part: Cow<'static, str>,
    /// What was chosen, in words.
    pub chosen: String,
    /// Why.
    pub because: String,
}

impl Choice {
    /// A choice about a part of the description.
    pub fn new(
        part: impl Into<Cow<'static, str>>,
        chosen: impl Into<String>,
        because: impl Into<String>,
    ) -> Self {
        Self { part: part.into(), chosen: chosen.into(), because: because.into() }
    }
}

impl Plan {
    /// Runs the description. [`Fitted::choices`] are those of the plan, and what was found out on the
    /// way: the search for neighbours, learned scales, the solver.
    ///
    /// # Errors
    /// As [`Description::fit`].
    pub fn fit(&self, points: &Points, labels: &Labels) -> Result<Fitted, DescriptionError> {
        Ok(self.description.fit(points, labels)?.planned(&self.choices))
    }

    /// Runs the description on a graph that is there already.
    ///
    /// # Errors
    /// As [`Description::fit_graph`].
    pub fn fit_graph(&self, graph: Graph, labels: &Labels) -> Result<Fitted, DescriptionError> {
        Ok(self.description.fit_graph(graph, labels)?.planned(&self.choices))
    }
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
    /// let fitted = plan.fit(&moons.points, &labels)?;
    /// assert_eq!(fitted.predictions().len(), 98);
    /// // What was found out on the way is told too.
    /// assert!(fitted.choices().iter().any(|choice| choice.part == "solver"));
    /// # Ok::<(), gaussfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// Labels without any class.
    pub fn automatic(points: &Points, labels: &Labels) -> Result<Plan, DescriptionError> {
        let mut choices = Vec::new();
        let mut choose = |part, chosen: String, because: String| {
            choices.push(Choice::new(part, chosen, because));
        };
        let prior = ClassPrior::add_one(labels)?;
        let (prepare, words, why) = preparation(points);
        choose("features", words.to_owned(), why.to_owned());
        let k = points.len().saturating_sub(1).clamp(1, NEIGHBOURS);
        choose(
            "graph",
            format!("{k} nearest neighbours"),
            "few neighbours follow the shape of the data".to_owned(),
        );
        let (symmetry, metric, search) = Default::default();
        let graph = Some(PatternChoice::Knn { k, symmetry, metric, search });
        choose(
            "weights",
            format!("self-tuning, on the distance to neighbour {k}"),
            "crowded and empty regions each have a scale of their own".to_owned(),
        );
        let weights =
            FamilyChoice::SelfTuning(SelfTuning { neighbour: k, ..SelfTuning::default() });
        let description = Self { prepare, graph, weights: Some(weights), ..plain(&prior) };
        choices.extend(usual());
        Ok(Plan { description, choices })
    }

    /// A sound description for labels on a graph that is there already.
    ///
    /// # Errors
    /// Labels without any class.
    pub fn automatic_on_graph(labels: &Labels) -> Result<Plan, DescriptionError> {
        let description = plain(&ClassPrior::add_one(labels)?);
        let mut choices = vec![Choice::new("graph", "as it is", "a graph was given")];
        choices.extend(usual());
        Ok(Plan { description, choices })
    }
}

/// Tempered threshold dynamics; islands have the prior.
fn plain(prior: &ClassPrior) -> Description {
    let islands = Islands::Prior(prior.clone());
    let dynamics = Dynamics { islands, ..Dynamics::default() };
    Description::from(Method::Tempered(Tempered { dynamics, sharpness: None }))
}

/// Why it is so.
fn usual() -> [Choice; 4] {
    [
        Choice::new(
            "method",
            "harmonic function, class masses made equal once, then threshold dynamics",
            "with few labels a harmonic function favours classes in the middle; it was the most \
             accurate choice that needs no class sizes",
        ),
        Choice::new(
            "probabilities",
            "the harmonic function, sharpened as leaving out each label tells, and the last walk",
            "the one alone says too little and the other too much",
        ),
        Choice::new(
            "islands",
            "the class prior, flagged",
            "a part of the graph without a label tells nothing of its classes",
        ),
        Choice::new("decision", "the most probable class", "class masses were seen to before"),
    ]
}

/// What is done to the features, in words, and why.
fn preparation(points: &Points) -> (Vec<Preparation>, &'static str, &'static str) {
    let lengths = "every row divided by its length";
    let Some(rows) = points.as_dense() else {
        return (
            vec![Preparation::UnitRows],
            lengths,
            "sparse rows, as of text, differ by direction",
        );
    };
    if in_other_units(points) {
        let why = "their ranges differ, and the widest would decide alone";
        return (vec![Preparation::Standardise], "standardised", why);
    }
    if rows.ncols() >= DIRECTION_FROM && rows.iter().all(|&x| x >= 0.0) {
        let why =
            "many numbers that are never negative, as of images and counts, differ by direction";
        return (vec![Preparation::UnitRows], lengths, why);
    }
    (Vec::new(), "as they are", "most of them have about the same range")
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
    fn rows_of_amounts_differ_by_direction() {
        let of = |rows| preparation(&Points::dense(rows).unwrap()).0;
        let pixels = ndarray::Array2::from_shape_fn((3, 64), |(i, j)| ((i + j) % 5) as f64);
        assert_eq!(of(pixels.clone()), [Preparation::UnitRows]);
        assert_eq!(of(-pixels), []);
        assert_eq!(of(array![[0.0, 1.0], [3.0, 2.0]]), []);
        assert_eq!(of(array![[20.0, 1e4], [60.0, 9e4]]), [Preparation::Standardise]);
    }

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
