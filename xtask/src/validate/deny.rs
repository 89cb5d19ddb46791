//! What `cargo deny` says of the dependencies, where it is installed.

use crate::command::Exit;
use crate::process::{cargo, quiet, run};

/// Minutes to compile: not asked of a machine that has none. Licences and the one version of ndarray are
/// checked by steps of their own in any case.
const ABSENT: &str = "cargo-deny is not installed: nothing checked \
                      (`cargo install cargo-deny --locked` installs it)";

const UNREACHABLE: &str = "licences, bans and sources hold; the database of advisories cannot be \
                           reached: advisories are not checked";

/// `deny.toml` holds the rules.
pub(crate) fn check() -> anyhow::Result<Exit> {
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
