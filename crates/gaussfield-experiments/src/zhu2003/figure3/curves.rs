//! Learning curves: what several methods reach with more and more labels, over trials.

use crate::{Context, Trial};
use anyhow::{Context as _, Result, ensure};
use gaussfield_data::split::Split;
use gaussfield_labels::Labels;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::plot::{LineChart, Series};
use gaussfield_report::{Cell, Claim, Table};
use serde::{Deserialize, Serialize};

/// Trials in the paper.
pub(in crate::zhu2003) const TEN: usize = 10;

/// At most so many trials at once: each holds two dense matrices of 128 MB at 4000 images.
const AT_ONCE: usize = 4;

/// The colour of each method, the same in all figures; baselines are dashed.
const LOOKS: [(&str, usize, bool); 8] = [
    ("thresh", 0, false),
    ("CMN", 1, false),
    ("1NN", 2, true),
    ("RBF", 3, true),
    ("VP", 4, true),
    ("SVM", 6, true),
    ("thresh+VP", 5, false),
    ("CMN+VP", 9, false),
];

/// What one trial measured: a row for each quantity, a column for each number of labels.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Measured {
    values: Vec<Vec<f64>>,
}

/// Quantities, most of them accuracies in per cent, at several numbers of labels.
pub(in crate::zhu2003) struct Curves {
    counts: Vec<usize>,
    names: Vec<&'static str>,
    trials: Vec<Measured>,
}

/// How far one method is above another, in points of accuracy.
pub(in crate::zhu2003) struct Gain {
    better: &'static str,
    worse: &'static str,
    means: (f64, f64),
    /// The difference of the means over all numbers of labels, trial by trial.
    pub(in crate::zhu2003) over_grid: MeanStd,
    /// The numbers of labels at which the mean over trials is not above.
    fails_at: Vec<usize>,
}

impl Curves {
    /// Measures `names` in so many trials (three in a short run) for each number of labels. Every
    /// labelled set is drawn for itself, again where it lacks a class, as in section 7: sets that
    /// contain each other would hold every class too evenly.
    pub(in crate::zhu2003) fn measure<const N: usize, P: Serialize + Sync>(
        ctx: &Context,
        experiment: &str,
        parameters: &P,
        (draws, counts, names): (usize, &[usize], [&'static str; N]),
        labels: &Labels,
        measure: impl Fn(&Trial, &Labels) -> Result<[f64; N]> + Sync,
    ) -> Result<Self> {
        ensure!(!counts.is_empty(), "{experiment} has no number of labels");
        let trials = ctx.trial_count(draws, 3);
        let parameters = (counts, &names[..], parameters, "each set drawn for itself");
        let trials = ctx.experiment(experiment, &parameters).at_most(AT_ONCE).run(
            trials,
            |trial| -> Result<Measured> {
                let mut values = vec![Vec::with_capacity(counts.len()); N];
                for &count in counts {
                    let seed = trial.seed(&format!("{count} labels"));
                    let visible = Split::random(labels, count, seed)?.partial(labels)?;
                    let measured = measure(trial, &visible)?;
                    values.iter_mut().zip(measured).for_each(|(row, value)| row.push(value));
                }
                Ok(Measured { values })
            },
        )?;
        for trial in &trials {
            let complete = trial.values.iter().all(|row| row.len() == counts.len());
            ensure!(trial.values.len() == N && complete, "a kept trial of {experiment} is damaged");
        }
        Ok(Self { counts: counts.to_vec(), names: names.to_vec(), trials })
    }

    /// The numbers of labels.
    pub(in crate::zhu2003) fn counts(&self) -> &[usize] {
        &self.counts
    }

    fn quantity(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|known| *known == name).context("an unknown quantity")
    }

    fn at_column(&self, quantity: usize, column: usize) -> Result<MeanStd> {
        let values: Vec<f64> =
            self.trials.iter().map(|trial| trial.values[quantity][column]).collect();
        Ok(MeanStd::over(&values)?)
    }

    /// A quantity at one number of labels.
    pub(in crate::zhu2003) fn at(&self, name: &str, count: usize) -> Result<MeanStd> {
        let column = self.counts.iter().position(|&known| known == count);
        self.at_column(self.quantity(name)?, column.context("an unknown number of labels")?)
    }

    /// A quantity's mean over all numbers of labels, and its spread over trials.
    pub(in crate::zhu2003) fn over_grid(&self, name: &str) -> Result<MeanStd> {
        Ok(MeanStd::over(&self.grid_means(self.quantity(name)?, 0))?)
    }

    /// By how much one quantity is above another over the numbers of labels from `least` on.
    pub(in crate::zhu2003) fn gain_from(
        &self,
        least: usize,
        better: &str,
        worse: &str,
    ) -> Result<MeanStd> {
        let (high, low) = (self.quantity(better)?, self.quantity(worse)?);
        let pairs = self.grid_means(high, least).into_iter().zip(self.grid_means(low, least));
        Ok(MeanStd::over(&pairs.map(|(high, low)| high - low).collect::<Vec<_>>())?)
    }

    /// Means over the numbers of labels from `least` on, trial by trial.
    fn grid_means(&self, quantity: usize, least: usize) -> Vec<f64> {
        let mean = |row: &[f64]| {
            let kept = row.iter().zip(&self.counts).filter(|(_, count)| **count >= least);
            let kept: Vec<f64> = kept.map(|(&value, _)| value).collect();
            kept.iter().sum::<f64>() / kept.len().max(1) as f64
        };
        self.trials.iter().map(|trial| mean(&trial.values[quantity])).collect()
    }

    /// How far `better` is above `worse`.
    pub(in crate::zhu2003) fn gain(
        &self,
        better: &'static str,
        worse: &'static str,
    ) -> Result<Gain> {
        let (high, low) = (self.quantity(better)?, self.quantity(worse)?);
        let pairs = self.grid_means(high, 0).into_iter().zip(self.grid_means(low, 0));
        let differences: Vec<f64> = pairs.map(|(high, low)| high - low).collect();
        let mut fails_at = Vec::new();
        for (column, &count) in self.counts.iter().enumerate() {
            if self.at_column(high, column)?.mean <= self.at_column(low, column)?.mean {
                fails_at.push(count);
            }
        }
        Ok(Gain {
            better,
            worse,
            means: (self.over_grid(better)?.mean, self.over_grid(worse)?.mean),
            over_grid: MeanStd::over(&differences)?,
            fails_at,
        })
    }

    /// The gain of `better` over whichever of the others has the highest mean.
    pub(in crate::zhu2003) fn gain_over_best(
        &self,
        better: &'static str,
        others: &[&'static str],
    ) -> Result<Gain> {
        let mut least: Option<Gain> = None;
        for other in others {
            let gain = self.gain(better, other)?;
            if least.as_ref().is_none_or(|least| gain.over_grid.mean < least.over_grid.mean) {
                least = Some(gain);
            }
        }
        least.context("nothing to compare with")
    }

    /// A chart of some of the quantities against the number of labels.
    pub(in crate::zhu2003) fn chart(&self, title: &str, shown: &[&str]) -> Result<LineChart> {
        let mut chart = LineChart::new("labelled points", "accuracy (%)").title(title);
        for name in shown {
            let quantity = self.quantity(name)?;
            let mut points = Vec::with_capacity(self.counts.len());
            for (column, &count) in self.counts.iter().enumerate() {
                points.push((count as f64, self.at_column(quantity, column)?));
            }
            let mut series = Series::of_trials(*name, points);
            if let Some(&(_, colour, dashed)) = LOOKS.iter().find(|look| look.0 == *name) {
                series = series.like(colour);
                series = if dashed { series.dashed() } else { series };
            }
            chart = chart.series(series);
        }
        Ok(chart)
    }

    /// Mean ± standard deviation of some of the quantities, one row for each number of labels.
    pub(in crate::zhu2003) fn table(
        &self,
        id: &str,
        caption: &str,
        shown: &[&str],
    ) -> Result<Table> {
        let heads = ["labels"].into_iter().chain(shown.iter().copied());
        let mut table = Table::new(id, caption, heads);
        for (column, &count) in self.counts.iter().enumerate() {
            let mut cells = vec![Cell::Number(count as f64, 0)];
            for name in shown {
                cells.push(Cell::of_trials(self.at_column(self.quantity(name)?, column)?, 1));
            }
            table.row(cells);
        }
        Ok(table)
    }
}

impl Gain {
    /// Whether the mean difference is above zero by two of its standard errors.
    pub(in crate::zhu2003) fn is_significant(&self) -> bool {
        self.over_grid.is_above(0.0, 2.0)
    }

    /// Whether the mean difference is below zero by two of its standard errors.
    pub(in crate::zhu2003) fn is_loss(&self) -> bool {
        self.over_grid.is_below(0.0, 2.0)
    }

    /// Both means and where the order is the other way round.
    pub(in crate::zhu2003) fn words(&self) -> String {
        let Self { better, worse, means: (high, low), fails_at, .. } = self;
        let fails = match fails_at.as_slice() {
            [] => "above at every number of labels".to_owned(),
            counts => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                format!("not above at {} labels", counts.join(", "))
            }
        };
        format!(
            "mean over the numbers of labels: {better} {high:.1} %, {worse} {low:.1} %, {fails}"
        )
    }

    /// Puts the gain into a claim, which holds if the gain is above `limit` by two of its standard
    /// errors.
    pub(in crate::zhu2003) fn above(&self, limit: f64, claim: Claim) -> Claim {
        claim.over(self.over_grid).above(limit).because(&self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> Curves {
        let trial = |values: [[f64; 2]; 2]| Measured { values: values.map(Vec::from).to_vec() };
        Curves {
            counts: vec![2, 10],
            names: vec!["thresh", "CMN"],
            trials: vec![trial([[50.0, 90.0], [80.0, 88.0]]), trial([[60.0, 94.0], [84.0, 92.0]])],
        }
    }

    #[test]
    fn a_gain_is_paired_by_trials_and_names_where_it_fails() {
        let gain = curves().gain("CMN", "thresh").unwrap();
        // Trial 0: 84 − 70; trial 1: 88 − 77.
        assert!((gain.over_grid.mean - 12.5).abs() < 1e-12);
        assert_eq!(gain.fails_at, [10]);
        assert!(gain.is_significant());
        assert!(gain.words().contains("not above at 10 labels"), "{}", gain.words());
        // With 10 labels alone: 88 − 90 and 92 − 94.
        let many = curves().gain_from(10, "CMN", "thresh").unwrap();
        assert!((many.mean + 2.0).abs() < 1e-12);
        let reverse = curves().gain_over_best("thresh", &["CMN"]).unwrap();
        assert!(!reverse.is_significant() && reverse.over_grid.mean < 0.0);
    }

    #[test]
    fn numbers_are_found_by_name_and_count() {
        let curves = curves();
        assert!((curves.at("thresh", 10).unwrap().mean - 92.0).abs() < 1e-12);
        assert!(curves.at("thresh", 3).is_err() && curves.at("1NN", 10).is_err());
        assert!(curves.chart("", &["CMN"]).is_ok());
    }
}
