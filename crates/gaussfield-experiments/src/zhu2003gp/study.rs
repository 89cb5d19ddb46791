//! All tasks, all graphs: the numbers behind the tables and the figures.

use super::beyond::Learned;
use super::plans::{PLANS, Plan};
use super::scans::{Extent, Family, Scan, scan};
use super::search::{Chosen, choose};
use crate::Context;
use anyhow::Result;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::format::number;

/// A family of graphs on a task: all that was looked at, and what each label set chose.
pub(super) struct Studied {
    pub(super) family: Family,
    pub(super) scan: Scan,
    pub(super) chosen: Vec<Chosen>,
}

/// A task on all four families.
pub(super) struct Study {
    pub(super) plan: Plan,
    /// In the order of [`Family::ALL`].
    pub(super) families: Vec<Studied>,
    /// What to write under figures drawn on other data.
    pub(super) note: Option<String>,
    /// Why claims are not run though the study is there.
    pub(super) missing: Option<String>,
    /// With β, σ and γ learned too; on 1/2 only.
    pub(super) beyond: Vec<Learned>,
    /// How far the process is from the harmonic function, for growing σ; on 1/2 only.
    pub(super) limits: Option<Vec<f64>>,
    /// The same on the images as they are; on 1/2 and 2/3 only.
    pub(super) full: Vec<Studied>,
}

/// A task that was studied, or why it was not.
pub(super) struct Case {
    pub(super) plan: Plan,
    pub(super) study: Result<Study, String>,
}

impl Case {
    /// Why its claims are not run, if they are not.
    pub(super) fn missing(&self) -> Option<&str> {
        match &self.study {
            Ok(study) => study.missing.as_deref(),
            Err(reason) => Some(reason),
        }
    }

    /// What to say of its claims where they are judged on another edition.
    pub(super) fn edition(&self) -> Option<&String> {
        let study = self.study.as_ref().ok().filter(|study| study.missing.is_none())?;
        study.note.as_ref()
    }
}

/// The studies on the paper's own data.
pub(super) fn real(cases: &[Case]) -> Vec<&Study> {
    let studies = cases.iter().filter_map(|case| case.study.as_ref().ok());
    studies.filter(|study| study.missing.is_none()).collect()
}

/// All studies, those on other data included.
pub(super) fn all(cases: &[Case]) -> impl Iterator<Item = &Study> {
    cases.iter().filter_map(|case| case.study.as_ref().ok())
}

impl Studied {
    /// A quantity of the chosen graphs over label sets.
    pub(super) fn over_sets(&self, of: impl Fn(&Chosen) -> f64) -> Result<MeanStd> {
        Ok(MeanStd::over(&self.chosen.iter().map(of).collect::<Vec<_>>())?)
    }
}

impl Study {
    pub(super) fn of(&self, family: Family) -> Option<&Studied> {
        self.families.iter().find(|studied| studied.family == family)
    }
}

/// Studies every task in turn; only numbers are kept of each.
pub(super) fn run(ctx: &mut Context) -> Result<Vec<Case>> {
    PLANS.iter().map(|&plan| Ok(Case { plan, study: study(ctx, plan)? })).collect()
}

fn study(ctx: &mut Context, plan: Plan) -> Result<Result<Study, String>> {
    let task = match plan.task(ctx)? {
        Ok(task) => task,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut families = Vec::new();
    for family in Family::ALL {
        let scan = scan(ctx, &task, family, Extent::of(ctx))?;
        let chosen = choose(ctx, &task, family, &scan)?;
        cost(ctx, plan, family, &scan, &chosen);
        families.push(Studied { family, scan, chosen });
    }
    let (note, missing) = (task.note.clone(), task.missing.clone());
    let (mut beyond, mut full, mut limits) = (Vec::new(), Vec::new(), None);
    if plan.id == "1-2" {
        limits = Some(super::identities::limit(&task)?);
        beyond = super::beyond::learn(ctx, &task, &families)?;
    }
    if ["1-2", "2-3"].contains(&plan.id) {
        full = super::sizes::study(ctx, task)?;
    }
    Ok(Ok(Study { plan, families, note, missing, beyond, limits, full }))
}

/// States what the evidence cost.
fn cost(ctx: &mut Context, plan: Plan, family: Family, scan: &Scan, chosen: &[Chosen]) {
    let looked: f64 = scan.0.iter().map(|place| place.look.seconds).sum();
    let mut words = format!(
        "{} graphs, {} s each with all {} label sets",
        scan.0.len(),
        number(looked / scan.0.len().max(1) as f64),
        chosen.len()
    );
    if matches!(family, Family::Tanh | Family::Exp) {
        let evaluations: usize = chosen.iter().map(|chosen| chosen.evaluations).sum();
        let seconds: f64 = chosen.iter().map(|chosen| chosen.seconds).sum();
        words.push_str(&format!(
            "; searches: {evaluations} evaluations with gradients, {} s each",
            number(seconds / evaluations.max(1) as f64)
        ));
    }
    ctx.report.fact(format!("Cost of {} on {}", family.name(), plan.name), words);
}
