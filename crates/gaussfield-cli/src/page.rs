//! `report.html`: what was found, as one page to look at.

use crate::failure::Failure;
use crate::label::Labelled;
use crate::picture;
use gaussfield::Error;
use gaussfield::core::files::NotWritten;
use gaussfield::description::Method;
use gaussfield::harmonic::{Query, Reason, Verdict};
use gaussfield::labels::metrics::Calibration;
use gaussfield::labels::{HeldOut, Scores, Transductive as _};
use gaussfield_report::plot::{Bars, LineChart, Series, Width};
use gaussfield_report::{Cell, Colophon, Heading, Report, ReportError, Table};
use ndarray::{Axis, concatenate};
use std::path::Path;

/// Rows in a table of the page.
const LISTED: usize = 20;
/// Bins of a histogram or a calibration curve.
const BINS: usize = 10;
/// Rows that are proposed to be labelled next.
const NEXT: usize = 10;
/// Below this entropy one class has all but the last percent.
const DOUBT: f64 = 0.05;

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::NotWritten(NotWritten { path, source }) => Self::Output(format!(
                "{}: cannot be written ({source}), and the page is not; check that its folder may be \
                 written and has space, or choose another one",
                path.display()
            )),
            error => Self::Output(error.to_string()),
        }
    }
}

/// Refuses to replace a page, before any work is done.
pub(crate) fn check(folder: &Path, force: bool) -> Result<(), Failure> {
    let page = folder.join("report.html");
    if folder.is_file() {
        return Err(Failure::Output(format!(
            "{}: this is a file; name a folder with --report",
            folder.display()
        )));
    }
    if !force && page.exists() {
        return Err(Failure::Output(format!(
            "{}: there is such a file already; choose another folder with --report, or replace it \
             with --force",
            page.display()
        )));
    }
    Ok(())
}

/// Draws the page and writes it with its figures and numbers into a folder.
pub(crate) fn write(labelled: &Labelled, folder: &Path) -> Result<(), Failure> {
    let mut report = Report::default();
    picture::section(&mut report, labelled)?;
    balance(&mut report, labelled)?;
    confidence(&mut report, labelled)?;
    calibration(&mut report, labelled)?;
    doubtful(&mut report, labelled);
    suspects(&mut report, labelled);
    next(&mut report, labelled)?;
    chosen(&mut report, labelled);
    for fact in labelled.fitted.facts().iter() {
        report.fact(fact.name.to_string(), fact.value.to_string());
    }
    let table = &labelled.table;
    let labels = &table.labels;
    let heading = Heading {
        kind: "Labels from a few".to_owned(),
        title: table.name.clone(),
        source: String::new(),
        summary: format!(
            "{} rows, {}; {} had a label of one of {} classes, {} were labelled by \
             gaussfield.",
            labels.len(),
            table.rows,
            labels.labelled().len(),
            labels.classes(),
            labels.unlabelled().len()
        ),
        notes: Vec::new(),
    };
    let program = format!("gaussfield {}", env!("CARGO_PKG_VERSION"));
    let facts = vec![("Program".to_owned(), program)];
    report.write(folder, &heading, &Colophon { facts, ..Colophon::default() })?;
    Ok(())
}

fn balance(report: &mut Report, labelled: &Labelled) -> Result<(), Failure> {
    let labels = &labelled.table.labels;
    let (given, mut assigned) = (labels.counts(), vec![0_usize; labels.classes()]);
    for row in labels.unlabelled() {
        assigned[labelled.classes[row]] += 1;
    }
    let rows: Vec<usize> = given.iter().zip(&assigned).map(|(given, own)| given + own).collect();
    let shown = picture::largest_classes(&rows);
    let others = rows.iter().filter(|&&count| count > 0).count() - shown.len();
    let shares = |counts: &[usize]| {
        let all = counts.iter().sum::<usize>();
        let own = shown.iter().map(|&class| counts[class]);
        let rest = all - own.clone().sum::<usize>();
        let heights = own.chain((others > 0).then_some(rest));
        heights.map(|count| (100.0 * count as f64 / all.max(1) as f64, None)).collect::<Vec<_>>()
    };
    let names = shown.iter().map(|&class| labels.names()[class].clone());
    let names = names.chain((others > 0).then(|| format!("+ {others}")));
    let bars = Bars::new("share of rows (%)", names)
        .series("labels given", shares(&given))
        .series("labels assigned", shares(&assigned))
        .width(Width::Full);
    report.section(
        "Class balance",
        "Whether a class swallows others: the shares of the labels that were given beside those that \
         were assigned. They need not agree where labels were chosen class by class.",
    );
    let rest = match others {
        0 => String::new(),
        _ => format!(" The last bars are those of the {others} smaller classes together."),
    };
    report.plot("balance", &format!("Shares of the classes.{rest}"), &bars)?;
    Ok(())
}

fn confidence(report: &mut Report, labelled: &Labelled) -> Result<(), Failure> {
    let values = labelled.probabilities.values();
    let rows = labelled.table.labels.unlabelled();
    let mut counts = [0_usize; BINS];
    for &row in &rows {
        let p = values[[row, labelled.classes[row]]];
        counts[((p * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let width = 1.0 / BINS as f64;
    let name = |bin: usize| format!("{:.1}", bin as f64 * width);
    let heights = counts.iter().map(|&count| (100.0 * count as f64 / rows.len() as f64, None));
    let bars = Bars::new("share of rows (%)", (0..BINS).map(name)).series("", heights);
    let bars = bars.width(Width::Full);
    report.section(
        "Confidence",
        "The probability of the class that each row was given, in bins that begin at the number \
         below them.",
    );
    report.plot("confidence", "How sure the assigned classes are.", &bars)?;
    Ok(())
}

/// The labels as if they were not known, with the probabilities that a row without a label gets.
fn left_out(labelled: &Labelled) -> Result<Option<(HeldOut, Scores)>, Failure> {
    let Some(field) = labelled.fitted.field() else { return Ok(None) };
    let left_out = field.leave_one_out().map_err(Error::from)?;
    // Of a class that no other label has, and on a part without another, nothing can be told.
    let (labels, in_company) = (&labelled.table.labels, labelled.in_company());
    let told = |at: &usize| {
        let node = left_out.nodes[*at];
        labels.get(node).is_some_and(|class| in_company[class])
            && left_out.islands.binary_search(&node).is_err()
    };
    let judged: Vec<usize> = (0..left_out.nodes.len()).filter(told).collect();
    if judged.is_empty() {
        return Ok(None);
    }
    let nodes: Vec<usize> = judged.iter().map(|&at| left_out.nodes[at]).collect();
    let held_out = HeldOut::of(labels, &nodes).map_err(Error::from)?;
    // The decision looks at all rows together: the labels join those that have none.
    let interior = labelled.fitted.interior_scores().map_err(Error::from)?;
    let own = match sharpness(labelled) {
        Some(power) => Scores::normalised(left_out.scores.values().mapv(|p| p.powf(power))),
        None => Ok(left_out.scores),
    };
    let own = own.map_err(Error::from)?;
    let together = concatenate(Axis(0), &[interior.values(), own.values()])
        .map_err(|error| Failure::Work(error.to_string()))?;
    let together = Scores::new(together).map_err(Error::from)?;
    let shares = labelled.fitted.description().decision.shares(&together).map_err(Error::from)?;
    let last: Vec<usize> = judged.iter().map(|at| interior.nodes() + at).collect();
    Ok(Some((held_out, shares.select(&last).map_err(Error::from)?)))
}

/// The power of the field in tempered probabilities.
fn sharpness(labelled: &Labelled) -> Option<f64> {
    match &labelled.fitted.description().method {
        Method::Tempered(tempered) => tempered.sharpness,
        _ => None,
    }
}

/// The shares under which so many of all are no surprise: Wilson's interval of 95 %, which is not a
/// point where all or none are right.
fn likely_share(right: usize, of: usize) -> (f64, f64) {
    const Z: f64 = 1.96;
    let (n, share) = (of as f64, right as f64 / of as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

fn calibration(report: &mut Report, labelled: &Labelled) -> Result<(), Failure> {
    const QUESTION: &str = "Can these probabilities be trusted?";
    let Some((held_out, scores)) = left_out(labelled)? else {
        if labelled.fitted.field().is_some() {
            report.section(
                QUESTION,
                "The labels cannot tell: each is the only one of its class, or of its part of the \
                 graph, so that none can be found again from the others. With a second label of each \
                 class they can.",
            );
        }
        return Ok(());
    };
    let table = Calibration::new(&held_out, &scores, BINS).map_err(Error::from)?;
    let right = scores.argmax().iter().zip(held_out.truth()).filter(|(a, b)| a == b).count();
    let of = held_out.len();
    let (low, high) = likely_share(right, of);
    let alone = labelled.table.labels.labelled().len() - of;
    let alone = match alone {
        0 => String::new(),
        _ => format!(
            " {alone} more {} the only one of a class, or of a part of the graph, and could not be \
             found again.",
            if alone == 1 { "is" } else { "are each" }
        ),
    };
    let stands = match sharpness(labelled) {
        Some(_) => " The field, sharpened as it is in the answer, speaks here without the walk.",
        None => "",
    };
    report.section(
        QUESTION,
        format!(
            "Each label was left out in turn and found again from the others: {right} of {of} \
             ({:.1} %; from {:.0} to {:.0} % is plausible).{alone} Expected calibration error {:.3}. \
             With few labels both numbers are rough, and labels that were chosen rather than drawn say \
             little of the other rows.{stands}",
            100.0 * right as f64 / of as f64,
            100.0 * low,
            100.0 * high,
            table.expected_error()
        ),
    );
    let points = table.bins().iter().filter_map(|bin| bin.confidence.zip(bin.accuracy));
    let chart = LineChart::new("probability said", "share that is right")
        .series(Series::new("labels left out", points))
        .series(Series::new("as it should be", [(0.0, 0.0), (1.0, 1.0)]).dashed())
        .width(Width::Half);
    report.plot("calibration", "What was said, and what is so.", &chart)?;
    let mut rows = Table::new(
        "calibration-table",
        "The same in numbers.",
        ["probability", "labels", "mean probability", "right"],
    );
    for bin in table.bins().iter().filter(|bin| bin.count > 0) {
        rows.row([
            Cell::from(format!("{:.1} – {:.1}", bin.from, bin.to)),
            Cell::Number(bin.count as f64, 0),
            bin.confidence.map_or(Cell::Empty, |mean| Cell::Number(mean, 3)),
            bin.accuracy.map_or(Cell::Empty, |share| Cell::Number(share, 3)),
        ]);
    }
    report.table(rows);
    Ok(())
}

fn doubtful(report: &mut Report, labelled: &Labelled) {
    let table = &labelled.table;
    let names = table.labels.names();
    let mut rows = table.labels.unlabelled();
    let in_doubt = |&row: &usize| labelled.entropy[row] > DOUBT;
    rows.retain(|row| in_doubt(row) && labelled.islands.binary_search(row).is_err());
    rows.sort_by(|&a, &b| labelled.entropy[b].total_cmp(&labelled.entropy[a]).then(a.cmp(&b)));
    let mut list = Table::new(
        "doubtful",
        format!("The {} most doubtful rows.", rows.len().min(LISTED)),
        ["row", "class", "probability", "or else", "probability", "entropy"],
    );
    let values = labelled.probabilities.values();
    for &row in rows.iter().take(LISTED) {
        let class = labelled.classes[row];
        let others = (0..names.len()).filter(|&other| other != class);
        let second = others.max_by(|&a, &b| values[[row, a]].total_cmp(&values[[row, b]]));
        list.row([
            Cell::from(&*table.ids.of(row)),
            Cell::from(names[class].as_str()),
            Cell::Number(values[[row, class]], 3),
            second.map_or(Cell::Empty, |other| Cell::from(names[other].as_str())),
            second.map_or(Cell::Empty, |other| Cell::Number(values[[row, other]], 3)),
            Cell::Number(labelled.entropy[row], 3),
        ]);
    }
    let islands = match labelled.islands.len() {
        0 => String::new(),
        count => format!(
            " Besides, {count} rows lie in parts of the graph without any label: they hold the class \
             prior, and no probability of theirs means more."
        ),
    };
    let of_all = match rows.is_empty() {
        true => "No row is in doubt: each has one class with all but the last percent.",
        false => "Rows whose probabilities are spread over several classes.",
    };
    report.section("Doubtful rows", format!("{of_all}{islands}"));
    if !rows.is_empty() {
        report.table(list);
    }
}

fn suspects(report: &mut Report, labelled: &Labelled) {
    let Some(audit) = &labelled.audit else { return };
    let suspects = labelled.suspects();
    let untold = audit.iter().filter(|label| label.verdict == Verdict::Untold).count();
    let names = labelled.table.labels.names();
    report.section(
        "Labels that may be wrong",
        format!(
            "{} of {} labels are more likely wrong than right in the eyes of the others; of {untold} \
             the others cannot tell.",
            suspects.len(),
            audit.len()
        ),
    );
    if suspects.is_empty() {
        return;
    }
    let mut list = Table::new(
        "suspects",
        "The likeliest mistakes first.",
        ["row", "label", "the others say", "probability that it is wrong"],
    );
    for label in suspects.iter().take(LISTED) {
        list.row([
            Cell::from(&*labelled.table.ids.of(label.node)),
            Cell::from(names[label.given].as_str()),
            Cell::from(names[label.likely].as_str()),
            Cell::Number(label.wrong, 3),
        ]);
    }
    report.table(list);
}

fn next(report: &mut Report, labelled: &Labelled) -> Result<(), Failure> {
    let (Some(field), Some(graph)) = (labelled.fitted.field(), labelled.fitted.graph()) else {
        return Ok(());
    };
    let query = Query { batch: NEXT, ..Query::default() };
    let questions = query.next(field, graph).map_err(Error::from)?;
    let mut list = Table::new(
        "next",
        "The most valuable first; each is chosen as if the ones above had been answered.",
        ["row", "its class now", "why"],
    );
    let names = labelled.table.labels.names();
    for question in &questions {
        let why = match question.reason {
            Reason::Unreached { nodes } => format!("no label reaches its group of {nodes} rows"),
            Reason::Gain(gain) => format!("{gain:.1} fewer errors are to be expected"),
            _ => String::new(),
        };
        list.row([
            Cell::from(&*labelled.table.ids.of(question.node)),
            Cell::from(names[labelled.classes[question.node]].as_str()),
            Cell::from(why),
        ]);
    }
    report.section(
        "What to label next",
        "Rows whose label would tell most about the others (expected risk reduction of Zhu, Lafferty \
         and Ghahramani, 2003).",
    );
    report.table(list);
    Ok(())
}

fn chosen(report: &mut Report, labelled: &Labelled) {
    report.section("What was chosen, and why", "");
    let mut list = Table::new("choices", "", ["part", "chosen", "because"]);
    for choice in labelled.fitted.choices() {
        list.row([&*choice.part, &choice.chosen, &choice.because]);
    }
    report.table(list);
    if let Some(weights) = &labelled.fitted.description().weights {
        use gaussfield::core::Parameters as _;
        let mut scales = Table::new("weights", "The weights in the end.", ["parameter", "value"]);
        for parameter in weights.parameters().into_iter().take(LISTED) {
            scales.row([Cell::from(parameter.name.to_string()), Cell::Number(parameter.value, 6)]);
        }
        report.table(scales);
    }
}
