//! What `gaussfield-mpi` is told, and how it keeps scores.

use gaussfield_core::Budget;
use gaussfield_distributed::{
    DistributedError, Engine, LearnScale, Limits, Method, Search, SolveOptions,
};
use gaussfield_labels::{ClassPrior, Decision};
use lexopt::{Arg, ValueExt};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const HELP: &str = "\
Graphs and labels of points that one machine does not hold.

Usage: mpirun -n P gaussfield-mpi graph --out DIR POINTS…
       mpirun -n P gaussfield-mpi label --graph DIR --labels FILE --out DIR
       mpirun -n P gaussfield-mpi predict --graph DIR --answers DIR --out DIR POINTS…

graph: reads shards of equal width (.npy of float32 or float64; with the feature
columnar Parquet and Arrow too), links each point with its nearest neighbours
and keeps points and graph in DIR, a shard a member.
label: reads a graph and a table of labels (columns row and class, rows counted
from 0 through all shards), and writes the class of every row to DIR.
predict: reads new points, and writes the class of each to DIR: the weighted mean
of the scores that label gave to its nearest points of the graph.
A command that was interrupted and is started again goes on from the last stage
that was finished.

Options of graph:
      --k N             Neighbours of each point [10]
      --probes N        Nearest cells whose owners are asked [8]
Options of label:
      --method NAME     harmonic, consistency or dynamics [harmonic]
      --alpha X         How far labels spread, for consistency [0.99]
      --scale X         Length scale s of exp(-d²/s²) [root mean square of d]
      --learn           Learn it, from there, by the entropy of the labels
      --smoothing X     Chance of a jump in the walk it is learned on [0.01]
      --engine NAME     block, or hypre where it was built in [hypre, else block]
      --tolerance X     Relative residual [1e-10]
Options of label and predict:
      --decide NAME     argmax, mass or counts [argmax]
      --prior P,P,…     Shares of the classes, in the order of their names
                        [from the labels, one more each]
Options of all:
      --memory GIB         What a member may take for points, lists, columns and
                           scores; the preconditioner is not counted [4]
      --silence SECONDS    End the job if a member is not heard for so long [30]
      --time-limit SECONDS End the job after so long
  -h, --help               Print this";

pub(crate) enum Command {
    Graph(GraphOptions),
    Label(Box<LabelOptions>),
    Predict(PredictOptions),
}

impl Command {
    pub(crate) fn limits(&self) -> Limits {
        match self {
            Self::Graph(options) => options.common.limits,
            Self::Label(options) => options.common.limits,
            Self::Predict(options) => options.common.limits,
        }
    }
}

/// What all commands take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Common {
    pub(crate) limits: Limits,
    /// Of each member.
    pub(crate) memory: Budget,
}

pub(crate) struct GraphOptions {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) out: PathBuf,
    pub(crate) search: Search,
    pub(crate) common: Common,
}

pub(crate) struct LabelOptions {
    pub(crate) graph: PathBuf,
    pub(crate) labels: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) method: Method,
    pub(crate) scale: Option<f64>,
    pub(crate) learn: Option<LearnScale>,
    pub(crate) solve: SolveOptions,
    pub(crate) decide: Decide,
    pub(crate) common: Common,
}

pub(crate) struct PredictOptions {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) graph: PathBuf,
    pub(crate) answers: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) decide: Decide,
    pub(crate) common: Common,
}

/// A decision, once the labels are known.
pub(crate) struct Decide {
    rule: Rule,
    prior: Option<Vec<f64>>,
}

enum Rule {
    Argmax,
    Mass,
    Counts,
}

impl Decide {
    /// With so many labels of each class; their shares, one more each, are the prior where none was given.
    pub(crate) fn decision(&self, counts: &[u64]) -> Result<Decision, DistributedError> {
        let all = counts.iter().sum::<u64>() + counts.len() as u64;
        let share = |count: &u64| (count + 1) as f64 / all as f64;
        let shares = self.prior.clone().unwrap_or_else(|| counts.iter().map(share).collect());
        Ok(match self.rule {
            Rule::Argmax => Decision::Argmax,
            Rule::Mass => Decision::ClassMass(ClassPrior::given(shares)?),
            Rule::Counts => Decision::Counts(ClassPrior::given(shares)?),
        })
    }
}

/// Words as they come; which of them a command takes is looked at when all are read.
#[derive(Default)]
struct Words {
    name: Option<String>,
    files: Vec<PathBuf>,
    folders: HashMap<&'static str, PathBuf>,
    /// What was said that only some commands take.
    said: Vec<&'static str>,
}

impl Words {
    fn folder(&mut self, name: &'static str) -> Result<PathBuf, String> {
        self.folders.remove(name).ok_or_else(|| format!("--{name} is missing"))
    }

    fn place(
        &mut self,
        name: &'static str,
        parser: &mut lexopt::Parser,
    ) -> Result<(), lexopt::Error> {
        self.folders.insert(name, PathBuf::from(parser.value()?));
        Ok(())
    }

    /// Refuses what the command does not know.
    fn only(&self, known: &[&str]) -> Result<(), String> {
        let left = self.folders.keys().chain(&self.said).find(|name| !known.contains(name));
        match (left, &self.name) {
            (Some(left), Some(name)) => Err(format!("{name} has no option --{left}")),
            _ => Ok(()),
        }
    }
}

const OF_GRAPH: &[&str] = &["k", "probes"];
const OF_LABEL: &[&str] =
    &["method", "alpha", "scale", "learn", "smoothing", "engine", "tolerance", "decide", "prior"];
const OF_PREDICT: &[&str] = &["decide", "prior"];

/// None where help is asked for.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Option<Command>, lexopt::Error> {
    let mut words = Words::default();
    let mut search = Search::default();
    let engine = if cfg!(feature = "hypre") { Engine::Hypre } else { Engine::Block };
    let mut solve = SolveOptions { engine, ..SolveOptions::default() };
    let (mut method, mut alpha, mut scale) = ("harmonic".to_owned(), 0.99, None);
    let (mut learn, mut learning) = (false, LearnScale::default());
    let (mut rule, mut prior, mut common) = (Rule::Argmax, None, Common::default());
    while let Some(argument) = parser.next()? {
        if let Arg::Long(name) = argument {
            let of_some = OF_GRAPH.iter().chain(OF_LABEL).find(|known| **known == name);
            words.said.extend(of_some);
        }
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(value) if words.name.is_none() => words.name = Some(value.string()?),
            Arg::Value(value) => words.files.push(PathBuf::from(value)),
            Arg::Long("out") => words.place("out", &mut parser)?,
            Arg::Long("graph") => words.place("graph", &mut parser)?,
            Arg::Long("labels") => words.place("labels", &mut parser)?,
            Arg::Long("answers") => words.place("answers", &mut parser)?,
            Arg::Long("k") => search.k = parser.value()?.parse()?,
            Arg::Long("probes") => search.probes = parser.value()?.parse()?,
            Arg::Long("method") => method = parser.value()?.string()?,
            Arg::Long("alpha") => alpha = parser.value()?.parse()?,
            Arg::Long("scale") => scale = Some(parser.value()?.parse()?),
            Arg::Long("learn") => learn = true,
            Arg::Long("smoothing") => learning.smoothing = parser.value()?.parse()?,
            Arg::Long("tolerance") => solve.tolerance = parser.value()?.parse()?,
            Arg::Long("engine") => {
                solve.engine = match parser.value()?.string()?.as_str() {
                    "block" => Engine::Block,
                    "hypre" => Engine::Hypre,
                    other => return Err(unknown("engine", other, "block, hypre")),
                }
            }
            Arg::Long("decide") => {
                rule = match parser.value()?.string()?.as_str() {
                    "argmax" => Rule::Argmax,
                    "mass" => Rule::Mass,
                    "counts" => Rule::Counts,
                    other => return Err(unknown("decision", other, "argmax, mass, counts")),
                }
            }
            Arg::Long("prior") => {
                let text = parser.value()?.string()?;
                let shares = text.split(',').map(|share| share.trim().parse::<f64>());
                let shares = shares.collect::<Result<Vec<_>, _>>();
                prior = Some(shares.map_err(|_| format!("the prior is `{text}`: give numbers"))?);
            }
            Arg::Long("silence") => common.limits.silence = seconds(&mut parser)?,
            Arg::Long("time-limit") => common.limits.whole = Some(seconds(&mut parser)?),
            Arg::Long("memory") => common.memory = gibibytes(&mut parser)?,
            other => return Err(other.unexpected()),
        }
    }
    (search.budget, solve.budget) = (common.memory, common.memory);
    let method = match method.as_str() {
        "harmonic" => Method::Harmonic,
        "consistency" => Method::Consistency { alpha },
        "dynamics" => Method::Dynamics { steps: 4, rounds: 8 },
        other => return Err(unknown("method", other, "harmonic, consistency, dynamics")),
    };
    let Some(name) = words.name.clone() else { return Ok(None) };
    let decide = Decide { rule, prior };
    Ok(Some(match name.as_str() {
        "graph" => {
            words.only(&[OF_GRAPH, &["out"]].concat())?;
            let out = words.folder("out")?;
            Command::Graph(GraphOptions { files: words.files, out, search, common })
        }
        "label" => {
            words.only(&[OF_LABEL, &["graph", "labels", "out"]].concat())?;
            if let Some(file) = words.files.first() {
                let problem = "label takes no points: name the folder of the graph in --graph";
                return Err(format!("{}: {problem}", file.display()).into());
            }
            Command::Label(Box::new(LabelOptions {
                graph: words.folder("graph")?,
                labels: words.folder("labels")?,
                out: words.folder("out")?,
                method,
                scale,
                learn: learn.then_some(learning),
                solve,
                decide,
                common,
            }))
        }
        "predict" => {
            words.only(&[OF_PREDICT, &["graph", "answers", "out"]].concat())?;
            let (graph, answers) = (words.folder("graph")?, words.folder("answers")?);
            let out = words.folder("out")?;
            let files = words.files;
            Command::Predict(PredictOptions { files, graph, answers, out, decide, common })
        }
        other => return Err(unknown("command", other, "graph, label, predict")),
    }))
}

fn seconds(parser: &mut lexopt::Parser) -> Result<Duration, lexopt::Error> {
    let seconds: f64 = parser.value()?.parse()?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} are no seconds").into())
}

fn gibibytes(parser: &mut lexopt::Parser) -> Result<Budget, lexopt::Error> {
    let number: f64 = parser.value()?.parse()?;
    match number > 0.0 && number < 1e9 {
        true => Ok(Budget { bytes: (number * f64::from(1 << 30)) as u64 }),
        false => Err(format!("--memory {number}: give gibibytes, more than 0").into()),
    }
}

fn unknown(what: &str, name: &str, known: &str) -> lexopt::Error {
    format!("no {what} `{name}`; there are: {known}").into()
}
