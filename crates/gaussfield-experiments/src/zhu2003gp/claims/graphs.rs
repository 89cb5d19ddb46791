//! Figures 1 and 2: k and ε.

use super::{GOOD_CORRELATION, MUCH, ORDERS, SMALL, TURN, listed, most, studied};
use crate::zhu2003gp::guide::correlations;
use crate::zhu2003gp::scans::Family;
use crate::zhu2003gp::statistics::{mean, range, turns};
use crate::zhu2003gp::study::{Studied, Study};
use gaussfield_labels::metrics::rank_correlation;
use gaussfield_report::Claim;
use gaussfield_report::format::number;

pub(super) fn neighbours(studies: &[&Study], claims: &mut Vec<Claim>) {
    let tasks = studied(studies, Family::Neighbours);
    let place = "Section 4, Figure 1";
    let share_high = |studied: &Studied| {
        let (evidence, tuned) = (studied.scan.mean(|o| o.evidence), studied.scan.mean(|o| o.tuned));
        let middle = |values: &[f64]| {
            let (low, high) = range(values);
            f64::midpoint(low, high)
        };
        let (middle_evidence, middle_tuned) = (middle(&evidence), middle(&tuned));
        let small: Vec<usize> = (0..studied.scan.0.len())
            .filter(|&i| (2.0..=SMALL).contains(&studied.scan.0[i].parameters[0]))
            .collect();
        let high = |&&i: &&usize| evidence[i] >= middle_evidence && tuned[i] >= middle_tuned;
        small.iter().filter(high).count() as f64 / small.len().max(1) as f64
    };
    let shares: Vec<_> = tasks.iter().map(|(name, s)| (*name, share_high(s))).collect();
    let count = shares.iter().filter(|(_, share)| *share > 0.5).count();
    claims.push(
        Claim::new(
            "fig1-range",
            place,
            "a large range of small k's achieves high evidence and high accuracy",
        )
        .paper("a large range")
        .ours_value(listed(&shares))
        .holds_if(
            most(count, tasks.len()),
            format!(
                "the share of k from 2 to {SMALL} whose mean evidence and mean tuned accuracy \
                     are both in the upper half of their ranges; above one half in {count} of {} \
                     tasks",
                tasks.len()
            ),
        ),
    );
    for (name, studied) in &tasks {
        let found = correlations(studied, |outcome| outcome.evidence);
        let value = mean(&found);
        let claim = Claim::new(
            format!("fig1-correlation-{}", name.replace('/', "-")),
            place,
            format!("{name}: good correlation between evidence and tuned accuracy over k"),
        )
        .paper("good")
        .ours_value(value)
        .holds_if(value >= GOOD_CORRELATION, "Spearman's, mean over label sets; good from 0.5");
        let (tail, within) = (tail_share(studied), mean(&small_correlations(studied)));
        let explanation = format!(
            "from {} to {} over label sets: past k = {SMALL} the evidence moves by only {:.1} % of \
             its range, and whether it creeps up or down there rules the ranks; over k up to \
             {SMALL} alone the mean is {}",
            number(range(&found).0),
            number(range(&found).1),
            100.0 * tail,
            number(within)
        );
        claims.push(claim.explained(&explanation));
    }
    let best = |studied: &Studied| {
        mean(&studied.chosen.iter().map(|chosen| chosen.parameters[0]).collect::<Vec<_>>())
    };
    let ks: Vec<_> = tasks.iter().map(|(name, s)| (*name, best(s))).collect();
    let count = ks.iter().filter(|(_, k)| *k <= SMALL).count();
    claims.push(
        Claim::new("fig1-small", place, "small k is good in general")
            .paper("k = 2, 2, 3, 2, 5, 4")
            .ours_value(listed(&ks))
            .holds_if(
                most(count, tasks.len()),
                format!(
                    "mean k of the largest evidence at most {SMALL} in {count} of {} tasks",
                    tasks.len()
                ),
            ),
    );
}

/// The range of the evidence past small k as a share of its whole range, mean over label sets.
fn tail_share(studied: &Studied) -> f64 {
    let of_set = |set: usize| {
        let evidence = studied.scan.of_set(set, |outcome| outcome.evidence);
        let places = studied.scan.0.iter().zip(&evidence);
        let tail: Vec<f64> = places
            .filter(|(place, _)| place.parameters[0] > SMALL)
            .map(|(_, &evidence)| evidence)
            .collect();
        let width = |values: &[f64]| {
            let (low, high) = range(values);
            (high - low).max(0.0)
        };
        width(&tail) / width(&evidence).max(f64::MIN_POSITIVE)
    };
    mean(&(0..studied.chosen.len()).map(of_set).collect::<Vec<_>>())
}

/// The rank correlations over small k alone.
fn small_correlations(studied: &Studied) -> Vec<f64> {
    let of_set = |set: usize| {
        let small = studied.scan.0.iter().filter(|place| place.parameters[0] <= SMALL);
        rank_correlation(small.map(|place| {
            let found = &place.look.sets[set];
            (found.evidence, found.tuned)
        }))
    };
    (0..studied.chosen.len()).filter_map(of_set).collect()
}

pub(super) fn radius(studies: &[&Study], claims: &mut Vec<Claim>) {
    let place = "Section 4, Figure 2";
    let count_turns = |studied: &Studied| {
        let of_set = |set| turns(&studied.scan.of_set(set, |o| o.evidence), TURN) as f64;
        mean(&(0..studied.chosen.len()).map(of_set).collect::<Vec<_>>())
    };
    let (mut zigzag, mut edges) = (Vec::new(), Vec::new());
    let (mut words, mut farthest) = (Vec::new(), 0.0_f64);
    for study in studies {
        let (Some(knn), Some(ball)) = (study.of(Family::Neighbours), study.of(Family::Radius))
        else {
            continue;
        };
        let (ours, theirs) = (count_turns(ball), count_turns(knn));
        zigzag.push(ours > theirs);
        words.push(format!("{} {ours:.1} against {theirs:.1}", study.plan.name));
        let ratios: Vec<f64> = ball
            .chosen
            .iter()
            .zip(&knn.chosen)
            .map(|(ball, knn)| (ball.edges / knn.edges.max(1.0)).max(1e-6).ln())
            .collect();
        farthest = ratios.iter().fold(farthest, |most, ratio| most.max(ratio.exp()));
        edges.push((study.plan.name, mean(&ratios).exp()));
    }
    let count = zigzag.iter().filter(|&&more| more).count();
    claims.push(
        Claim::new("fig2-zigzag", place, "evidence curves over ε have a more zig-zag shape than over k")
            .paper("more zig-zag")
            .ours_value(words.join(", "))
            .holds_if(
                most(count, zigzag.len()),
                format!("turns of a single label set's curve, mean over label sets; more in {count} of {} tasks", zigzag.len()),
            ),
    );
    let count = edges.iter().filter(|(_, ratio)| *ratio >= MUCH).count();
    claims.push(
        Claim::new(
            "fig2-edges",
            place,
            "the number of edges under the optimal ε is much larger than that of the kNN graphs",
        )
        .paper("much larger")
        .ours_value(format!("times as many: {}", listed(&edges)))
        .holds_if(
            most(count, edges.len()),
            format!(
                "geometric mean over label sets; at least {MUCH} times in {count} of {} tasks",
                edges.len()
            ),
        ),
    );
    claims.push(
        Claim::new("fig2-orders", place, "sometimes by a few orders of magnitude")
            .paper("a few orders of magnitude")
            .ours_value(format!("up to {} times", number(farthest.round())))
            .holds_if(
                farthest >= ORDERS,
                format!("the largest ratio of any label set; asked for {ORDERS}"),
            ),
    );
}
