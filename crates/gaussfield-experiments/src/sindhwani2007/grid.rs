//! The grid of section 4: widths × ratios γ_I/γ_A, all label draws at every place.
//!
//! The Laplacian's eigenvectors are computed once for a data set, the base kernel in them and on
//! the test points once for a width, one factorisation for each ratio and one solve for all nodes
//! that any draw labels; a draw of labels then costs what its own l × l problem costs.

use super::NOISE;
use super::comparison::FEWEST;
use super::tasks::{Part, Plan};
use crate::{Context, Trial};
use anyhow::{Context as _, Result, ensure};
use gaussfield_baselines::{BaselineError, Expansion, LaplacianLeastSquares, LaplacianSvm};
use gaussfield_core::Budget;
use gaussfield_data::split::Trials;
use gaussfield_gp::{
    Ambient, ExpectationPropagation, GaussianProcess, Geometry, GivenCovariance,
    InductivePrior as _, Kernel, Mean, Prior as _, Probit, Warp, WarpedKernel,
};
use gaussfield_graph::{Exponential, Pattern, WeightFamily as _};
use gaussfield_labels::{Folds, Inductive, Labels, cross_validate};
use gaussfield_laplacian::Laplacian;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// Widths in units of σ₀, the mean length of the training vectors.
pub(super) const WIDTHS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// γ_I/γ_A, with γ_A = 1. The first leaves the graph out: the supervised process.
pub(super) const RATIOS: [f64; 6] = [0.0, 1e-6, 1e-4, 1e-2, 1.0, 100.0];
/// Places of the grid.
pub(super) const PLACES: usize = WIDTHS.len() * RATIOS.len();
/// Violation of the support vector machine's conditions to accept, in units of its margin.
pub(super) const MARGIN: f64 = 1e-3;

/// What one draw of labels says at one place of the grid. Errors are shares.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Look {
    /// log p(y_L | G, φ).
    pub(super) evidence: f64,
    /// Of the Gaussian process: on the test points and on the unlabelled ones.
    pub(super) process: [f64; 2],
    /// Of the Laplacian support vector machine.
    pub(super) machine: Held,
    /// Of Laplacian regularised least squares.
    pub(super) squares: Held,
}

/// What a method without an evidence says.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Held {
    /// Labels that it gets wrong when they are held out.
    pub(super) held_out: usize,
    /// On the test points and on the unlabelled ones.
    pub(super) errors: [f64; 2],
}

/// By ratio, by draw, by number of labels.
pub(super) type AtWidth = Vec<Vec<Vec<Look>>>;

/// What the looks depend on.
#[derive(Debug, Serialize)]
struct Settings<'a> {
    neighbours: usize,
    power: u32,
    widths: &'a [f64],
    ratios: &'a [f64],
    counts: &'a [usize],
    sizes: (usize, usize),
    draws: usize,
    stand_in: bool,
    laplacian: &'a str,
}

/// The labels of a draw, and what they are to be judged by.
pub(super) struct Draw {
    pub(super) labels: Labels,
    /// Places of its nodes in the union of all draws.
    pub(super) columns: Vec<usize>,
    unlabelled: Vec<usize>,
    pub(super) folds_seed: u64,
}

/// A problem ready for any place of the grid.
pub(super) struct Problem<'a> {
    pub(super) part: &'a Part,
    /// By draw, by number of labels.
    pub(super) draws: Vec<Vec<Draw>>,
    /// All nodes that some draw labels.
    pub(super) union: Vec<usize>,
}

/// The graph of a problem: the pattern of its edges, and which Laplacian is taken.
pub(super) struct Bend<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) laplacian: Laplacian,
}

/// Draws of labels. Of ten, as the paper has it, many directions of the right sign lay within two
/// standard errors of nothing.
const DRAWS: usize = 40;

/// Draws of labels: the full number, or as many as a short run takes.
pub(super) fn draws(ctx: &Context) -> usize {
    ctx.trial_count(DRAWS, FEWEST)
}

/// Looks at every place of the grid: one list for each width.
pub(super) fn looks(
    ctx: &Context,
    plan: &Plan,
    part: &Part,
    bend: &Bend<'_>,
    stand_in: bool,
) -> Result<Vec<AtWidth>> {
    let counts = plan.counts(ctx.quick());
    let draws = draws(ctx);
    let problem = Problem::new(part, counts, draws, ctx.options().seed)?;
    let settings = Settings {
        neighbours: plan.neighbours,
        power: plan.power,
        widths: &WIDTHS,
        ratios: &RATIOS,
        counts,
        sizes: (part.train.len(), part.test.len()),
        draws,
        stand_in,
        laplacian: if bend.laplacian == Laplacian::Symmetric { "normalised" } else { "plain" },
    };
    let shared: Mutex<Option<(Arc<Geometry>, f64)>> = Mutex::new(None);
    let unit = part.mean_length();
    let found: Vec<AtWidth> =
        ctx.trials(&part.id, &settings, WIDTHS.len(), |trial| -> Result<AtWidth> {
            let (geometry, scale) = {
                // The others wait: all need it.
                let mut known = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match &*known {
                    Some(geometry) => geometry.clone(),
                    None => known.insert(bend.geometry()?).clone(),
                }
            };
            let scale = scale.powi(plan.power as i32);
            let kernel = Kernel::Rbf { width: unit * WIDTHS[trial.index()] };
            let test = kernel.cross(&part.test, &part.train, Budget::default())?;
            let ambient = Ambient::new(&geometry, &part.train, kernel, Budget::default())?;
            RATIOS
                .iter()
                .map(|&ratio| {
                    let warp = Warp { gamma_a: 1.0, gamma_i: ratio / scale, power: plan.power };
                    problem.look(&ambient.warp(warp)?, &test)
                })
                .collect()
        })?;
    for at_width in &found {
        let whole = at_width.len() == RATIOS.len()
            && at_width
                .iter()
                .all(|at| at.len() == draws && at.iter().all(|draw| draw.len() == counts.len()));
        ensure!(whole, "a kept trial of {} is damaged", part.id);
    }
    Ok(found)
}

impl Bend<'_> {
    /// Of the graph with weights exp(−d²/2σ_t²), σ_t the mean length of its edges; and the unit of
    /// its eigenvalues. That is the mean degree for D − W, whose eigenvalues grow with the degrees.
    pub(super) fn geometry(&self) -> Result<(Arc<Geometry>, f64)> {
        let budget = Budget::default();
        let family = Exponential::gaussian(self.pattern.mean_distance());
        let graph = family.graph(self.pattern, budget)?;
        let unit = match self.laplacian {
            Laplacian::Combinatorial => graph.degrees().mean().unwrap_or(1.0),
            _ => 1.0,
        };
        Ok((Geometry::new(&graph, self.laplacian, budget)?, unit))
    }
}

impl<'a> Problem<'a> {
    pub(super) fn new(part: &'a Part, counts: &[usize], draws: usize, seed: u64) -> Result<Self> {
        let (Some(&least), Some(&most)) = (counts.first(), counts.last()) else {
            anyhow::bail!("{} has no number of labels", part.id);
        };
        let stream = Trial::new(seed, &part.id, 0).seed("labels");
        let drawn = Trials::draw(&part.truth, draws, least..=most, stream)?;
        let mut union = Vec::new();
        for draw in 0..draws {
            union.extend(drawn.split(draw, most)?.labelled());
        }
        union.sort_unstable();
        union.dedup();
        let one = |draw: usize, count: usize| -> Result<Draw> {
            let nodes = drawn.split(draw, count)?;
            let given = nodes.partial(&part.truth)?;
            let place = |node: &usize| union.binary_search(node).ok();
            let columns: Option<Vec<usize>> = nodes.labelled().iter().map(place).collect();
            Ok(Draw {
                labels: part.truth.select(nodes.labelled())?,
                columns: columns.context("a drawn node is in the union")?,
                unlabelled: given.unlabelled(),
                folds_seed: Trial::new(seed, &part.id, draw).seed("folds"),
            })
        };
        let draws = (0..draws)
            .map(|draw| counts.iter().map(|&count| one(draw, count)).collect())
            .collect::<Result<_>>()?;
        Ok(Self { part, draws, union })
    }

    /// All draws with one kernel. `test` is the base kernel between test and training points.
    fn look(&self, kernel: &WarpedKernel, test: &Array2<f64>) -> Result<Vec<Vec<Look>>> {
        let columns = kernel.columns(&self.union)?;
        let cross = test.dot(&*kernel.extension(&self.union, &columns)?);
        self.draws
            .par_iter()
            .map(|sizes| sizes.iter().map(|draw| self.one(draw, &columns.values, &cross)).collect())
            .collect()
    }

    fn one(&self, draw: &Draw, columns: &Array2<f64>, cross: &Array2<f64>) -> Result<Look> {
        let Draw { labels, .. } = draw;
        let rows: Vec<usize> = draw.columns.iter().map(|&at| self.union[at]).collect();
        let own = columns.select(Axis(1), &draw.columns);
        let test = cross.select(Axis(1), &draw.columns);
        let block = own.select(Axis(0), &rows);
        let gram = (&block + &block.t()) * 0.5;

        let process = GaussianProcess {
            likelihood: Probit { noise: NOISE },
            mean: Mean::default(),
            inference: ExpectationPropagation { tolerance: 1e-6, ..Default::default() },
        };
        let posterior = process.fit(GivenCovariance::new(gram.clone())?, labels)?;
        let dual = posterior.dual();
        let by_process = self.errors(draw, test.dot(&dual).view(), own.dot(&dual).view());

        // The same noise: C = 1/(2·γ_A·l) = 1/(2σ_n²), and the ridge γ_A·l = σ_n².
        let ambient = NOISE * NOISE / labels.len() as f64;
        let machine = LaplacianSvm { tolerance: MARGIN, ..LaplacianSvm::new(ambient) };
        let squares = LaplacianLeastSquares { ambient };
        let machine =
            self.held(draw, &gram, (&own, &test), |given| machine.fit_gram(gram.view(), given))?;
        let squares =
            self.held(draw, &gram, (&own, &test), |given| squares.fit_gram(gram.view(), given))?;
        Ok(Look { evidence: posterior.log_evidence(), process: by_process, machine, squares })
    }

    /// A method by its own errors, and by labels held out; their points stay in the graph.
    fn held<M>(
        &self,
        draw: &Draw,
        gram: &Array2<f64>,
        (own, test): (&Array2<f64>, &Array2<f64>),
        fit: impl Fn(&Labels) -> Result<M, BaselineError>,
    ) -> Result<Held>
    where
        M: AsRef<Expansion> + for<'b> Inductive<ArrayView2<'b, f64>, Error = BaselineError>,
    {
        let folds = Folds::five_or_leave_one_out(&draw.labels, draw.folds_seed);
        let validated = cross_validate(&draw.labels, folds, |given, held_out| {
            let found = fit(given)?.predict(&gram.select(Axis(0), held_out).view())?;
            Ok::<_, BaselineError>(found.argmax())
        })?;
        let model = fit(&draw.labels)?;
        let on_test = model.as_ref().decision_values(test.view())?;
        let on_own = model.as_ref().decision_values(own.view())?;
        let errors = self.errors(draw, on_test.column(0), on_own.column(0));
        Ok(Held { held_out: validated.errors, errors })
    }

    /// Shares of wrong signs on the test points and on the unlabelled ones.
    fn errors(&self, draw: &Draw, test: ArrayView1<'_, f64>, own: ArrayView1<'_, f64>) -> [f64; 2] {
        let class = |value: f64| usize::from(value > 0.0);
        let wrong = test.iter().zip(&self.part.test_truth).filter(|(v, t)| class(**v) != **t);
        let on_test = wrong.count() as f64 / self.part.test_truth.len().max(1) as f64;
        let truth = &self.part.truth;
        let wrong = draw.unlabelled.iter().filter(|&&i| Some(class(own[i])) != truth.get(i));
        [on_test, wrong.count() as f64 / draw.unlabelled.len().max(1) as f64]
    }
}
