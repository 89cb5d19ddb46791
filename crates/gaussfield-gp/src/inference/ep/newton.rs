//! What is done where plain sweeps do not converge.
//!
//! In natural parameters (shift ν, precision τ) the log normalisers of the posterior q and of the
//! tilted terms are convex functions whose slopes are the means of (z, −z²/2) and whose curvatures
//! are the covariances of these two. A fixed point is where every node has the same means under q
//! and under its tilted term.

use super::sweep::Search;
use super::{BlockGaussian, Cavity, Sites};
use crate::inference::take_block;
use crate::{GpError, TiltedLikelihood};
use gaussfield_core::dense::{self, Spd};
use ndarray::{Array1, Array2, s};
use std::f64::consts::PI;

/// How often a step of Newton's method on the fixed point is halved before it is given up.
const TRIALS: i32 = 5;
/// Most steps of the inner minimisation, and how often each may be halved.
const INNER_STEPS: usize = 60;
const HALVINGS: i32 = 30;
/// What the inner minimisation may leave of the mismatch, which is in units of the posterior.
const INNER_SHARE: f64 = 1e-3;
/// The share of the promised descent that a step must bring (Armijo).
const DESCENT: f64 = 1e-4;
/// By which part of itself a precision is moved to measure the curvature of a tilted term.
const DIFFERENCE: f64 = 1e-4;
/// Steps of the double loop before Newton's method on the fixed point is tried again, and by how
/// much they may be stretched.
const ROUNDS: usize = 10;
const LONGEST: f64 = 64.0;
/// A mismatch at which another start is looked for, and how many between it and flat sites.
const FAR: f64 = 1e2;
const NEARER: i32 = 12;
/// Multiplications of a 2l × 2l solve by elimination and by a Cholesky factor, by l³.
const FULL_SOLVE: f64 = 8.0 / 3.0;
const HALF_SOLVE: f64 = 8.0 / 6.0;
/// A curvature, the slope, its factor, and a copy that elimination works on.
const CURVATURES: usize = 4;
/// Keeps matrices of unit scale solvable after rounding.
const RIDGE: f64 = 1e-13;

/// A symmetric 2 × 2 matrix by (ν, τ).
#[derive(Debug, Clone, Copy)]
struct Pair {
    shift: f64,
    mixed: f64,
    precision: f64,
}

/// A tilted term under a cavity.
#[derive(Debug, Clone, Copy)]
struct Term {
    /// ln ∫ p(t|z) exp(νz − τz²/2) dz.
    log_normaliser: f64,
    mean: f64,
    variance: f64,
}

/// E[−z²/2].
fn half_square(mean: f64, variance: f64) -> f64 {
    -0.5 * (variance + mean * mean)
}

impl<L: TiltedLikelihood> Search<'_, '_, L> {
    /// One step of Newton's method on "the means under q and under the tilted terms agree", in the
    /// sites s. Halved until it is closer than `change`; tells whether it is. With H_q, H_t, H_g the curvatures of q,
    /// of the tilted terms and of q's marginals θ, on which the cavities θ − s depend, the slope of
    /// the mismatch is H_q + H_t − H_t H_g⁻¹ H_q. O((2l)³).
    pub(super) fn newton(&mut self, change: f64) -> Result<bool, GpError> {
        self.take_curvatures()?;
        let q = &self.posterior;
        let (marginals, units) = (marginals(q), units(q));
        let of_q = curvature(q);
        let mut slope = of_q.clone();
        let size = q.mean().len();
        for i in 0..size {
            let of_term = self.term_curvature(i, &marginals, q.sites())?;
            let (mean, variance) = (q.mean()[i], q.variance(i));
            let square = variance * variance;
            let of_marginal = Pair {
                shift: 1.0 / variance + 2.0 * mean * mean / square,
                mixed: 2.0 * mean / square,
                precision: 2.0 / square,
            };
            for (row, [by_shift, by_precision]) in
                [i, size + i].into_iter().zip(of_term.times(of_marginal))
            {
                slope.row_mut(row).scaled_add(-by_shift, &of_q.row(i));
                slope.row_mut(row).scaled_add(-by_precision, &of_q.row(size + i));
            }
            of_term.add_to(&mut slope, i);
        }
        in_units(&mut slope, &units);
        let mismatch = mismatch(q, &self.terms(&marginals, q.sites())?) * &units;
        self.spend(FULL_SOLVE);
        let Ok(step) = dense::solve(&slope, &mismatch) else { return Ok(false) };
        let goal = stepped(q.sites(), &(step * &units), 1.0);
        let closer = (0..TRIALS).find_map(|halvings| {
            let share = 0.5_f64.powi(halvings);
            let sites = q.sites().towards(&goal, share);
            let next = self.posterior_of(sites).filter(BlockGaussian::has_cavities)?;
            let left = self.survey(&next).ok()?.change;
            (left < (1.0 - 0.5 * share) * change).then_some(next)
        });
        let found = closer.is_some();
        if let Some(next) = closer {
            self.posterior = next;
        }
        Ok(found)
    }

    /// Steps of the double loop of Heskes and Zoeter (2002; Opper and Winther 2005), at most `most`;
    /// tells how many. They cannot go round in circles, however much the labels contradict each
    /// other: with θ in place of q's marginals, ln Z_q(s) + Σ ln Z_tilted(θ − s) is convex in the
    /// sites s, and where it is least the means agree; then θ follows q, and that raises the least
    /// less Σ ln Z_Gauss(θ) from step to step. Steps that raise it are stretched.
    pub(super) fn double_loop(&mut self, most: usize) -> Result<usize, GpError> {
        self.take_curvatures()?;
        let mut theta = marginals(&self.posterior);
        let (mut q, mut height) = self.least(&theta, self.posterior.clone())?;
        let mut stretch = 1.0;
        let mut steps = 1;
        while steps < most && !self.is_spent() && (steps < ROUNDS || !q.has_cavities()) {
            self.stage.reach(0.0)?;
            steps += 1;
            let (follows, stretched) = (marginals(&q), stretch > 1.0);
            let next = if stretched { theta.towards(&follows, stretch) } else { follows };
            let found = match self.least(&next, q.clone()) {
                Ok(found) => found,
                // Marginals that are none.
                Err(_) if stretched => {
                    stretch = 1.0;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if stretched && found.1.is_nan() | (found.1 < height) {
                stretch = 1.0;
                continue;
            }
            stretch = (2.0 * stretch).min(LONGEST);
            ((q, height), theta) = (found, next);
        }
        if q.has_cavities() {
            self.posterior = q;
        }
        Ok(steps)
    }

    /// Whether there is memory for the 2l × 2l matrices: four times those of plain sweeps.
    fn take_curvatures(&self) -> Result<(), GpError> {
        take_block(self.how.budget, 2 * self.block.targets.len(), CURVATURES)?;
        Ok(())
    }

    /// Where ln Z_q(s) + Σ ln Z_tilted(θ − s) is least, by Newton's method, and that less
    /// Σ ln Z_Gauss(θ). O((2l)³) a step.
    fn least(
        &self,
        marginals: &Sites,
        start: BlockGaussian,
    ) -> Result<(BlockGaussian, f64), GpError> {
        let Some((mut q, mut terms)) = self.inner_start(marginals, start) else {
            return Err(GpError::Factorisation { size: self.block.targets.len() });
        };
        let mut enough = None;
        for _ in 0..INNER_STEPS {
            let units = units(&q);
            let slope = mismatch(&q, &terms) * &units;
            let largest = slope.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            if largest <= *enough.get_or_insert(INNER_SHARE * largest.min(1.0)) || self.is_spent() {
                break;
            }
            self.spend(HALF_SOLVE);
            let mut matrix = curvature(&q);
            for i in 0..terms.len() {
                self.term_curvature(i, marginals, q.sites())?.add_to(&mut matrix, i);
            }
            in_units(&mut matrix, &units);
            matrix.diag_mut().mapv_inplace(|entry| entry + RIDGE);
            let Ok(factor) = Spd::factorise(matrix) else { break };
            let step = factor.solve_vector(&slope);
            let promised = step.dot(&slope);
            let (step, value) = (step * &units, convex(&q, &terms));
            let mut halvings = (0..HALVINGS).take_while(|_| !self.is_spent());
            let found = halvings.find_map(|halvings| {
                let share = 0.5_f64.powi(halvings);
                let sites = stepped(q.sites(), &step, share);
                let terms = self.terms(marginals, &sites).ok()?;
                let next = self.posterior_of(sites)?;
                let lower = convex(&next, &terms) <= value - DESCENT * share * promised;
                lower.then_some((next, terms))
            });
            let Some(next) = found else { break };
            (q, terms) = next;
        }
        let Sites { precision, shift } = marginals;
        let of_gaussian = |(&tau, &nu): (&f64, &f64)| 0.5 * (nu * nu / tau + (2.0 * PI / tau).ln());
        let height = convex(&q, &terms) - precision.iter().zip(shift).map(of_gaussian).sum::<f64>();
        Ok((q, height))
    }

    /// Sites from which the inner minimisation can begin: the given ones, or, if a term has no cavity
    /// there or next to none, those between them and flat sites where the function is least. Flat
    /// sites leave every term a cavity.
    fn inner_start(
        &self,
        marginals: &Sites,
        q: BlockGaussian,
    ) -> Option<(BlockGaussian, Vec<Term>)> {
        let flat = Sites::flat(q.mean().len());
        let sites = q.sites().clone();
        let given = self.terms(marginals, &sites).ok().map(|terms| (q, terms));
        let far = |(q, terms): &(BlockGaussian, Vec<Term>)| {
            let slope = mismatch(q, terms) * &units(q);
            !slope.iter().all(|part| part.abs() < FAR)
        };
        if !given.as_ref().is_none_or(far) {
            return given;
        }
        let halvings = (1..=NEARER).take_while(|_| !self.is_spent());
        let nearer = halvings.filter_map(|halvings| {
            let sites = flat.towards(&sites, 0.5_f64.powi(halvings));
            let terms = self.terms(marginals, &sites).ok()?;
            Some((self.posterior_of(sites)?, terms))
        });
        let value = |(q, terms): &(BlockGaussian, Vec<Term>)| convex(q, terms);
        given.into_iter().chain(nearer).min_by(|a, b| value(a).total_cmp(&value(b)))
    }

    fn terms(&self, marginals: &Sites, sites: &Sites) -> Result<Vec<Term>, GpError> {
        let term = |i: usize| {
            let precision = marginals.precision[i] - sites.precision[i];
            self.term(i, precision, marginals.shift[i] - sites.shift[i])
        };
        (0..sites.shift.len()).map(term).collect()
    }

    /// The term of label i under the cavity (τ, ν).
    fn term(&self, i: usize, precision: f64, shift: f64) -> Result<Term, GpError> {
        let (mean, variance) = (shift / precision, precision.recip());
        let offset = self.block.mean[i];
        if !(variance > 0.0 && variance.is_finite()) {
            let target = self.block.targets[i];
            return Err(GpError::BadMoment { label: i, target, mean: offset + mean, variance });
        }
        let tilted = self.moments(i, Cavity { mean: offset + mean, variance })?;
        Ok(Term {
            log_normaliser: tilted.log_mass + 0.5 * ((2.0 * PI * variance).ln() + mean * shift),
            mean: mean + variance * tilted.first,
            variance: variance * (1.0 + variance * tilted.second),
        })
    }

    /// The covariance of (z, −z²/2) under a tilted term. That of z is known; the others are how the
    /// means follow the precision of the cavity, by differences.
    fn term_curvature(&self, i: usize, marginals: &Sites, sites: &Sites) -> Result<Pair, GpError> {
        let precision = marginals.precision[i] - sites.precision[i];
        let shift = marginals.shift[i] - sites.shift[i];
        let step = DIFFERENCE * precision;
        let here = self.term(i, precision, shift)?;
        let more = self.term(i, precision + step, shift)?;
        let less = self.term(i, precision - step, shift)?;
        let mixed = (more.mean - less.mean) / (2.0 * step);
        let change = half_square(more.mean, more.variance) - half_square(less.mean, less.variance);
        // No covariance is negative.
        let least = mixed * mixed / here.variance;
        Ok(Pair { shift: here.variance, mixed, precision: (change / (2.0 * step)).max(least) })
    }
}

impl Pair {
    fn times(self, other: Self) -> [[f64; 2]; 2] {
        let row = |a: f64, b: f64| {
            [a * other.shift + b * other.mixed, a * other.mixed + b * other.precision]
        };
        [row(self.shift, self.mixed), row(self.mixed, self.precision)]
    }

    /// Adds itself to node i of a 2l × 2l matrix, all shifts before all precisions.
    fn add_to(self, matrix: &mut Array2<f64>, i: usize) {
        let other = matrix.nrows() / 2 + i;
        matrix[[i, i]] += self.shift;
        matrix[[i, other]] += self.mixed;
        matrix[[other, i]] += self.mixed;
        matrix[[other, other]] += self.precision;
    }
}

/// The natural parameters of each node's posterior.
fn marginals(q: &BlockGaussian) -> Sites {
    let precision = q.covariance().diag().mapv(f64::recip);
    Sites { shift: q.mean() * &precision, precision }
}

/// 1/deviation for each shift, 1/variance for each precision: what makes the curvature of q of unit
/// scale.
fn units(q: &BlockGaussian) -> Array1<f64> {
    let variances = q.covariance().diag();
    variances.iter().map(|v| v.sqrt().recip()).chain(variances.iter().map(|v| v.recip())).collect()
}

fn in_units(matrix: &mut Array2<f64>, units: &Array1<f64>) {
    for (mut row, &unit) in matrix.rows_mut().into_iter().zip(units) {
        row *= unit;
        row *= units;
    }
}

/// The covariance of all (z, −z²/2) under q.
fn curvature(q: &BlockGaussian) -> Array2<f64> {
    let (covariance, mean) = (q.covariance(), q.mean());
    let size = mean.len();
    let mut matrix = Array2::zeros((2 * size, 2 * size));
    matrix.slice_mut(s![..size, ..size]).assign(covariance);
    for i in 0..size {
        for j in 0..size {
            let entry = covariance[[i, j]];
            matrix[[i, size + j]] = -entry * mean[j];
            matrix[[size + i, j]] = -entry * mean[i];
            matrix[[size + i, size + j]] = entry * (0.5 * entry + mean[i] * mean[j]);
        }
    }
    matrix
}

/// By how much the means of (z, −z²/2) under q exceed those under the tilted terms.
fn mismatch(q: &BlockGaussian, terms: &[Term]) -> Array1<f64> {
    let own = q.mean().iter().zip(q.covariance().diag());
    let pairs: Vec<(f64, f64)> = own
        .zip(terms)
        .map(|((&mean, &variance), term)| {
            let squares = half_square(mean, variance) - half_square(term.mean, term.variance);
            (mean - term.mean, squares)
        })
        .collect();
    pairs.iter().map(|pair| pair.0).chain(pairs.iter().map(|pair| pair.1)).collect()
}

/// ln Z_q + Σ ln Z_tilted.
fn convex(q: &BlockGaussian, terms: &[Term]) -> f64 {
    q.log_normaliser() + terms.iter().map(|term| term.log_normaliser).sum::<f64>()
}

fn stepped(sites: &Sites, step: &Array1<f64>, share: f64) -> Sites {
    let size = sites.shift.len();
    Sites {
        shift: &sites.shift - &(&step.slice(s![..size]) * share),
        precision: &sites.precision - &(&step.slice(s![size..]) * share),
    }
}
