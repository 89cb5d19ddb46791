//! `data`: the catalogue.

use anyhow::{Context as _, Result, ensure};
use clap::Subcommand;
use gaussfield_data::catalog::{Catalog, FileCheck, Location, Outcome};
use gaussfield_experiments::shape_words;
use std::io::Write as _;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show every data set: its size, where it was found, its licence
    List,
    /// Bring data sets to this machine, and check their sums; nothing that comes along is run
    Fetch {
        /// Names as `data list` shows them
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
    /// Compare the files that are here with their sums; fails if one is wrong
    Check {
        /// Names as `data list` shows them [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}

impl Command {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let catalog = Catalog::builtin()?;
        match self {
            Self::List => list(&catalog),
            Self::Fetch { names } => fetch(&catalog, &names),
            Self::Check { names } => check(&catalog, &names),
        }
    }
}

fn list(catalog: &Catalog) -> Result<ExitCode> {
    let mut out = std::io::stdout();
    let rows: Vec<[String; 2]> = catalog
        .entries()
        .iter()
        .map(|entry| [entry.name.clone(), shape_words(&entry.shape)])
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (names, shapes) = (width(0), width(1));
    for (entry, [name, shape]) in catalog.entries().iter().zip(&rows) {
        let found = catalog.locate(&entry.name)?;
        writeln!(out, "{name:names$}  {shape:shapes$}  {found}")?;
        writeln!(out, "{:names$}  licence: {}", "", entry.licence)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn fetch(catalog: &Catalog, names: &[String]) -> Result<ExitCode> {
    ensure!(!super::fetch::forbidden(), "GAUSSFIELD_OFFLINE is set: nothing is fetched");
    let mut out = std::io::stdout();
    // A misspelt name is found before the first download.
    for name in names {
        catalog.entry(name)?;
    }
    for name in names {
        super::fetch::one(catalog, name, &mut out)
            .with_context(|| format!("{name} was not fetched"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(catalog: &Catalog, names: &[String]) -> Result<ExitCode> {
    let mut out = std::io::stdout();
    let names: Vec<&str> = if names.is_empty() {
        catalog.names().collect()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let mut code = ExitCode::SUCCESS;
    for name in names {
        let report = catalog.check(name)?;
        writeln!(out, "{name}: {}", report.location)?;
        // A data set that is not here at all is no fault; part of one is.
        let absent = matches!(report.location, Location::Absent { .. });
        if absent && report.files.iter().all(|file| file.outcome == Outcome::Missing) {
            continue;
        }
        for file in &report.files {
            writeln!(out, "  {}", state(file))?;
        }
        if !report.is_good() {
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

fn state(file: &FileCheck) -> String {
    let path = &file.path;
    match &file.outcome {
        Outcome::Right => format!("ok       {path}"),
        Outcome::Missing if file.optional => format!("missing  {path} (not needed)"),
        Outcome::Missing => format!("missing  {path}"),
        Outcome::Wrong { expected, got } => {
            format!("wrong    {path}: sha256 is {got}, should be {expected}")
        }
        _ => format!("unknown  {path}"),
    }
}
