//! What is run: a description from a file, or one chosen from the data and changed by options.

use crate::arguments::{Model, Rule, Scale};
use crate::failure::Failure;
use crate::input::{Rows, Table};
use gaussfield::description::{Description, EntropyChoice, ObjectiveChoice, Tuning};
use gaussfield::graph::{Exponential, FamilyChoice, PatternChoice};
use gaussfield::labels::{ClassPrior, Decision};
use gaussfield::points::prepare::Preparation;
use gaussfield::{Choice, Error, Plan};
use std::path::Path;

/// The plan for a table.
pub(crate) fn plan(model: &Model, table: &Table) -> Result<Plan, Failure> {
    if let Some(path) = &model.config {
        let description = read(path)?;
        let chosen = format!("as {} says", path.display());
        let choices = vec![Choice::new("model", chosen, "--config was given")];
        return Ok(Plan { description, choices });
    }
    let mut plan = match &table.rows {
        Rows::Points(points) => Description::automatic(points, &table.labels)?,
        Rows::Graph(_) => Description::automatic_on_graph(&table.labels)?,
    };
    if let (Rows::Graph(_), Some(option)) = (&table.rows, graph_option(model)) {
        return Err(Failure::Input(format!(
            "{}: this is a graph, which has its edges and weights; leave {option} out",
            table.name
        )));
    }
    if !model.prepare.is_empty() {
        plan.description.prepare = model.prepare.iter().flatten().cloned().collect();
        let words = |how: &Preparation| match how {
            Preparation::Standardise => "standardised".to_owned(),
            Preparation::MinMax => "mapped to [0, 1]".to_owned(),
            Preparation::UnitRows => "every row divided by its length".to_owned(),
            other => format!("{other:?}"),
        };
        let words: Vec<String> = plan.description.prepare.iter().map(words).collect();
        let words = if words.is_empty() { "as they are".to_owned() } else { words.join(", then ") };
        told(&mut plan, "features", words, "--prepare");
    }
    if let Some(neighbours) = model.neighbours {
        let asked = neighbours as usize;
        if asked >= table.ids.len() {
            return Err(Failure::Input(format!(
                "{}: {asked} neighbours of each of {} rows are asked for; -k must be below the \
                 number of rows",
                table.name,
                table.ids.len()
            )));
        }
        neighbours_of(&mut plan.description, asked);
        told(&mut plan, "graph", format!("{asked} nearest neighbours"), "-k");
    }
    if let Some(scale) = model.scale {
        let words = match scale {
            Scale::Learn => {
                plan.description.weights = None;
                plan.description.tuning =
                    Some(Tuning::from(ObjectiveChoice::Entropy(EntropyChoice::default())));
                "exponential, length scale learned by label entropy".to_owned()
            }
            Scale::Mean => {
                plan.description.weights = None;
                "exponential, length scale at the mean edge".to_owned()
            }
            Scale::Given(sigma) => {
                let family = FamilyChoice::Exponential(Exponential { sigma });
                plan.description.weights = Some(family);
                format!("exponential, length scale {sigma}")
            }
        };
        told(&mut plan, "weights", words, "--scale");
    }
    if let Some(rule) = model.decision {
        let classes = table.labels.classes();
        let (decision, words) = match rule {
            Rule::Largest => (Decision::Argmax, "the most probable class"),
            Rule::ClassMass => (
                Decision::ClassMass(ClassPrior::add_one(&table.labels).map_err(Error::from)?),
                "class masses as the labels have them",
            ),
            Rule::EqualMass => (
                Decision::ClassMass(ClassPrior::uniform(classes).map_err(Error::from)?),
                "class masses equal",
            ),
        };
        plan.description.decision = decision;
        told(&mut plan, "decision", words.to_owned(), "--decision");
    }
    Ok(plan)
}

impl Model {
    /// The first option that describes the model.
    pub(crate) fn chosen(&self) -> Option<&'static str> {
        let graph = graph_option(self).or(self.config.as_ref().map(|_| "--config"));
        graph.or(self.decision.map(|_| "--decision"))
    }
}

/// Another number of neighbours; weights on local scales go with it.
pub(crate) fn neighbours_of(description: &mut Description, asked: usize) {
    if let Some(PatternChoice::Knn { k, .. }) = &mut description.graph {
        *k = asked;
    }
    if let Some(FamilyChoice::SelfTuning(weights)) = &mut description.weights {
        weights.neighbour = asked;
    }
}

/// An option that says how to make a graph.
fn graph_option(model: &Model) -> Option<&'static str> {
    let prepared = (!model.prepare.is_empty()).then_some("--prepare");
    prepared.or(model.neighbours.map(|_| "-k")).or(model.scale.map(|_| "--scale"))
}

/// What a choice becomes when an option makes it.
fn told(plan: &mut Plan, part: &str, chosen: String, option: &str) {
    for choice in plan.choices.iter_mut().filter(|choice| choice.part == part) {
        choice.chosen.clone_from(&chosen);
        choice.because = format!("{option} was given");
    }
}

fn read(path: &Path) -> Result<Description, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::unreadable(path.to_owned(), &error))?;
    let json = path.extension().is_some_and(|ending| ending == "json");
    let read = if json { Description::from_json(&text) } else { Description::from_toml(&text) };
    read.map_err(|error| {
        Failure::Input(format!(
            "{}: {}; `gaussfield label FILE --print-config` writes one that can be read",
            path.display(),
            error.to_string().trim_end()
        ))
    })
}
