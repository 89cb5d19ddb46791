//! Accuracy over the splits: those that were in sight while methods were chosen, and those that were not.

use std::ops::Range;

use gaussfield_report::plot::{LineChart, Series, Width};
use gaussfield_report::{Cell, Report, Table};

use crate::plan::{Contestant, Stage};
use crate::race::{Outcome, Told};

pub(super) const WORDS: &str = "Share of right classes among the points without a label, mean over the \
    splits that were done, by labels of each class. Peers and those of ours marked so use the \
    10-nearest-neighbour graph of all, scikit-learn its own; dynamics use five neighbours by angle with \
    self-tuning weights, or histograms of gradients (HOG). The prior is what a method is told, or \
    assumes, about the sizes of the classes. Neighbours, weights and steps of the dynamics were chosen \
    on splits 0 to 4 of USPS and digits, with 5 to 9 in sight; splits 10 to 19 were drawn when all that \
    is here was fixed. On MNIST nothing was chosen.";

/// Splits that are judged apart, and what they are.
const GROUPS: [(Range<usize>, &str); 2] =
    [(0..10, "splits 0 to 9"), (10..20, "fresh splits, 10 to 19")];

const RATES: [&str; 4] = ["1", "2", "5", "10"];

/// Two tables for each set, a column for each number of labels.
pub(super) fn tables(outcomes: &[&Outcome]) -> Vec<(String, Table)> {
    let mut tables = Vec::new();
    for outcome in outcomes {
        for (at, (group, words)) in GROUPS.into_iter().enumerate() {
            let told = |c: &Contestant| Some(outcome.best(c.key)?.of(&group));
            if Stage::Labels.contestants().iter().filter_map(told).all(|told| told.splits() == 0) {
                continue;
            }
            let columns = ["", "prior", "1 label", "2", "5", "10", "splits"];
            let mut table = Table::new(format!("labels-{}-{at}", outcome.set), "", columns);
            for contestant in Stage::Labels.contestants() {
                let mut cells = vec![Cell::from(contestant.name), contestant.prior.into()];
                match told(contestant).filter(|told| told.splits() > 0) {
                    Some(told) => {
                        let mean = |rate| mean(&told, rate, usize::MAX);
                        let cell = |mean| Cell::Number(mean, 3);
                        cells.extend(RATES.map(|rate| mean(rate).map_or(Cell::Empty, cell)));
                        cells.push(Cell::Number(told.splits() as f64, 0));
                    }
                    None => cells.push(super::failure(outcome, contestant)),
                }
                table.row(cells);
            }
            tables.push((format!("{}: {} points, {words}", outcome.set, outcome.shape.0), table));
        }
    }
    tables
}

impl Told {
    /// What was found on some of the splits.
    fn of(&self, group: &Range<usize>) -> Self {
        let cut = |numbers: &Vec<f64>| {
            let end = group.end.min(numbers.len());
            numbers[group.start.min(end)..end].to_vec()
        };
        let accuracies = self.accuracies.iter().map(|(rate, all)| (rate.clone(), cut(all)));
        Self { accuracies: accuracies.collect(), ..self.clone() }
    }
}

/// The mean over at most so many splits.
fn mean(told: &Told, rate: &str, splits: usize) -> Option<f64> {
    let numbers = told.accuracies.get(rate)?;
    let numbers = &numbers[..splits.min(numbers.len())];
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// Rows in which a peer is more often right, on the splits of each group that both have done.
pub(super) fn behind(
    outcome: &Outcome,
    contestant: &Contestant,
    ours: &Told,
    peer: &Told,
) -> Vec<String> {
    let mut rows = Vec::new();
    for (group, words) in GROUPS {
        let (ours, peer) = (ours.of(&group), peer.of(&group));
        let both = ours.splits().min(peer.splits());
        for rate in RATES {
            if let Some((ours, peer)) = mean(&ours, rate, both).zip(mean(&peer, rate, both))
                && peer > ours
            {
                let what = format!("{rate} labels, {words}");
                rows.push(super::row_behind(outcome, contestant, &what, ours, peer));
            }
        }
    }
    rows
}

/// Whose accuracies are drawn.
const DRAWN: [&str; 7] = [
    "graphlearning-laplace-poisson",
    "graphlearning-poisson",
    "graphlearning-poisson-mbo",
    "poisson-dynamics",
    "dynamics",
    "dynamics-given",
    "gradients-dynamics",
];

/// A figure for each set, of all splits.
pub(super) fn figures(outcomes: &[&Outcome], report: &mut Report) -> anyhow::Result<()> {
    for outcome in outcomes {
        let mut chart = LineChart::new("labels of each class", "accuracy")
            .log_x()
            .width(Width::Full)
            .height(420);
        // The others lie on these, or between them.
        let drawn = Stage::Labels.contestants().iter().filter(|c| DRAWN.contains(&c.key));
        let drawn: Vec<_> = drawn.filter_map(|c| Some((c, outcome.best(c.key)?))).collect();
        if drawn.is_empty() {
            continue;
        }
        for (contestant, told) in drawn {
            let point = |rate: &&str| Some((rate.parse().ok()?, mean(told, rate, usize::MAX)?));
            let name = format!("{} ({})", contestant.name, contestant.prior);
            let series = Series::new(name, RATES.iter().filter_map(point));
            let is_peer = contestant.against.is_some();
            chart = chart.series(if is_peer { series.dashed() } else { series });
        }
        let caption = format!(
            "Accuracy on {}, all splits that were done, prior in brackets; peers dashed.",
            outcome.set
        );
        report.plot(&format!("accuracy-{}", outcome.set), &caption, &chart)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::Entry;

    #[test]
    fn fresh_splits_are_told_apart() {
        let told = |one: f64, fresh: f64| {
            let numbers: Vec<f64> = [[one; 10], [fresh; 10]].concat();
            let accuracies = [("1".to_owned(), numbers)].into_iter().collect();
            Told { accuracies, ..Told::default() }
        };
        let entry = |key: &str, told: Told| Entry {
            key: key.into(),
            runs: vec![told],
            failure: None,
            patience: 1.0,
        };
        let entries = vec![
            entry("poisson-dynamics", told(0.5, 0.75)),
            entry("graphlearning-poisson", told(0.625, 0.25)),
        ];
        let (stage, set) = ("labels".to_owned(), "digits".to_owned());
        let outcome = Outcome { stage, set, shape: (1797, 64), entries };
        let tables = tables(&[&outcome]);
        let texts: Vec<String> = tables.iter().map(|(_, table)| table.markdown()).collect();
        assert_eq!(texts.len(), 2);
        assert!(texts[0].contains("| GraphLearning Poisson | none | 0.625 |"), "{}", texts[0]);
        assert!(texts[1].contains("| GraphLearning Poisson | none | 0.250 |"), "{}", texts[1]);
        let contestants = Stage::Labels.contestants();
        let peer = contestants.iter().find(|c| c.key == "graphlearning-poisson").unwrap();
        let [ours, theirs] =
            ["poisson-dynamics", "graphlearning-poisson"].map(|key| outcome.best(key).unwrap());
        let rows = behind(&outcome, peer, ours, theirs);
        assert_eq!(rows.len(), 1);
        assert!(rows[0].contains("1 labels, splits 0 to 9: 0.625 against 0.500"), "{rows:?}");
    }
}
