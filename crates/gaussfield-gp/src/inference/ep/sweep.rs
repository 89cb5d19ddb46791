use super::gaussian::lower_root;
use super::mixing::Mixing;
use super::{BlockGaussian, Cavity, ExpectationPropagation, Schedule, Sites};
use crate::inference::Block;
use crate::{GpError, Tilted, TiltedLikelihood};
use ndarray::Array2;

/// Sweeps without progress after which the steps are halved.
const PATIENCE: usize = 10;
/// Smallest share of a proposed change.
const LEAST_DAMPING: f64 = 0.02;
/// Plain sweeps before they are mixed: most problems are solved by then.
const PLAIN: usize = 15;
/// What counts as progress. Damped steps converge slowly where labels contradict each other, some
/// by a few per cent a sweep: to halve them then would only make them slower.
const PROGRESS: f64 = 0.999;

/// A search for the fixed point.
#[derive(Debug)]
pub(super) struct Search<'a, 'b, L> {
    how: &'a ExpectationPropagation,
    block: &'a Block<'b, L>,
    /// C with K = CCᵀ.
    root: Array2<f64>,
    sites: Sites,
    posterior: BlockGaussian,
    damping: f64,
    mixing: Mixing,
}

/// Where a search ended.
#[derive(Debug)]
pub(super) struct FixedPoint {
    pub(super) sites: Sites,
    pub(super) posterior: BlockGaussian,
    pub(super) cavities: Vec<Cavity>,
    pub(super) tilted: Vec<Tilted>,
    pub(super) sweeps: usize,
    pub(super) change: f64,
}

/// The site that matches the moments of one term.
struct Proposal {
    precision: f64,
    shift: f64,
}

impl<'a, 'b, L: TiltedLikelihood> Search<'a, 'b, L> {
    pub(super) fn new(
        how: &'a ExpectationPropagation,
        block: &'a Block<'b, L>,
        start: Sites,
    ) -> Result<Self, GpError> {
        let root = lower_root(block.gram);
        let size = block.targets.len();
        let not_gaussian = GpError::Factorisation { size };
        let (sites, posterior) = match BlockGaussian::new(root.view(), &start) {
            Some(posterior) => (start, posterior),
            // Sites of other parameters may describe no Gaussian here.
            None => {
                let flat = Sites::flat(size);
                let posterior = BlockGaussian::new(root.view(), &flat).ok_or(not_gaussian)?;
                (flat, posterior)
            }
        };
        let mixing = Mixing::new(block.gram.diag());
        Ok(Self { how, block, root, sites, posterior, damping: how.damping, mixing })
    }

    pub(super) fn run(mut self) -> Result<FixedPoint, GpError> {
        let (mut best, mut waited) = (f64::INFINITY, 0);
        let mut change = f64::INFINITY;
        for sweeps in 0..=self.how.max_sweeps {
            let mut cavities = Vec::with_capacity(self.size());
            let mut tilted = Vec::with_capacity(self.size());
            let mut proposals = Vec::with_capacity(self.size());
            change = 0.0;
            for i in 0..self.size() {
                let cavity = self.cavity(i);
                let Some(cavity) = cavity else {
                    change = f64::INFINITY;
                    continue;
                };
                let moments = self.moments(i, cavity)?;
                let proposal = self.proposal(i, cavity, moments);
                change = f64::max(change, self.distance(i, &proposal));
                cavities.push(cavity);
                tilted.push(moments);
                proposals.push((i, proposal));
            }
            if change <= self.how.tolerance {
                let Self { sites, posterior, .. } = self;
                return Ok(FixedPoint { sites, posterior, cavities, tilted, sweeps, change });
            }
            if change < PROGRESS * best {
                (best, waited) = (change, 0);
            } else {
                waited += 1;
                if waited >= PATIENCE {
                    self.damping = (0.5 * self.damping).max(LEAST_DAMPING);
                    (best, waited) = (change, 0);
                    self.mixing.forget();
                }
            }
            let before = self.sites.clone();
            match self.how.schedule {
                Schedule::Parallel => self.all_at_once(&proposals)?,
                Schedule::Sequential => self.one_by_one()?,
            }
            if sweeps >= PLAIN {
                self.mix(&before);
            }
        }
        Err(GpError::EpNotConverged {
            sweeps: self.how.max_sweeps,
            change,
            tolerance: self.how.tolerance,
        })
    }

    /// Goes on from the mixture of the last sweeps, if that describes a Gaussian with cavities.
    fn mix(&mut self, before: &Sites) {
        let Some(sites) = self.mixing.next(before, &self.sites) else { return };
        let Some(posterior) = BlockGaussian::new(self.root.view(), &sites) else {
            self.mixing.forget();
            return;
        };
        let variances = posterior.covariance().diag();
        let sound = |(&tau, &v): (&f64, &f64)| v > 0.0 && tau * v < 1.0;
        if sites.precision.iter().zip(variances).all(sound) {
            self.posterior = posterior;
            self.sites = sites;
        } else {
            self.mixing.forget();
        }
    }

    fn size(&self) -> usize {
        self.block.targets.len()
    }

    /// The posterior of node i without its own site; `None` where that is no Gaussian.
    fn cavity(&self, i: usize) -> Option<Cavity> {
        let (variance, mean) = (self.posterior.covariance()[[i, i]], self.posterior.mean()[i]);
        let share = 1.0 - self.sites.precision[i] * variance;
        let cavity = Cavity {
            mean: self.block.mean[i] + (mean - self.sites.shift[i] * variance) / share,
            variance: variance / share,
        };
        (share > 0.0 && cavity.variance > 0.0 && cavity.variance.is_finite()).then_some(cavity)
    }

    fn moments(&self, i: usize, cavity: Cavity) -> Result<Tilted, GpError> {
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
    fn proposal(&self, i: usize, cavity: Cavity, moments: Tilted) -> Proposal {
        let centre = cavity.mean - self.block.mean[i];
        let kappa = -moments.second;
        let left = 1.0 - kappa * cavity.variance;
        Proposal { precision: kappa / left, shift: (moments.first + kappa * centre) / left }
    }

    /// How far a proposal is from the site, in units of the posterior of the node.
    fn distance(&self, i: usize, proposal: &Proposal) -> f64 {
        let variance = self.posterior.covariance()[[i, i]];
        let precision = (proposal.precision - self.sites.precision[i]).abs() * variance;
        let shift = (proposal.shift - self.sites.shift[i]).abs() * variance.sqrt();
        precision.max(shift)
    }

    fn all_at_once(&mut self, proposals: &[(usize, Proposal)]) -> Result<(), GpError> {
        let mut share = self.damping;
        while share > LEAST_DAMPING * LEAST_DAMPING {
            let mut sites = self.sites.clone();
            for (i, proposal) in proposals {
                sites.precision[*i] += share * (proposal.precision - sites.precision[*i]);
                sites.shift[*i] += share * (proposal.shift - sites.shift[*i]);
            }
            if let Some(posterior) = BlockGaussian::new(self.root.view(), &sites) {
                self.sites = sites;
                self.posterior = posterior;
                return Ok(());
            }
            share *= 0.5;
        }
        Err(GpError::Factorisation { size: self.size() })
    }

    fn one_by_one(&mut self) -> Result<(), GpError> {
        for i in 0..self.size() {
            let Some(cavity) = self.cavity(i) else { continue };
            let proposal = self.proposal(i, cavity, self.moments(i, cavity)?);
            let by_precision = self.damping * (proposal.precision - self.sites.precision[i]);
            let by_shift = self.damping * (proposal.shift - self.sites.shift[i]);
            if self.posterior.change_site(i, by_precision, by_shift) {
                self.sites.precision[i] += by_precision;
                self.sites.shift[i] += by_shift;
            }
        }
        // Afresh: rounding of the rank-one changes must not pile up.
        self.posterior = BlockGaussian::new(self.root.view(), &self.sites)
            .ok_or(GpError::Factorisation { size: self.size() })?;
        Ok(())
    }
}
