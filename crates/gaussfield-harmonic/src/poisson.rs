//! Poisson learning.

use crate::HarmonicError;
use crate::problem::{check, fill_islands};
use gaussfield_core::Facts;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores, Scores};
use gaussfield_laplacian::{Components, Prepared, SolverOptions, components};
use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// Poisson learning (Calder, Cook, Thorpe, Slepčev, ICML 2020): labels are sources and not boundary
/// values, Σⱼ wᵢⱼ (uᵢ − uⱼ) = yᵢ − ȳ on labelled nodes and 0 on all others, with Σ dᵢuᵢ = 0.
///
/// With few labels a harmonic function is flat but for spikes at the labels; here the spikes are the
/// sources themselves, and what lies between them decides. No class prior enters. Each connected part
/// is a problem of its own with its own mean ȳ; one whose labels are all of one class is of that class.
/// The scores are 1/C + s·u with one s for all unlabelled nodes, the largest for which none is
/// negative: they rank as u does, and lie close together.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::Poisson;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let found = Poisson::default().fit(&graph, &labels)?;
/// assert_eq!(found.predictions(&Decision::Argmax)?.classes(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Poisson {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Poisson {
    /// The scores of every node.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), a solver that could not reach its accuracy.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<NodeScores, HarmonicError> {
        check(graph, labels)?;
        let classes = labels.classes();
        let columns = 2 * classes;
        let budget =
            self.solver.budget.matrix("the scores of Poisson learning", graph.nodes(), columns)?;
        let solver = SolverOptions { budget, ..self.solver };
        let parts = Parts::new(graph, labels);
        let islands: Vec<usize> =
            (0..graph.nodes()).filter(|&node| parts.labelled(node) == 0).collect();
        let fill = fill_islands(&self.islands, classes, &islands)?;
        let (potential, facts) = Self::solve(&solver, graph, labels, &parts)?;

        let depths = parts.depths(labels, &potential, self.solver.tolerance);
        let deepest = depths.iter().fold(0.0, |most: f64, &depth| most.max(depth));
        let even = 1.0 / classes as f64;
        let mut values = labels.one_hot();
        for node in labels.unlabelled() {
            let mut row = values.row_mut(node);
            match (parts.grounds(node), parts.only_class(node)) {
                (Some(_), _) if depths[parts.components.of[node]] > 0.0 => {
                    row.assign(&potential.row(node).mapv(|u| even * (1.0 + u / deepest)));
                }
                (Some(_), _) => row.fill(even),
                (None, Some(class)) => row[class] = 1.0,
                (None, None) => row.assign(&ArrayView1::from(&fill)),
            }
        }
        let scores = Scores::normalised(values)?;
        Ok(NodeScores::new(labels, scores, facts)?.on_islands(islands))
    }

    /// u itself: a row for every node, labelled ones included; zero on parts without labels of two
    /// classes.
    ///
    /// # Errors
    /// As [`Poisson::fit`], but for parts without a label.
    pub fn potential(&self, graph: &Graph, labels: &Labels) -> Result<Array2<f64>, HarmonicError> {
        check(graph, labels)?;
        Ok(Self::solve(&self.solver, graph, labels, &Parts::new(graph, labels))?.0)
    }

    fn solve(
        solver: &SolverOptions,
        graph: &Graph,
        labels: &Labels,
        parts: &Parts,
    ) -> Result<(Array2<f64>, Facts), HarmonicError> {
        // A Laplacian is singular: one node of each part is held at zero, and the part is shifted
        // afterwards. What flows out there is what all the other sources leave over.
        let is_unknown = |node: &usize| parts.grounds(*node).is_some_and(|ground| ground != *node);
        let unknowns: Vec<usize> = (0..graph.nodes()).filter(is_unknown).collect();
        let excess: Vec<f64> = unknowns
            .iter()
            .map(|&node| parts.grounds(node).map_or(0.0, |ground| graph.weight(node, ground)))
            .collect();
        let mut right = Array2::zeros((unknowns.len(), labels.classes()));
        for (mut row, &node) in right.rows_mut().into_iter().zip(&unknowns) {
            if let Some(class) = labels.get(node) {
                row -= &ArrayView1::from(&parts.mean(node));
                row[class] += 1.0;
            }
        }
        let solution = Prepared::new(graph, &unknowns, 1.0, excess, solver)?.solve(right.view())?;
        let mut potential = Array2::zeros((graph.nodes(), labels.classes()));
        for (row, &node) in solution.values.rows().into_iter().zip(&unknowns) {
            potential.row_mut(node).assign(&row);
        }
        parts.centre(graph, &mut potential);
        // Each row of sources sums to zero over the classes, hence each row of u: what is left of the
        // sum is error of the solve, and no class's more than another's.
        for mut row in potential.rows_mut() {
            let mean = row.sum() / labels.classes() as f64;
            row -= mean;
        }
        let mut facts = Facts::default().with("method", "Poisson learning");
        facts.extend(solution.facts.facts());
        Ok((potential, facts))
    }
}

/// The connected parts of a graph, and what is labelled in them.
struct Parts {
    components: Components,
    /// Labels of each class in each part.
    counts: Array2<f64>,
    /// Of each part the node of largest degree.
    ground: Vec<usize>,
}

impl Parts {
    fn new(graph: &Graph, labels: &Labels) -> Self {
        let components = components(graph);
        let degrees = graph.degrees();
        let mut counts = Array2::zeros((components.count, labels.classes()));
        let mut ground = vec![usize::MAX; components.count];
        for (node, &part) in components.of.iter().enumerate() {
            if let Some(class) = labels.get(node) {
                counts[[part, class]] += 1.0;
            }
            if ground[part] == usize::MAX || degrees[node] > degrees[ground[part]] {
                ground[part] = node;
            }
        }
        Self { components, counts, ground }
    }

    fn labels(&self, node: usize) -> ArrayView1<'_, f64> {
        self.counts.row(self.components.of[node])
    }

    /// How many labels the part of a node has.
    fn labelled(&self, node: usize) -> usize {
        self.labels(node).sum() as usize
    }

    /// ȳ of the part of a node.
    fn mean(&self, node: usize) -> Vec<f64> {
        let counts = self.labels(node);
        let all = counts.sum();
        counts.iter().map(|count| count / all).collect()
    }

    /// How far u falls below zero on the unlabelled nodes of each part; zero where that is no more than
    /// the error of the solve. Where every unlabelled node of a part lies on the zero of u only that error
    /// is left, and stretching it would tell classes apart that the labels do not.
    fn depths(&self, labels: &Labels, potential: &Array2<f64>, tolerance: f64) -> Vec<f64> {
        let mut depths = vec![0.0_f64; self.components.count];
        let mut highest = depths.clone();
        for (node, &part) in self.components.of.iter().enumerate() {
            let row = potential.row(node);
            highest[part] = row.iter().fold(highest[part], |most, u| most.max(u.abs()));
            if labels.get(node).is_none() {
                depths[part] = row.iter().fold(depths[part], |most, u| most.max(-u));
            }
        }
        let told =
            |(depth, highest): (f64, f64)| if depth > tolerance * highest { depth } else { 0.0 };
        depths.into_iter().zip(highest).map(told).collect()
    }

    fn present(&self, node: usize) -> impl Iterator<Item = usize> {
        let counts = self.labels(node);
        counts.into_iter().enumerate().filter(|(_, count)| **count > 0.0).map(|(class, _)| class)
    }

    /// The node that is held, for a part with labels of several classes.
    fn grounds(&self, node: usize) -> Option<usize> {
        (self.present(node).count() > 1).then(|| self.ground[self.components.of[node]])
    }

    /// The class of a part whose labels are all alike.
    fn only_class(&self, node: usize) -> Option<usize> {
        let mut present = self.present(node);
        present.next().filter(|_| present.next().is_none())
    }

    /// Shifts each part so that Σ dᵢuᵢ = 0.
    fn centre(&self, graph: &Graph, potential: &mut Array2<f64>) {
        let degrees = graph.degrees();
        let mut sums = Array2::<f64>::zeros(self.counts.raw_dim());
        let mut weights = vec![0.0; self.components.count];
        for (node, &part) in self.components.of.iter().enumerate() {
            sums.row_mut(part).scaled_add(degrees[node], &potential.row(node));
            weights[part] += degrees[node];
        }
        for (node, &part) in self.components.of.iter().enumerate() {
            if weights[part] > 0.0 {
                potential.row_mut(node).scaled_add(-1.0 / weights[part], &sums.row(part));
            }
        }
    }
}
