//! gaussfield beside its peers: `bench-peers PYTHON SCRIPTS FOLDER [--quick] [--patience SECONDS]
//! [--page] [STAGE[/SET]…]`.
//!
//! Data are written once into FOLDER/data, each race that ends into FOLDER/races; the page is made of
//! all races that are there, so that a run which was refused or stopped goes on with those that are
//! missing.

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
use race::{Outcome, Places};

/// Seconds within which splits may begin.
const PATIENCE: f64 = 20.0;

struct Options {
    folder: PathBuf,
    places: Places,
    races: Vec<Race>,
    patience: f64,
}

fn main() -> anyhow::Result<()> {
    let options = parse(std::env::args().skip(1).collect())?;
    let Options { folder, places, races, patience } = &options;
    for &race in races {
        if !write_data(race.set, places)? {
            println!("{race}: left out, GAUSSFIELD_DATA names no folder with {}", race.set);
            continue;
        }
        let points = npy::read(places.data.join(format!("{}-points.npy", race.set)))?;
        let outcome = Outcome {
            stage: race.stage.to_string(),
            set: race.set.to_string(),
            shape: points.dim(),
            entries: race::run(race, places, *patience)?,
        };
        let file = folder.join("races").join(format!("{race}.json"));
        write_atomically(&file, &serde_json::to_vec_pretty(&outcome)?)?;
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
        bail!("usage: bench-peers PYTHON SCRIPTS FOLDER [--quick] [--patience S] [--page] [RACE…]");
    };
    let (mut quick, mut page_only, mut patience) = (false, false, PATIENCE);
    let mut named = Vec::new();
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--quick" => quick = true,
            "--page" => page_only = true,
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
    Ok(Options { folder, places, races, patience })
}

/// Writes a set unless it is there; false where its source is not.
fn write_data(set: &str, places: &Places) -> anyhow::Result<bool> {
    if places.data.join(format!("{set}-edges.npy")).is_file() {
        return Ok(true);
    }
    if ["usps", "mnist"].contains(&set) {
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

/// The races that were run, by stage and set.
fn kept(folder: &Path) -> anyhow::Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for race in [false, true].into_iter().flat_map(|quick| plan::races(&[], quick)).flatten() {
        let path = folder.join(format!("{race}.json"));
        let Ok(text) = std::fs::read(&path) else { continue };
        let outcome: Outcome =
            serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }
    outcomes.sort_by_key(|outcome| outcome.stage.parse::<plan::Stage>().ok());
    Ok(outcomes)
}
