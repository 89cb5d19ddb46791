//! Section 7 on Figure 4: whether quotations within a thread explain the text results.

use super::figure3::percent;
use crate::texts::{BASEBALL_HOCKEY, PC_MAC, Texts, WINDOWS_MAC, on_edition};
use crate::{Context, Found, Trial};
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_data::split::Trials;
use gaussfield_graph::{CosineExponential, Graph, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Islands, Labels, Transductive as _};
use gaussfield_points::Points;
use gaussfield_report::{Cell, Claim, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const LABELS: usize = 20;
/// Draws of labels: the loss without quoted lines is about a third of its standard deviation, so that
/// the paper's ten cannot tell it from chance.
const DRAWS: usize = 100;
/// A thread is linked if edges fall within it so many times as often as pairs do.
const OFTEN: f64 = 10.0;
const PAIRS: [(&str, &str, [&str; 2]); 3] = [
    ("pc-mac", "PC vs MAC", PC_MAC),
    ("baseball-hockey", "baseball vs hockey", BASEBALL_HOCKEY),
    ("windows-mac", "MS-Windows vs MAC", WINDOWS_MAC),
];

/// Accuracies of CMN in per cent: all text, without quoted lines, without edges within a thread.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Measured([f64; 3]);

pub(super) fn run(ctx: &mut Context) -> Result<()> {
    ctx.report.text(format!(
        "Quotations. The paper suspects that messages of a thread, which quote each other, carry the \
         labels. A thread is all messages whose subjects agree but for \"Re:\". Beside the graph of \
         all words: one of messages whose quoted lines (those that begin with >, : or |, and \"… \
         writes:\") are left out, and the graph of all words without its edges within a thread; CMN \
         with {LABELS} labels, the same in all three, over {DRAWS} draws of them (runs up to commit 817e0c8 \
         had ten, with which two of the three losses were not told from chance)."
    ));
    let mut table = Table::new(
        "threads-table",
        "Threads and quotations: per cent of the edges and of all pairs that lie within a thread, and \
         the accuracy of CMN (%).",
        [
            "task",
            "edges within a thread",
            "pairs within a thread",
            "all text",
            "without quoted lines",
            "without edges within threads",
        ],
    );
    let mut claims = Vec::new();
    for (id, name, groups) in PAIRS {
        let texts = match Texts::load(ctx, &groups)? {
            Found::Here(texts) => texts,
            Found::Missing(reason) => {
                claims.extend(statements(id, name).map(|claim| claim.not_run(reason.clone())));
                continue;
            }
        };
        let data = texts.vectors()?;
        let threads = threads(&texts);
        let whole = graph(&data.points)?;
        let (within, pairs) = shares(&whole, &threads);
        let unquoted = graph(&texts.vectors_of(without_quotations)?)?;
        let apart = across(&whole, &threads)?;
        let experiment = format!("threads-{id}");
        let count = ctx.trial_count(DRAWS, 3);
        let seed = Trial::new(ctx.options().seed, &experiment, 0).seed("labels");
        let drawn = Trials::draw(&data.labels, count, LABELS..=LABELS, seed)?;
        let found: Vec<Measured> =
            ctx.trials(&experiment, &(LABELS, texts.key()), count, |trial| {
                let visible = drawn.split(trial.index(), LABELS)?.partial(&data.labels)?;
                let mut all = [0.0; 3];
                for (accuracy, graph) in all.iter_mut().zip([&whole, &unquoted, &apart]) {
                    *accuracy = measure(graph, &data.labels, &visible)?;
                }
                Ok(Measured(all))
            })?;
        let over = |of: &dyn Fn(&Measured) -> f64| -> Result<MeanStd> {
            Ok(MeanStd::over(&found.iter().map(of).collect::<Vec<_>>())?)
        };
        let mut cells =
            vec![Cell::from(name), Cell::Number(100.0 * within, 1), Cell::Number(100.0 * pairs, 2)];
        for at in 0..3 {
            cells.push(Cell::of_trials(over(&|m| m.0[at])?, 1));
        }
        table.row(cells);
        let lost = over(&|m| m.0[0] - m.0[1])?;
        let cut = over(&|m| m.0[0] - m.0[2])?;
        let [linked, quoted] = statements(id, name);
        let ratio = within / pairs.max(f64::MIN_POSITIVE);
        let note = texts.note();
        claims.push(on_edition(
            linked.ours_value(ratio).holds_if(
                ratio >= OFTEN,
                format!(
                    "{:.1} % of the edges, {:.2} % of all pairs; asked for {OFTEN} times",
                    100.0 * within,
                    100.0 * pairs
                ),
            ),
            note.as_ref(),
        ));
        let quoted = quoted
            .over(lost)
            .above(0.0)
            .because(&format!("without edges within threads {:.1} points are lost", cut.mean));
        claims.push(on_edition(quoted, note.as_ref()));
    }
    ctx.report.table(table);
    for claim in claims {
        ctx.report.claim(claim);
    }
    Ok(())
}

fn statements(id: &str, name: &str) -> [Claim; 2] {
    let place = "Section 7, on Figure 4";
    [
        Claim::new(
            format!("threads-linked-{id}"),
            place,
            format!(
                "{name}: messages of a thread are linked by edges (times as often as pairs at random)"
            ),
        )
        .paper("linked"),
        Claim::new(
            format!("quotations-{id}"),
            place,
            format!(
                "{name}: quotations explain why the method is so effective (accuracy lost without \
                 quoted lines, points)"
            ),
        )
        .paper("may explain"),
    ]
}

fn graph(points: &Points) -> Result<Graph> {
    let pattern = Pattern::knn(points, Metric::Cosine, 10, Symmetry::Either)?;
    Ok(CosineExponential { scale: 0.03 }.graph(&pattern, Budget::default())?)
}

fn measure(graph: &Graph, truth: &Labels, visible: &Labels) -> Result<f64> {
    let held_out = HeldOut::new(truth, visible)?;
    let prior = ClassPrior::add_one(visible)?;
    let harmonic = Harmonic { islands: Islands::Prior(prior.clone()), ..Harmonic::default() };
    let scores = harmonic.fit(graph, visible)?.interior_scores()?;
    percent(&held_out, &Decision::ClassMass(prior).decide(&scores)?)
}

/// The thread of every message by number; one of its own where there is no subject.
fn threads(texts: &Texts) -> Vec<usize> {
    let mut known = BTreeMap::new();
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let mut of = |text: &str| match subject(text) {
        Some(subject) => *known.entry(subject).or_insert_with(&mut fresh),
        None => fresh(),
    };
    texts.messages().map(|message| of(&message.text)).collect()
}

/// The subject in lower case without any "re:"; none where there is no such line or nothing is left.
fn subject(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| {
        line.get(..8).filter(|start| start.eq_ignore_ascii_case("subject:")).map(|_| &line[8..])
    })?;
    let mut rest = line.trim().to_lowercase();
    while let Some(shorter) = rest.strip_prefix("re:") {
        rest = shorter.trim().to_owned();
    }
    (!rest.is_empty()).then_some(rest)
}

/// The lines that are the writer's own.
fn without_quotations(text: &str) -> String {
    let quoted = |line: &&str| {
        let start = line.trim_start();
        let said = line.trim_end();
        start.starts_with(['>', ':', '|']) || said.ends_with("writes:") || said.ends_with("wrote:")
    };
    let own: Vec<&str> = text.lines().filter(|line| !quoted(line)).collect();
    own.join("\n")
}

/// The shares of edges and of all pairs that lie within a thread.
fn shares(graph: &Graph, threads: &[usize]) -> (f64, f64) {
    let (mut within, mut edges) = (0.0, 0.0);
    for node in 0..graph.nodes() {
        graph.for_each_neighbour(node, |to, _| {
            edges += 1.0;
            within += f64::from(u8::from(threads[node] == threads[to]));
        });
    }
    let mut sizes = BTreeMap::new();
    threads.iter().for_each(|thread| *sizes.entry(thread).or_insert(0.0) += 1.0);
    let pairs: f64 = sizes.values().map(|size: &f64| size * (size - 1.0)).sum();
    let all = threads.len() as f64 * (threads.len() as f64 - 1.0);
    (within / f64::max(edges, 1.0), pairs / all.max(1.0))
}

/// The graph without its edges within a thread.
fn across(graph: &Graph, threads: &[usize]) -> Result<Graph> {
    let mut edges = Vec::new();
    for node in 0..graph.nodes() {
        graph.for_each_neighbour(node, |to, weight| {
            if node < to && threads[node] != threads[to] {
                edges.push((node, to, weight));
            }
        });
    }
    Ok(Graph::from_edges(graph.nodes(), edges)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_loses_its_answers_and_its_case() {
        let of = |text: &str| subject(text).unwrap_or_default();
        assert_eq!(of("From: a\nSubject: Re: re: Fast Drives\n\nx"), "fast drives");
        assert_eq!(of("From: a\nSUBJECT: Fast drives"), "fast drives");
        assert_eq!(of("no such line"), "");
        assert_eq!(of("Subject: Re:"), "");
        assert_eq!(of("é§é§é§\nSubject: x"), "x");
    }

    #[test]
    fn quoted_lines_go() {
        let text = "a@b writes:\n>yours\n  > too\n: and this\nmine: yes\n";
        assert_eq!(without_quotations(text), "mine: yes");
    }

    #[test]
    fn edges_within_a_thread_are_counted_and_taken_out() {
        let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let threads = [7, 7, 8, 8];
        let (within, pairs) = shares(&graph, &threads);
        assert!((within - 2.0 / 3.0).abs() < 1e-12 && (pairs - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(across(&graph, &threads).unwrap().edges(), 1);
    }
}
