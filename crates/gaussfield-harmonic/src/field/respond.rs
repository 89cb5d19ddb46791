//! The linear map from labels to values.

use crate::HarmonicError;
use crate::changes::{Changes, Solved};
use crate::problem::Problem;
use gaussfield_laplacian::{SolveFacts, Workbench};
use ndarray::{Array1, Array2, Axis, s};

/// What acts beside the labels: the ties that lead outside, and the islands, which hold a fill.
pub(crate) struct Outside<'a> {
    pub(super) islands: usize,
    pub(super) fill: &'a [f64],
}

/// The values at all nodes, n × b, for given values at the labelled ones (n × b, zero elsewhere),
/// with or without what acts beside them. One solve; not yet divided by row sums.
pub(crate) fn respond(
    problem: &Problem,
    changes: &Changes,
    given: Array2<f64>,
    outside: Option<Outside<'_>>,
    bench: Option<&mut Workbench>,
) -> Result<(Array2<f64>, SolveFacts), HarmonicError> {
    let formula = &problem.formula;
    let columns = given.ncols();
    let width = columns + usize::from(formula.jumps);
    let mut right = Array2::zeros((problem.unknowns.len(), width));
    let mut right_freed = Array2::zeros((changes.freed().len(), width));
    if let Some(spoken) = &formula.spoken {
        for (mut right, &node) in right.rows_mut().into_iter().zip(&problem.unknowns) {
            right.scaled_add(spoken[node], &given.row(node));
        }
    }
    // W_ul f_l of [zhu2003 (5)]; the inverse is `changes.solve`.
    for &node in problem.clamped.iter().filter(|&&node| changes.clamps(problem, node)) {
        for &(i, weight) in problem.row(node) {
            if let Some(at) = problem.unknown(i as usize) {
                right.slice_mut(s![at, ..columns]).scaled_add(weight, &given.row(node));
            }
        }
    }
    for (mut right, &node) in right_freed.rows_mut().into_iter().zip(changes.freed()) {
        for &(i, weight) in problem.row(node) {
            if changes.clamps(problem, i as usize) {
                right.slice_mut(s![..columns]).scaled_add(weight, &given.row(i as usize));
            }
        }
    }
    if let (Some(lead), Some(_)) = (&formula.outside, &outside) {
        for (mut right, &node) in right.rows_mut().into_iter().zip(&problem.unknowns) {
            right += &lead.row(node);
        }
    }
    if formula.jumps {
        tie_column(problem, changes, &mut right, &mut right_freed, columns);
    }
    let mut held = Array2::zeros((changes.held().len(), width));
    for (mut held, &node) in held.rows_mut().into_iter().zip(changes.held()) {
        held.slice_mut(s![..columns]).assign(&given.row(node));
    }
    let solved =
        changes.solve(problem, right.view(), right_freed, held.view(), (bench, "field"))?;

    let mut values = given;
    scatter(problem, changes, &solved, &mut values);
    if formula.jumps {
        let response = jump_response(problem, changes, &solved, columns);
        let mut mass = values.sum_axis(Axis(0));
        if let Some(Outside { islands, fill }) = outside
            && islands > 0
        {
            mass.scaled_add(islands as f64, &Array1::from(fill.to_vec()));
        }
        let mean = mass / (problem.nodes() as f64 - response.sum());
        for (mut row, &response) in values.rows_mut().into_iter().zip(&response) {
            if response > 0.0 {
                row.scaled_add(response, &mean);
            }
        }
    }
    if let Some(root) = &formula.root {
        values *= &root.view().insert_axis(Axis(1));
    }
    Ok((values, solved.facts))
}

/// Fills a column of a right-hand side with the ties.
pub(super) fn tie_column(
    problem: &Problem,
    changes: &Changes,
    right: &mut Array2<f64>,
    right_freed: &mut Array2<f64>,
    column: usize,
) {
    let ties = &problem.formula.ties;
    for (at, &node) in problem.unknowns.iter().enumerate() {
        right[[at, column]] = ties[node];
    }
    for (at, &node) in changes.freed().iter().enumerate() {
        right_freed[[at, column]] = ties[node];
    }
}

/// Writes the first columns of a solution to the nodes they belong to.
pub(super) fn scatter(
    problem: &Problem,
    changes: &Changes,
    solved: &Solved,
    values: &mut Array2<f64>,
) {
    let columns = values.ncols();
    let all = problem.unknowns.iter().zip(solved.unknowns.rows());
    for (&node, row) in all.chain(changes.freed().iter().zip(solved.freed.rows())) {
        values.row_mut(node).assign(&row.slice(s![..columns]));
    }
}

/// How each node responds to the mean of all nodes, zero at the labelled ones.
pub(super) fn jump_response(
    problem: &Problem,
    changes: &Changes,
    solved: &Solved,
    column: usize,
) -> Array1<f64> {
    let mut response = Array1::zeros(problem.nodes());
    let all = problem.unknowns.iter().zip(solved.unknowns.column(column));
    for (&node, &q) in all.chain(changes.freed().iter().zip(solved.freed.column(column))) {
        response[node] = q;
    }
    response
}
