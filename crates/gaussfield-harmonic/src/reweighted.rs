//! Graphs whose weights grow towards the labels, and the harmonic function on them.

use crate::problem::check;
use crate::{Harmonic, HarmonicError};
use gaussfield_core::{Budget, Facts, SizeMismatch, check as range};
use gaussfield_graph::{Graph, Weights};
use gaussfield_labels::{Islands, Labels, NodeScores, Transductive};
use gaussfield_laplacian::{Prepared, SolverOptions, components};
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The factor of a node as far from the labels as there is one, as a share of that of the nearest.
const FLOOR: f64 = 1e-5;

/// The harmonic function on weights γᵢ·wᵢⱼ·γⱼ, where γ is the potential of labels as sources
/// (the Poisson-reweighted Laplacian of Miller and Calder, 2023): Σⱼ wᵢⱼ (γᵢ − γⱼ) is 1 − m/n on the m
/// labelled of n nodes and −m/n on all others, shifted and scaled so that γ goes from 10⁻⁵ to 1.
///
/// A harmonic function of very few labels is flat but for a spike at each; near a label the weights
/// grow here as the potential does, so that the label holds its surroundings. No class prior enters.
/// Each connected part is a problem of its own. The weights depend on where labels are, so that a fit
/// gives scores and not a [`Field`](crate::Field), which would answer for labels that move.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::PoissonReweighted;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let found = PoissonReweighted::default().fit(&graph, &labels)?;
/// assert_eq!(found.predictions(&Decision::Argmax)?.classes(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PoissonReweighted {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

/// The harmonic function on weights wᵢⱼ·(γᵢ + γⱼ)/2 with γ = 1 + (r/δ)ᵅ, no more than ζ, where δ is how
/// far a point lies from the nearest labelled one: the properly weighted Laplacian of Calder and
/// Slepčev (2020).
///
/// For α > d − 2 on data of d dimensions its values stay near the labels' in the limit of many points,
/// where those of the harmonic function become constant. It looks at points, by their Euclidean
/// distance: r is in their units.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::ProperlyWeighted;
/// use gaussfield_labels::{Decision, Labels, Transductive};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let points = Points::dense(array![[0.0], [0.1], [0.9], [1.0]])?;
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let found = ProperlyWeighted::default().fit(&graph, &points, &labels)?;
/// assert_eq!(found.predictions(&Decision::Argmax)?.classes(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProperlyWeighted {
    /// r, above 0: where γ is 2. Default 0.1.
    pub radius: f64,
    /// α, above 0. Default 2.
    pub power: f64,
    /// ζ, above 1: γ of the labelled points themselves. Default 10⁷.
    pub most: f64,
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Default for ProperlyWeighted {
    fn default() -> Self {
        let (islands, solver) = Default::default();
        Self { radius: 0.1, power: 2.0, most: 1e7, islands, solver }
    }
}

impl PoissonReweighted {
    /// The scores of every node.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), a solver that could not reach its accuracy, weights over the budget.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<NodeScores, HarmonicError> {
        let factors = self.factors(graph, labels)?;
        let (heavier, budget) =
            reweighted(graph, self.solver.budget, |i, j| factors[i] * factors[j])?;
        let solver = SolverOptions { budget, ..self.solver };
        answer("Poisson-reweighted", &heavier, labels, &self.islands, solver)
    }

    /// γ of every node; 1 where no label, or nothing but labels, is in the connected part.
    ///
    /// # Errors
    /// As [`PoissonReweighted::fit`], but for parts without a label.
    pub fn factors(&self, graph: &Graph, labels: &Labels) -> Result<Array1<f64>, HarmonicError> {
        check(graph, labels)?;
        let (parts, degrees) = (components(graph), graph.degrees());
        let (mut sizes, mut labelled) = (vec![0.0_f64; parts.count], vec![0.0; parts.count]);
        // A Laplacian is singular: one node of each part is held at zero, and the part shifted afterwards.
        let mut ground = vec![usize::MAX; parts.count];
        for (node, &part) in parts.of.iter().enumerate() {
            sizes[part] += 1.0;
            labelled[part] += f64::from(u8::from(labels.get(node).is_some()));
            if ground[part] == usize::MAX || degrees[node] > degrees[ground[part]] {
                ground[part] = node;
            }
        }
        let flows = |part: usize| labelled[part] > 0.0 && labelled[part] < sizes[part];
        let is_unknown = |node: &usize| {
            let part = parts.of[*node];
            flows(part) && ground[part] != *node
        };
        let unknowns: Vec<usize> = (0..graph.nodes()).filter(is_unknown).collect();
        let to_ground = |&node: &usize| graph.weight(node, ground[parts.of[node]]);
        let excess: Vec<f64> = unknowns.iter().map(to_ground).collect();
        let source = |&node: &usize| {
            let part = parts.of[node];
            f64::from(u8::from(labels.get(node).is_some())) - labelled[part] / sizes[part]
        };
        let right = Array2::from_shape_fn((unknowns.len(), 1), |(at, _)| source(&unknowns[at]));
        let solution =
            Prepared::new(graph, &unknowns, 1.0, excess, &self.solver)?.solve(right.view())?;
        let mut factors = Array1::zeros(graph.nodes());
        for (&node, &potential) in unknowns.iter().zip(&solution.values) {
            factors[node] = potential;
        }
        let (mut low, mut high) = (vec![f64::INFINITY; parts.count], vec![0.0_f64; parts.count]);
        for (&part, &factor) in parts.of.iter().zip(&factors) {
            low[part] = low[part].min(factor);
        }
        for (&part, &factor) in parts.of.iter().zip(&factors) {
            high[part] = high[part].max(factor - low[part]);
        }
        for (&part, factor) in parts.of.iter().zip(&mut factors) {
            let share = (*factor - low[part]) / high[part];
            *factor = if high[part] > 0.0 { FLOOR + (1.0 - FLOOR) * share } else { 1.0 };
        }
        Ok(factors)
    }
}

impl ProperlyWeighted {
    /// The scores of every node; the points are those of the graph's nodes.
    ///
    /// # Errors
    /// As [`PoissonReweighted::fit`]; points of another number; options out of their range.
    pub fn fit(
        &self,
        graph: &Graph,
        points: &Points,
        labels: &Labels,
    ) -> Result<NodeScores, HarmonicError> {
        check(graph, labels)?;
        SizeMismatch::check(
            "points, one for each node of the graph,",
            graph.nodes(),
            points.len(),
        )?;
        let factors = self.factors(points, labels)?;
        let (heavier, budget) =
            reweighted(graph, self.solver.budget, |i, j| (factors[i] + factors[j]) / 2.0)?;
        let solver = SolverOptions { budget, ..self.solver };
        answer("properly weighted", &heavier, labels, &self.islands, solver)
    }

    /// γ of every point.
    ///
    /// # Errors
    /// Points and labels of different number, no label at all; options out of their range.
    pub fn factors(&self, points: &Points, labels: &Labels) -> Result<Array1<f64>, HarmonicError> {
        range::positive("the radius r", self.radius)?;
        range::positive("the power α", self.power)?;
        range::range("the most weight ζ", self.most, self.most > 1.0, "finite and above 1")?;
        range::finite("the most weight ζ", self.most)?;
        SizeMismatch::check("labels, one for each point,", points.len(), labels.len())?;
        let labelled = labels.labelled();
        let nearest = |point: usize| {
            let squares = labelled.iter().map(|&label| points.squared_distance(point, label));
            squares.fold(f64::INFINITY, f64::min).sqrt()
        };
        let factor = |point: usize| {
            // A distance of zero is an infinite power, which ζ bounds.
            (1.0 + (self.radius / nearest(point)).powf(self.power)).min(self.most)
        };
        Ok((0..points.len()).into_par_iter().map(factor).collect::<Vec<f64>>().into())
    }
}

/// The graph with every weight multiplied by what is given for its ends, and what is left of the budget.
fn reweighted(
    graph: &Graph,
    budget: Budget,
    factor: impl Fn(usize, usize) -> f64,
) -> Result<(Graph, Budget), HarmonicError> {
    let nodes = graph.nodes();
    Ok(match graph.weights() {
        Weights::Dense(weights) => {
            let budget = budget.matrix("the weights of the graph once more", nodes, nodes)?;
            let mut weights = weights.clone();
            for ((i, j), weight) in weights.indexed_iter_mut() {
                *weight *= factor(i, j);
            }
            (Graph::from_dense(weights)?, budget)
        }
        Weights::Sparse(weights) => {
            let bytes = 12 * weights.nnz() as u64 + 8 * nodes as u64;
            let budget = budget.take("the weights of the graph once more", bytes)?;
            let mut weights = weights.clone();
            for (i, mut row) in weights.outer_iterator_mut().enumerate() {
                for (j, weight) in row.iter_mut() {
                    *weight *= factor(i, j);
                }
            }
            (Graph::from_sparse(weights)?, budget)
        }
    })
}

fn answer(
    how: &str,
    graph: &Graph,
    labels: &Labels,
    islands: &Islands,
    solver: SolverOptions,
) -> Result<NodeScores, HarmonicError> {
    let field = Harmonic { islands: islands.clone(), solver }.fit(graph, labels)?;
    let mut facts = Facts::default().with("method", format!("the harmonic function, {how}"));
    for fact in field.facts().iter().filter(|fact| fact.name != "method") {
        facts.add(fact.name.clone(), fact.value.clone());
    }
    let answer = NodeScores::new(labels, field.scores().clone(), facts)?;
    Ok(answer.on_islands(field.islands().to_vec()))
}
