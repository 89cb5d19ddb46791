//! What the methods reach with more and more components, over trials.

use super::methods::Measured;
use crate::{Context, Trial};
use anyhow::{Context as _, Result, ensure};
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::plot::{LineChart, Series};
use gaussfield_report::{Cell, Claim, Table};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// How each method looks in all figures: name, colour, dashed.
const LOOKS: [(&str, usize, bool); 9] = [
    ("graph", 0, true),
    ("HM", 1, false),
    ("sample", 2, false),
    ("EM", 3, false),
    ("EM by median", 4, false),
    ("k-means, hard", 5, false),
    ("k-means, 5 nearest", 6, false),
    ("anchors, 5 nearest", 9, false),
    ("graph at ½", 8, true),
];

/// How often trials are drawn anew to see how a threshold varies.
const RESAMPLES: usize = 200;

/// Quantities, most of them accuracies in per cent, at several numbers of components.
pub(super) struct Curves {
    grid: Vec<usize>,
    trials: Vec<Measured>,
}

impl Curves {
    /// Runs so many trials; each measures its quantities once for each M of the grid.
    pub(super) fn measure(
        ctx: &Context,
        experiment: &str,
        parameters: &(impl Serialize + Sync),
        (grid, trials): (&[usize], usize),
        run: impl Fn(&Trial) -> Result<Measured> + Sync,
    ) -> Result<Self> {
        let parameters = (grid, parameters);
        let trials: Vec<Measured> = ctx.trials(experiment, &parameters, trials, run)?;
        for trial in &trials {
            let whole = trial.values().all(|values| values.len() == grid.len());
            ensure!(whole, "a kept trial of {experiment} is damaged");
        }
        Ok(Self { grid: grid.to_vec(), trials })
    }

    /// The numbers of components.
    pub(super) fn grid(&self) -> &[usize] {
        &self.grid
    }

    /// How many trials.
    pub(super) fn trials(&self) -> usize {
        self.trials.len()
    }

    fn values(&self, name: &str) -> Result<Vec<&[f64]>> {
        let row = |trial: &'_ Measured| trial.get(name).is_some();
        ensure!(self.trials.iter().all(row), "no quantity is called {name}");
        Ok(self.trials.iter().filter_map(|trial| trial.get(name)).map(Vec::as_slice).collect())
    }

    /// A quantity at one M.
    pub(super) fn at(&self, name: &str, count: usize) -> Result<MeanStd> {
        let column = self.grid.iter().position(|&known| known == count);
        let column = column.with_context(|| format!("M = {count} was not run"))?;
        let values: Vec<f64> = self.values(name)?.iter().map(|row| row[column]).collect();
        Ok(MeanStd::over(&values)?)
    }

    /// The means over trials, one for each M.
    pub(super) fn means(&self, name: &str) -> Result<Vec<f64>> {
        self.grid.iter().map(|&count| Ok(self.at(name, count)?.mean)).collect()
    }

    /// Trial by trial, a quantity's mean over the M chosen.
    fn over(&self, name: &str, chosen: impl Fn(usize) -> bool) -> Result<Vec<f64>> {
        let columns: Vec<usize> = (0..self.grid.len()).filter(|&c| chosen(self.grid[c])).collect();
        ensure!(!columns.is_empty(), "no M was chosen for {name}");
        let mean =
            |row: &&[f64]| columns.iter().map(|&c| row[c]).sum::<f64>() / columns.len() as f64;
        Ok(self.values(name)?.iter().map(mean).collect())
    }

    /// A quantity's mean over the M chosen, and its spread over trials.
    pub(super) fn mean_over(&self, name: &str, chosen: impl Fn(usize) -> bool) -> Result<MeanStd> {
        Ok(MeanStd::over(&self.over(name, chosen)?)?)
    }

    /// How far one quantity is above another over the M chosen, paired by trials.
    pub(super) fn gain(
        &self,
        (better, worse): (&str, &str),
        chosen: impl Fn(usize) -> bool,
    ) -> Result<MeanStd> {
        let pairs = self.over(better, &chosen)?.into_iter().zip(self.over(worse, &chosen)?);
        Ok(MeanStd::over(&pairs.map(|(high, low)| high - low).collect::<Vec<_>>())?)
    }

    /// How far a quantity is higher over some M than over others, paired by trials.
    pub(super) fn between(
        &self,
        name: &str,
        high: impl Fn(usize) -> bool,
        low: impl Fn(usize) -> bool,
    ) -> Result<MeanStd> {
        let pairs = self.over(name, high)?.into_iter().zip(self.over(name, low)?);
        Ok(MeanStd::over(&pairs.map(|(high, low)| high - low).collect::<Vec<_>>())?)
    }

    /// The M chosen where the mean gain is least, and that gain.
    pub(super) fn least_gain(
        &self,
        names: (&str, &str),
        chosen: impl Fn(usize) -> bool,
    ) -> Result<(usize, MeanStd)> {
        let mut least: Option<(usize, MeanStd)> = None;
        for &count in self.grid.iter().filter(|&&count| chosen(count)) {
            let gain = self.gain(names, |m| m == count)?;
            if least.is_none_or(|(_, known)| gain.mean < known.mean) {
                least = Some((count, gain));
            }
        }
        least.with_context(|| format!("no M was chosen for {}", names.0))
    }

    /// The M chosen where the mean is least, and the quantity there.
    pub(super) fn least(
        &self,
        name: &str,
        chosen: impl Fn(usize) -> bool,
    ) -> Result<(usize, MeanStd)> {
        let mut least: Option<(usize, MeanStd)> = None;
        for &count in self.grid.iter().filter(|&&count| chosen(count)) {
            let here = self.at(name, count)?;
            if least.is_none_or(|(_, known)| here.mean < known.mean) {
                least = Some((count, here));
            }
        }
        least.with_context(|| format!("no M was chosen for {name}"))
    }

    /// A quantity at the first and the last M, in words.
    pub(super) fn ends(&self, name: &str) -> Result<String> {
        let (Some(&first), Some(&last)) = (self.grid.first(), self.grid.last()) else {
            return Ok(format!("{name} was not run"));
        };
        let (low, high) = (self.at(name, first)?.mean, self.at(name, last)?.mean);
        Ok(format!("{name} is at {low:.1} % with M = {first} and at {high:.1} % with M = {last}"))
    }

    /// The largest number of any trial and M.
    pub(super) fn largest(&self, name: &str) -> Result<f64> {
        Ok(self.values(name)?.iter().flat_map(|row| row.iter()).fold(0.0_f64, |a, &b| a.max(b)))
    }

    /// The share of all trials and M in which a quantity is above a level.
    pub(super) fn share_above(&self, name: &str, level: f64) -> Result<f64> {
        let values: Vec<f64> = self.values(name)?.into_iter().flatten().copied().collect();
        let above = values.iter().filter(|&&value| value > level).count();
        Ok(above as f64 / values.len().max(1) as f64)
    }

    /// Whichever cut of EM is better over the M chosen; `suffix` is "" or ", unseen".
    pub(super) fn better_em(&self, suffix: &str, chosen: impl Fn(usize) -> bool) -> Result<String> {
        let names = ["EM", "EM by median"].map(|name| format!("{name}{suffix}"));
        let half = self.mean_over(&names[0], &chosen)?.mean;
        let median = self.mean_over(&names[1], &chosen)?.mean;
        let [first, second] = names;
        Ok(if half >= median { first } else { second })
    }

    /// The least M from which on the mean stays above `level`; `None` if it ends below.
    pub(super) fn stays_above(&self, name: &str, level: f64) -> Result<Option<usize>> {
        let means = self.means(name)?;
        let below = means.iter().rposition(|&mean| mean < level);
        Ok(self.grid.get(below.map_or(0, |at| at + 1)).copied())
    }

    /// The least M from which on the mean of a quantity stays above a level of the same trials, and how
    /// much it would vary from run to run: the standard deviation over trials drawn anew with
    /// replacement. A mean that ends below counts as the last M.
    pub(super) fn threshold(
        &self,
        name: &str,
        level: impl Fn(&Self) -> Result<f64>,
    ) -> Result<MeanStd> {
        let at = |curves: &Self| -> Result<f64> {
            let least = curves.stays_above(name, level(curves)?)?;
            let last = curves.grid.last().copied().unwrap_or_default();
            Ok(least.unwrap_or(last) as f64)
        };
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut found = Vec::with_capacity(RESAMPLES);
        for _ in 0..RESAMPLES {
            let draw = |_| self.trials[rng.random_range(0..self.trials.len())].clone();
            let trials = (0..self.trials.len()).map(draw).collect();
            found.push(at(&Self { grid: self.grid.clone(), trials })?);
        }
        let std = MeanStd::over(&found)?.std;
        Ok(MeanStd { mean: at(self)?, std, trials: self.trials.len() })
    }

    /// The step of the grid about an M: the larger of those to its neighbours.
    pub(super) fn step(&self, about: usize) -> f64 {
        let at = self.grid.iter().position(|&m| m >= about).unwrap_or(self.grid.len() - 1);
        let gap = |i: usize, j: usize| match (self.grid.get(i), self.grid.get(j)) {
            (Some(&low), Some(&high)) => (high - low) as f64,
            _ => 0.0,
        };
        gap(at.wrapping_sub(1), at).max(gap(at, at + 1))
    }

    /// Accuracy against M. `suffix` is "" for unlabelled points, ", unseen" for the others.
    pub(super) fn chart(&self, title: &str, shown: &[&str], suffix: &str) -> Result<LineChart> {
        let mut chart = LineChart::new("components M", "accuracy (%)").title(title);
        for name in shown {
            let full = format!("{name}{suffix}");
            let mut points = Vec::with_capacity(self.grid.len());
            for &count in &self.grid {
                points.push((count as f64, self.at(&full, count)?));
            }
            // The graph knows no M: a level line.
            let mut series = if *name == "graph" {
                Series::new(*name, points.iter().map(|&(x, at)| (x, at.mean))).smooth()
            } else {
                Series::of_trials(*name, points)
            };
            if let Some(&(_, colour, dashed)) = LOOKS.iter().find(|look| look.0 == *name) {
                series = series.like(colour);
                series = if dashed { series.dashed() } else { series };
            }
            chart = chart.series(series);
        }
        Ok(chart)
    }

    /// Mean ± standard deviation of some quantities, one row for each M.
    pub(super) fn table(&self, id: &str, caption: &str, shown: &[&str]) -> Result<Table> {
        let mut table = Table::new(id, caption, ["M"].into_iter().chain(shown.iter().copied()));
        for &count in &self.grid {
            let mut cells = vec![Cell::Number(count as f64, 0)];
            for name in shown {
                cells.push(Cell::of_trials(self.at(name, count)?, 1));
            }
            table.row(cells);
        }
        Ok(table)
    }
}

/// Puts a gain into a claim, which holds if the gain is above two of its standard errors.
pub(super) fn outperforms(claim: Claim, gain: MeanStd, what: &str) -> Claim {
    claim.over(gain).above(0.0).because(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> Curves {
        let trial = |hm: [f64; 3], em: [f64; 3]| {
            Measured::from([("HM".to_owned(), hm.to_vec()), ("EM".to_owned(), em.to_vec())])
        };
        let trials = vec![
            trial([60.0, 98.0, 97.0], [50.0, 52.0, 51.0]),
            trial([70.0, 96.0, 99.0], [54.0, 50.0, 55.0]),
        ];
        Curves { grid: vec![10, 35, 50], trials }
    }

    #[test]
    fn numbers_are_found_by_name_and_size() {
        let curves = curves();
        assert!((curves.at("HM", 35).unwrap().mean - 97.0).abs() < 1e-12);
        assert!(curves.at("HM", 36).is_err() && curves.at("graph", 35).is_err());
        assert!((curves.largest("EM").unwrap() - 55.0).abs() < 1e-12);
        assert!((curves.share_above("HM", 90.0).unwrap() - 4.0 / 6.0).abs() < 1e-12);
        let gain = curves.gain(("HM", "EM"), |m| m >= 35).unwrap();
        assert!((gain.mean - 45.5).abs() < 1e-12 && gain.is_above(0.0, 2.0));
    }

    #[test]
    fn a_threshold_is_where_the_mean_stays_above() {
        let curves = curves();
        assert_eq!(curves.stays_above("HM", 95.0).unwrap(), Some(35));
        assert_eq!(curves.stays_above("HM", 50.0).unwrap(), Some(10));
        assert_eq!(curves.stays_above("HM", 99.0).unwrap(), None);
        let over = curves.threshold("HM", |_| Ok(95.0)).unwrap();
        assert!((over.mean - 35.0).abs() < 1e-12 && over.trials == 2);
        // Both trials cross between 10 and 35: drawing them anew changes nothing.
        assert!(over.std.unwrap() < 1e-12);
        let both = curves.threshold("HM", |_| Ok(65.5)).unwrap();
        assert!(both.std.unwrap() > 1.0, "one trial begins above, one below");
        assert!((curves.step(35) - 25.0).abs() < 1e-12 && (curves.step(50) - 15.0).abs() < 1e-12);
        let (at, least) = curves.least("HM", |m| m >= 35).unwrap();
        assert!(at == 35 && (least.mean - 97.0).abs() < 1e-12);
        let (at, gain) = curves.least_gain(("HM", "EM"), |_| true).unwrap();
        assert!(at == 10 && (gain.mean - 13.0).abs() < 1e-12);
    }
}
