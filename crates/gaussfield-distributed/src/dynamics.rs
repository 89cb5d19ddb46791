//! Threshold dynamics on a shared graph.

use crate::world::{sum, total};
use crate::{Fit, Part, World};

/// Merriman, Bence and Osher's scheme with random-walk steps, as on one machine.
pub(crate) fn dynamics(
    world: &impl World,
    part: &Part,
    mut fit: Fit,
    steps: usize,
    most: usize,
) -> Fit {
    let classes = fit.scores.ncols();
    let moving: Vec<usize> = (0..part.len()).filter(|&n| fit.labelled[n].is_none()).collect();
    // Masses to the uniform prior, once.
    let mut masses = vec![0.0; classes];
    for &node in &moving {
        masses.iter_mut().zip(fit.scores.row(node)).for_each(|(mass, x)| *mass += x);
    }
    sum(world, &mut masses);
    for &node in &moving {
        for c in 0..classes {
            fit.scores[[node, c]] =
                if masses[c] > 0.0 { fit.scores[[node, c]] / masses[c] } else { 0.0 };
        }
        let sum = fit.scores.row(node).sum();
        fit.scores.row_mut(node).mapv_inplace(|x| x / sum);
    }
    let mut decided = crate::decide::largest(&fit.scores);
    while fit.rounds < most {
        fit.rounds += 1;
        let mut values = vec![0.0; part.len() * classes];
        decided.iter().enumerate().for_each(|(node, &class)| values[node * classes + class] = 1.0);
        for _ in 0..steps {
            values = walk(world, part, &values, classes);
        }
        for &node in &moving {
            let from = &values[node * classes..][..classes];
            fit.scores.row_mut(node).iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        let now = crate::decide::largest(&fit.scores);
        let changed = now.iter().zip(&decided).filter(|(a, b)| a != b).count();
        if total(world, changed as f64) < 0.5 {
            break;
        }
        decided = now;
    }
    fit
}

/// One step of P = D⁻¹W.
fn walk(world: &impl World, part: &Part, values: &[f64], width: usize) -> Vec<f64> {
    let mut ghosts = vec![0.0; part.halo.ghosts.len() * width];
    part.halo.fetch(world, values, &mut ghosts, width);
    let mut next = vec![0.0; values.len()];
    for node in 0..part.len() {
        let (places, weights) = part.row(node);
        let degree: f64 = weights.iter().sum();
        let to = &mut next[node * width..][..width];
        if degree > 0.0 {
            for (&place, &weight) in places.iter().zip(weights) {
                let place = place as usize;
                let from = match place < part.len() {
                    true => &values[place * width..][..width],
                    false => &ghosts[(place - part.len()) * width..][..width],
                };
                to.iter_mut().zip(from).for_each(|(to, x)| *to += weight / degree * x);
            }
        } else {
            to.copy_from_slice(&values[node * width..][..width]);
        }
    }
    next
}
