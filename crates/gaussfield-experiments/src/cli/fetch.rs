//! Fetching with words and bars on the terminal, for `data fetch` and before `reproduce`.

use anyhow::Result;
use gaussfield_data::DataError;
use gaussfield_data::catalog::{Catalog, Location, Origin, Progress};
use gaussfield_experiments::Paper;
use gaussfield_report::progress::{LogWriter, TerminalProgress};
use std::io::{BufRead as _, IsTerminal as _, Write};

/// The variable that forbids fetching.
const OFFLINE: &str = "GAUSSFIELD_OFFLINE";

/// Whether the environment forbids fetching; `0` and nothing do not.
pub(super) fn forbidden() -> bool {
    std::env::var_os(OFFLINE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Fetches one data set; every step is a line for `out`, and a bar shows what is received.
pub(super) fn one(
    catalog: &Catalog,
    name: &str,
    out: &mut dyn Write,
) -> Result<Location, DataError> {
    const MEGABYTE: u64 = 1_000_000;
    let mut bar: Option<(TerminalProgress, u64)> = None;
    catalog.fetch(name, |step| match step {
        Progress::Receive { bytes, total } => {
            let (bar, seen) = bar.get_or_insert_with(|| {
                let all = total.unwrap_or(0).div_ceil(MEGABYTE);
                (TerminalProgress::new(name, "MB", usize::try_from(all).unwrap_or(0)), 0)
            });
            while (*seen + 1) * MEGABYTE <= bytes {
                *seen += 1;
                bar.step();
            }
        }
        step => {
            bar = None;
            // Fetching goes on even if nobody listens.
            drop(writeln!(out, "{name}: {step}"));
        }
    })
}

/// Brings the data of papers to this machine before they run, as far as it can be fetched and the
/// user wants it. What is not fetched is said, and the run goes on with what is here.
///
/// # Errors
/// The catalogue does not know a data set that a paper names.
pub(super) fn before(papers: &[&Paper], offline: bool) -> Result<()> {
    let catalog = Catalog::builtin()?;
    let wanted = wanted(&catalog, papers)?;
    if wanted.is_empty() {
        return Ok(());
    }
    let mut out = LogWriter;
    // Words on a closed terminal are no reason not to run.
    drop(writeln!(out, "{}", list(&catalog, &wanted)));
    if offline || forbidden() {
        let why = if offline { "--offline" } else { OFFLINE };
        drop(writeln!(out, "{why}: nothing is fetched; the run uses what is here."));
        return Ok(());
    }
    if !agreed(&mut out) {
        drop(writeln!(out, "Nothing is fetched; the run uses what is here."));
        return Ok(());
    }
    for choices in wanted {
        for (at, (name, _)) in choices.iter().enumerate() {
            let Err(error) = one(&catalog, name, &mut out) else { break };
            drop(writeln!(out, "{name} was not fetched: {error}"));
            let next = match choices.get(at + 1) {
                Some((next, _)) => format!("Trying {next} in its place."),
                None => "The run goes on with what is here.".to_owned(),
            };
            drop(writeln!(out, "{next}"));
        }
    }
    Ok(())
}

/// Data sets that may serve, best first, with where each is fetched from.
type Choices<'a> = Vec<(&'static str, Origin<'a>)>;

/// What the papers need and is not here, each once, as far as it can be fetched.
fn wanted<'a>(catalog: &'a Catalog, papers: &[&Paper]) -> Result<Vec<Choices<'a>>> {
    let mut needs: Vec<&'static [&'static str]> = Vec::new();
    for need in papers.iter().flat_map(|paper| paper.data) {
        if !needs.contains(need) {
            needs.push(need);
        }
    }
    let mut wanted = Vec::new();
    for need in needs {
        let mut here = false;
        let mut choices = Choices::new();
        for &name in need {
            here |= !matches!(catalog.locate(name)?, Location::Absent { .. });
            choices.extend(catalog.entry(name)?.origin().map(|origin| (name, origin)));
        }
        if !here && !choices.is_empty() {
            wanted.push(choices);
        }
    }
    Ok(wanted)
}

fn list(catalog: &Catalog, wanted: &[Choices<'_>]) -> String {
    let mut text = "Data sets of these papers that are not here:".to_owned();
    for choices in wanted {
        let named = |(name, origin): &(&str, Origin<'_>)| format!("{name} from {origin}");
        let words: Vec<String> = choices.iter().map(named).collect();
        text += &format!("\n  {}", words.join(",\n    or else "));
    }
    text + &format!("\nThey are kept in {}.", catalog.places().cache.display())
}

/// The user's answer on a terminal; elsewhere nobody can be asked, and the command stands.
fn agreed(out: &mut dyn Write) -> bool {
    let input = std::io::stdin();
    if !input.is_terminal() || !std::io::stderr().is_terminal() {
        return true;
    }
    drop(write!(out, "Fetch them now? [Y/n] "));
    drop(out.flush());
    let mut answer = String::new();
    let read = input.lock().read_line(&mut answer);
    let answer = answer.trim().to_lowercase();
    read.is_ok_and(|bytes| bytes > 0) && (answer.is_empty() || answer == "y" || answer == "yes")
}
