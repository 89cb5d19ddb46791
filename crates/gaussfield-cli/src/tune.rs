//! `gaussfield tune`: which description suits these rows.

use crate::arguments::Tune;
use crate::failure::Failure;
use crate::input::{self, Needs, Rows};
use crate::listing::{Entry, List};
use crate::output::Target;
use crate::run::Console;
use gaussfield::labels::HoldOut;
use gaussfield::labels::metrics::MeanStd;
use gaussfield::{SearchDescriptions, Validation};
use serde_json::json;

pub(crate) fn run(arguments: &Tune, console: &Console) -> Result<(), Failure> {
    let target = arguments.written.target()?;
    let table = input::read(&arguments.input, Needs::Unlabelled)?;
    let Rows::Points(points) = &table.rows else {
        return Err(Failure::Input(format!(
            "{}: this is a graph, which has its edges and weights; there is nothing to try",
            table.name
        )));
    };
    let repeats = usize::from(arguments.repeats);
    let hold_out = HoldOut { repeats, seed: arguments.seed, ..HoldOut::default() };
    let mut neighbours: Vec<usize> = arguments.neighbours.iter().map(|&k| k as usize).collect();
    neighbours.retain(|&k| k < points.len());
    if neighbours.is_empty() {
        return Err(Failure::Input(format!(
            "{}: -k must name a number below the number of rows, {}",
            table.name,
            points.len()
        )));
    }
    let validation = Validation { hold_out, ..Validation::default() };
    let search = SearchDescriptions {
        neighbours,
        weights: arguments.weights.clone(),
        methods: arguments.methods.clone(),
        alphas: arguments.alphas.clone(),
        laplacians: arguments.laplacians.clone(),
        decisions: arguments.decisions.clone(),
        validation,
    };
    let found = search.run(points, &table.labels)?;
    let best = found.best();
    let toml = best.description.to_toml()?;
    if let Some(target) = &target {
        target.write(toml.as_bytes(), console)?;
    }
    let beside = target.as_ref().is_some_and(Target::is_stdout);
    if arguments.written.json {
        let told = json!({
            "input": table.name,
            "tried": found.tried,
            "best": found.best,
            "output": target.as_ref().map(ToString::to_string),
        });
        return console.json(told, beside);
    }
    let mut order: Vec<usize> = (0..found.tried.len()).collect();
    let loss = |&at: &usize| found.tried[at].validated.log_loss.mean;
    order.sort_by(|a, b| loss(a).total_cmp(&loss(b)));
    let columns = ["k", "weights", "method", "log loss", "accuracy", "calibration"];
    let mut list = List::new(&columns);
    for tried in order.iter().map(|&at| &found.tried[at]) {
        list.row([
            tried.neighbours.map_or(Entry::Nothing, Entry::Count),
            Entry::from(tried.weights),
            Entry::from(tried.method.as_str()),
            with_error(&tried.validated.log_loss),
            with_error(&tried.validated.accuracy),
            with_error(&tried.validated.calibration_error),
        ]);
    }
    let of = &best.validated;
    let mut text = format!(
        "{}: {} descriptions tried, {} labels shown and {} held out, {} times; the least log loss \
         first\n\n{}\n\n",
        console.bold(&table.name),
        found.tried.len(),
        of.shown,
        of.held_out,
        arguments.repeats,
        list.text(console)
    );
    text.push_str(&match &target {
        Some(target) => format!("the best one is written to {target}, for --config"),
        None => format!("{}\n{}", console.bold("the best one, for --config"), toml.trim_end()),
    });
    console.tell_unless_quiet(&text, beside)
}

/// Mean and standard error.
fn with_error(of: &MeanStd) -> Entry {
    // A sum of zeros may be −0.
    let mean = of.mean + 0.0;
    Entry::Text(match of.standard_error() {
        Some(error) => format!("{mean:.3} ± {error:.3}"),
        None => format!("{mean:.3}"),
    })
}
