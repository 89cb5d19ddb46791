//! What `gaussfield-mpi` is told, and how it keeps scores.

use gaussfield_distributed::{
    DistributedError, Engine, Fit, Limits, Method, Mpi, Part, Search, SolveOptions, agree,
};
use lexopt::{Arg, ValueExt};
use ndarray::Array2;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const HELP: &str = "\
Graphs and labels of points that one machine does not hold.

Usage: mpirun -n P gaussfield-mpi graph --out DIR POINTS.npy…
       mpirun -n P gaussfield-mpi label --graph DIR --labels FILE --out DIR

graph: reads .npy shards of equal width (float32 or float64), links each point
with its nearest neighbours and keeps the graph in DIR, a shard a member.
label: reads a graph and a table of labels (columns row and class, rows counted
from 0 through all shards), and writes the class of every row to DIR.
A command that was interrupted and is started again goes on from the last stage
that was finished.

Options of graph:
      --k N             Neighbours of each point [10]
      --probes N        Nearest cells whose owners are asked [8]
Options of label:
      --method NAME     harmonic, consistency or dynamics [harmonic]
      --alpha X         How far labels spread, for consistency [0.99]
      --scale X         Length scale s of exp(-d²/s²) [root mean square of d]
      --engine NAME     block, coarse or hypre [block]
      --tolerance X     Relative residual [1e-10]
      --decide NAME     argmax, mass or counts [argmax]
      --prior P,P,…     Shares of the classes, in the order of their names
                        [from the labels, one more each]
Options of both:
      --silence SECONDS    End the job if a member is not heard for so long [30]
      --time-limit SECONDS End the job after so long
  -h, --help               Print this";

pub(crate) enum Command {
    Graph(GraphOptions),
    Label(Box<LabelOptions>),
}

pub(crate) struct GraphOptions {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) out: PathBuf,
    pub(crate) search: Search,
    pub(crate) limits: Limits,
}

pub(crate) struct LabelOptions {
    pub(crate) graph: PathBuf,
    pub(crate) labels: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) method: Method,
    pub(crate) scale: Option<f64>,
    pub(crate) solve: SolveOptions,
    pub(crate) decide: Decide,
    pub(crate) prior: Option<Vec<f64>>,
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy)]
pub(crate) enum Decide {
    Argmax,
    Mass,
    Counts,
}

/// None where help is asked for.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Option<Command>, lexopt::Error> {
    let (mut name, mut files) = (None, Vec::new());
    let (mut out, mut graph, mut labels) = (None, None, None);
    let (mut search, mut solve) = (Search::default(), SolveOptions::default());
    let (mut method, mut alpha, mut scale) = ("harmonic".to_owned(), 0.99, None);
    let (mut decide, mut prior, mut limits) = (Decide::Argmax, None, Limits::default());
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(value) if name.is_none() => name = Some(value.string()?),
            Arg::Value(value) => files.push(PathBuf::from(value)),
            Arg::Long("out") => out = Some(PathBuf::from(parser.value()?)),
            Arg::Long("graph") => graph = Some(PathBuf::from(parser.value()?)),
            Arg::Long("labels") => labels = Some(PathBuf::from(parser.value()?)),
            Arg::Long("k") => search.k = parser.value()?.parse()?,
            Arg::Long("probes") => search.probes = parser.value()?.parse()?,
            Arg::Long("method") => method = parser.value()?.string()?,
            Arg::Long("alpha") => alpha = parser.value()?.parse()?,
            Arg::Long("scale") => scale = Some(parser.value()?.parse()?),
            Arg::Long("tolerance") => solve.tolerance = parser.value()?.parse()?,
            Arg::Long("engine") => {
                solve.engine = match parser.value()?.string()?.as_str() {
                    "block" => Engine::Block,
                    "coarse" => Engine::Coarse,
                    "hypre" => Engine::Hypre,
                    other => return Err(unknown("engine", other, "block, coarse, hypre")),
                }
            }
            Arg::Long("decide") => {
                decide = match parser.value()?.string()?.as_str() {
                    "argmax" => Decide::Argmax,
                    "mass" => Decide::Mass,
                    "counts" => Decide::Counts,
                    other => return Err(unknown("decision", other, "argmax, mass, counts")),
                }
            }
            Arg::Long("prior") => {
                let text = parser.value()?.string()?;
                let shares = text.split(',').map(|share| share.trim().parse::<f64>());
                let shares = shares.collect::<Result<Vec<_>, _>>();
                prior = Some(shares.map_err(|_| format!("the prior is `{text}`: give numbers"))?);
            }
            Arg::Long("silence") => limits.silence = seconds(&mut parser)?,
            Arg::Long("time-limit") => limits.whole = Some(seconds(&mut parser)?),
            other => return Err(other.unexpected()),
        }
    }
    let needed = |path: Option<PathBuf>, name: &str| path.ok_or(format!("--{name} is missing"));
    let method = match method.as_str() {
        "harmonic" => Method::Harmonic,
        "consistency" => Method::Consistency { alpha },
        "dynamics" => Method::Dynamics { steps: 4, rounds: 8 },
        other => return Err(unknown("method", other, "harmonic, consistency, dynamics")),
    };
    match name.as_deref() {
        Some("graph") => Ok(Some(Command::Graph(GraphOptions {
            files,
            out: needed(out, "out")?,
            search,
            limits,
        }))),
        Some("label") => Ok(Some(Command::Label(Box::new(LabelOptions {
            graph: needed(graph, "graph")?,
            labels: needed(labels, "labels")?,
            out: needed(out, "out")?,
            method,
            scale,
            solve,
            decide,
            prior,
            limits,
        })))),
        Some(other) => Err(unknown("command", other, "graph, label")),
        None => Ok(None),
    }
}

fn seconds(parser: &mut lexopt::Parser) -> Result<Duration, lexopt::Error> {
    let seconds: f64 = parser.value()?.parse()?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} are no seconds").into())
}

fn unknown(what: &str, name: &str, known: &str) -> lexopt::Error {
    format!("no {what} `{name}`; there are: {known}").into()
}

/// Scores as they are kept between runs.
pub(crate) fn scores_to_bytes(fit: &Fit) -> Vec<u8> {
    fit.scores.iter().flat_map(|score| score.to_le_bytes()).collect()
}

/// The fit that was kept.
pub(crate) fn fit_from_bytes(
    world: &Mpi,
    facts: &serde_json::Value,
    bytes: &[u8],
    labels: &[(u64, u32)],
    part: &Part,
) -> Result<Fit, DistributedError> {
    let numbers: Vec<f64> =
        bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let classes = numbers.len() / part.len().max(1);
    let scores = Array2::from_shape_vec((part.len(), classes), numbers);
    let told = serde_json::from_value(facts["solve"].clone());
    let whole = match (scores, told) {
        (Ok(scores), Ok(facts)) => Ok((scores, facts)),
        _ => Err("the scores of an earlier run are not whole: take scores.manifest away"),
    };
    let (scores, solved) = agree(world, whole)?;
    let by_row: HashMap<u64, u32> = labels.iter().copied().collect();
    let class = |row: &u64| by_row.get(row).copied();
    let rounds = facts["rounds"].as_u64().unwrap_or(0) as usize;
    Ok(Fit { scores, labelled: part.rows().iter().map(class).collect(), facts: solved, rounds })
}
