//! What `cargo deny` says of the dependencies, where it is installed; versions that occur twice in any case.

use super::duplicates;
use crate::command::Exit;
use crate::process::{cargo, quiet, run};

/// Minutes to compile: not asked of a machine that has none. Licences and versions that occur twice are
/// checked in any case.
const ABSENT: &str = "cargo-deny is not installed: bans, sources and advisories are not checked \
                      (`cargo install cargo-deny --locked` installs it)";

const UNREACHABLE: &str = "licences, bans and sources hold; the database of advisories cannot be \
                           reached: advisories are not checked";

/// `deny.toml` holds the rules.
pub(crate) fn check() -> anyhow::Result<Exit> {
    println!("{}", duplicates::check()?);
    if !quiet(cargo().args(["deny", "--version"])) {
        println!("{ABSENT}");
        return Ok(Exit::SUCCESS);
    }
    let held = deny(&["bans", "licenses", "sources"])?;
    if !held.is_success() {
        return Ok(held);
    }
    if !quiet(cargo().args(["deny", "fetch", "db"])) {
        println!("{UNREACHABLE}");
        return Ok(Exit::SUCCESS);
    }
    deny(&["advisories"])
}

fn deny(what: &[&str]) -> anyhow::Result<Exit> {
    run(cargo().args(["deny", "--workspace", "check"]).args(what))
}
