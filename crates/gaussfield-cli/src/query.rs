//! `gaussfield query`: which rows to label next.

use crate::arguments::{Criterion, Query};
use crate::failure::Failure;
use crate::input::{self, Needs};
use crate::listing::{self, Entry, List};
use crate::output::Target;
use crate::plan::plan;
use crate::run::Console;
use crate::{label, summary};
use gaussfield::description::DescriptionError;
use gaussfield::harmonic::{self, Reason};

pub(crate) fn run(arguments: &Query, console: &Console) -> Result<(), Failure> {
    let target = arguments.written.target()?;
    target.iter().try_for_each(Target::check_table)?;
    let table = input::read(&arguments.input, Needs::Unlabelled)?;
    let plan = plan(&arguments.model, &table)?;
    let labelled = label::fit(table, plan, arguments.model.noise)?;
    let query = harmonic::Query {
        criterion: match arguments.by {
            Criterion::ExpectedErrors => harmonic::Criterion::ExpectedErrors,
            Criterion::Variance => harmonic::Criterion::Variance,
            Criterion::Survey => harmonic::Criterion::Survey,
            Criterion::Uncertainty => harmonic::Criterion::Uncertainty,
        },
        batch: usize::from(arguments.count),
        ..harmonic::Query::default()
    };
    let questions = labelled.fitted.next(&query).map_err(|error| match error {
        DescriptionError::NoField { method } => Failure::Input(format!(
            "the method {method} cannot tell what an answer would change; ask with --by uncertainty, \
             or leave --config out"
        )),
        error => Failure::from(error),
    })?;
    let mut list = List::new(&["rank", "id", "class", "probability", "entropy", "gain", "why"]);
    let names = labelled.table.labels.names();
    for (rank, question) in questions.iter().enumerate() {
        let (row, class) = (question.node, labelled.classes[question.node]);
        let (gain, why) = match question.reason {
            Reason::Gain(gain) => (Entry::Number(gain), arguments.by.words().to_owned()),
            Reason::Unreached { nodes } => {
                (Entry::Nothing, format!("no label reaches its group of {nodes} rows"))
            }
            _ => (Entry::Nothing, String::new()),
        };
        list.row([
            Entry::Count(rank + 1),
            Entry::from(&*labelled.table.ids.of(row)),
            Entry::from(names[class].as_str()),
            Entry::Number(labelled.probabilities.values()[[row, class]]),
            Entry::Number(labelled.entropy[row]),
            gain,
            Entry::Text(why),
        ]);
    }
    let sentence = format!(
        "{}: {} rows to label next, the most valuable first; each is chosen as if the ones above \
         had been answered",
        console.bold(&labelled.table.name),
        questions.len()
    );
    let facts = summary::facts(&labelled);
    listing::hand_over(&list, &sentence, facts, (arguments.written.json, target), console)
}
