//! Section 3.3: cross-validation whose held-out points are not in the graph either.
//!
//! Every fold has a graph and kernels of its own, which is why it is done on the small sets only.

use super::NOISE;
use super::grid::{Bend, Draw, MARGIN, PLACES, Problem, RATIOS, WIDTHS, draws};
use super::tasks::{Part, Plan};
use crate::Context;
use anyhow::Result;
use gaussfield_baselines::LaplacianSvm;
use gaussfield_core::Budget;
use gaussfield_gp::{Ambient, Kernel, Warp};
use gaussfield_graph::{Metric, Pattern, Symmetry};
use gaussfield_labels::{Folds, Inductive as _, Labels};
use gaussfield_laplacian::Laplacian;

/// Labels that the Laplacian support vector machine gets wrong when they and their points are held
/// out: by draw, by number of labels up to `most`, by place of the grid (widths, then ratios).
pub(super) fn held_out(
    ctx: &Context,
    plan: &Plan,
    part: &Part,
    most: usize,
) -> Result<Vec<Vec<Vec<usize>>>> {
    let counts: Vec<usize> =
        plan.counts(ctx.quick()).iter().copied().filter(|&count| count <= most).collect();
    let problem = Problem::new(part, plan.counts(ctx.quick()), draws(ctx), ctx.options().seed)?;
    let name = format!("{}-outside", part.id);
    let key = (plan.neighbours, plan.power, &WIDTHS, &RATIOS, &counts, part.train.len());
    ctx.trials(&name, &key, draws(ctx), |trial| {
        let draws = problem.draws[trial.index()].iter().take(counts.len());
        draws.map(|draw| wrong_by_place(plan, &problem, draw)).collect()
    })
}

fn wrong_by_place(plan: &Plan, problem: &Problem<'_>, draw: &Draw) -> Result<Vec<usize>> {
    let part = problem.part;
    let nodes: Vec<usize> = draw.columns.iter().map(|&at| problem.union[at]).collect();
    let folds = Folds::five_or_leave_one_out(&draw.labels, draw.folds_seed);
    let mut wrong = vec![0; PLACES];
    for held in folds.split(&draw.labels)? {
        let out: Vec<usize> = held.iter().map(|&at| nodes[at]).collect();
        let inside: Vec<usize> = (0..part.train.len()).filter(|node| !out.contains(node)).collect();
        let class = |node: &usize| part.truth.get(*node).filter(|_| nodes.contains(node));
        let classes: Vec<Option<usize>> = inside.iter().map(class).collect();
        let given = Labels::new(classes, part.truth.names().to_vec())?;
        let asked: Vec<Option<usize>> = out.iter().map(|&node| part.truth.get(node)).collect();
        let missed = |classes: &[usize]| {
            classes.iter().zip(&asked).filter(|(class, truth)| Some(**class) != **truth).count()
        };
        if let Some(only) = given.counts().iter().position(|&count| count == 0) {
            // One class is left, and nothing else could be predicted.
            wrong.iter_mut().for_each(|wrong| *wrong += missed(&vec![1 - only; out.len()]));
            continue;
        }
        let train = part.train.select(&inside)?;
        let pattern = Pattern::knn(&train, Metric::Euclidean, plan.neighbours, Symmetry::Either)?;
        let bend = Bend { pattern: &pattern, laplacian: Laplacian::Symmetric };
        let (geometry, _) = bend.geometry()?;
        let queries = part.train.select(&out)?;
        let mut places = wrong.iter_mut();
        for width in WIDTHS {
            let kernel = Kernel::Rbf { width: part.mean_length() * width };
            let ambient = Ambient::new(&geometry, &train, kernel, Budget::default())?;
            for ratio in RATIOS {
                let warp = Warp { gamma_a: 1.0, gamma_i: ratio, power: plan.power };
                let price = NOISE * NOISE / draw.labels.len() as f64;
                let machine = LaplacianSvm { tolerance: MARGIN, ..LaplacianSvm::new(price) };
                let model = machine.fit_on(ambient.warp(warp)?, &given)?;
                let classes = model.predict(&queries)?.argmax();
                if let Some(wrong) = places.next() {
                    *wrong += missed(&classes);
                }
            }
        }
    }
    Ok(wrong)
}
