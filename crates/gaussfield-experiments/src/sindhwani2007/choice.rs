//! From the looks of a grid to the best errors and to those of the chosen parameters.

use super::grid::{AtWidth, Held, Look};

/// Evidences closer than this hardly tell two settings apart.
const HALF_A_NAT: f64 = 0.5;

/// A classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// The process with γ_I = 0, its width chosen by the evidence.
    Gp,
    /// The process, width and ratio chosen by the evidence.
    Ssgp,
    /// The Laplacian support vector machine, width and ratio chosen by cross-validation.
    LapSvm,
    /// Laplacian regularised least squares, chosen likewise.
    LapRls,
}

/// The points on which errors are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    Test,
    Unlabelled,
}

/// Error rates in per cent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Pair {
    /// The least on the grid.
    pub(super) best: f64,
    /// At the chosen parameters.
    pub(super) chosen: f64,
}

/// What one draw of labels leads to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Outcome {
    errors: [[Pair; 2]; 4],
    /// Places of the grid that share the fewest errors in cross-validation of LapSVM.
    pub(super) ties: f64,
    /// Whether more than one place does: 0 or 1, or a share for several parts.
    pub(super) tied: f64,
    /// Places of the grid whose evidence is within half a nat of the largest.
    pub(super) near: f64,
    /// Whether the evidence chose a ratio above 0: 0 or 1, or a share for several parts.
    pub(super) graph: f64,
}

impl Outcome {
    pub(super) fn of(&self, method: Method, set: Set) -> Pair {
        self.errors[method as usize][set as usize]
    }

    /// From the looks of a draw at a number of labels. Where several places tie in
    /// cross-validation its choice is one of them at random: the mean of their errors is reported.
    pub(super) fn new(grid: &[AtWidth], draw: usize, count: usize) -> Self {
        let places: Vec<(usize, &Look)> = grid
            .iter()
            .flat_map(|at_width| at_width.iter().enumerate())
            .map(|(ratio, at)| (ratio, &at[draw][count]))
            .collect();
        let plain: Vec<(usize, &Look)> =
            places.iter().copied().filter(|place| place.0 == 0).collect();
        let of_machine: fn(&Look) -> Held = |look| look.machine;
        let of_squares: fn(&Look) -> Held = |look| look.squares;
        let tied = fewest(&places, of_machine);
        let most = places.iter().map(|(_, look)| look.evidence).fold(f64::NEG_INFINITY, f64::max);
        let near = places.iter().filter(|(_, look)| look.evidence >= most - HALF_A_NAT).count();
        let mut outcome = Self {
            ties: tied.len() as f64,
            tied: f64::from(u8::from(tied.len() > 1)),
            near: near as f64,
            ..Self::default()
        };
        for set in 0..2 {
            let process = |look: &Look| 100.0 * look.process[set];
            for (method, among) in [(Method::Gp, &plain), (Method::Ssgp, &places)] {
                if let Some((ratio, chosen)) = most_evident(among) {
                    let best = least(among.iter().map(|(_, look)| process(look)));
                    outcome.errors[method as usize][set] = Pair { best, chosen: process(chosen) };
                    if method == Method::Ssgp {
                        outcome.graph = f64::from(u8::from(ratio > 0));
                    }
                }
            }
            for (method, of) in [(Method::LapSvm, of_machine), (Method::LapRls, of_squares)] {
                let error = |look: &Look| 100.0 * of(look).errors[set];
                let tied = fewest(&places, of);
                outcome.errors[method as usize][set] = Pair {
                    best: least(places.iter().map(|(_, look)| error(look))),
                    chosen: tied.iter().map(|look| error(look)).sum::<f64>()
                        / tied.len().max(1) as f64,
                };
            }
        }
        outcome
    }

    /// The mean over the parts of a task.
    pub(super) fn mean(parts: &[Self]) -> Self {
        let share = 1.0 / parts.len().max(1) as f64;
        let mut mean = Self::default();
        for part in parts {
            mean.ties += share * part.ties;
            mean.tied += share * part.tied;
            mean.near += share * part.near;
            mean.graph += share * part.graph;
            for (to, from) in mean.errors.iter_mut().flatten().zip(part.errors.iter().flatten()) {
                to.best += share * from.best;
                to.chosen += share * from.chosen;
            }
        }
        mean
    }
}

/// The test error in per cent of LapSVM where other counts of errors, by place, are least; the mean of
/// those that tie.
pub(super) fn chosen_by(grid: &[AtWidth], draw: usize, count: usize, wrong: &[usize]) -> f64 {
    let places = grid.iter().flat_map(|at_width| at_width.iter().map(|at| &at[draw][count]));
    let least = wrong.iter().min();
    let tied: Vec<f64> = places
        .zip(wrong)
        .filter(|(_, wrong)| Some(*wrong) == least)
        .map(|(look, _)| 100.0 * look.machine.errors[0])
        .collect();
    tied.iter().sum::<f64>() / tied.len().max(1) as f64
}

/// The places with the fewest errors in cross-validation.
fn fewest<'a>(places: &[(usize, &'a Look)], of: fn(&Look) -> Held) -> Vec<&'a Look> {
    let fewest = places.iter().map(|(_, look)| of(look).held_out).min();
    let tied = places.iter().filter(|(_, look)| Some(of(look).held_out) == fewest);
    tied.map(|&(_, look)| look).collect()
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

/// The place of the largest evidence, the first of equals.
fn most_evident<'a>(among: &[(usize, &'a Look)]) -> Option<(usize, &'a Look)> {
    among.iter().copied().reduce(
        |best, next| {
            if next.1.evidence > best.1.evidence { next } else { best }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(evidence: f64, process: f64, held_out: usize, machine: f64) -> Vec<Vec<Look>> {
        let machine = Held { held_out, errors: [machine; 2] };
        let squares = Held { held_out: 5 - held_out, errors: [machine.errors[0] + 0.1; 2] };
        vec![vec![Look { evidence, process: [process; 2], machine, squares }]]
    }

    #[test]
    fn the_evidence_and_the_folds_choose() {
        // Two widths, two ratios; ratio 0 comes first.
        let grid = vec![
            vec![look(-3.0, 0.30, 2, 0.25), look(-2.0, 0.20, 1, 0.20)],
            vec![look(-2.5, 0.40, 1, 0.10), look(-2.7, 0.10, 3, 0.05)],
        ];
        let outcome = Outcome::new(&grid, 0, 0);
        let close = |pair: Pair, best: f64, chosen: f64| {
            assert!(
                (pair.best - best).abs() < 1e-9 && (pair.chosen - chosen).abs() < 1e-9,
                "{pair:?}"
            );
        };
        close(outcome.of(Method::Gp, Set::Test), 30.0, 40.0);
        close(outcome.of(Method::Ssgp, Set::Unlabelled), 10.0, 20.0);
        close(outcome.of(Method::LapSvm, Set::Test), 5.0, 15.0);
        // Most errors of the machine are the fewest of least squares.
        close(outcome.of(Method::LapRls, Set::Test), 15.0, 15.0);
        assert!((outcome.ties - 2.0).abs() < 1e-12 && (outcome.graph - 1.0).abs() < 1e-12);
        // −2.0 and −2.5 of the four evidences.
        assert!((outcome.near - 2.0).abs() < 1e-12 && (outcome.tied - 1.0).abs() < 1e-12);
        // The last place alone: its machine errs by 5 %.
        assert!((chosen_by(&grid, 0, 0, &[1, 1, 1, 0]) - 5.0).abs() < 1e-9);
        assert!((chosen_by(&grid, 0, 0, &[0, 0, 1, 1]) - 22.5).abs() < 1e-9);
        let mean = Outcome::mean(&[outcome, Outcome::default()]);
        close(mean.of(Method::Gp, Set::Test), 15.0, 20.0);
        assert!((mean.graph - 0.5).abs() < 1e-12);
    }
}
