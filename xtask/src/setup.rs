//! `cargo xtask setup`: the system packages that the build needs.
//!
//! What is checked is what `openblas-src` (feature `system`) does: it asks
//! pkg-config for `openblas`; where that fails it links plain `-lopenblas`, on
//! macOS with Homebrew's folder. So OpenBLAS is there if pkg-config knows it,
//! or if a small C program links with it.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use anyhow::{Context, bail};
use lexopt::Arg::Long;

use crate::command::{Command, Exit};
use crate::distributed;
use crate::packages::{BY_HAND, Manager, Missing, Privilege};
use crate::process::{line, output, quiet, root, run, succeeds, target};

pub(crate) const COMMAND: Command = Command {
    name: "setup",
    summary: "Find OpenBLAS, or install it with the system's package manager",
    help: HELP,
    run: command,
};

const HELP: &str = "\
Find what the build needs from the system; install what is missing.

Usage: cargo xtask setup [--check] [--distributed]

Looks for a C compiler and for OpenBLAS (pkg-config, or a plain -lopenblas).
Where one is missing, and this is root or sudo asks no password, it is
installed with apt-get, dnf, pacman or brew. Otherwise the one line to run is
printed and the exit status is 1.

Every other command that needs OpenBLAS does this first, and says nothing when
nothing is missing.

Options:
      --check        Look only, install nothing; exit status 1 if something is
                     missing
      --distributed  MPI and hypre too, which only gaussfield-distributed uses
  -h, --help         Print this

Environment:
  PKG_CONFIG, PKG_CONFIG_PATH  are honoured, as the build honours them

Examples:
  cargo xtask setup
  cargo xtask setup --check
  cargo xtask setup --distributed";

fn command(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let (check, distributed) = wanted(arguments)?;
    if distributed && !distributed::set_up(check)?.is_success() {
        return Ok(Exit::FAILURE);
    }
    if check {
        let missing = missing();
        if missing.nothing() {
            report_found()?;
            return Ok(Exit::SUCCESS);
        }
        println!("missing: {}", missing.words());
        println!("{}", remedy(Manager::choose(is_on_path), missing, privilege()));
        return Ok(Exit::FAILURE);
    }
    ensure()?;
    report_found()?;
    Ok(Exit::SUCCESS)
}

/// Whether to look only, and whether MPI is wanted too.
fn wanted(arguments: Vec<OsString>) -> Result<(bool, bool), lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let (mut check, mut distributed) = (false, false);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("check") => check = true,
            Long("distributed") => distributed = true,
            other => return Err(other.unexpected()),
        }
    }
    Ok((check, distributed))
}

/// Installs what is missing, or fails with the line to run. Silent otherwise.
pub(crate) fn ensure() -> anyhow::Result<()> {
    let missing = missing();
    if missing.nothing() {
        return Ok(());
    }
    let manager = Manager::choose(is_on_path);
    let privilege = privilege();
    match manager {
        Some(manager) if manager.may_install(privilege) => {
            install(manager, missing, privilege)?;
        }
        _ => bail!("{} is missing\n{}", missing.words(), remedy(manager, missing, privilege)),
    }
    let still = self::missing();
    if !still.nothing() {
        bail!(
            "the packages are installed, but the build would not find {}; {BY_HAND}",
            still.words()
        );
    }
    println!("set-up: done");
    Ok(())
}

fn install(manager: Manager, missing: Missing, privilege: Privilege) -> anyhow::Result<()> {
    println!("set-up: installing {}", missing.words());
    let commands = manager.commands(missing, privilege);
    let last = commands.len().saturating_sub(1);
    for (index, words) in commands.iter().enumerate() {
        let Some((program, arguments)) = words.split_first() else { continue };
        let mut process = Process::new(program);
        process.args(arguments).stdin(Stdio::null());
        println!("set-up: {}", line(&process));
        let exit = run(&mut process)?;
        // A list of packages that could not be refreshed may still be enough.
        if !exit.is_success() && index == last {
            bail!("`{}` failed\n{}", line(&process), remedy(Some(manager), missing, privilege));
        }
    }
    Ok(())
}

fn remedy(manager: Option<Manager>, missing: Missing, privilege: Privilege) -> String {
    match manager {
        Some(manager) => {
            format!(
                "run this, then the command again:\n\n    {}\n",
                manager.line(missing, privilege)
            )
        }
        None => BY_HAND.to_string(),
    }
}

fn report_found() -> anyhow::Result<()> {
    if !links_openblas(&pkg_config_libs()) {
        bail!(
            "OpenBLAS is found, but a C program that uses its BLAS and LAPACK does not link; \
             {BY_HAND}"
        );
    }
    let version = pkg_config(&["--modversion", "openblas"]).and_then(|mut c| output(&mut c).ok());
    let version = version.as_deref().map_or("of unknown version", str::trim);
    println!("C compiler: {}", compiler().unwrap_or("none"));
    println!("OpenBLAS:   {version}, links");
    Ok(())
}

fn missing() -> Missing {
    Missing {
        compiler: compiler().is_none(),
        openblas: !pkg_config(&["--exists", "openblas"]).is_some_and(|mut c| quiet(&mut c))
            && !links_openblas(&["-lopenblas".to_string()]),
    }
}

/// The compiler by which Rust links, or one that may be configured in its place.
fn compiler() -> Option<&'static str> {
    ["cc", "gcc", "clang"].into_iter().find(|name| succeeds(name, &["--version"]))
}

/// A call of the pkg-config that the build will use, if there is one.
fn pkg_config(arguments: &[&str]) -> Option<Process> {
    let program = match std::env::var_os("PKG_CONFIG") {
        Some(program) => program,
        None => ["pkg-config", "pkgconf"].into_iter().find(|name| is_on_path(name))?.into(),
    };
    let mut process = Process::new(program);
    process.args(arguments).envs(pkg_config_environment());
    Some(process)
}

fn pkg_config_libs() -> Vec<String> {
    let found = pkg_config(&["--libs", "openblas"]).and_then(|mut c| output(&mut c).ok());
    let flags = found.unwrap_or_else(|| "-lopenblas".to_string());
    flags.split_whitespace().map(str::to_string).collect()
}

/// Links a program that calls one function of each part that the crates use.
fn links_openblas(flags: &[String]) -> bool {
    const PROGRAM: &str =
        "void cblas_dgemm(void); void dpotrf_(void); int main(void) { cblas_dgemm(); dpotrf_(); }";
    let probe = || -> anyhow::Result<bool> {
        let folder = target().join("xtask");
        std::fs::create_dir_all(&folder).context("no folder for the probe")?;
        // One name per process: two commands may look at the same time.
        let program = folder.join(format!("openblas-probe-{}", std::process::id()));
        let mut process = Process::new(compiler().context("no C compiler")?);
        process.args(["-x", "c", "-", "-o"]).arg(&program).args(flags);
        process.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = process.spawn()?;
        child.stdin.take().context("no standard input")?.write_all(PROGRAM.as_bytes())?;
        let linked = child.wait()?.success();
        // Left behind only if it cannot be removed; it is in the target folder.
        let _ = std::fs::remove_file(&program);
        Ok(linked)
    };
    probe().unwrap_or(false)
}

/// `PKG_CONFIG_PATH` with Homebrew's OpenBLAS, which is not in the usual place.
pub(crate) fn pkg_config_environment() -> Vec<(&'static str, OsString)> {
    if !cfg!(target_os = "macos") {
        return Vec::new();
    }
    let Ok(prefix) = output(Process::new("brew").args(["--prefix", "openblas"])) else {
        return Vec::new();
    };
    let keg = PathBuf::from(prefix.trim()).join("lib/pkgconfig");
    let own = std::env::var_os("PKG_CONFIG_PATH").unwrap_or_default();
    let folders = std::env::split_paths(&own).chain([keg]).filter(|p| !p.as_os_str().is_empty());
    std::env::join_paths(folders).map_or_else(|_| Vec::new(), |p| vec![("PKG_CONFIG_PATH", p)])
}

pub(crate) fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

pub(crate) fn privilege() -> Privilege {
    let user = Process::new("id").arg("-u").current_dir(root()).output();
    if user.is_ok_and(|found| found.stdout.trim_ascii() == b"0") {
        Privilege::Root
    } else if succeeds("sudo", &["-n", "true"]) {
        Privilege::Sudo
    } else {
        Privilege::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let parse = |words: &[&str]| wanted(words.iter().map(OsString::from).collect());
        assert_eq!(parse(&[]).unwrap(), (false, false));
        assert_eq!(parse(&["--check"]).unwrap(), (true, false));
        assert_eq!(parse(&["--distributed"]).unwrap(), (false, true));
        assert!(parse(&["--check=yes"]).is_err());
        assert!(parse(&["--install"]).is_err());
        assert!(parse(&["now"]).is_err());
    }

    #[test]
    fn remedy_is_one_line_to_run() {
        let missing = Missing { compiler: false, openblas: true };
        let text = remedy(Some(Manager::Apt), missing, Privilege::None);
        assert!(text.contains("sudo apt-get install -y libopenblas-dev pkg-config"), "{text}");
        assert!(remedy(None, missing, Privilege::None).contains("pkg-config --exists openblas"));
    }
}
