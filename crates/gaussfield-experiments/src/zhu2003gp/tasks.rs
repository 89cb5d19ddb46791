//! The six tasks of section 4: their data, and the label sets drawn for them.

use crate::{Context, Found, Trial};
use anyhow::{Context as _, Result};
use gaussfield_data::read::newsgroups::Newsgroups;
use gaussfield_data::split::Split;
use gaussfield_gp::Observed;
use gaussfield_graph::{Distances, MemoryBudget, Metric, Neighbours, Pattern, Search};
use gaussfield_labels::{HeldOut, Labels};
use gaussfield_points::Points;
use ndarray::Array2;
use rand::seq::SliceRandom as _;
use serde::Serialize;
use std::sync::Arc;

/// The class whose label is +1.
pub(super) const POSITIVE: usize = 0;
/// The largest k of section 4.
pub(super) const MOST_NEIGHBOURS: usize = 128;

/// Where the points of a task come from.
#[derive(Debug, Clone, Copy)]
enum From {
    /// All images of the digit a, then of the digit b.
    Digits(usize, usize),
    /// So many images of every digit, odd ones positive.
    OddEven(usize),
    Newsgroups(&'static str, &'static str),
}

/// A task by its name in the report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) name: &'static str,
    /// The name without a slash, for files.
    pub(super) id: &'static str,
    from: From,
    pub(super) labelled: usize,
    /// Whether a short run has it, and a run on other images than the report's.
    quick: bool,
}

pub(super) const PLANS: [Plan; 6] = [
    Plan { name: "1/2", id: "1-2", from: From::Digits(1, 2), labelled: 20, quick: true },
    Plan { name: "2/3", id: "2-3", from: From::Digits(2, 3), labelled: 20, quick: false },
    Plan { name: "o/e", id: "o-e", from: From::OddEven(400), labelled: 50, quick: false },
    Plan {
        name: "b/h",
        id: "b-h",
        from: From::Newsgroups("rec.sport.baseball", "rec.sport.hockey"),
        labelled: 20,
        quick: true,
    },
    Plan {
        name: "p/m",
        id: "p-m",
        from: From::Newsgroups("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
        labelled: 20,
        quick: false,
    },
    Plan {
        name: "r/a",
        id: "r-a",
        from: From::Newsgroups("talk.religion.misc", "alt.atheism"),
        labelled: 50,
        quick: false,
    },
];

/// Nodes from which fewer label sets and graphs are looked at: the cost grows with n³ and with
/// the number of labels of all sets.
const LARGE: usize = 3000;

/// One random draw of labels.
pub(super) struct LabelSet {
    pub(super) observed: Observed,
    pub(super) held_out: HeldOut,
    /// The positive share of the unlabelled points, which "tuned" knows.
    pub(super) share: f64,
}

/// A task, ready for graphs.
pub(super) struct Task {
    pub(super) plan: Plan,
    pub(super) truth: Labels,
    pub(super) points: Arc<Points>,
    /// All pairs, with their distances.
    pub(super) complete: Pattern,
    pub(super) neighbours: Neighbours,
    pub(super) sets: Vec<LabelSet>,
    /// All distances, ascending.
    sorted: Vec<f64>,
    /// The distance within which a twentieth of the points has a neighbour, and the mean distance.
    pub(super) range: (f64, f64),
    /// What to write under figures drawn on other data.
    pub(super) note: Option<String>,
    /// Why claims about the task are not run, if they are not.
    pub(super) missing: Option<String>,
}

/// What results on a task depend on.
#[derive(Debug, Serialize)]
pub(super) struct Settings {
    task: &'static str,
    nodes: usize,
    labelled: usize,
    sets: usize,
    stand_in: bool,
}

/// Points with their true classes, in random order.
struct Material {
    points: Points,
    truth: Labels,
    note: Option<String>,
    missing: Option<String>,
}

impl Plan {
    /// The task, or why it is not run.
    pub(super) fn task(self, ctx: &mut Context) -> Result<Result<Task, String>> {
        if ctx.quick() && !self.quick {
            return Ok(Err("a short run has the tasks 1/2 and b/h only".to_owned()));
        }
        let metric = match self.from {
            From::Newsgroups(..) => Metric::Cosine,
            From::Digits(..) | From::OddEven(_) => Metric::Euclidean,
        };
        match self.material(ctx)? {
            Ok(material) => Task::new(ctx, self, material, metric).map(Ok),
            Err(reason) => Ok(Err(reason)),
        }
    }

    fn material(self, ctx: &mut Context) -> Result<Result<Material, String>> {
        match self.from {
            From::Newsgroups(positive, negative) => {
                let found = ctx.data_by("newsgroups", |catalog| {
                    let file = catalog.file("newsgroups", "20news-18828-subset.tar.gz")?;
                    Newsgroups::read(&file, &[positive, negative])?.tf_idf()
                })?;
                match found {
                    Found::Missing(reason) => Ok(Err(reason)),
                    Found::Here(data) => {
                        let rows = self.shuffled(ctx, (0..data.len()).collect());
                        let points = data.points.select(&rows)?;
                        let truth = data.labels.select(&rows)?;
                        Ok(Ok(Material { points, truth, note: None, missing: None }))
                    }
                }
            }
            From::Digits(..) | From::OddEven(_) => self.digits(ctx),
        }
    }

    fn digits(self, ctx: &mut Context) -> Result<Result<Material, String>> {
        let source = ctx.data_or("usps", "optdigits")?;
        // One task on other images shows how the method works; the rest would show nothing more.
        if let (Some(reason), false) = (&source.missing, self.quick) {
            return Ok(Err(reason.clone()));
        }
        let labels = &source.data.labels;
        let digit_of = |row: usize| -> Result<usize> {
            let name = labels.get(row).and_then(|class| labels.names().get(class));
            let name = name.with_context(|| format!("image {row} has no digit"))?;
            name.parse().with_context(|| format!("the class {name} of image {row} is no digit"))
        };
        let mut of_digit: [Vec<usize>; 10] = std::array::from_fn(|_| Vec::new());
        for row in 0..labels.len() {
            let digit = digit_of(row)?;
            let rows = of_digit.get_mut(digit);
            rows.with_context(|| format!("image {row} shows the digit {digit}"))?.push(row);
        }
        let (rows, names): (Vec<usize>, [String; 2]) = match self.from {
            From::OddEven(each) => {
                let draw = |rows: &Vec<usize>| {
                    let mut rows = self.shuffled(ctx, rows.clone());
                    rows.truncate(each);
                    rows
                };
                let rows = of_digit.iter().flat_map(draw).collect();
                (rows, ["odd".to_owned(), "even".to_owned()])
            }
            From::Digits(a, b) => {
                ([&of_digit[a][..], &of_digit[b]].concat(), [a.to_string(), b.to_string()])
            }
            From::Newsgroups(..) => unreachable!("text has its own loader"),
        };
        let rows = self.shuffled(ctx, rows);
        let class_of = |&row: &usize| -> Result<Option<usize>> {
            let digit = digit_of(row)?;
            let positive = match self.from {
                From::Digits(a, _) => digit == a,
                _ => digit % 2 == 1,
            };
            Ok(Some(if positive { POSITIVE } else { 1 - POSITIVE }))
        };
        let classes = rows.iter().map(class_of).collect::<Result<_>>()?;
        Ok(Ok(Material {
            points: source.data.points.select(&rows)?,
            truth: Labels::new(classes, names.to_vec())?,
            note: source.note,
            missing: source.missing,
        }))
    }

    /// In random order. Where values tie, the tuned threshold takes the lower node; an order by
    /// classes would turn ties into right answers.
    fn shuffled(self, ctx: &Context, mut rows: Vec<usize>) -> Vec<usize> {
        rows.shuffle(&mut Trial::new(ctx.options().seed, self.id, 0).rng("order"));
        rows
    }
}

impl Task {
    fn new(ctx: &Context, plan: Plan, material: Material, metric: Metric) -> Result<Self> {
        let Material { points, truth, note, missing } = material;
        let count =
            if truth.len() > LARGE { ctx.trial_count(4, 2) } else { ctx.trial_count(10, 2) };
        let sets = (0..count)
            .map(|index| {
                let seed = Trial::new(ctx.options().seed, plan.id, index).seed("labels");
                LabelSet::draw(&truth, plan.labelled, seed)
            })
            .collect::<Result<_>>()?;
        Self::with(plan, points, truth, metric, sets).map(|task| Self { note, missing, ..task })
    }

    /// The same labels on other points.
    pub(super) fn on(self, points: Array2<f64>, id: &'static str) -> Result<Self> {
        let (plan, metric) = (Plan { id, ..self.plan }, self.complete.metric());
        let Self { truth, sets, note, missing, .. } = self;
        let task = Self::with(plan, Points::dense(points)?, truth, metric, sets)?;
        Ok(Self { note, missing, ..task })
    }

    fn with(
        plan: Plan,
        points: Points,
        truth: Labels,
        metric: Metric,
        sets: Vec<LabelSet>,
    ) -> Result<Self> {
        let points = Arc::new(points);
        let complete = Pattern::complete(Arc::clone(&points), metric)?;
        let neighbours = Neighbours::search(&points, metric, MOST_NEIGHBOURS, Search::Auto)?;
        let sorted = sorted_distances(&complete)?;
        let mut nearest: Vec<f64> =
            (0..complete.nodes()).map(|i| neighbours.distances(i)[0]).collect();
        nearest.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        // Doubled points have distance 0.
        let range = (nearest[nearest.len() / 20].max(0.05 * mean), mean);
        let (note, missing) = (None, None);
        Ok(Self { plan, truth, points, complete, neighbours, sets, sorted, range, note, missing })
    }

    /// Whether a single look takes seconds.
    pub(super) fn is_large(&self) -> bool {
        self.truth.len() > LARGE
    }

    /// The distance within which lies this share of all pairs.
    pub(super) fn radius(&self, share: f64) -> f64 {
        let at = (share * self.sorted.len() as f64) as usize;
        // Doubled points have distance 0, and a radius has to be positive.
        self.sorted[at.min(self.sorted.len() - 1)].max(1e-3 * self.range.1)
    }

    /// Shares of pairs between which radii are looked for: from one neighbour a point to half of
    /// all pairs.
    pub(super) fn shares(&self) -> (f64, f64) {
        (1.0 / (self.truth.len() - 1) as f64, 0.5)
    }

    pub(super) fn settings(&self) -> Settings {
        Settings {
            task: self.plan.id,
            nodes: self.truth.len(),
            labelled: self.plan.labelled,
            sets: self.sets.len(),
            stand_in: self.missing.is_some(),
        }
    }
}

impl LabelSet {
    fn draw(truth: &Labels, labelled: usize, seed: u64) -> Result<Self> {
        let visible = Split::random(truth, labelled, seed)?.partial(truth)?;
        let held_out = HeldOut::new(truth, &visible)?;
        let positives = held_out.truth().iter().filter(|&&class| class == POSITIVE).count();
        Ok(Self {
            observed: Observed::one_against_rest(&visible, POSITIVE)?,
            share: positives as f64 / held_out.len() as f64,
            held_out,
        })
    }
}

/// The distances of all pairs, ascending.
fn sorted_distances(complete: &Pattern) -> Result<Vec<f64>> {
    let mut sorted: Vec<f64> = match complete.distances(MemoryBudget::default())? {
        Distances::Complete(all) => all
            .rows()
            .into_iter()
            .enumerate()
            .flat_map(|(i, row)| row.to_vec().into_iter().take(i))
            .collect(),
        Distances::Sparse(edges) => edges.data().to_vec(),
    };
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}
