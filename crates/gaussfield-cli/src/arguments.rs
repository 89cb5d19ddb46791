//! The command line: every command, option and help text.

use crate::formats::Format;
pub(crate) use crate::values::{Criterion, Impute, Prepare, Rule, Scale};
use crate::values::{DECISIONS, LAPLACIANS, METHODS, WEIGHTS, delimiter, one_of, prepared, share};
use clap::{Args, Parser, Subcommand};
use gaussfield::laplacian::Laplacian;
use gaussfield::{TriedDecision, TriedMethod, TriedWeights};
use std::path::PathBuf;

const AFTER: &str = "\
Exit codes:
  0    done
  1    the computation failed
  2    the command line is wrong
  3    the input cannot be used as it is; the message says where and what to do
  4    the output cannot be written, or is there already
  130  interrupted; nothing is left half-written

Examples:
  gaussfield label flowers.csv --label species --id name
  gaussfield label measures.tsv --features 'x*,height' --json
  gaussfield label flowers.csv --label species --print-config > model.toml
  gaussfield label flowers.csv --label species --config model.toml
  gaussfield label flowers.csv --label species --save flowers.model
  gaussfield predict flowers.model more.csv";

const PREDICTED: &str = "The predictions: CSV, or .tsv, .parquet or .arrow by its ending; `-` for standard \
    output [default: FILE with the ending .predicted.csv, or standard output if the input is standard \
    input]";
const TUNED: &str = "Where the best description goes, TOML for --config; `-` for standard output \
    [default: shown, not written]";
const SHOWN: &str = "A model that `label --save` wrote, or the rows of a table as for `label`";
const DRAWN: &str = "The graph: .edges (rows by name) or .mtx (rows by number); `-` for edges on \
    standard output [default: facts alone]";

/// Learn from a few labels and many unlabelled rows.
///
/// Rows become the nodes of a graph, each linked to its nearest neighbours; labels spread along the
/// links. What was chosen for your data, and why, is shown and can be overridden.
#[derive(Debug, Parser)]
#[command(name = "gaussfield", version, arg_required_else_help = true, after_help = AFTER)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Label the rows of a table in which a few are labelled
    #[command(after_help = AFTER)]
    Label(Label),
    /// Predict the classes of new rows with a model that `label --save` wrote
    Predict(Predict),
    /// Try graphs, weights and methods, judged by labels held out, and write the best description
    Tune(Tune),
    /// Tell which rows to label next
    Query(Query),
    /// Tell which labels are probably wrong
    Audit(Audit),
    /// Make the graph of the rows, write it, and tell how it hangs together
    Graph(Graph),
    /// Draw the page of a table, or of a saved model, alone: report.html with its figures and numbers
    Report(Report),
    /// Show what it does on 5620 handwritten digits that the program carries
    Demo(Demo),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// What every command understands.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Say nothing but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Tell what is done; twice: every stage with its time (RUST_LOG overrides)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Threads; the result does not depend on them [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

/// Arguments of `label`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Label {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) model: Model,
    /// Print the description that would be run, as TOML for --config, and do nothing else
    #[arg(long, help_heading = "Model")]
    pub(crate) print_config: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Arguments of `predict`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("output", |output| output.help(PREDICTED)))]
pub(crate) struct Predict {
    /// The model, as `gaussfield label --save MODEL` wrote it
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// Arguments of `tune`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("output", |output| output.help(TUNED)))]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Numbers of neighbours to try
    #[arg(short = 'k', long, value_name = "K", value_delimiter = ',', default_values_t = [5, 10, 20],
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) neighbours: Vec<u32>,
    /// Ways to weigh edges to try
    #[arg(long, value_name = "WAYS", value_delimiter = ',', value_parser = one_of::<TriedWeights>(WEIGHTS),
          default_value = "self-tuning,mean-edge,learned")]
    pub(crate) weights: Vec<TriedWeights>,
    /// Methods to try
    #[arg(long, value_name = "METHODS", value_delimiter = ',', value_parser = one_of::<TriedMethod>(METHODS),
          default_value = "tempered,harmonic,consistency")]
    pub(crate) methods: Vec<TriedMethod>,
    /// How far labels spread under the method consistency, each above 0 and below 1
    #[arg(long, value_name = "SHARES", value_delimiter = ',', default_value = "0.9,0.99",
          value_parser = share)]
    pub(crate) alphas: Vec<f64>,
    /// Laplacians to try under the method gaussian-process
    #[arg(long, value_name = "LAPLACIANS", value_delimiter = ',', value_parser = one_of::<Laplacian>(LAPLACIANS),
          default_value = "combinatorial,symmetric")]
    pub(crate) laplacians: Vec<Laplacian>,
    /// Decisions to try
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = one_of::<TriedDecision>(DECISIONS),
          default_value = "usual")]
    pub(crate) decisions: Vec<TriedDecision>,
    /// How often half of the labels are held out
    #[arg(long, value_name = "TIMES", default_value_t = 5,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) repeats: u16,
    /// Which labels are held out
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// Arguments of `graph`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("output", |output| output.help(DRAWN)))]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Nearest neighbours of each row
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) neighbours: Option<u32>,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// Arguments of `report`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("file", |file| file.help(SHOWN)))]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The folder of the page
    #[arg(short, long, value_name = "FOLDER", default_value = "report")]
    pub(crate) output: PathBuf,
    /// Replace a page that is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) model: Model,
}

/// Arguments of `query`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Query {
    #[command(flatten)]
    pub(crate) input: Input,
    /// How many rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) count: u16,
    /// What makes a row worth asking about
    #[arg(long, value_enum, value_name = "CRITERION", default_value_t = Criterion::ExpectedErrors)]
    pub(crate) by: Criterion,
    #[command(flatten)]
    pub(crate) model: Model,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// Arguments of `audit`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) model: Model,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// Where the answer goes, and whether a program reads what is told.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Written {
    /// The whole list: CSV, or .tsv, .parquet or .arrow by its ending; `-` for standard output [default: a
    /// table on the terminal]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Print facts as JSON instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `demo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Demo {
    /// Labels of each digit
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..=500))]
    pub(crate) labels: u16,
    /// Which labels are drawn
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also draw a page, report.html, with its figures and numbers into this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) report: Option<PathBuf>,
    /// Replace a page that is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Where the rows come from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct Input {
    /// The rows, by the file's ending: CSV, TSV, .parquet, .arrow, .npy, .npz (X and y, or scipy
    /// sparse), svmlight; a folder of text files (a sub-folder is a class); or a graph: .edges, .mtx,
    /// .npz with --format npz-graph. Gzip is recognised; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// How the file is laid out [default: by its ending]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// A table of labels beside the file, with a column of names (--id, or `id`) and one of labels
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// A column of text: its words are the features
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["features", "impute"])]
    pub(crate) text: Option<String>,
    /// The column of the labels; an empty cell means: not known
    #[arg(short, long, value_name = "COLUMN", default_value = "label")]
    pub(crate) label: String,
    /// The column of the rows' names; they must differ [default: rows are numbered from 1]
    #[arg(short, long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// The feature columns, by name or pattern (`x*`), separated by commas [default: all others]
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) features: Vec<String>,
    /// Columns to leave out, by name or pattern, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Columns of the table to hand on into the answer as they stand, by name or pattern (`*`), separated
    /// by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// The character between cells, of the file and of --labels [default: by the file's ending]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub(crate) delimiter: Option<char>,
    /// What takes the place of missing numbers [default: they are an error]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) impute: Option<Impute>,
}

/// What is said about the model; everything else is chosen from the data.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct Model {
    /// A description of the whole model, TOML or JSON; nothing is chosen automatically
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["prepare", "neighbours", "scale", "decision"])]
    pub(crate) config: Option<PathBuf>,
    /// What is done to the features first, one after the other; `none` for nothing
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = prepared())]
    pub(crate) prepare: Vec<Prepare>,
    /// Nearest neighbours of each row
    #[arg(short = 'k', long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) neighbours: Option<u32>,
    /// The length scale of the weights: `learn`, `mean` (of the edges), or a number
    #[arg(long, value_name = "SCALE", allow_negative_numbers = true)]
    pub(crate) scale: Option<Scale>,
    /// How probabilities become classes
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) decision: Option<Rule>,
    /// Hold half of the labels out so many times, and tell how many were found again
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) validate: Option<u16>,
    /// Which labels are held out
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The share of labels that are believed to be wrong, for the flag `suspect`
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share,
          allow_negative_numbers = true)]
    pub(crate) noise: f64,
}

/// Where the answer goes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// The labelled table: CSV, or .tsv, .parquet or .arrow by its ending; `-` for standard output [default:
    /// FILE with the ending .labelled.csv, or standard output if the input is standard input]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also draw a page, report.html, with its figures and numbers into this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) report: Option<PathBuf>,
    /// Also keep the model in this file, for `gaussfield predict`
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) save: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
    /// Print facts as JSON instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
    }
}
