//! Labels that came or went since the factorisation, as a change of low rank.

use crate::HarmonicError;
use crate::problem::{Place, Problem, Row, solve};
use gaussfield_core::dense::Spd;
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::{
    Grounded, Prepared, Solution, SolveFacts, Solver, SolverOptions, Workbench,
};
use ndarray::{Array2, ArrayView2, Axis};

/// Which unknowns are *held* at a label now, and which clamped nodes are *freed*.
///
/// Holding the nodes K is conditioning: x + G_{·K} G_KK⁻¹ (y_K − x_K), with G the inverse of the
/// system. Freeing the nodes J borders the system; what remains for them is the Schur complement,
/// again a Laplacian with an excess, built without a subtraction and solved as one.
#[derive(Debug)]
pub(crate) struct Changes {
    /// K, increasing.
    held: Vec<usize>,
    /// The neighbours of each held node.
    rows: Vec<Row>,
    /// G_{·K}, u × k.
    columns: Array2<f64>,
    /// G_KK; none without held nodes.
    gram: Option<Spd>,
    /// J, increasing.
    freed: Vec<usize>,
    /// G s·W_{·J}, u × j.
    pulls: Array2<f64>,
    /// The same with K held at zero.
    through: Array2<f64>,
    /// The Schur complement on J; none without freed nodes.
    schur: Option<Prepared>,
}

/// A solution on the unknowns and on the freed nodes.
pub(crate) struct Solved {
    pub(crate) unknowns: Array2<f64>,
    pub(crate) freed: Array2<f64>,
    pub(crate) facts: SolveFacts,
}

impl Changes {
    /// None: the labels are those of the factorisation.
    pub(crate) fn none(problem: &Problem) -> Self {
        let empty = Array2::zeros((problem.unknowns.len(), 0));
        Self {
            held: Vec::new(),
            rows: Vec::new(),
            columns: empty.clone(),
            gram: None,
            freed: Vec::new(),
            pulls: empty.clone(),
            through: empty,
            schur: None,
        }
    }

    /// What lies between the factorisation and these labels. One solve, with a column for each
    /// change that was not there before.
    pub(crate) fn to(&self, problem: &Problem, labels: &Labels) -> Result<Self, HarmonicError> {
        if problem.formula.spoken.is_some() {
            return Ok(Self::none(problem));
        }
        let spoken_of = problem.spoken_of(labels);
        let held: Vec<usize> = labels.labelled();
        if let Some(&node) = held.iter().find(|&&node| problem.place(node) == Place::Absent) {
            return Err(HarmonicError::OnIsland { node });
        }
        let held: Vec<usize> =
            held.into_iter().filter(|&node| problem.unknown(node).is_some()).collect();
        let gone = |node: &usize| labels.get(*node).is_none() && spoken_of[problem.part(*node)];
        let freed: Vec<usize> = problem.clamped.iter().copied().filter(gone).collect();
        let (columns, pulls) = self.solve_for(problem, &held, &freed)?;
        let rows = held_rows(problem, &held);

        let at: Vec<usize> = held.iter().filter_map(|&node| problem.unknown(node)).collect();
        let gram = if held.is_empty() {
            None
        } else {
            Some(Spd::factorise(columns.select(Axis(0), &at))?)
        };
        let empty = Array2::zeros((problem.unknowns.len(), 0));
        let mut changes =
            Self { held, rows, columns, gram, freed, pulls, through: empty, schur: None };
        if !changes.freed.is_empty() {
            changes.border(problem)?;
        }
        Ok(changes)
    }

    pub(crate) fn held(&self) -> &[usize] {
        &self.held
    }

    pub(crate) fn freed(&self) -> &[usize] {
        &self.freed
    }

    /// The neighbours of a labelled node.
    pub(crate) fn row<'a>(&'a self, problem: &'a Problem, node: usize) -> &'a [(u32, f64)] {
        match self.held.binary_search(&node) {
            Ok(at) => &self.rows[at],
            Err(_) => problem.row(node),
        }
    }

    /// Whether a node is clamped, now as when the problem was made.
    pub(crate) fn clamps(&self, problem: &Problem, node: usize) -> bool {
        matches!(problem.place(node), Place::Clamped(_)) && self.freed.binary_search(&node).is_err()
    }

    /// Solves for right-hand sides on the unknowns and on the freed nodes, the held nodes at the
    /// given values.
    pub(crate) fn solve(
        &self,
        problem: &Problem,
        right: ArrayView2<'_, f64>,
        right_freed: Array2<f64>,
        held: ArrayView2<'_, f64>,
        (bench, slot): (Option<&mut Workbench>, &'static str),
    ) -> Result<Solved, HarmonicError> {
        let solution = solve(&problem.prepared, bench, slot, right)?;
        let Solution { values: mut unknowns, facts } = solution;
        self.hold(problem, &mut unknowns, held);
        let Some(schur) = &self.schur else {
            return Ok(Solved { unknowns, freed: right_freed, facts });
        };
        let mut flow = right_freed;
        for (mut flow, &node) in flow.rows_mut().into_iter().zip(&self.freed) {
            for &(i, weight) in problem.row(node) {
                if let Some(at) = problem.unknown(i as usize) {
                    flow.scaled_add(weight, &unknowns.row(at));
                }
            }
        }
        let freed = schur.solve(flow.view())?.values;
        unknowns += &self.through.dot(&freed);
        Ok(Solved { unknowns, freed, facts })
    }

    /// Conditions on the held nodes.
    fn hold(&self, problem: &Problem, x: &mut Array2<f64>, held: ArrayView2<'_, f64>) {
        let Some(gram) = &self.gram else { return };
        let at: Vec<usize> = self.held.iter().filter_map(|&node| problem.unknown(node)).collect();
        let gap = &held - &x.select(Axis(0), &at);
        *x += &self.columns.dot(&gram.solve(gap.view()));
        for (&at, value) in at.iter().zip(held.rows()) {
            x.row_mut(at).assign(&value);
        }
    }

    /// The columns of G for the held nodes and G s·W for the freed ones; those at hand are copied.
    fn solve_for(
        &self,
        problem: &Problem,
        held: &[usize],
        freed: &[usize],
    ) -> Result<(Array2<f64>, Array2<f64>), HarmonicError> {
        let unknowns = problem.unknowns.len();
        let known = |nodes: &[usize], node: &usize| nodes.binary_search(node);
        let missing: Vec<usize> = held
            .iter()
            .filter(|node| known(&self.held, node).is_err())
            .chain(freed.iter().filter(|node| known(&self.freed, node).is_err()))
            .copied()
            .collect();
        let mut right = Array2::zeros((unknowns, missing.len()));
        for (mut column, &node) in right.columns_mut().into_iter().zip(&missing) {
            if let Some(at) = problem.unknown(node) {
                column[at] = 1.0;
            }
            for &(i, weight) in problem.row(node) {
                if let Some(at) = problem.unknown(i as usize) {
                    column[at] = weight;
                }
            }
        }
        let solved =
            if missing.is_empty() { right } else { problem.prepared.solve(right.view())?.values };
        let mut next = solved.columns().into_iter();
        let mut gather = |nodes: &[usize], before: &[usize], kept: &Array2<f64>| {
            let mut columns = Array2::zeros((unknowns, nodes.len()));
            for (mut column, node) in columns.columns_mut().into_iter().zip(nodes) {
                match known(before, node) {
                    Ok(at) => column.assign(&kept.column(at)),
                    Err(_) => next.by_ref().take(1).for_each(|new| column.assign(&new)),
                }
            }
            columns
        };
        let columns = gather(held, &self.held, &self.columns);
        let pulls = gather(freed, &self.freed, &self.pulls);
        Ok((columns, pulls))
    }

    /// Makes the Schur complement on the freed nodes: off the diagonal the weights between them,
    /// directly and through the unknowns; the excess is what the rest of the boundary holds.
    fn border(&mut self, problem: &Problem) -> Result<(), HarmonicError> {
        let (unknowns, freed) = (problem.unknowns.len(), self.freed.len());
        let mut rest = Array2::from_shape_fn((unknowns, 1), |(at, _)| {
            problem.formula.ties[problem.unknowns[at]]
        });
        for &node in problem.clamped.iter().filter(|&&node| self.clamps(problem, node)) {
            for &(i, weight) in problem.row(node) {
                if let Some(at) = problem.unknown(i as usize) {
                    rest[[at, 0]] += weight;
                }
            }
        }
        let mut rest = problem.prepared.solve(rest.view())?.values;
        self.hold(problem, &mut rest, Array2::ones((self.held.len(), 1)).view());
        let mut through = self.pulls.clone();
        self.hold(problem, &mut through, Array2::zeros((self.held.len(), freed)).view());
        through.mapv_inplace(|x| x.max(0.0));

        let mut excess: Vec<f64> = Vec::with_capacity(freed);
        let mut between = Array2::<f64>::zeros((freed, freed));
        for (row, &node) in self.freed.iter().enumerate() {
            let mut own = problem.formula.ties[node];
            for &(i, weight) in problem.row(node) {
                let i = i as usize;
                if let Some(at) = problem.unknown(i) {
                    own += weight * rest[[at, 0]];
                    between.row_mut(row).scaled_add(weight, &through.row(at));
                } else if let Ok(column) = self.freed.binary_search(&i) {
                    between[[row, column]] += weight;
                } else {
                    own += weight;
                }
            }
            excess.push(own);
        }
        let pairs = (0..freed).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges = pairs.map(|(i, j)| (i, j, f64::midpoint(between[[i, j]], between[[j, i]])));
        let graph = Graph::from_edges(freed, edges)?;
        let all: Vec<usize> = (0..freed).collect();
        let options = SolverOptions { solver: Solver::Elimination, ..SolverOptions::default() };
        self.schur = Some(Grounded::new(&graph, &all, 1.0, excess)?.prepare(&options)?);
        self.through = through;
        Ok(())
    }
}

/// The neighbours of nodes that were unknowns: columns of the system, and what the clamped nodes
/// know of them.
fn held_rows(problem: &Problem, held: &[usize]) -> Vec<Row> {
    if held.is_empty() {
        return Vec::new();
    }
    let mut units = Array2::zeros((problem.unknowns.len(), held.len()));
    for (column, &node) in held.iter().enumerate() {
        if let Some(at) = problem.unknown(node) {
            units[[at, column]] = 1.0;
        }
    }
    let system = problem.prepared.system().apply(units.view());
    let row = |(column, &node): (usize, &usize)| {
        let mut row = Row::new();
        for (at, &i) in problem.unknowns.iter().enumerate() {
            if i != node && system[[at, column]] < 0.0 {
                row.push((i as u32, -system[[at, column]]));
            }
        }
        for &clamped in &problem.clamped {
            let neighbours = problem.row(clamped);
            if let Ok(at) = neighbours.binary_search_by_key(&(node as u32), |entry| entry.0) {
                row.push((clamped as u32, neighbours[at].1));
            }
        }
        row.sort_unstable_by_key(|entry| entry.0);
        row
    };
    held.iter().enumerate().map(row).collect()
}
