//! `cargo xtask doc`: the documentation, with its formulas set.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command as Process;

use anyhow::{Context, ensure};
use lexopt::Arg::Long;

use crate::command::{Command, Exit};
use crate::process::{cargo_with_blas, output, quiet, root, run, succeeds, target};
use crate::setup;

pub(crate) const COMMAND: Command = Command {
    name: "doc",
    summary: "Build the documentation of every crate and open it",
    help: HELP,
    run: command,
};

const HELP: &str = "\
Build the documentation of every crate, with its formulas set, and open it.

Usage: cargo xtask doc [--no-open]

Warnings are errors: a link that leads nowhere is one. The formulas are set by
KaTeX. Where npm is installed, KaTeX is put beside the pages once, so that they
need no network; without it a browser asks the network for it, and without a
network the formulas are shown as TeX.

Options:
      --no-open  Build only, and print where the pages are
  -h, --help     Print this

Examples:
  cargo xtask doc
  cargo xtask doc --no-open";

/// Goes into the head of every page; each package has it too, for docs.rs.
const HEADER: &str = "docs/katex.html";

fn command(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let open = wants_open(arguments)?;
    setup::ensure()?;
    let exit = build()?;
    if !exit.is_success() {
        return Ok(exit);
    }
    let pages = target().join("doc");
    if let Err(error) = place_katex(&pages) {
        eprintln!("note: formulas need a network, or are shown as TeX: {error:#}");
    }
    let first = pages.join("gaussfield").join("index.html");
    println!("{}", first.display());
    if open && !browse(&first) {
        eprintln!("note: no program to open it was found");
    }
    Ok(Exit::SUCCESS)
}

fn wants_open(arguments: Vec<OsString>) -> Result<bool, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut open = true;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("no-open") => open = false,
            other => return Err(other.unexpected()),
        }
    }
    Ok(open)
}

/// Builds the pages; a warning is an error.
pub(crate) fn build() -> anyhow::Result<Exit> {
    let header = root().join(HEADER);
    // Separated by a character that no path has, unlike the blanks of RUSTDOCFLAGS.
    let words = [OsStr::new("-Dwarnings"), OsStr::new("--html-in-header"), header.as_os_str()];
    let mut command = cargo_with_blas();
    command.args(["doc", "--workspace", "--no-deps"]);
    command.env("CARGO_ENCODED_RUSTDOCFLAGS", words.join(OsStr::new("\u{1f}")));
    run(&mut command)
}

/// Puts KaTeX beside the pages, in the version the header names, unless it is there.
fn place_katex(pages: &Path) -> anyhow::Result<()> {
    let header = std::fs::read_to_string(root().join(HEADER)).context(HEADER)?;
    let package = package(&header).with_context(|| format!("{HEADER} names no version"))?;
    let place = pages.join("katex");
    if std::fs::read_to_string(place.join("VERSION")).is_ok_and(|version| version == package) {
        return Ok(());
    }
    ensure!(succeeds("npm", &["--version"]), "npm is not installed");
    std::fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    let mut npm = Process::new("npm");
    npm.args(["pack", "--silent", package]).current_dir(&place);
    let archive = output(&mut npm)?;
    let mut tar = Process::new("tar");
    tar.args(["-xzf", archive.trim(), "--strip-components=2", "package/dist"]).current_dir(&place);
    output(&mut tar)?;
    std::fs::remove_file(place.join(archive.trim())).context("the archive")?;
    // Last, so that what is there by half is fetched again.
    std::fs::write(place.join("VERSION"), package).context("VERSION")
}

/// The words `katex@VERSION` in the header.
fn package(header: &str) -> Option<&str> {
    let start = header.find("katex@")?;
    header[start..].split('/').next()
}

/// Hands a page to the system's browser.
fn browse(page: &Path) -> bool {
    let with = |program: &OsStr| quiet(Process::new(program).arg(page));
    std::env::var_os("BROWSER").is_some_and(|browser| with(&browser))
        || ["xdg-open", "open", "explorer"].iter().any(|program| with(OsStr::new(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_names_a_version_and_its_sums() {
        let header = std::fs::read_to_string(root().join(HEADER)).unwrap();
        let package = package(&header).unwrap();
        assert!(package.starts_with("katex@0."), "{package}");
        assert_eq!(header.matches("sha384-").count(), 2);
    }

    #[test]
    fn pages_are_opened_unless_told_otherwise() {
        assert!(wants_open(Vec::new()).unwrap());
        assert!(!wants_open(vec!["--no-open".into()]).unwrap());
    }
}
