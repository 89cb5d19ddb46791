//! Threshold dynamics whose probabilities mean what they say.

use crate::field::Judge;
use crate::{Balance, Dynamics, Field, Harmonic, HarmonicError, Partition};
use gaussfield_core::{Facts, check};
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, NodeScores, Scores, Transductive};
use gaussfield_laplacian::SolverOptions;
use ndarray::{Array1, Array2, ArrayView1, Axis, Zip};
use serde::{Deserialize, Serialize};

/// What every class has of the last walk: the decisions of neighbours may all be wrong together.
const DOUBT: f64 = 0.01;
/// The walk that says how sure to be before any label was asked: so many times as long.
const FARTHER: usize = 4;
/// The sharpest field, and how finely sharpness is chosen: 1 to 32 in equal ratios.
const SHARPEST: f64 = 32.0;
pub(crate) const RATIOS: usize = 80;
/// How many labels of each class the walk's word on sharpness counts as.
const WEIGHT_OF_THE_WALK: f64 = 0.3;
/// The power of each witness where no label judges: they may only repeat each other.
const REPEATED: f64 = 0.5;
/// How much more the walk has where very many labels of each class judge the field.
const OF_ITS_OWN: f64 = 0.2;
/// Past this many labels they are not left out one by one, but a tenth at once.
const ONE_BY_ONE: usize = 500;
/// Numbers to solve for, nodes times labels left out, and the fewest labels of a class all the same.
const NUMBERS: usize = 1_500_000;
const FEWEST: usize = 2;

/// [`Dynamics`], with the probabilities of two witnesses: the field it starts from, sharpened, and the
/// last walk over the decisions. √(field) · walkᵇ is the score, the largest is the class.
///
/// A harmonic function of few labels ranks nodes well and is nearly flat: confidence 0.3 where nine of
/// ten are right. The last walk is nearly certain, also where whole clusters are wrong. How much the field
/// must be sharpened is told by the labels themselves: they are left out one by one in closed form, as by
/// [`Field::leave_one_out`], and the power a of the field is
/// the one by which the left out are most likely, drawn towards the power at which the field is as sure as
/// a walk four times as long. One label a class leaves that walk alone to say it. On large graphs not all
/// labels judge, but as many of each class as make 1.5 million numbers to solve for, at least two.
///
/// With one or two labels a class b = ½, the geometric mean: the product of witnesses who may say the same
/// would be too sure. With more labels the field is judged better, and b grows towards 0.7.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::Tempered;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let path = (0..7).map(|i| (i, i + 1, if i == 2 { 0.1 } else { 1.0 }));
/// let graph = Graph::from_edges(8, path)?;
/// let mut of = [None; 8];
/// (of[0], of[7]) = (Some("left"), Some("right"));
/// let found = Tempered::default().fit(&graph, &Labels::from_names(of))?;
/// assert_eq!(found.predictions(&Decision::Argmax)?.classes(), [0, 0, 1, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tempered {
    /// The dynamics.
    pub dynamics: Dynamics,
    /// The power a of the field, at least 1. Default: chosen by the labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharpness: Option<f64>,
}

/// What [`Tempered`] found. The field that it started from answers further questions.
#[derive(Debug, Clone)]
pub struct Weighed {
    field: Field,
    partition: Partition,
    answer: NodeScores,
    sharpness: f64,
}

impl Tempered {
    /// Fits field and dynamics, and weighs them.
    ///
    /// # Errors
    /// As [`Dynamics::fit`]; a sharpness below 1 or not finite.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Weighed, HarmonicError> {
        if let Some(given) = self.sharpness {
            let sound = given >= 1.0 && given.is_finite();
            check::range("the sharpness of the field", given, sound, "finite and at least 1")?;
        }
        let Dynamics { islands, solver, .. } = &self.dynamics;
        // The opinion of the field and the scores; what is left is for the field.
        let budget = self.dynamics.walks(graph, labels)?;
        let columns = 2 * labels.classes();
        let budget = budget.matrix("the scores of tempered dynamics", graph.nodes(), columns)?;
        let solver = SolverOptions { budget, ..*solver };
        let start = Harmonic { islands: islands.clone(), solver };
        let field = start.fit(graph, labels)?;
        let partition = self.dynamics.fit_from(graph, labels, &field)?;
        let mut moving = field.interior().to_vec();
        moving.retain(|node| field.islands().binary_search(node).is_err());
        let opinion = Opinion::new(&self.dynamics.balance, &field.scores().select(&moving)?);
        let (sharpness, judges) = match self.sharpness {
            Some(given) => (given, 0),
            None if moving.is_empty() => (1.0, 0),
            None => {
                let farther = Dynamics {
                    balance: Balance::Free,
                    steps: FARTHER * self.dynamics.steps,
                    max_rounds: 1,
                    ..self.dynamics.clone()
                };
                let sure = farther.fit_from(graph, labels, &partition)?;
                let sure = mean(sure.scores().select(&moving)?.confidence().iter());
                let judges = Judges::new(&start, graph, &field, &opinion)?;
                (judges.sharpness(opinion.as_sure_as(sure)), judges.classes.len())
            }
        };
        let of_walk = power_of_walk(labels);
        let mut values = partition.scores().values().to_owned();
        for (of_field, &node) in opinion.logs.outer_iter().zip(&moving) {
            let mut row = values.row_mut(node);
            Zip::from(&mut row).and(&of_field).for_each(|value, &of_field| {
                *value = REPEATED * sharpness * of_field + of_walk * (*value + DOUBT).ln();
            });
            soften(row);
        }
        let mut facts = Facts::default()
            .with("method", "threshold dynamics, tempered")
            .with("sharpness of the field", sharpness)
            .with("labels that judged it", judges)
            .with("power of the walk", of_walk);
        for fact in partition.facts().iter().filter(|fact| fact.name != "method") {
            facts.add(fact.name.clone(), fact.value.clone());
        }
        let answer = NodeScores::new(labels, Scores::new(values)?, facts)?;
        let answer = answer.on_islands(partition.islands().to_vec());
        Ok(Weighed { field, partition, answer, sharpness })
    }
}

impl Weighed {
    /// The harmonic function it started from.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// Where the dynamics ended.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The power of the field.
    pub fn sharpness(&self) -> f64 {
        self.sharpness
    }
}

/// What the field says of nodes that a label reaches.
struct Opinion {
    /// The multiplier of each class, by its mass.
    multipliers: Array1<f64>,
    /// ln of the probabilities with these.
    logs: Array2<f64>,
}

impl Opinion {
    fn new(balance: &Balance, scores: &Scores) -> Self {
        let masses = scores.values().sum_axis(Axis(0));
        let prior = match balance {
            Balance::Free => None,
            Balance::Counts(prior) => Some(prior.as_slice().to_vec()),
            _ => Some(vec![1.0; masses.len()]),
        };
        let multiplier = |(class, &mass): (usize, &f64)| match &prior {
            Some(prior) if mass > 0.0 => prior[class] / mass,
            _ => 1.0,
        };
        let multipliers: Array1<f64> = masses.iter().enumerate().map(multiplier).collect();
        let mut values = scores.values().to_owned();
        values.outer_iter_mut().for_each(|row| logs_of(row, &multipliers));
        Self { multipliers, logs: values }
    }

    /// The place among the powers at which the field is, on average, this sure. More power, more sure.
    fn as_sure_as(&self, sure: f64) -> usize {
        let (mut low, mut high) = (0, RATIOS);
        while low < high {
            let middle = (low + high) / 2;
            let at = power(middle);
            let most = self.logs.outer_iter().map(|row| {
                let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                1.0 / row.iter().map(|log| (at * (log - largest)).exp()).sum::<f64>()
            });
            let most: Vec<f64> = most.collect();
            if mean(most.iter()) < sure { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Labels as the others see them.
struct Judges {
    logs: Array2<f64>,
    classes: Vec<usize>,
    /// Labels of the problem a class.
    all_classes: usize,
}

impl Judges {
    fn new(
        start: &Harmonic,
        graph: &Graph,
        field: &Field,
        opinion: &Opinion,
    ) -> Result<Self, HarmonicError> {
        let labels = field.labels();
        let counts = labels.counts();
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        let mut add = |mut row: Array1<f64>, class: usize| {
            logs_of(row.view_mut(), &opinion.multipliers);
            rows.extend(row);
            classes.push(class);
        };
        if labels.labelled().len() <= ONE_BY_ONE {
            for Judge { class, mut seen } in field.judges(&chosen(labels, NUMBERS))? {
                // The mass of its class was counted with this label in it.
                seen[class] *= counts[class] as f64 / (counts[class] - 1) as f64;
                add(seen, class);
            }
        } else {
            let hidden: Vec<usize> = labels.labelled().into_iter().step_by(10).collect();
            let mut shown = labels.labelled();
            shown.retain(|node| hidden.binary_search(node).is_err());
            match start.fit(graph, &labels.keep(&shown)?) {
                Ok(fewer) => {
                    for &node in &hidden {
                        if let Some(class) = labels.get(node).filter(|&class| counts[class] > 1) {
                            add(fewer.values().row(node).to_owned(), class);
                        }
                    }
                }
                // Labels that stand alone are told nothing by others.
                Err(HarmonicError::ComponentWithoutLabel { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let logs = Array2::from_shape_vec((classes.len(), counts.len()), rows);
        let logs = logs.unwrap_or_else(|_| Array2::zeros((0, counts.len())));
        Ok(Self { logs, classes, all_classes: counts.len() })
    }

    /// The power by which they are most likely, drawn towards the one at this place.
    fn sharpness(&self, place: usize) -> f64 {
        let weight = WEIGHT_OF_THE_WALK * self.all_classes as f64;
        let towards = power(place);
        let loss = |at: usize| {
            let power = power(at);
            let apart = (power / towards).ln();
            let of_label = |(row, &class): (ArrayView1<'_, f64>, &usize)| {
                let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = row.iter().map(|log| (power * (log - largest)).exp()).sum();
                // A class that nothing speaks for costs much, and the same at every power.
                (sum.ln() - power * (row[class] - largest)).min(-LEAST.ln())
            };
            let told: f64 = self.logs.outer_iter().zip(&self.classes).map(of_label).sum();
            told + weight * apart * apart
        };
        let best = (0..=RATIOS).map(|at| (at, loss(at))).min_by(|a, b| a.1.total_cmp(&b.1));
        power(best.map_or(place, |best| best.0))
    }
}

/// The least probability that a loss looks at.
const LEAST: f64 = 1e-12;

/// Labels that others of their class can judge: of each class alike, spread over its nodes, and no more
/// than make so many numbers to solve for.
fn chosen(labels: &Labels, numbers: usize) -> Vec<usize> {
    let mut of_class = vec![Vec::new(); labels.classes()];
    for node in labels.labelled() {
        if let Some(class) = labels.get(node) {
            of_class[class].push(node);
        }
    }
    of_class.retain(|nodes| nodes.len() > 1);
    let most = (numbers / (labels.len() * of_class.len()).max(1)).max(FEWEST);
    let spread = |nodes: &Vec<usize>| {
        let (count, among) = (nodes.len().min(most), nodes.len());
        (0..count).map(|at| nodes[at * among / count]).collect::<Vec<_>>()
    };
    let mut chosen: Vec<usize> = of_class.iter().flat_map(spread).collect();
    chosen.sort_unstable();
    chosen
}

/// b: the more labels each class has that others can judge, the more.
fn power_of_walk(labels: &Labels) -> f64 {
    let judged: Vec<usize> = labels.counts().into_iter().filter(|&count| count > 1).collect();
    let missing = 2.0 * judged.len() as f64 / (judged.iter().sum::<usize>() as f64).max(1.0);
    REPEATED + if judged.is_empty() { 0.0 } else { OF_ITS_OWN * (1.0 - missing) }
}

/// The powers to choose from, by place.
pub(crate) fn power(place: usize) -> f64 {
    SHARPEST.powf(place as f64 / RATIOS as f64)
}

fn mean<'a>(of: impl ExactSizeIterator<Item = &'a f64>) -> f64 {
    let count = of.len() as f64;
    of.sum::<f64>() / count
}

/// ln of a row times multipliers, divided by its sum; zero stands for the least number there is.
fn logs_of(mut row: ndarray::ArrayViewMut1<'_, f64>, multipliers: &Array1<f64>) {
    let mut scaled = row.to_owned() * multipliers;
    if scaled.sum() <= 0.0 {
        // Multipliers that leave nothing, such as a prior of zero, are not listened to.
        scaled.assign(&row);
    }
    let sum = scaled.sum();
    row.assign(&scaled.mapv(|value| (value / sum).max(f64::MIN_POSITIVE).ln()));
}

/// Probabilities of their logarithms, up to a constant.
pub(crate) fn soften(mut row: ndarray::ArrayViewMut1<'_, f64>) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.mapv_inplace(|log| (log - largest).exp());
    let sum = row.sum();
    row /= sum;
}

impl AsRef<NodeScores> for Weighed {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_labels::ClassPrior;
    use ndarray::array;

    #[test]
    fn the_power_is_where_the_field_is_as_sure() {
        let scores = Scores::new(array![[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]]).unwrap();
        let opinion = Opinion::new(&Balance::Free, &scores);
        let sure = |at: usize| {
            let rows = opinion.logs.mapv(|log| (power(at) * log).exp());
            let most =
                rows.outer_iter().map(|row| row.iter().copied().fold(0.0, f64::max) / row.sum());
            mean(most.collect::<Vec<_>>().iter())
        };
        for at in [0, 7, 40, RATIOS] {
            assert_eq!(opinion.as_sure_as(sure(at) - 1e-12), at);
        }
        assert_eq!(opinion.as_sure_as(1.0), RATIOS);
    }

    #[test]
    fn labels_that_agree_sharpen_and_those_that_do_not_flatten() {
        let of = |row: [f64; 2], count: usize| {
            let logs = Array2::from_shape_fn((count, 2), |(_, class)| row[class].ln());
            Judges { logs, classes: vec![0; count], all_classes: 2 }
        };
        let middle = RATIOS / 2;
        assert!(of([0.6, 0.4], 50).sharpness(middle) > power(middle));
        assert!(of([0.4, 0.6], 50).sharpness(middle) < power(middle));
        assert!((of([0.5, 0.5], 0).sharpness(middle) - power(middle)).abs() < 1e-12);
    }

    #[test]
    fn a_known_prior_multiplies() {
        let scores = Scores::new(array![[0.5, 0.5], [0.5, 0.5]]).unwrap();
        let prior = ClassPrior::given(vec![0.25, 0.75]).unwrap();
        let opinion = Opinion::new(&Balance::Counts(prior), &scores);
        assert!((opinion.logs[[0, 1]].exp() - 0.75).abs() < 1e-12);
    }

    #[test]
    fn judges_are_spread_over_each_class() {
        // 3 nodes in turn of class 0, 1, none; and one label of class 2.
        let mut of: Vec<Option<usize>> = (0..60).map(|i| (i % 3 < 2).then_some(i % 3)).collect();
        of[2] = Some(2);
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels = Labels::new(of, names).unwrap();
        let every: Vec<usize> = (0..60).filter(|i| i % 3 < 2).collect();
        assert_eq!(chosen(&labels, usize::MAX), every);
        assert_eq!(chosen(&labels, 60 * 2 * 4), [0, 1, 15, 16, 30, 31, 45, 46]);
        assert_eq!(chosen(&labels, 1), [0, 1, 30, 31]);
    }

    #[test]
    fn the_walk_counts_for_more_where_labels_judge() {
        let of = |count: usize| {
            let of = (0..3 * count).map(|i| Some(format!("{}", i % 3)));
            power_of_walk(&Labels::from_names(of.chain([None])))
        };
        assert!([1, 2].iter().all(|&count| (of(count) - REPEATED).abs() < 1e-15));
        assert!(of(2) < of(5) && of(5) < of(10) && of(10) < REPEATED + OF_ITS_OWN);
        assert!((of(10) - 0.66).abs() < 1e-15);
    }
}
