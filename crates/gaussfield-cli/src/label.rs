//! `gaussfield label`: from rows with a few labels to a class for every row.

use crate::arguments::{Label, Model, Report};
use crate::failure::Failure;
use crate::input::{self, Needs, Rows, Table};
use crate::output::{self, Target};
use crate::plan::plan;
use crate::run::Console;
use crate::{model, page, summary};
use gaussfield::core::Progress;
use gaussfield::description::Fitted;
use gaussfield::harmonic::{Audited, Field, Verdict};
use gaussfield::labels::{HoldOut, Scores, Transductive as _};
use gaussfield::{Error, Plan, Validated, Validation};
use serde::Serialize;
use std::path::{Path, absolute};
use std::time::Instant;

/// What is known of every row in the end.
pub(crate) struct Labelled {
    pub(crate) table: Table,
    pub(crate) fitted: Fitted,
    /// n × C.
    pub(crate) probabilities: Scores,
    /// The class of every row: its label, or what was decided.
    pub(crate) classes: Vec<usize>,
    pub(crate) entropy: Vec<f64>,
    /// Rows that no label reaches, increasing.
    pub(crate) islands: Vec<usize>,
    /// What the other labels say of each label; `None` where the method has no such answer.
    pub(crate) audit: Option<Vec<Audited>>,
    /// How many of labels that were held out were found again, if that was asked for.
    pub(crate) validated: Option<Validated>,
    pub(crate) seconds: Seconds,
}

/// Where the time went.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Seconds {
    pub(crate) reading: f64,
    pub(crate) fitting: f64,
    pub(crate) writing: f64,
}

impl Labelled {
    /// Of each class, whether other labels can find one of it again: it has more than one.
    pub(crate) fn in_company(&self) -> Vec<bool> {
        self.table.labels.counts().into_iter().map(|count| count > 1).collect()
    }

    /// Rows whose label is probably wrong, the likeliest first.
    pub(crate) fn suspects(&self) -> Vec<&Audited> {
        let all = self.audit.iter().flatten();
        all.filter(|label| label.verdict == Verdict::Suspect).collect()
    }
}

pub(crate) fn run(arguments: &Label, console: &Console) -> Result<(), Failure> {
    let target = Target::new(arguments.output.output.as_ref(), &arguments.input.file, "labelled");
    if !arguments.print_config {
        target.check_table()?;
        target.check(arguments.output.force)?;
        let (save, report) = (&arguments.output.save, &arguments.output.report);
        apart([
            ("--output", target.file()),
            ("--save", save.as_deref()),
            ("--report", report.as_deref()),
        ])?;
        if let Some(folder) = &arguments.output.report {
            page::check(folder, arguments.output.force)?;
        }
        if let Some(model) = &arguments.output.save {
            model::check(model, arguments.output.force)?;
        }
    }
    let begun = Instant::now();
    tracing::info!("reading {}", arguments.input.file.display());
    let table = input::read(&arguments.input, Needs::Unlabelled)?;
    let reading = begun.elapsed().as_secs_f64();
    output::check_kept(&table.kept, table.labels.names(), output::LABELLED)?;
    let plan = plan(&arguments.model, &table)?;
    if arguments.print_config {
        return console.print(plan.description.to_toml()?.trim_end());
    }
    let mut labelled = fit(table, plan, arguments.model.noise)?;
    labelled.seconds.reading = reading;
    validate(&mut labelled, &arguments.model)?;
    if Progress::current().is_cancelled() {
        return Err(Failure::Interrupted);
    }
    let begun = Instant::now();
    target.write(&output::labelled(&labelled).bytes(&target)?, console)?;
    let folder = arguments.output.report.as_deref();
    if let Some(folder) = folder {
        page::write(&labelled, folder).map_err(|failure| failure.though_written(&target))?;
    }
    if let Some(path) = &arguments.output.save {
        let saved = model::save(&mut labelled, &arguments.input, path);
        saved.map_err(|failure| failure.though_written(&target))?;
    }
    labelled.seconds.writing = begun.elapsed().as_secs_f64();
    if arguments.output.json {
        // Where the table goes to standard output, facts go beside it.
        console.json(summary::json(&labelled, &target), target.is_stdout())
    } else {
        let text = summary::text(&labelled, &target, folder, console);
        console.tell_unless_quiet(&text, target.is_stdout())
    }
}

/// Refuses two outputs of one name, of which the second would replace the first.
fn apart(places: [(&str, Option<&Path>); 3]) -> Result<(), Failure> {
    let known = places.iter().filter_map(|(option, place)| Some((option, (*place)?)));
    let known: Vec<_> =
        known.map(|(option, place)| (option, place, absolute(place).ok())).collect();
    for (at, (option, place, whole)) in known.iter().enumerate() {
        let same = |other: &&(&&str, &Path, _)| whole.is_some() && other.2 == *whole;
        if let Some((before, ..)) = known.iter().take(at).find(same) {
            return Err(Failure::Output(format!(
                "{}: {before} and {option} name the same place; give each its own",
                place.display()
            )));
        }
    }
    Ok(())
}

/// `gaussfield report`: the page alone, of a table or of a model that was saved.
pub(crate) fn report(arguments: &Report, console: &Console) -> Result<(), Failure> {
    page::check(&arguments.output, arguments.force)?;
    let (file, model) = (&arguments.input.file, &arguments.model);
    let mut labelled = if model::is_model(file) {
        if let Some(option) = model.chosen() {
            return Err(Failure::Input(format!(
                "{}: this is a saved model, which is described already; leave {option} out",
                file.display()
            )));
        }
        model::again(file, model.noise)?
    } else {
        let table = input::read(&arguments.input, Needs::Unlabelled)?;
        let plan = plan(model, &table)?;
        fit(table, plan, model.noise)?
    };
    validate(&mut labelled, model)?;
    page::write(&labelled, &arguments.output)?;
    let page = arguments.output.join("report.html");
    console.tell_unless_quiet(&format!("page written to {}", page.display()), false)
}

/// Holds labels out, if that was asked for.
fn validate(labelled: &mut Labelled, model: &Model) -> Result<(), Failure> {
    if let Some(times) = model.validate {
        let repeats = usize::from(times);
        let hold_out = HoldOut { repeats, seed: model.seed, ..HoldOut::default() };
        let validation = Validation { hold_out, ..Validation::default() };
        labelled.validated = Some(validation.run(&labelled.fitted, &labelled.table.labels)?);
    }
    Ok(())
}

/// Runs a plan on a table.
pub(crate) fn fit(table: Table, plan: Plan, noise: f64) -> Result<Labelled, Failure> {
    let begun = Instant::now();
    let fitted = match &table.rows {
        Rows::Points(points) => plan.fit(points, &table.labels)?,
        Rows::Graph(graph) => plan.fit_graph(graph.clone(), &table.labels)?,
    };
    for choice in fitted.choices() {
        tracing::info!("{choice}");
    }
    tracing::info!("fitted: {}", fitted.facts());
    let probabilities = fitted.probabilities()?;
    let likely = probabilities.argmax();
    let decided = fitted.predictions();
    let islands = fitted.islands().to_vec();
    let mut classes = Vec::with_capacity(likely.len());
    for (row, &likely) in likely.iter().enumerate() {
        // An island has the prior and nothing else, whatever the other rows are.
        let island = islands.binary_search(&row).is_ok();
        let told = decided.get(row).map(|told| told.number).filter(|_| !island);
        classes.push(table.labels.get(row).or(told).unwrap_or(likely));
    }
    let entropy = probabilities.entropy().to_vec();
    let audit = fitted.field().map(|field| Field::audit(field, noise)).transpose();
    let audit = audit.map_err(Error::from)?;
    let seconds = Seconds { fitting: begun.elapsed().as_secs_f64(), ..Seconds::default() };
    let validated = None;
    Ok(Labelled {
        table,
        fitted,
        probabilities,
        classes,
        entropy,
        islands,
        audit,
        validated,
        seconds,
    })
}
