//! Table 1: the data sets.

use crate::tasks::digit_images;
use crate::texts::{Texts, WINDOWS_MAC};
use crate::{Context, Found, Trial};
use anyhow::{Context as _, Result, ensure};
use gaussfield_data::Dataset;
use gaussfield_data::read::reuters;
use gaussfield_data::read::text::{TermCounts, TfIdf};
use gaussfield_graph::{Metric, Pattern, Symmetry};
use gaussfield_labels::Labels;
use gaussfield_points::{Points, Rows};
use gaussfield_report::ClaimKind;
use rand::seq::SliceRandom as _;

/// Images or documents of each class, where there are more.
const EACH: usize = 1000;
/// Points of a set in a short run.
const QUICK: usize = 400;

/// Where a task's points come from.
#[derive(Debug, Clone, Copy)]
enum From {
    Digits,
    Objects,
    Newsgroups,
    Reuters,
}

/// A data set of the paper by its name in the report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) name: &'static str,
    pub(super) id: &'static str,
    pub(super) domain: &'static str,
    /// What its claims are judged on.
    pub(super) kind: ClaimKind,
    from: From,
    /// NN of the graph.
    pub(super) neighbours: usize,
    /// p of the Laplacian's power.
    pub(super) power: u32,
    counts: [&'static [usize]; 2],
}

/// Numbers of labels, and those of a short run. Up to 16 labels are few.
const MANY: [&[usize]; 2] = [&[4, 8, 16, 32, 64, 128], &[4, 16, 64]];
const SMALL: [&[usize]; 2] = [&[4, 8, 16, 32], &[4, 16]];

pub(super) const PLANS: [Plan; 4] = [
    Plan {
        name: "3 vs 5",
        id: "3vs5",
        domain: "USPS digits",
        kind: ClaimKind::Edition,
        from: From::Digits,
        neighbours: 10,
        power: 2,
        counts: MANY,
    },
    Plan {
        name: "objects",
        id: "objects",
        domain: "COIL-20, six pairs of objects, in place of SET2",
        kind: ClaimKind::StandIn,
        from: From::Objects,
        neighbours: 5,
        power: 2,
        counts: SMALL,
    },
    Plan {
        name: "pcmac",
        id: "pcmac",
        domain: "20 Newsgroups, MS-Windows vs MAC",
        kind: ClaimKind::Own,
        from: From::Newsgroups,
        neighbours: 50,
        power: 5,
        counts: MANY,
    },
    Plan {
        name: "Reuters",
        id: "reuters",
        domain: "Reuters-21578, earn vs acq",
        kind: ClaimKind::Edition,
        from: From::Reuters,
        neighbours: 50,
        power: 5,
        counts: MANY,
    },
];

/// Pairs of objects that look alike, counted from 1: three cars, two boxes, two pots, bowl and
/// cup. Chosen by their looks alone.
const PAIRS: [(usize, usize); 6] = [(3, 6), (3, 19), (6, 19), (5, 9), (12, 15), (17, 18)];

/// One classification problem: a fixed split into training and test points.
pub(super) struct Part {
    pub(super) id: String,
    pub(super) train: Points,
    pub(super) truth: Labels,
    pub(super) test: Points,
    pub(super) test_truth: Vec<usize>,
}

/// A data set: one problem, or several whose errors are averaged.
pub(super) struct Task {
    pub(super) plan: Plan,
    pub(super) parts: Vec<Part>,
    /// What to write under figures drawn on other data.
    pub(super) note: Option<String>,
    /// Why claims about the task are not run, if they are not.
    pub(super) missing: Option<String>,
}

impl Plan {
    /// Numbers of labels, ascending.
    pub(super) fn counts(&self, quick: bool) -> &'static [usize] {
        self.counts[usize::from(quick)]
    }

    /// The task, or why it is not run.
    pub(super) fn task(self, ctx: &mut Context) -> Result<Result<Task, String>> {
        let (data, note, missing) = match self.from {
            From::Digits => {
                let source = digit_images(ctx)?;
                let pair = two(ctx, &self, &source.data, ("3", "5"))?;
                (vec![pair], source.note, source.missing)
            }
            From::Objects => match ctx.data("coil20")? {
                Found::Missing(reason) => return Ok(Err(reason)),
                Found::Here(data) => {
                    let name = |object: usize| (object - 1).to_string();
                    let pair =
                        |&(a, b): &(usize, usize)| two(ctx, &self, &data, (&name(a), &name(b)));
                    (PAIRS.iter().map(pair).collect::<Result<_>>()?, None, None)
                }
            },
            From::Newsgroups => match Texts::load(ctx, &WINDOWS_MAC)? {
                Found::Missing(reason) => return Ok(Err(reason)),
                Found::Here(texts) => {
                    let data = texts.vectors()?;
                    let points = unit_length(&data.points)?;
                    (vec![Dataset { points, ..data }], texts.note(), None)
                }
            },
            From::Reuters => match earn_acq(ctx, &self)? {
                Found::Missing(reason) => return Ok(Err(reason)),
                Found::Here(data) => (vec![data], None, None),
            },
        };
        let several = data.len() > 1;
        let parts = data
            .into_iter()
            .enumerate()
            .map(|(at, data)| {
                let id = if several { format!("{}-{at}", self.id) } else { self.id.to_owned() };
                Part::split(ctx, id, &data)
            })
            .collect::<Result<_>>()?;
        Ok(Ok(Task { plan: self, parts, note, missing }))
    }
}

impl Part {
    /// A fourth of the points, drawn at random, are the test set.
    fn split(ctx: &Context, id: String, data: &Dataset) -> Result<Self> {
        let mut rows: Vec<usize> = (0..data.len()).collect();
        rows.shuffle(&mut Trial::new(ctx.options().seed, &id, 0).rng("split"));
        if ctx.quick() {
            rows.truncate(QUICK);
        }
        let (test, train) = rows.split_at(rows.len() / 4);
        let classes = data.labels.select(test)?;
        let test_truth: Option<Vec<usize>> = classes.as_slice().iter().copied().collect();
        Ok(Self {
            id,
            train: data.points.select(train)?,
            truth: data.labels.select(train)?,
            test: data.points.select(test)?,
            test_truth: test_truth.context("a test point has no class")?,
        })
    }

    /// The NN graph of the training points: its edges and their lengths.
    pub(super) fn pattern(&self, plan: &Plan) -> Result<Pattern> {
        Ok(Pattern::knn(&self.train, Metric::Euclidean, plan.neighbours, Symmetry::Either)?)
    }

    /// σ₀: the mean length of the training vectors.
    pub(super) fn mean_length(&self) -> f64 {
        let total: f64 = (0..self.train.len()).map(|i| self.train.dot(i, i).sqrt()).sum();
        total / self.train.len().max(1) as f64
    }
}

/// The points of two classes by their names, at most [`EACH`] of a class, drawn at random.
fn two(
    ctx: &Context,
    plan: &Plan,
    data: &Dataset,
    (first, second): (&str, &str),
) -> Result<Dataset> {
    let mut rng = Trial::new(ctx.options().seed, plan.id, 0).rng(first);
    let (mut rows, mut classes) = (Vec::new(), Vec::new());
    for (class, name) in [first, second].into_iter().enumerate() {
        let known = data.labels.names().iter().position(|known| known == name);
        let known = known.with_context(|| format!("there is no class {name}"))?;
        let mut own: Vec<usize> =
            (0..data.len()).filter(|&row| data.labels.get(row) == Some(known)).collect();
        ensure!(!own.is_empty(), "no point is of class {name}");
        own.shuffle(&mut rng);
        own.truncate(EACH);
        classes.extend(own.iter().map(|_| Some(class)));
        rows.append(&mut own);
    }
    let names = vec![first.to_owned(), second.to_owned()];
    Ok(Dataset { labels: Labels::new(classes, names)?, ..data.select(&rows)? })
}

/// Documents with exactly one of the two most frequent topics.
fn earn_acq(ctx: &mut Context, plan: &Plan) -> Result<Found<Dataset>> {
    let found = ctx.data_by("reuters21578", |catalog| {
        reuters::read(catalog.file("reuters21578", "reuters21578.tar.gz")?)
    })?;
    let documents = match found {
        Found::Here(documents) => documents,
        Found::Missing(reason) => return Ok(Found::Missing(reason)),
    };
    let mut rng = Trial::new(ctx.options().seed, plan.id, 0).rng("documents");
    let (mut texts, mut classes) = (Vec::new(), Vec::new());
    for (class, (topic, other)) in [("earn", "acq"), ("acq", "earn")].into_iter().enumerate() {
        let has = |topics: &[String], name: &str| topics.iter().any(|topic| topic == name);
        let mut own: Vec<_> = documents
            .iter()
            .filter(|document| has(&document.topics, topic) && !has(&document.topics, other))
            .collect();
        own.shuffle(&mut rng);
        for document in own.into_iter().take(EACH) {
            texts.push(document.text());
            classes.push(Some(class));
        }
    }
    let points = unit_length(&TermCounts::new(&texts)?.tf_idf(TfIdf::default())?)?;
    let labels = Labels::new(classes, vec!["earn".to_owned(), "acq".to_owned()])?;
    Ok(Found::Here(Dataset::new("earn vs acq", points, labels)))
}

/// Rows divided by their lengths; a row of zeros stays.
fn unit_length(points: &Points) -> Result<Points> {
    let shrink = |squares: f64| if squares > 0.0 { 1.0 / squares.sqrt() } else { 1.0 };
    match points.rows() {
        Rows::Sparse(rows) => {
            let mut rows = rows.clone();
            for mut row in rows.outer_iterator_mut() {
                let by = shrink(row.data().iter().map(|value| value * value).sum());
                row.iter_mut().for_each(|(_, value)| *value *= by);
            }
            Ok(Points::sparse(rows)?)
        }
        Rows::Dense(rows) => {
            let mut rows = rows.to_owned();
            for mut row in rows.outer_iter_mut() {
                let by = shrink(row.dot(&row));
                row *= by;
            }
            Ok(Points::dense(rows)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn rows_have_unit_length_and_zeros_stay() {
        let points = Points::dense(array![[3.0, 4.0], [0.0, 0.0]]).unwrap();
        let scaled = unit_length(&points).unwrap().to_dense();
        assert!((&scaled - &array![[0.6, 0.8], [0.0, 0.0]]).iter().all(|gap| gap.abs() < 1e-15));
        let counted = TermCounts::new(["a a b", "b c"]).unwrap().count_points().unwrap();
        let scaled = unit_length(&counted).unwrap();
        assert!((0..2).all(|row| (scaled.dot(row, row) - 1.0).abs() < 1e-15));
    }
}
