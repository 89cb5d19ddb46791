//! Folders of text: one document a file, the sub-folder its class.

use crate::arguments::Input;
use crate::failure::Failure;
use crate::input::{Columns, Known, Rows};
use crate::table;
use gaussfield::Error;
use gaussfield::data::read::folder;
use gaussfield::data::read::text::Vocabulary;
use gaussfield::labels::Labels;
use gaussfield::points::Points;

/// Reads the documents; with labels beside them sub-folders are no classes.
pub(crate) fn read(input: &Input) -> Result<Known, Failure> {
    refuse_columns(input)?;
    let documents = folder::read(&input.file).map_err(Error::from)?;
    let place = input.file.display().to_string();
    let (points, vocabulary) = table::words(&place, &documents.texts)?;
    let labels = input.labels.is_none().then_some(documents.classes);
    let columns = Columns { features: None, vocabulary: Some(vocabulary) };
    let labels = labels.map(Labels::from_names);
    Ok(Known { labels, ids: Some(documents.ids), columns, ..Known::of(Rows::Points(points)) })
}

/// Reads new documents in the words of a model.
pub(crate) fn read_new(
    input: &Input,
    vocabulary: Option<&Vocabulary>,
) -> Result<(Points, Option<Vec<String>>), Failure> {
    refuse_columns(input)?;
    let Some(vocabulary) = vocabulary else {
        return Err(Failure::Input(format!(
            "{}: this is a folder of text, but the model was fitted to columns of numbers; give a \
             table of these columns",
            input.file.display()
        )));
    };
    let documents = folder::read(&input.file).map_err(Error::from)?;
    let points = vocabulary.points(&documents.texts).map_err(Error::from)?;
    Ok((points, Some(documents.ids)))
}

/// Documents have no columns.
fn refuse_columns(input: &Input) -> Result<(), Failure> {
    let given = [
        ("--text", input.text.is_some()),
        ("--features", !input.features.is_empty()),
        ("--ignore", !input.ignore.is_empty()),
        ("--keep", !input.keep.is_empty()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Input(format!(
            "{}: this is a folder of text files, which have no columns; leave {option} out",
            input.file.display()
        ))),
    }
}
