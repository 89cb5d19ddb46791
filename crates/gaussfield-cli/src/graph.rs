//! `gaussfield graph`: the graph of the rows, written and described.

use crate::arguments::Graph as Arguments;
use crate::failure::Failure;
use crate::input::{self, Needs, Rows, Table};
use crate::names::Names;
use crate::output::Target;
use crate::plan::neighbours_of;
use crate::run::Console;
use gaussfield::description::Description;
use gaussfield::graph::{Graph, PatternChoice};
use gaussfield::labels::Labels;
use gaussfield::laplacian::components;
use serde_json::json;
use std::fmt::Write as _;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<(), Failure> {
    let target = arguments.written.target()?;
    let table = input::read(&arguments.input, Needs::Rows)?;
    let (graph, how) = graph_of(arguments, &table)?;
    if let Some(target) = &target {
        let market = matches!(target, Target::File(path)
            if path.extension().is_some_and(|ending| ending == "mtx"));
        let text = if market { matrix_market(&graph) } else { edges(&graph, &table.ids)? };
        target.write(text.as_bytes(), console)?;
    }
    let facts = Facts::new(&graph, &table.labels);
    let beside = target.as_ref().is_some_and(Target::is_stdout);
    if arguments.written.json {
        let told = json!({
            "input": table.name,
            "graph": how,
            "nodes": graph.nodes(),
            "edges": graph.edges(),
            "neighbours": {"least": facts.least, "mean": facts.mean, "most": facts.most},
            "parts": facts.parts,
            "largest-part": facts.largest,
            "alone": facts.alone,
            "rows-no-label-reaches": facts.unreached,
            "output": target.as_ref().map(ToString::to_string),
        });
        return console.json(told, beside);
    }
    let mut text = format!(
        "{}: {} nodes, {} edges ({how})\n",
        console.bold(&table.name),
        graph.nodes(),
        graph.edges()
    );
    let _ = writeln!(
        text,
        "neighbours of a row: {} to {}, {:.1} on average",
        facts.least, facts.most, facts.mean
    );
    let _ = write!(
        text,
        "parts that do not touch: {}, the largest of {} rows; rows without any edge: {}",
        facts.parts, facts.largest, facts.alone
    );
    if let Some(unreached) = facts.unreached {
        let _ = write!(text, "\nrows that no label reaches: {unreached}");
        if unreached > 0 {
            text.push_str("; label one of each part, or use more neighbours (-k)");
        }
    }
    if let Some(target) = &target {
        let _ = write!(text, "\nwritten to {target}");
    }
    console.tell_unless_quiet(&text, beside)
}

/// The graph that `label` would run on, and how it is made.
fn graph_of(arguments: &Arguments, table: &Table) -> Result<(Graph, String), Failure> {
    let points = match &table.rows {
        Rows::Graph(graph) if arguments.neighbours.is_none() => {
            return Ok((graph.clone(), "as it is".to_owned()));
        }
        Rows::Graph(_) => {
            return Err(Failure::Input(format!(
                "{}: this is a graph, which has its edges; leave -k out",
                table.name
            )));
        }
        Rows::Points(points) => points,
    };
    // Labels decide nothing about the graph; two stand in where there are none.
    let stand_in = Labels::from_names((0..table.ids.len()).map(|row| match row {
        0 => Some("a"),
        1 => Some("b"),
        _ => None,
    }));
    let mut plan = Description::automatic(points, &stand_in)?;
    if let Some(asked) = arguments.neighbours.map(|asked| asked as usize) {
        if asked >= points.len() {
            return Err(Failure::Input(format!(
                "{}: {asked} neighbours of each of {} rows are asked for; -k must be below the \
                 number of rows",
                table.name,
                points.len()
            )));
        }
        neighbours_of(&mut plan.description, asked);
    }
    let how = match &plan.description.graph {
        Some(PatternChoice::Knn { k, .. }) => format!("{k} nearest neighbours"),
        _ => "as chosen".to_owned(),
    };
    let graph = plan.description.graph_of(points)?;
    let features = plan.choices.iter().find(|choice| choice.part == "features");
    let features = features.map(|choice| format!("; features {}", choice.chosen));
    Ok((graph, how + &features.unwrap_or_default()))
}

/// A line for each edge, rows by name.
fn edges(graph: &Graph, ids: &Names) -> Result<String, Failure> {
    let unwritten = |error: csv::Error| Failure::Output(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["source", "target", "weight"]).map_err(unwritten)?;
    for i in 0..graph.nodes() {
        let mut row = Vec::new();
        graph.for_each_neighbour(i, |j, weight| row.extend((i < j).then_some((j, weight))));
        for (j, weight) in row {
            let weight = weight.to_string();
            writer.write_record([&*ids.of(i), &*ids.of(j), &weight]).map_err(unwritten)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| Failure::Output(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Failure::Output(error.to_string()))
}

/// The lower half of the matrix of weights, rows numbered from 1.
fn matrix_market(graph: &Graph) -> String {
    let (n, mut lines, mut count) = (graph.nodes(), String::new(), 0);
    for i in 0..n {
        graph.for_each_neighbour(i, |j, weight| {
            if j < i {
                count += 1;
                let _ = writeln!(lines, "{} {} {weight}", i + 1, j + 1);
            }
        });
    }
    format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {count}\n{lines}")
}

/// How a graph hangs together.
struct Facts {
    least: usize,
    most: usize,
    mean: f64,
    parts: usize,
    largest: usize,
    alone: usize,
    /// Rows in parts without a label; nothing where there is no label at all.
    unreached: Option<usize>,
}

impl Facts {
    fn new(graph: &Graph, labels: &Labels) -> Self {
        let degree = |i: usize| {
            let mut count = 0_usize;
            graph.for_each_neighbour(i, |_, _| count += 1);
            count
        };
        let degrees: Vec<usize> = (0..graph.nodes()).map(degree).collect();
        let parts = components(graph);
        let mut sizes = vec![0_usize; parts.count];
        parts.of.iter().for_each(|&part| sizes[part] += 1);
        let mut reached = vec![false; sizes.len()];
        labels.labelled().into_iter().for_each(|node| reached[parts.of[node]] = true);
        let outside = sizes.iter().zip(&reached).filter(|(_, reached)| !**reached);
        let unreached = outside.map(|(size, _)| *size).sum();
        Self {
            least: degrees.iter().copied().min().unwrap_or(0),
            most: degrees.iter().copied().max().unwrap_or(0),
            mean: degrees.iter().sum::<usize>() as f64 / degrees.len().max(1) as f64,
            parts: sizes.len(),
            largest: sizes.iter().copied().max().unwrap_or(0),
            alone: degrees.iter().filter(|degree| **degree == 0).count(),
            unreached: (!labels.labelled().is_empty()).then_some(unreached),
        }
    }
}
