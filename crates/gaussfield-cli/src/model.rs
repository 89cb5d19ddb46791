//! `label --save` and `gaussfield predict`: a model kept, and asked about new rows.

use crate::arguments::{Input, Predict};
use crate::failure::Failure;
use crate::formats::{self, Format};
use crate::input::{self, Columns, Rows, Table};
use crate::label::{self, Labelled};
use crate::names::Names;
use crate::output::{self, Target};
use crate::run::Console;
use crate::table::NewRows;
use crate::{folder, table};
use gaussfield::core::files::is_sealed;
use gaussfield::description::{Description, Fitted};
use gaussfield::labels::{Inductive as _, Named as _, Transductive as _};
use gaussfield::{Error, Plan};
use serde_json::json;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Notes beside the model: which columns are its features, the words of a text column; how the rows are
/// called.
const FEATURES: &str = "features";
const TEXT: &str = "text-column";
const VOCABULARY: &str = "vocabulary";
const TABLE: &str = "table";
const IDS: &str = "ids";

/// Refuses to replace a model, before any work is done.
pub(crate) fn check(path: &Path, force: bool) -> Result<(), Failure> {
    if path.is_dir() || output::is_special(path) || (!force && path.exists()) {
        return Err(Failure::Output(format!(
            "{}: there is such a file or folder already; choose another name with --save, or replace \
             a file with --force",
            path.display()
        )));
    }
    Ok(())
}

/// Keeps the model, with what new rows need to be read alike.
pub(crate) fn save(labelled: &mut Labelled, input: &Input, path: &Path) -> Result<(), Failure> {
    let Columns { features, vocabulary } = &labelled.table.columns;
    let mut notes = Vec::new();
    if let Some(features) = features {
        notes.push((FEATURES, written(features)?));
    }
    if let Some(vocabulary) = vocabulary {
        notes.push((VOCABULARY, written(vocabulary)?));
        notes.extend(input.text.clone().map(|column| (TEXT, column)));
    }
    notes.push((TABLE, labelled.table.name.clone()));
    // Numbers need not be kept.
    if let Names::Given(names) = &labelled.table.ids {
        notes.push((IDS, written(names)?));
    }
    for (name, note) in notes {
        labelled.fitted.note(name, note);
    }
    tracing::info!("writing {}", path.display());
    Ok(labelled.fitted.save(path)?)
}

fn written(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Work(error.to_string()))
}

/// Predicts the classes of new rows.
pub(crate) fn predict(arguments: &Predict, console: &Console) -> Result<(), Failure> {
    let file = &arguments.input.file;
    let target = Target::new(arguments.written.output.as_ref(), file, "predicted");
    target.check_table()?;
    target.check(arguments.written.force)?;
    let fitted = load(&arguments.model)?;
    let (points, ids, kept) = rows(&fitted, arguments)?;
    let name = input::name_of(&arguments.input.file).display().to_string();
    let column = arguments.input.id.as_deref().unwrap_or("id");
    let ids = match ids {
        Some(ids) => Names::distinct(&name, ids, column)?,
        None => Names::of_rows(points.len()),
    };
    output::check_kept(&kept, fitted.class_names(), output::PREDICTED)?;
    let scores =
        fitted.predict(&points).map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    let decision = &fitted.description().decision;
    let shares = decision.shares(&scores).map_err(Error::from)?;
    let classes = decision.decide(&scores).map_err(Error::from)?;
    let names = fitted.class_names();
    let count = ids.len();
    let mut sheet = output::predicted(&ids, names, &classes, &shares);
    sheet.keep(&kept);
    target.write(&sheet.bytes(&target)?, console)?;
    let rule = fitted.facts().get("new points").map(ToString::to_string).unwrap_or_default();
    if arguments.written.json {
        let mut counts = vec![0_usize; names.len()];
        classes.iter().for_each(|&class| counts[class] += 1);
        let told = json!({
            "model": arguments.model.display().to_string(),
            "rows": count,
            "output": target.to_string(),
            "method": fitted.description().method.name(),
            "new-points": rule,
            "classes": names.iter().zip(counts)
                .map(|(name, count)| json!({"name": name, "assigned": count})).collect::<Vec<_>>(),
        });
        return console.json(told, target.is_stdout());
    }
    let text = format!(
        "{}: {} rows predicted by {} ({rule}); written to {target}",
        console.bold(&name),
        count,
        fitted.description().method.name()
    );
    console.tell_unless_quiet(&text, target.is_stdout())
}

fn load(path: &Path) -> Result<Fitted, Failure> {
    Fitted::load(path).map_err(|error| match error {
        Error::Model(error) => Failure::Input(format!("{}: {error}", path.display())),
        error => Failure::from(error),
    })
}

/// Whether a file begins as a model does.
pub(crate) fn is_model(path: &Path) -> bool {
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut first));
    read.is_ok() && is_sealed(&first)
}

/// A model that was saved, run again on the rows it was fitted to: to the same answer, with its graph
/// and field.
pub(crate) fn again(path: &Path, noise: f64) -> Result<Labelled, Failure> {
    let fitted = load(path)?;
    let refuse = |problem: &str| Failure::Input(format!("{}: {problem}", path.display()));
    let Some(points) = fitted.points() else {
        return Err(refuse(
            "the model was fitted to a graph, which it does not keep; give the file of the graph and \
             its labels in place of the model",
        ));
    };
    let unread = |error: serde_json::Error| refuse(&format!("its notes cannot be read: {error}"));
    let note = |name: &str| fitted.notes().get(name);
    let ids: Option<Vec<String>> =
        note(IDS).map(|text| serde_json::from_str(text)).transpose().map_err(unread)?;
    let ids = ids.map_or_else(|| Names::of_rows(points.len()), Names::Given);
    if ids.len() != points.len() {
        return Err(refuse("the model has other rows than names; save it again"));
    }
    // The rows are prepared already.
    let description = Description { prepare: Vec::new(), ..fitted.description().clone() };
    let table = Table {
        name: note(TABLE).cloned().unwrap_or_else(|| path.display().to_string()),
        ids,
        rows: Rows::Points(points.clone()),
        labels: fitted.labels().clone(),
        columns: Columns::default(),
        kept: Vec::new(),
    };
    label::fit(table, Plan { description, choices: fitted.choices().to_vec() }, noise)
}

/// The new rows, read as the model's own were.
fn rows(fitted: &Fitted, arguments: &Predict) -> Result<NewRows, Failure> {
    let note = |name: &str| fitted.notes().get(name);
    let unread = |error: serde_json::Error| {
        Failure::Input(format!("{}: its notes cannot be read: {error}", arguments.model.display()))
    };
    let features = note(FEATURES).map(|text| serde_json::from_str(text)).transpose();
    let vocabulary = note(VOCABULARY).map(|text| serde_json::from_str(text)).transpose();
    let columns =
        Columns { features: features.map_err(unread)?, vocabulary: vocabulary.map_err(unread)? };
    let mut input = arguments.input.clone();
    let format = Format::of(&input);
    if input.text.is_none() && format != Format::Folder {
        input.text = note(TEXT).cloned();
    }
    match format {
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow => {
            table::read_new(&input, &columns)
        }
        Format::Folder => {
            let (points, ids) = folder::read_new(&input, columns.vocabulary.as_ref())?;
            Ok((points, ids, Vec::new()))
        }
        format => {
            input::refuse_kept(&input)?;
            let (path, bytes) = input::bytes_of(&input.file)?;
            let known = formats::read(format, &path, &bytes)?;
            match known.rows {
                Rows::Points(points) => Ok((points, known.ids, Vec::new())),
                Rows::Graph(_) => Err(Failure::Input(format!(
                    "{}: this is a graph; new rows need features, as the model's own have",
                    path.display()
                ))),
            }
        }
    }
}
