//! `gaussfield demo`: what the program does, shown on the handwritten digits that it carries.

use crate::arguments::Demo;
use crate::failure::Failure;
use crate::input::{Columns, Rows, Table};
use crate::names::Names;
use crate::run::Console;
use crate::{label, page, summary};
use gaussfield::Error;
use gaussfield::data::catalog::embedded_optdigits;
use gaussfield::data::split::Split;
use gaussfield::description::Description;
use gaussfield::labels::HeldOut;
use gaussfield::labels::metrics::{Calibration, accuracy};

/// What `label` takes by default for the share of wrong labels.
const NOISE: f64 = 0.05;

pub(crate) fn run(arguments: &Demo, console: &Console) -> Result<(), Failure> {
    if let Some(folder) = &arguments.report {
        page::check(folder, arguments.force)?;
    }
    let data = embedded_optdigits().map_err(Error::from)?;
    let per_class = usize::from(arguments.labels);
    let split = Split::per_class(&data.labels, per_class, arguments.seed).map_err(Error::from)?;
    let labels = split.partial(&data.labels).map_err(Error::from)?;
    let points = data.points.clone();
    let table = Table {
        name: "handwritten digits (optdigits)".to_owned(),
        ids: Names::of_rows(data.len()),
        rows: Rows::Points(data.points),
        labels,
        columns: Columns::default(),
        kept: Vec::new(),
    };
    let plan = Description::automatic(&points, &table.labels)?;
    let labelled = label::fit(table, plan, NOISE)?;
    let truth = HeldOut::new(&data.labels, &labelled.table.labels).map_err(Error::from)?;
    let classes: Vec<usize> = truth.nodes().iter().map(|&row| labelled.classes[row]).collect();
    let right = accuracy(&truth, &classes).map_err(Error::from)?;
    let scores = labelled.probabilities.select(truth.nodes()).map_err(Error::from)?;
    let calibration = Calibration::new(&truth, &scores, 10).map_err(Error::from)?;
    let mut text = summary::findings(&labelled, console);
    text += &format!(
        "\nThe true digits are known here: {:.2} % of the rows assigned are right, and the expected \
         calibration error is {:.3}.\n",
        100.0 * right,
        calibration.expected_error()
    );
    if let Some(folder) = &arguments.report {
        page::write(&labelled, folder)?;
        text += &format!("A page to look at: {}\n", folder.join("report.html").display());
    }
    text += "On a file of your own: gaussfield label FILE --label COLUMN";
    console.tell_unless_quiet(&text, false)
}
