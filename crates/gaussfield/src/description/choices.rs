//! What a fit chose beyond what its description says, each with its reason.

use super::{Description, Method};
use crate::Choice;
use gaussfield_core::{Facts, Parameters as _};
use gaussfield_graph::{FamilyChoice, PatternChoice, Search};
use gaussfield_laplacian::{Preconditioner, Solver};
use gaussfield_points::Points;

/// Parameters that are named one by one; of more, their number is told.
const NAMED: usize = 4;

/// How the pairs of a graph were found, where that was left open.
pub(super) fn of_pattern(
    description: &Description,
    choice: &PatternChoice,
    points: &Points,
) -> Vec<Choice> {
    let PatternChoice::Knn { k, search, .. } = choice else { return Vec::new() };
    let mut found = Vec::new();
    if description.graph.is_none() {
        let because = "the description names no graph";
        found.push(Choice::new("graph", format!("{k} nearest neighbours"), because));
    }
    let dims = points.dim();
    let (words, why) = match (search, search.on(points)) {
        (Search::Auto, Search::KdTree) => {
            ("exact, by a tree", format!("a tree is fast in few dimensions, and these are {dims}"))
        }
        (Search::Auto, Search::BlockedGemm) => (
            "exact, by products of matrices",
            format!("a tree parts no points in {dims} dimensions"),
        ),
        (Search::Auto, Search::InvertedIndex) => {
            ("exact, by an index of the features", "the rows are sparse".to_owned())
        }
        _ => return found,
    };
    found.push(Choice::new("search", words, why));
    found
}

/// The weights, where they were left open or learned; `facts` tell how a search for them went.
pub(super) fn of_weights(
    description: &Description,
    weights: &FamilyChoice,
    facts: &Facts,
) -> Option<Choice> {
    let parameters = weights.parameters();
    let told: Vec<String> = match parameters.len() {
        0..=NAMED => parameters.iter().map(|p| format!("{} {:.4}", p.name, p.value)).collect(),
        many => vec![format!("{many} parameters")],
    };
    let told = told.join(", ");
    let fact = |name| facts.get(name).map(ToString::to_string).unwrap_or_default();
    if description.tuning.is_some() {
        let because = format!(
            "there the objective is least, {}, of {} evaluations; the search ended because {}",
            fact("objective"),
            fact("evaluations of the objective"),
            fact("the search ended because")
        );
        return Some(Choice::new("learned", told, because));
    }
    let because = "the description names no weights, and this is the mean length of the edges";
    description.weights.is_none().then(|| Choice::new("weights", told, because))
}

/// What the method chose by itself.
pub(super) fn of_method(said: &Method, done: &Method, facts: &Facts) -> Vec<Choice> {
    let mut found = Vec::new();
    if let (Method::Tempered(said), Method::Tempered(done)) = (said, done)
        && let (None, Some(sharpness)) = (said.sharpness, done.sharpness)
    {
        let because = "so the labels, each left out, are most likely, as far as there are enough";
        found.push(Choice::new("sharpness", format!("{sharpness:.3}"), because));
    }
    if let (Method::ChosenMixture(_), Method::HarmonicMixture { em, .. }) = (said, done) {
        let because = "of the candidates it met the criterion best";
        found.push(Choice::new("components", em.components.to_string(), because));
    }
    let solver = facts.get("solver").map(ToString::to_string);
    if let Some(solver) = solver.filter(|_| leaves_the_solver_open(said)) {
        let because = ALL.into_iter().find(|known| known.to_string() == solver).map(why);
        if let Some(because) = because {
            found.push(Choice::new("solver", solver, because));
        }
    }
    found
}

/// Solvers that the automatic choice may come to.
const ALL: [Solver; 5] = [
    Solver::Elimination,
    Solver::DenseCholesky,
    Solver::SparseCholesky,
    Solver::ConjugateGradient(Preconditioner::ApproximateCholesky),
    Solver::ConjugateGradient(Preconditioner::Jacobi),
];

/// Why [`Solver::Auto`] came to a solver: its rule, in words.
fn why(solver: Solver) -> &'static str {
    match solver {
        Solver::Elimination => {
            "the system is small, or has links so weak that subtraction would lose them"
        }
        Solver::DenseCholesky => "many pairs are linked, and the matrix fits the memory",
        Solver::SparseCholesky => "in a good order the factor stays sparse",
        Solver::ConjugateGradient(Preconditioner::Jacobi) => {
            "many pairs are linked, and the matrix is large"
        }
        _ => "a factor would fill up, in memory or time",
    }
}

/// Whether the options of a method leave the solver to the rule.
fn leaves_the_solver_open(method: &Method) -> bool {
    fn open(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::Object(fields) => fields
                .iter()
                .any(|(name, value)| (name == "solver" && value == "auto") || open(value)),
            serde_json::Value::Array(all) => all.iter().any(open),
            _ => false,
        }
    }
    serde_json::to_value(method).is_ok_and(|value| open(&value))
}
