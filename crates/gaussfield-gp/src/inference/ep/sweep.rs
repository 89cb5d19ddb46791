//! The search for the fixed point of expectation propagation.

use super::gaussian::lower_root;
use super::{BlockGaussian, Cavity, ExpectationPropagation, Schedule, Sites};
use crate::inference::Block;
use crate::{GpError, Tilted, TiltedLikelihood};
use gaussfield_core::{NotConverged, Progress, Stage};
use ndarray::Array2;
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
/// labels need many steps, and each is cheap), and those for a posterior, by l³.
const WORK: f64 = 3e4;
const LEAST_WORK: f64 = 5e8;
const POSTERIOR: f64 = 3.0;

/// A search for the fixed point. Between its steps every node has a cavity.
#[derive(Debug)]
pub(super) struct Search<'a, 'b, L> {
    how: &'a ExpectationPropagation,
    pub(super) block: &'a Block<'b, L>,
    /// C with K = CCᵀ.
    pub(super) root: Array2<f64>,
    pub(super) posterior: BlockGaussian,
    pub(super) stage: Stage,
    /// Multiplications that Newton's method and the double loop may still make.
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
        // Sites of other parameters may describe no Gaussian here.
        let posterior = [start, Sites::flat(size)]
            .into_iter()
            .find_map(|sites| BlockGaussian::with_cavities(root.view(), sites))
            .ok_or(GpError::Factorisation { size })?;
        let stage = Progress::stage("expectation propagation", None);
        let usual = (WORK * (size * size) as f64).max(LEAST_WORK);
        let left = Cell::new(how.effort * usual);
        Ok(Self { how, block, root, posterior, stage, left })
    }

    /// A posterior found by Newton's method or the double loop, at its cost.
    pub(super) fn posterior_of(&self, sites: Sites) -> Option<BlockGaussian> {
        self.spend(POSTERIOR);
        BlockGaussian::new(self.root.view(), sites)
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

    /// Plain sweeps first. Where they go round in circles, as they do where many labels contradict
    /// each other, a double loop that cannot; and near the fixed point Newton's method.
    pub(super) fn run(mut self) -> Result<FixedPoint, GpError> {
        let mut sweeps = 0;
        // Where the plain sweeps came closest.
        let mut closest: Option<(f64, BlockGaussian)> = None;
        loop {
            let survey = self.survey(&self.posterior)?;
            let change = survey.change;
            if change <= self.how.tolerance {
                let Survey { cavities, tilted, .. } = survey;
                let posterior = self.posterior;
                return Ok(FixedPoint { posterior, cavities, tilted, sweeps, change });
            }
            if sweeps >= self.how.max_sweeps || self.is_spent() {
                return Err(self.stuck(sweeps, change));
            }
            self.stage.step()?;
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
            let cavity = self.cavity(posterior, i);
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
    fn cavity(&self, posterior: &BlockGaussian, i: usize) -> Cavity {
        let (variance, mean) = (posterior.variance(i), posterior.mean()[i]);
        let sites = posterior.sites();
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
            if let Some(posterior) = BlockGaussian::with_cavities(self.root.view(), sites) {
                self.posterior = posterior;
                return;
            }
            share *= 0.5;
        }
    }

    fn one_by_one(&mut self) -> Result<(), GpError> {
        let mut moving = self.posterior.clone();
        for i in 0..self.block.targets.len() {
            let cavity = self.cavity(&moving, i);
            let (precision, shift) = self.proposal(i, cavity, self.moments(i, cavity)?);
            let mut by_precision = self.how.damping * (precision - moving.sites().precision[i]);
            let mut by_shift = self.how.damping * (shift - moving.sites().shift[i]);
            for _ in 0..HALVINGS {
                if moving.change_site(i, by_precision, by_shift) {
                    break;
                }
                by_precision *= 0.5;
                by_shift *= 0.5;
            }
        }
        // Afresh: rounding of the rank-one changes must not pile up.
        self.move_towards(moving.sites(), 1.0);
        Ok(())
    }
}
