//! The search for the fixed point of expectation propagation.

use super::gaussian::lower_root;
use super::moving::Moving;
use super::{BlockGaussian, Cavity, ExpectationPropagation, Schedule, Sites};
use crate::inference::Block;
use crate::{GpError, Tilted, TiltedLikelihood};
use gaussfield_core::{NotConverged, Progress, Stage};
use ndarray::{Array2, Axis};
use std::cell::Cell;

/// Plain sweeps before Newton's method takes over: most problems are solved by then.
const PLAIN: usize = 20;
/// From how near Newton's method may start. From afar it can end where the evidence is neither
/// greatest nor least, at sites that no sweep would come to.
const NEAR: f64 = 0.05;
/// Smallest share of a proposed change of all sites.
const LEAST_SHARE: f64 = 1e-3;
/// How often the change of one site is halved where it would leave another without a cavity.
const HALVINGS: usize = 8;

/// Multiplications for each pair of labels beyond the plain sweeps, the least of them in all (few
/// labels need many steps, and each is cheap), and those of a sweep itself, by l³.
const WORK: f64 = 3e4;
const LEAST_WORK: f64 = 5e8;
const SWEEP: f64 = 1.0;

/// A search for the fixed point. Between its steps every node has a cavity.
#[derive(Debug)]
pub(super) struct Search<'a, 'b, L> {
    pub(super) how: &'a ExpectationPropagation,
    pub(super) block: &'a Block<'b, L>,
    /// C with K = CCᵀ, l × the rank of K.
    pub(super) root: Array2<f64>,
    pub(super) posterior: BlockGaussian,
    pub(super) stage: Stage,
    /// Multiplications that may still be made.
    left: Cell<f64>,
}

/// Where a search ended.
#[derive(Debug)]
pub(super) struct FixedPoint {
    pub(super) posterior: BlockGaussian,
    pub(super) cavities: Vec<Cavity>,
    pub(super) tilted: Vec<Tilted>,
    pub(super) sweeps: usize,
    pub(super) change: f64,
}

/// What every term says at the present sites.
#[derive(Debug)]
pub(super) struct Survey {
    cavities: Vec<Cavity>,
    tilted: Vec<Tilted>,
    /// The sites that match the moments of the terms.
    proposals: Sites,
    /// How far the proposals are from the sites, in units of the posterior of each node.
    pub(super) change: f64,
}

impl<'a, 'b, L: TiltedLikelihood> Search<'a, 'b, L> {
    pub(super) fn new(
        how: &'a ExpectationPropagation,
        block: &'a Block<'b, L>,
        start: Sites,
    ) -> Result<Self, GpError> {
        let size = block.targets.len();
        let root = lower_root(block.gram).ok_or(GpError::IndefiniteCovariance { size })?;
        let has_part = |&column: &usize| root[[column, column]] > 0.0;
        let columns: Vec<usize> = (0..size).filter(has_part).collect();
        let root = if columns.len() < size { root.select(Axis(1), &columns) } else { root };
        // Sites of other parameters may describe no Gaussian here.
        let posterior = [start, Sites::flat(size)]
            .into_iter()
            .find_map(|sites| BlockGaussian::with_cavities(root.view(), sites))
            .ok_or(GpError::Factorisation { size })?;
        let stage = Progress::shares("expectation propagation");
        let search = Self { how, block, root, posterior, stage, left: Cell::new(0.0) };
        let usual = (WORK * (size * size) as f64).max(LEAST_WORK);
        let sweep = (SWEEP + search.posterior_cost()) * (size as f64).powi(3);
        search.left.set(PLAIN as f64 * sweep + how.effort * usual);
        Ok(search)
    }

    /// A posterior, at its cost.
    pub(super) fn posterior_of(&self, sites: Sites) -> Option<BlockGaussian> {
        self.spend(self.posterior_cost());
        BlockGaussian::new(self.root.view(), sites)
    }

    /// CᵀTC, its factor, its solves and their product, by l³.
    fn posterior_cost(&self) -> f64 {
        let rank = self.root.ncols() as f64 / self.root.nrows() as f64;
        rank * (1.5 * rank + rank * rank / 6.0 + 1.0)
    }

    /// Takes so many times l³ off the work that is left.
    pub(super) fn spend(&self, cubes: f64) {
        let size = self.block.targets.len() as f64;
        self.left.set(self.left.get() - cubes * size.powi(3));
    }

    /// Whether no work is left.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() <= 0.0
    }

    /// The fixed point. Plain sweeps first. Where they go round in circles, as they do where many labels contradict
    /// each other, a double loop that cannot; and near the fixed point Newton's method.
    pub(super) fn run(mut self) -> Result<FixedPoint, GpError> {
        let (survey, sweeps) = self.search()?;
        let Survey { cavities, tilted, change, .. } = survey;
        Ok(FixedPoint { posterior: self.posterior, cavities, tilted, sweeps, change })
    }

    /// What the terms say at the fixed point, and the sweeps on the way.
    fn search(&mut self) -> Result<(Survey, usize), GpError> {
        let (mut sweeps, mut first) = (0, None);
        // Where the plain sweeps came closest.
        let mut closest: Option<(f64, BlockGaussian)> = None;
        loop {
            let survey = self.survey(&self.posterior)?;
            let change = survey.change;
            if change <= self.how.tolerance {
                return Ok((survey, sweeps));
            }
            if sweeps >= self.how.max_sweeps || self.is_spent() {
                return Err(self.stuck(sweeps, change));
            }
            let first = *first.get_or_insert(change);
            self.stage.reach(Stage::way(first, change, self.how.tolerance))?;
            if sweeps < PLAIN {
                if closest.as_ref().is_none_or(|(least, _)| change < *least) {
                    closest = Some((change, self.posterior.clone()));
                }
                match self.how.schedule {
                    Schedule::Parallel => self.move_towards(&survey.proposals, self.how.damping),
                    Schedule::Sequential => self.one_by_one()?,
                }
            } else if let Some((_, posterior)) = closest.take().filter(|(least, _)| *least < change)
            {
                self.posterior = posterior;
                continue;
            } else if change > NEAR || !self.newton(change)? {
                sweeps += self.double_loop(self.how.max_sweeps - sweeps)?;
                continue;
            }
            sweeps += 1;
        }
    }

    fn stuck(&self, iterations: usize, reached: f64) -> GpError {
        let remedy = "allow more sweeps or more effort, start from the sites of nearby parameters, or choose less \
                      extreme ones (a wider noise, a shorter prior)";
        let (method, measure) = ("expectation propagation", "the largest change of a site");
        let tolerance = self.how.tolerance;
        NotConverged { method, iterations, measure, reached, tolerance, remedy }.into()
    }

    pub(super) fn survey(&self, posterior: &BlockGaussian) -> Result<Survey, GpError> {
        let size = self.block.targets.len();
        let mut survey = Survey {
            cavities: Vec::with_capacity(size),
            tilted: Vec::with_capacity(size),
            proposals: Sites::flat(size),
            change: 0.0,
        };
        let sites = posterior.sites();
        for i in 0..size {
            let cavity = self.cavity(i, posterior.mean()[i], posterior.variance(i), sites);
            let moments = self.moments(i, cavity)?;
            let (precision, shift) = self.proposal(i, cavity, moments);
            let variance = posterior.variance(i);
            let by_precision = (precision - sites.precision[i]).abs() * variance;
            let by_shift = (shift - sites.shift[i]).abs() * variance.sqrt();
            survey.change = survey.change.max(by_precision).max(by_shift);
            survey.proposals.precision[i] = precision;
            survey.proposals.shift[i] = shift;
            survey.cavities.push(cavity);
            survey.tilted.push(moments);
        }
        Ok(survey)
    }

    /// The posterior of node i without its own site.
    fn cavity(&self, i: usize, mean: f64, variance: f64, sites: &Sites) -> Cavity {
        let share = 1.0 - sites.precision[i] * variance;
        Cavity {
            mean: self.block.mean[i] + (mean - sites.shift[i] * variance) / share,
            variance: variance / share,
        }
    }

    pub(super) fn moments(&self, i: usize, cavity: Cavity) -> Result<Tilted, GpError> {
        let target = self.block.targets[i];
        let Cavity { mean, variance } = cavity;
        let tilted = self.block.likelihood.tilted(target, mean, variance);
        let Tilted { log_mass, first, second } = tilted;
        let left = 1.0 + second * variance;
        if log_mass.is_finite() && first.is_finite() && second.is_finite() && left > 0.0 {
            return Ok(tilted);
        }
        Err(GpError::BadMoment { label: i, target, mean, variance })
    }

    /// With κ = −∂² log Z: the tilted variance is v(1 − κv), so that τ = κ/(1 − κv).
    fn proposal(&self, i: usize, cavity: Cavity, moments: Tilted) -> (f64, f64) {
        let centre = cavity.mean - self.block.mean[i];
        let kappa = -moments.second;
        let left = 1.0 - kappa * cavity.variance;
        (kappa / left, (moments.first + kappa * centre) / left)
    }

    /// As much of this share of the way to other sites as leaves every node a cavity.
    pub(super) fn move_towards(&mut self, others: &Sites, mut share: f64) {
        while share > LEAST_SHARE {
            let sites = self.posterior.sites().towards(others, share);
            if let Some(posterior) = self.posterior_of(sites).filter(BlockGaussian::has_cavities) {
                self.posterior = posterior;
                return;
            }
            share *= 0.5;
        }
    }

    fn one_by_one(&mut self) -> Result<(), GpError> {
        self.spend(SWEEP);
        let mut moving = Moving::from(&self.posterior);
        for i in 0..self.block.targets.len() {
            let cavity = self.cavity(i, moving.mean(i), moving.variance(i), moving.sites());
            let (precision, shift) = self.proposal(i, cavity, self.moments(i, cavity)?);
            let by_precision = self.how.damping * (precision - moving.sites().precision[i]);
            let by_shift = self.how.damping * (shift - moving.sites().shift[i]);
            moving.change_site(i, by_precision, by_shift, HALVINGS);
        }
        // Afresh: rounding of the changes must not pile up.
        self.move_towards(&moving.into_sites(), 1.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Probit;
    use ndarray::Array1;

    /// Pairs of points that lie together and disagree have no fixed point that could be found: the
    /// work on them is bounded, counted in multiplications, which are the same on any machine.
    #[test]
    fn contradicting_labels_are_given_up_within_their_work() {
        for (labels, noise, most) in [(40, 1e-6, 6e8), (200, 1e-6, 2e9), (200, 1e-8, 2e9)] {
            let at = |i: usize| (i / 2) as f64 / (labels as f64 / 40.0) + 1e-3 * (i % 2) as f64;
            let gram = Array2::from_shape_fn((labels, labels), |(i, j)| {
                (-((at(i) - at(j)) / 3.0).powi(2) / 2.0).exp()
            });
            let mean = Array1::zeros(labels);
            let targets = Array1::from_shape_fn(labels, |i| if i % 2 == 0 { 1.0 } else { -1.0 });
            let (mean, targets, likelihood) = (mean.view(), targets.view(), &Probit { noise });
            let block = Block { gram: &gram, mean, targets, likelihood };
            let how = ExpectationPropagation::default();
            let mut search = Search::new(&how, &block, Sites::flat(labels)).unwrap();
            let before = search.left.get();
            let end = search.search().map(|(_, sweeps)| sweeps);
            let work = before - search.left.get();
            assert!(work > 0.0 && work < most, "{labels} labels: {work:e} to {end:?}");
        }
    }
}
