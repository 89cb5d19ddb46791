//! The program `gaussfield`: labels for a table of which a few rows are labelled.

mod arguments;
mod audit;
mod demo;
mod documents;
mod failure;
#[cfg(test)]
mod faults;
mod folder;
mod formats;
mod graph;
mod input;
mod label;
mod listing;
mod model;
mod names;
mod output;
mod page;
mod picture;
mod plan;
mod query;
mod run;
mod summary;
mod table;
mod tune;
mod values;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    run::start(arguments::Cli::parse())
}
