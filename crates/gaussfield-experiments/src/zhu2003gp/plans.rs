//! The six tasks of section 4 and their data.

use super::task::{POSITIVE, Task};
use crate::tasks::{Digits, halved};
use crate::texts::{BASEBALL_HOCKEY, PC_MAC, RELIGION_ATHEISM, Texts};
use crate::{Context, Found, Trial};
use anyhow::Result;
use gaussfield_graph::Metric;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use rand::seq::SliceRandom as _;

/// Pixels along a side of the images as they are.
const SIDE: usize = 16;

/// Where the points of a task come from.
#[derive(Debug, Clone, Copy)]
enum From {
    /// All images of the digit a, then of the digit b.
    Digits(usize, usize),
    /// So many images of every digit, odd ones positive.
    OddEven(usize),
    /// Messages of the first group are positive.
    Newsgroups([&'static str; 2]),
}

/// Points of a task in a short run.
const QUICK: usize = 800;

/// As many as a short run has.
fn shortened(ctx: &Context, mut rows: Vec<usize>) -> Vec<usize> {
    if ctx.quick() {
        rows.truncate(QUICK);
    }
    rows
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
        from: From::Newsgroups(BASEBALL_HOCKEY),
        labelled: 20,
        quick: true,
    },
    Plan { name: "p/m", id: "p-m", from: From::Newsgroups(PC_MAC), labelled: 20, quick: false },
    Plan {
        name: "r/a",
        id: "r-a",
        from: From::Newsgroups(RELIGION_ATHEISM),
        labelled: 50,
        quick: false,
    },
];

/// Points with their true classes, in random order.
pub(super) struct Material {
    pub(super) points: Points,
    pub(super) truth: Labels,
    /// The images as they are, where `points` are smaller.
    pub(super) full: Option<Points>,
    pub(super) note: Option<String>,
    pub(super) missing: Option<String>,
}

impl Plan {
    /// The same plan under another id, for a study of its own.
    pub(super) fn named(self, id: &'static str) -> Self {
        Self { id, ..self }
    }

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
            From::Newsgroups(groups) => match Texts::load(ctx, &groups)? {
                Found::Missing(reason) => Ok(Err(reason)),
                Found::Here(texts) => {
                    let data = texts.vectors()?;
                    let rows = shortened(ctx, self.shuffled(ctx, (0..data.len()).collect()));
                    let points = data.points.select(&rows)?;
                    let truth = data.labels.select(&rows)?;
                    Ok(Ok(Material {
                        points,
                        truth,
                        full: None,
                        note: texts.note(),
                        missing: None,
                    }))
                }
            },
            From::Digits(..) | From::OddEven(_) => self.digits(ctx),
        }
    }

    fn digits(self, ctx: &mut Context) -> Result<Result<Material, String>> {
        let digits = Digits::load(ctx)?;
        // One task on other images shows how the method works; the rest would show nothing more.
        if let (Some(reason), false) = (&digits.missing, self.quick) {
            return Ok(Err(reason.clone()));
        }
        let (rows, names): (Vec<usize>, [String; 2]) = match self.from {
            From::OddEven(each) => {
                let draw = |digit: usize| {
                    let mut rows = self.shuffled(ctx, digits.rows_of(&[digit]));
                    rows.truncate(each);
                    rows
                };
                ((0..10).flat_map(draw).collect(), ["odd".to_owned(), "even".to_owned()])
            }
            From::Digits(a, b) => {
                let rows = [digits.rows_of(&[a]), digits.rows_of(&[b])].concat();
                (rows, [a.to_string(), b.to_string()])
            }
            From::Newsgroups(..) => unreachable!("text has its own loader"),
        };
        let rows = shortened(ctx, self.shuffled(ctx, rows));
        let class_of = |digit: usize| {
            let positive = match self.from {
                From::Digits(a, _) => digit == a,
                _ => digit % 2 == 1,
            };
            if positive { POSITIVE } else { 1 - POSITIVE }
        };
        let (points, truth) =
            digits.select(&rows, &names.each_ref().map(String::as_str), class_of)?;
        // The lengths that the report prints fit images of 8 × 8 pixels, the size that zhu2005
        // section 4.2 gives for the same images.
        let (points, full) = if digits.missing.is_none() {
            (Points::dense(halved(&points.to_dense(), SIDE)?)?, Some(points))
        } else {
            (points, None)
        };
        Ok(Ok(Material { points, truth, full, note: digits.note, missing: digits.missing }))
    }

    /// In random order. Where values tie, the tuned threshold takes the lower node; an order by
    /// classes would turn ties into right answers.
    fn shuffled(self, ctx: &Context, mut rows: Vec<usize>) -> Vec<usize> {
        rows.shuffle(&mut Trial::new(ctx.options().seed, self.id, 0).rng("order"));
        rows
    }
}
