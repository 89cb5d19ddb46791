//! The length scale whose labels are told with least doubt.

use crate::boundary::Boundary;
use crate::engine::Prepared;
use crate::system::{SolveOptions, System};
use crate::world::{sum, total};
use crate::{DistributedError, Part, World};
use gaussfield_core::{Domain, check};
use gaussfield_tune::{Function, Minimise, Stop, TuneError};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Learns σ of the weights exp(−d²/σ²): the average label entropy of the smoothed harmonic function is
/// made small, [zhu2003 (11)] with section 6, as `gaussfield_tune::Entropy` does on one machine. The
/// gradient comes from one more solve, whatever the number of rows; the search is that of
/// `gaussfield_tune`, the same on all members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnScale {
    /// ε, the probability with which the walk jumps to any node, in [0, 1). Without it the entropy also
    /// vanishes as σ goes to zero. Default 0.01.
    pub smoothing: f64,
    /// How it is searched.
    pub search: Minimise,
}

impl Default for LearnScale {
    fn default() -> Self {
        Self { smoothing: 0.01, search: Minimise::default() }
    }
}

/// A scale that was learned: the same on all members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedScale {
    /// σ.
    pub scale: f64,
    /// The average entropy of a label there, in nats.
    pub entropy: f64,
    /// Why the search ended.
    pub stop: Stop,
    /// How often the entropy was computed.
    pub evaluations: usize,
}

impl LearnScale {
    /// From lengths, labels (row, class) that every member is given alike, and a scale to start from. The
    /// part has its lengths again when this ends.
    ///
    /// # Errors
    /// As [`Method::fit`](crate::Method::fit); every row labelled; a smoothing, a start or a setting of
    /// the search out of range.
    pub fn run(
        &self,
        world: &impl World,
        part: &mut Part,
        labels: &[(u64, u32)],
        classes: usize,
        start: f64,
        options: &SolveOptions,
    ) -> Result<LearnedScale, DistributedError> {
        let inside = (0.0..1.0).contains(&self.smoothing);
        check::range("the smoothing ε", self.smoothing, inside, "at least 0 and below 1")?;
        check::positive("the length scale", start)?;
        options.check()?;
        options.room(world, part, classes.saturating_add(1))?;
        let lengths = part.numbers.clone();
        let found = self.search(world, part, &lengths, (labels, classes), start, options);
        part.numbers = lengths;
        found
    }

    fn search(
        &self,
        world: &impl World,
        part: &mut Part,
        lengths: &[f64],
        (labels, classes): (&[(u64, u32)], usize),
        start: f64,
        options: &SolveOptions,
    ) -> Result<LearnedScale, DistributedError> {
        part.weigh(lengths, start);
        part.check_spread(world)?;
        // Every weight that is not refused links: which rows labels reach does not change with σ.
        let boundary = Boundary::new(world, part, labels, classes)?;
        let unknowns = boundary.unknowns();
        let open = total(world, unknowns.len() as f64);
        if open < 0.5 {
            return Err(DistributedError::AllLabelled);
        }
        let part = RefCell::new(part);
        let (smoothing, trouble) = (self.smoothing, RefCell::default());
        let entropy = Entropy {
            world,
            part,
            lengths,
            counts: counts(labels, classes),
            boundary,
            unknowns,
            open,
            start,
            smoothing,
            options,
            trouble,
        };
        let found = self.search.run(&entropy, |_| {});
        match (found, entropy.trouble.into_inner()) {
            (Ok(found), _) => Ok(LearnedScale {
                scale: found.parameters[0],
                entropy: found.value,
                stop: found.stop,
                evaluations: found.evaluations,
            }),
            (Err(_), Some(trouble)) => Err(trouble),
            (Err(error), None) => Err(error.into()),
        }
    }
}

/// Labels of each class.
fn counts(labels: &[(u64, u32)], classes: usize) -> Array1<f64> {
    let mut counts = Array1::zeros(classes);
    labels.iter().for_each(|&(_, class)| counts[class as usize] += 1.0);
    counts
}

/// The entropy as a function of σ. Its values are the same bits on all members, and so the search takes
/// the same steps on all of them.
struct Entropy<'a, W> {
    world: &'a W,
    part: RefCell<&'a mut Part>,
    lengths: &'a [f64],
    boundary: Boundary,
    counts: Array1<f64>,
    unknowns: Vec<usize>,
    /// Unknowns of all members.
    open: f64,
    start: f64,
    smoothing: f64,
    options: &'a SolveOptions,
    /// What [`TuneError`] has no place for.
    trouble: RefCell<Option<DistributedError>>,
}

/// The smoothed walk at one σ.
struct Walk<'a, W> {
    system: System,
    prepared: Prepared<'a, W>,
    /// f on the unknowns.
    values: Array2<f64>,
    /// Where a jump leads: the mean of f over all nodes.
    mean: Array1<f64>,
    /// The chance to jump before a label is met.
    jumped: Array1<f64>,
}

impl<'a, W: World> Entropy<'a, W> {
    /// A f = (1−ε) W_ul f_l + ε d m with A = D − (1−ε) W, m the mean of f: the answer to the labels, and
    /// that to ε d, from which m follows.
    fn walk(&self, part: &Part) -> Result<Walk<'a, W>, DistributedError> {
        let (world, stay) = (self.world, 1.0 - self.smoothing);
        let classes = self.counts.len();
        let degrees = part.degrees();
        let mut right = Array2::zeros((self.unknowns.len(), classes + 1));
        let mut excess = vec![0.0; part.len()];
        let pull = self.boundary.pull(part, &self.unknowns);
        for ((mut row, pull), &node) in
            right.rows_mut().into_iter().zip(pull.rows()).zip(&self.unknowns)
        {
            for (to, pull) in row.iter_mut().zip(pull) {
                *to = stay * pull;
            }
            row[classes] = self.smoothing * degrees[node];
            excess[node] = row.sum();
        }
        let system = System::new(world, part, &self.boundary.inside(), stay, &excess)?;
        let prepared = Prepared::new(world, self.options.engine, &system)?;
        let (solved, _) = system.solve(world, part, right.view(), self.options, &prepared, None)?;
        let mut sums = solved.sum_axis(Axis(0)).to_vec();
        sum(world, &mut sums);
        let jumped = solved.column(classes).to_owned();
        let rest = part.nodes() as f64 - sums[classes];
        let mean: Array1<f64> =
            sums.iter().zip(&self.counts).map(|(sum, count)| (sum + count) / rest).collect();
        let mut values = solved.slice_move(ndarray::s![.., ..classes]);
        for (mut row, &jumped) in values.rows_mut().into_iter().zip(&jumped) {
            row.zip_mut_with(&mean, |f, m| *f = (*f + jumped * m).max(0.0));
        }
        Ok(Walk { system, prepared, values, mean, jumped })
    }

    fn entropy(&self, walk: &Walk<'_, W>) -> f64 {
        let own: f64 = walk.values.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
        total(self.world, own) / self.open
    }

    /// ∂H/∂σ: the adjoint λ solves A λ = ∂H/∂f + (α/n)·1, where α = (Σ z ∂H/∂f) / (1 − Σ z / n) and z is
    /// the chance to jump; an edge then adds −λᵢ (fᵢ − (1−ε) fⱼ − ε m) ∂wᵢⱼ/∂σ at each of its ends that is
    /// unknown.
    fn slope(&self, part: &Part, walk: &Walk<'_, W>, sigma: f64) -> Result<f64, DistributedError> {
        let (world, nodes) = (self.world, part.nodes() as f64);
        // A value that underflowed to zero has no finite logarithm; the smallest number stands in.
        let mut right = walk.values.mapv(|p| -p.max(f64::MIN_POSITIVE).ln() / self.open);
        let mut sums = walk.jumped.dot(&right).to_vec();
        sums.push(walk.jumped.sum());
        sum(world, &mut sums);
        let rest = nodes - sums.pop().unwrap_or(0.0);
        right += &Array1::from_vec(sums).mapv(|sum| sum / rest);
        let (system, options) = (&walk.system, self.options);
        let (adjoint, _) =
            system.solve(world, part, right.view(), options, &walk.prepared, None)?;
        let stay = 1.0 - self.smoothing;
        let (all, classes) =
            (self.boundary.filled(&walk.values, &self.unknowns), self.counts.len());
        let own: Vec<f64> = all.iter().copied().collect();
        let mut ghosts = vec![0.0; part.halo.ghosts.len() * classes];
        part.halo.fetch(world, &own, &mut ghosts, classes);
        let value = |place: usize| match place.checked_sub(part.len()) {
            None => &own[place * classes..][..classes],
            Some(ghost) => &ghosts[ghost * classes..][..classes],
        };
        let mut slope = 0.0;
        for (adjoint, &node) in adjoint.rows().into_iter().zip(&self.unknowns) {
            let here = value(node);
            let (places, weights) = part.row(node);
            let lengths = &self.lengths[part.starts[node]..part.starts[node + 1]];
            for ((&place, &weight), &length) in places.iter().zip(weights).zip(lengths) {
                let there = value(place as usize);
                let pull: f64 = (0..classes)
                    .map(|c| {
                        let moved = here[c] - stay * there[c] - self.smoothing * walk.mean[c];
                        adjoint[c] * moved
                    })
                    .sum();
                slope -= pull * 2.0 * weight * (length / sigma).powi(2) / sigma;
            }
        }
        Ok(total(world, slope))
    }

    fn at(&self, sigma: f64, wants_slope: bool) -> Result<(f64, f64), TuneError> {
        let mut part = self.part.borrow_mut();
        part.weigh(self.lengths, sigma);
        let found = part.check_spread(self.world).and_then(|()| {
            let walk = self.walk(&part)?;
            let slope = if wants_slope { self.slope(&part, &walk, sigma)? } else { 0.0 };
            Ok((self.entropy(&walk), slope))
        });
        found.map_err(|error| {
            let reason = error.to_string();
            self.trouble.replace(Some(error));
            TuneError::Optimiser { reason }
        })
    }
}

impl<W: World> Function for Entropy<'_, W> {
    fn start(&self) -> Vec<f64> {
        vec![self.start]
    }

    fn names(&self) -> Vec<String> {
        vec!["sigma".to_owned()]
    }

    fn domains(&self) -> Vec<Domain> {
        vec![Domain::Positive]
    }

    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError> {
        Ok(self.at(parameters[0], false)?.0)
    }

    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let (value, slope) = self.at(parameters[0], true)?;
        Ok((value, vec![slope]))
    }
}
