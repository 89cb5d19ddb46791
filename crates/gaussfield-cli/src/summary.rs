//! What was done, for people and for programs.

use crate::label::Labelled;
use crate::output::Target;
use crate::run::Console;
use gaussfield::labels::Transductive as _;
use gaussfield_report::format::duration;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// Classes shown in a table; the rest is counted.
const CLASSES: usize = 20;

/// One class in numbers.
struct Class<'a> {
    name: &'a str,
    given: usize,
    assigned: usize,
    /// Mean probability of the rows assigned to it; none if there are none.
    confidence: Option<f64>,
}

fn classes(labelled: &Labelled) -> Vec<Class<'_>> {
    let labels = &labelled.table.labels;
    let (given, values) = (labels.counts(), labelled.probabilities.values());
    let mut sums = vec![(0_usize, 0.0); labels.classes()];
    for row in labels.unlabelled() {
        let class = labelled.classes[row];
        sums[class].0 += 1;
        sums[class].1 += values[[row, class]];
    }
    let all = labels.names().iter().zip(given).zip(sums);
    all.map(|((name, given), (assigned, sum))| Class {
        name,
        given,
        assigned,
        confidence: (assigned > 0).then(|| sum / assigned as f64),
    })
    .collect()
}

/// Labels that are left out in turn.
struct LeftOut {
    /// Those that the others would have given too.
    right: usize,
    /// Those that they could have given.
    of: usize,
    /// Those that are alone in their class: nothing tells the others of it.
    alone: usize,
}

fn left_out(labelled: &Labelled) -> Option<LeftOut> {
    let audit = labelled.audit.as_ref()?;
    let mut found = LeftOut { right: 0, of: 0, alone: 0 };
    let in_company = labelled.in_company();
    for label in audit {
        if in_company[label.given] {
            found.of += 1;
            found.right += usize::from(label.likely == label.given);
        } else {
            found.alone += 1;
        }
    }
    Some(found)
}

/// The mean probability of the classes that were assigned: what share is right, if the
/// probabilities mean what they say.
fn expected_accuracy(labelled: &Labelled) -> f64 {
    let values = labelled.probabilities.values();
    let rows = labelled.table.labels.unlabelled();
    let sum: f64 = rows.iter().map(|&row| values[[row, labelled.classes[row]]]).sum();
    sum / rows.len() as f64
}

/// The summary on a terminal.
pub(crate) fn text(
    labelled: &Labelled,
    target: &Target,
    page: Option<&Path>,
    console: &Console,
) -> String {
    let mut text = findings(labelled, console);
    let time = |seconds: f64| duration(Duration::from_secs_f64(seconds));
    let seconds = labelled.seconds;
    let _ = write!(
        text,
        "\n{} written to {} (reading {}, fitting {}, writing {})",
        console.bold("labels"),
        target,
        time(seconds.reading),
        time(seconds.fitting),
        time(seconds.writing)
    );
    if let Some(folder) = page {
        let page = folder.join("report.html");
        let _ = write!(text, "\n{} written to {}", console.bold("page"), page.display());
    }
    text
}

/// What was found, and what was chosen to find it.
pub(crate) fn findings(labelled: &Labelled, console: &Console) -> String {
    let table = &labelled.table;
    let labels = &table.labels;
    let width = console.width();
    let mut text = String::new();
    let bold = |words: &str| console.bold(words);
    let _ = writeln!(
        text,
        "{}: {} rows, {}, {} of {} rows labelled, {} classes\n",
        bold(&table.name),
        table.ids.len(),
        table.rows,
        labels.labelled().len(),
        labels.len(),
        labels.classes()
    );
    let all = classes(labelled);
    let longest = all.iter().map(|class| console::measure_text_width(class.name)).max();
    let name_width = longest.unwrap_or_default().clamp(5, width.saturating_sub(40).max(5));
    let heading = format!(
        "{}  {:>6}  {:>8}  {:>6}  {:>10}",
        console::pad_str("class", name_width, console::Alignment::Left, None),
        "labels",
        "assigned",
        "share",
        "confidence"
    );
    let _ = writeln!(text, "{}", bold(&heading));
    let unlabelled = labels.unlabelled().len() as f64;
    for Class { name, given, assigned, confidence } in all.iter().take(CLASSES) {
        let confidence = confidence.map_or("–".to_owned(), |mean| format!("{mean:.3}"));
        let share = 100.0 * *assigned as f64 / unlabelled;
        let name = console::pad_str(name, name_width, console::Alignment::Left, Some("…"));
        let _ =
            writeln!(text, "{name}  {given:>6}  {assigned:>8}  {share:>5.1}%  {confidence:>10}");
    }
    if all.len() > CLASSES {
        let _ = writeln!(text, "… and {} classes more", all.len() - CLASSES);
    }
    text.push('\n');
    let expected = 100.0 * expected_accuracy(labelled);
    let _ = writeln!(text, "expected to be right: {expected:.1} % of the rows assigned");
    if let Some(LeftOut { right, of, alone }) = left_out(labelled) {
        let found = if of > 0 { format!("{right} of {of} found again") } else { String::new() };
        let lone = match alone {
            0 => String::new(),
            _ => format!(
                "{}{alone} alone in {} class, of which the others cannot tell",
                if of > 0 { "; " } else { "" },
                if alone == 1 { "its" } else { "their" }
            ),
        };
        let _ = writeln!(text, "each label left out in turn: {found}{lone}");
    }
    if let Some(validated) = &labelled.validated {
        let _ = writeln!(text, "{validated}");
    }
    let (islands, suspects) = (labelled.islands.len(), labelled.suspects());
    if islands > 0 {
        let _ = writeln!(
            text,
            "{}: {islands} rows that no label reaches have the class prior; label one of each group, \
             or use more neighbours (-k)",
            console.warn("islands")
        );
    }
    if let Some(first) = suspects.first() {
        let names = labels.names();
        let _ = writeln!(
            text,
            "{}: {} probably wrong; first {}: {:?}, where the others say {:?}",
            console.warn("suspects"),
            match suspects.len() {
                1 => "1 label is".to_owned(),
                several => format!("{several} labels are"),
            },
            table.ids.of(first.node),
            names[first.given],
            names[first.likely]
        );
    }
    let _ = writeln!(text, "\n{}", bold("chosen, and why"));
    for choice in labelled.fitted.choices() {
        let line = format!("{choice}");
        let _ = writeln!(text, "{}", wrapped(&line, width));
    }
    if let Some(weights) = &labelled.fitted.description().weights {
        let learned = serde_json::to_string(weights).unwrap_or_default();
        let _ = writeln!(text, "  weights in the end: {learned}");
    }
    text
}

/// A line broken at blanks, indented.
fn wrapped(line: &str, width: usize) -> String {
    let mut text = String::from(" ");
    let mut column = 1;
    for word in line.split(' ') {
        let length = console::measure_text_width(word);
        if column + 1 + length > width && column > 4 {
            text.push_str("\n   ");
            column = 3;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + length;
    }
    text
}

/// The same for programs.
pub(crate) fn json(labelled: &Labelled, target: &Target) -> Map<String, Value> {
    let names = labelled.table.labels.names();
    let classes: Vec<Value> = classes(labelled)
        .into_iter()
        .map(|class| {
            json!({"name": class.name, "labels": class.given, "assigned": class.assigned,
                   "mean-probability": class.confidence})
        })
        .collect();
    let suspects: Vec<Value> = labelled
        .suspects()
        .into_iter()
        .map(|label| {
            json!({"id": labelled.table.ids.of(label.node), "label": names[label.given],
                   "likely": names[label.likely], "probability-wrong": label.wrong})
        })
        .collect();
    let mut all = facts(labelled);
    all.insert("output".to_owned(), target.to_string().into());
    all.insert("classes".to_owned(), classes.into());
    all.insert("expected-accuracy".to_owned(), expected_accuracy(labelled).into());
    all.insert("suspects".to_owned(), suspects.into());
    if let Some(validated) = &labelled.validated {
        all.insert("validation".to_owned(), json!(validated));
    }
    all
}

/// What every command tells programs: input, choices, description, how it was computed.
pub(crate) fn facts(labelled: &Labelled) -> Map<String, Value> {
    let table = &labelled.table;
    let labels = &table.labels;
    let facts = labelled.fitted.facts();
    let facts = facts.iter().map(|fact| (fact.name.to_string(), json!(fact.value)));
    let left_out = left_out(labelled);
    let left_out =
        left_out.map(|l| json!({"right": l.right, "labels": l.of, "alone-in-class": l.alone}));
    let all = json!({
        "input": {"file": table.name, "rows": labels.len(), "content": table.rows.to_string(),
                  "labelled": labels.labelled().len(), "classes": labels.classes()},
        "choices": labelled.fitted.choices(),
        "description": labelled.fitted.description(),
        "facts": facts.collect::<Map<_, _>>(),
        "leave-one-out": left_out,
        "islands": labelled.islands.len(),
        "seconds": labelled.seconds,
    });
    match all {
        Value::Object(all) => all,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_fit() {
        let text = wrapped("graph: ten nearest neighbours, because the rows are dense", 24);
        assert!(text.lines().all(|line| line.chars().count() <= 24), "{text}");
        let whole: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(whole.join(" "), "graph: ten nearest neighbours, because the rows are dense");
    }
}
