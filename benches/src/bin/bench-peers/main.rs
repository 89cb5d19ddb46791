//! gaussfield beside its peers: `bench-peers PYTHON SCRIPTS FOLDER [--quick] [--again] [--patience SECONDS]
//! [--page] [STAGE[/SET]…]`.
//!
//! Data are written once into FOLDER/data, each race that ends into FOLDER/races; the page is made of
//! all races that are there, so that a run which was refused or stopped goes on with those that are
//! missing. Of a race for accuracy every row is kept as soon as it ends, and is not run again unless its
//! splits are not complete and the patience is greater, or by `--again`.

#![allow(clippy::print_stdout)] // a terminal program

mod page;
mod plan;
mod race;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use gaussfield_core::files::write_atomically;
use gaussfield_data::read::npy;
use plan::Race;
use race::{Entry, Outcome, Places};

/// Seconds within which splits may begin.
const PATIENCE: f64 = 300.0;

struct Options {
    folder: PathBuf,
    places: Places,
    races: Vec<Race>,
    patience: f64,
    again: bool,
}

fn main() -> anyhow::Result<()> {
    let options = parse(std::env::args().skip(1).collect())?;
    let Options { folder, places, races, patience, again } = &options;
    for &race in races {
        if !write_data(race.set, places)? {
            println!("{race}: left out, GAUSSFIELD_DATA names no folder with {}", race.set);
            continue;
        }
        let (stage, set) = (race.stage.to_string(), race.set.to_string());
        let shape = npy::read(places.data.join(format!("{set}-points.npy")))?.dim();
        let file = folder.join("races").join(format!("{race}.json"));
        let keep = |entries: &[Entry]| -> anyhow::Result<()> {
            let (stage, set, entries) = (stage.clone(), set.clone(), entries.to_vec());
            let outcome = Outcome { stage, set, shape, entries };
            Ok(write_atomically(&file, &serde_json::to_vec_pretty(&outcome)?)?)
        };
        if race.stage.timed() {
            keep(&race::timed(race, places)?)?;
            continue;
        }
        let before = if *again { None } else { read(&file)? };
        let before = before.map(|outcome| outcome.entries).unwrap_or_default();
        let splits = npy::read(places.data.join(format!("{set}-labelled-1.npy")))?.nrows();
        race::accuracy(race, places, splits, *patience, before, keep)?;
    }
    let outcomes = kept(&folder.join("races"))?;
    ensure!(!outcomes.is_empty(), "no race was run: set GAUSSFIELD_DATA, or run with --quick");
    let told = page::write(&outcomes, folder)?;
    write_atomically(&folder.join("peers.json"), &serde_json::to_vec_pretty(&outcomes)?)?;
    println!("{told}\nwritten to {}", folder.display());
    Ok(())
}

fn parse(words: Vec<String>) -> anyhow::Result<Options> {
    let [python, scripts, folder, rest @ ..] = &words[..] else {
        bail!(
            "usage: bench-peers PYTHON SCRIPTS FOLDER [--quick] [--again] [--patience S] [--page] [RACE…]"
        );
    };
    let (mut quick, mut page_only, mut again, mut patience) = (false, false, false, PATIENCE);
    let mut named = Vec::new();
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--quick" => quick = true,
            "--page" => page_only = true,
            "--again" => again = true,
            "--patience" => {
                let seconds = rest.next().context("--patience needs a number of seconds")?;
                patience = seconds.parse().with_context(|| format!("--patience {seconds}"))?;
                ensure!(patience > 0.0, "--patience {seconds}: a positive number of seconds");
            }
            other if other.starts_with('-') => bail!("no option `{other}`"),
            race => named.push(race.to_owned()),
        }
    }
    let own = std::env::current_exe()?;
    let folder = PathBuf::from(folder);
    let scripts = Path::new(scripts);
    let places = Places {
        python: python.into(),
        script: scripts.join("peer.py"),
        contestant: own.with_file_name("contestant"),
        data: folder.join("data"),
    };
    let folder = if quick { folder.join("quick") } else { folder };
    let races = if page_only { Vec::new() } else { plan::races(&named, quick)? };
    Ok(Options { folder, places, races, patience, again })
}

/// Writes what is missing of a set; false where its source is not there.
fn write_data(set: &str, places: &Places) -> anyhow::Result<bool> {
    let is_there = places.data.join(format!("{set}-edges.npy")).is_file();
    if !is_there && ["usps", "mnist"].contains(&set) {
        let source = std::env::var_os("GAUSSFIELD_DATA").map(|folder| Path::new(&folder).join(set));
        if !source.is_some_and(|folder| folder.is_dir()) {
            return Ok(false);
        }
    }
    let script = places.script.with_file_name("data.py");
    let status = Command::new(&places.python).arg(script).arg(&places.data).arg(set).status()?;
    ensure!(status.success(), "{set} could not be written: the lines above say why");
    Ok(true)
}

/// A race that was run, if it was.
fn read(path: &Path) -> anyhow::Result<Option<Outcome>> {
    let Ok(text) = std::fs::read(path) else { return Ok(None) };
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}

/// The races that were run, by stage and set.
fn kept(folder: &Path) -> anyhow::Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for race in [false, true].into_iter().flat_map(|quick| plan::races(&[], quick)).flatten() {
        let Some(outcome) = read(&folder.join(format!("{race}.json")))? else { continue };
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }
    outcomes.sort_by_key(|outcome| outcome.stage.parse::<plan::Stage>().ok());
    Ok(outcomes)
}
