//! `label --save` and `gaussfield predict`: a model kept, and asked about new rows.

use crate::arguments::{Input, Predict};
use crate::failure::Failure;
use crate::formats::{self, Format};
use crate::input::{self, Columns, Rows};
use crate::label::Labelled;
use crate::output::{self, Target};
use crate::run::Console;
use crate::table;
use gaussfield::Error;
use gaussfield::description::Fitted;
use gaussfield::labels::{Inductive as _, Named as _, Transductive as _};
use gaussfield::points::Points;
use serde_json::json;
use std::path::Path;

/// Notes beside the model: which columns are its features, and the words of a text column.
const FEATURES: &str = "features";
const TEXT: &str = "text-column";
const VOCABULARY: &str = "vocabulary";

/// Refuses to replace a model, before any work is done.
pub(crate) fn check(path: &Path, force: bool) -> Result<(), Failure> {
    if path.is_dir() || (!force && path.exists()) {
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
    if let (Some(vocabulary), Some(column)) = (vocabulary, &input.text) {
        notes.push((TEXT, column.clone()));
        notes.push((VOCABULARY, written(vocabulary)?));
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
    let target = match &arguments.output {
        Some(path) if path == Path::new("-") => Target::Stdout,
        Some(path) => Target::File(path.clone()),
        None if arguments.input.file == Path::new("-") => Target::Stdout,
        None => Target::File(output::beside(&arguments.input.file, "predicted")),
    };
    target.check(arguments.force)?;
    let named = |error| match error {
        Error::Model(error) => Failure::Input(format!("{}: {error}", arguments.model.display())),
        error => Failure::from(error),
    };
    let fitted = Fitted::load(&arguments.model).map_err(named)?;
    let (path, bytes) = input::bytes_of(&arguments.input.file)?;
    let (points, ids) = rows(&fitted, arguments, &path, &bytes)?;
    let name = path.display().to_string();
    let column = arguments.input.id.as_deref().unwrap_or("id");
    let ids = match ids {
        Some(ids) => input::distinct(&name, ids, column)?,
        None => (1..=points.len()).map(|row| row.to_string()).collect(),
    };
    let scores =
        fitted.predict(&points).map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    let decision = &fitted.description().decision;
    let shares = decision.shares(&scores).map_err(Error::from)?;
    let classes = decision.decide(&scores).map_err(Error::from)?;
    let names = fitted.class_names();
    target.write(&output::predicted(&ids, names, &classes, &shares)?, console)?;
    let rule = fitted.facts().get("new points").map(ToString::to_string).unwrap_or_default();
    if arguments.json {
        let mut counts = vec![0_usize; names.len()];
        classes.iter().for_each(|&class| counts[class] += 1);
        let told = json!({
            "program": "gaussfield",
            "version": env!("CARGO_PKG_VERSION"),
            "model": arguments.model.display().to_string(),
            "rows": ids.len(),
            "output": target.to_string(),
            "method": fitted.description().method.name(),
            "new-points": rule,
            "classes": names.iter().zip(counts)
                .map(|(name, count)| json!({"name": name, "assigned": count})).collect::<Vec<_>>(),
        });
        let text = serde_json::to_string_pretty(&told);
        let text = text.map_err(|error| Failure::Work(error.to_string()))?;
        return console.tell(&text, target.is_stdout());
    }
    let text = format!(
        "{}: {} rows predicted by {} ({rule}); written to {target}",
        console.bold(&name),
        ids.len(),
        fitted.description().method.name()
    );
    console.tell_unless_quiet(&text, target.is_stdout())
}

/// The new rows, read as the model's own were.
fn rows(
    fitted: &Fitted,
    arguments: &Predict,
    path: &Path,
    bytes: &[u8],
) -> Result<(Points, Option<Vec<String>>), Failure> {
    let note = |name: &str| fitted.notes().get(name);
    let unread = |error: serde_json::Error| {
        Failure::Input(format!("{}: its notes cannot be read: {error}", arguments.model.display()))
    };
    let features = note(FEATURES).map(|text| serde_json::from_str(text)).transpose();
    let vocabulary = note(VOCABULARY).map(|text| serde_json::from_str(text)).transpose();
    let columns =
        Columns { features: features.map_err(unread)?, vocabulary: vocabulary.map_err(unread)? };
    let mut input = arguments.input.clone();
    if input.text.is_none() {
        input.text = note(TEXT).cloned();
    }
    match Format::of(&input) {
        Format::Csv | Format::Tsv => table::read_new(&input, path, bytes, &columns),
        format => {
            let known = formats::read(format, path, bytes)?;
            match known.rows {
                Rows::Points(points) => Ok((points, known.ids)),
                Rows::Graph(_) => Err(Failure::Input(format!(
                    "{}: this is a graph; new rows need features, as the model's own have",
                    path.display()
                ))),
            }
        }
    }
}
