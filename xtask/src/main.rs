//! The workspace's own commands, run as `cargo xtask COMMAND`.
//!
//! On a fresh machine with Rust, a C toolchain and a network this program is
//! the only thing that compiles before the system packages are there: it links
//! no BLAS and has two small dependencies. One file per command; each file
//! holds its help text, its argument parsing and its work.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a terminal program

mod bench;
mod command;
mod cpu;
mod distributed;
mod doc;
mod experiments;
mod fuzz;
mod json;
mod packages;
mod process;
mod python;
mod results;
mod setup;
mod suggest;
mod test;
mod validate;

use std::ffi::OsString;
use std::process::ExitCode;

use command::{Command, Exit, is_usage};

/// Every command, in the order in which a newcomer needs them.
const COMMANDS: &[Command] = &[
    setup::COMMAND,
    test::COMMAND,
    validate::COMMAND,
    doc::COMMAND,
    experiments::DATA,
    experiments::GOLDEN,
    experiments::REPRODUCE,
    results::COMMAND,
    bench::COMMAND,
    python::COMMAND,
    fuzz::FUZZ,
    fuzz::SOAK,
];

fn main() -> ExitCode {
    ExitCode::from(dispatch(std::env::args_os().skip(1).collect()).0)
}

/// Finds the command named first and runs it with the remaining arguments.
fn dispatch(mut arguments: Vec<OsString>) -> Exit {
    if arguments.is_empty() {
        println!("{}", overview());
        return Exit::SUCCESS;
    }
    let mut first = arguments.remove(0);
    if first == "help" && !arguments.is_empty() {
        // `cargo xtask help test` reads like `cargo xtask test --help`.
        first = arguments.remove(0);
        arguments = vec!["--help".into()];
    }
    if first == "help" || first == "--help" || first == "-h" {
        println!("{}", overview());
        return Exit::SUCCESS;
    }
    match COMMANDS.iter().find(|command| first == command.name) {
        Some(command) => run(command, arguments),
        None => {
            eprintln!("{}", unknown(&first.to_string_lossy()));
            Exit::USAGE
        }
    }
}

fn run(command: &Command, arguments: Vec<OsString>) -> Exit {
    if asks_for_help(&arguments) {
        println!("{}", command.help.trim_end());
        return Exit::SUCCESS;
    }
    match (command.run)(arguments) {
        Ok(exit) => exit,
        Err(error) if is_usage(&error) => {
            eprintln!("error: {error}\n\n{}", command.help.trim_end());
            Exit::USAGE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            Exit::FAILURE
        }
    }
}

/// True if help is asked for before a `--`, after which all belongs to others.
fn asks_for_help(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|a| *a != "--").any(|a| a == "--help" || a == "-h")
}

fn overview() -> String {
    let width = COMMANDS.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let mut text = String::from(
        "The workspace's commands.\n\nUsage: cargo xtask COMMAND [ARGS]\n\nCommands:\n",
    );
    for command in COMMANDS {
        text += &format!("  {:width$}  {}\n", command.name, command.summary);
    }
    text += "\nEvery command that needs OpenBLAS runs `setup` first.\n\
             `cargo xtask COMMAND --help` says more. To begin with:\n\n  \
             cargo xtask test\n  \
             cargo xtask reproduce zhu2003";
    text
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let hint = match suggest::closest(name, &names) {
        Some(near) => format!("did you mean `cargo xtask {near}`?"),
        None => format!("the commands are: {}", names.join(", ")),
    };
    format!("error: no command `{name}`; {hint}\n`cargo xtask --help` explains them all.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn overview_names_every_command_once() {
        let text = overview();
        for command in COMMANDS {
            let row = format!("\n  {} ", command.name);
            assert_eq!(text.matches(&row).count(), 1, "{}", command.name);
        }
    }

    #[test]
    fn every_help_has_usage_and_examples() {
        for command in COMMANDS {
            let usage = format!("Usage: cargo xtask {}", command.name);
            assert!(command.help.contains(&usage), "{} lacks its usage", command.name);
            assert!(command.help.contains("Examples:"), "{} lacks examples", command.name);
        }
    }

    #[test]
    fn unknown_command_suggests_a_near_one() {
        assert!(unknown("reprodcue").contains("`cargo xtask reproduce`"));
        assert!(unknown("xyzzy").contains("the commands are: setup, test"));
        assert_eq!(dispatch(words("valdate")), Exit::USAGE);
    }

    #[test]
    fn misspelt_option_is_a_usage_error_before_anything_runs() {
        let lines = [
            "setup --chekc",
            "setup extra",
            "setup --distribute",
            "test --distributed harmonic",
            "test --nocapture",
            "validate --skip nothing",
            "validate --only",
            "doc --open",
            "data",
            "data fetch",
            "data lisst",
            "golden",
            "reproduce",
            "reproduce zhu2003 --trial 3",
            "reproduce zhu2003 --trials three",
            "reproduce zhu2003 --threads 0",
            "results --kwick",
            "bench nosuchsuite",
            "python --biuld",
            "bench compare old",
            "bench peers nosuchstage",
        ];
        for line in lines {
            assert_eq!(dispatch(words(line)), Exit::USAGE, "{line}");
        }
    }

    #[test]
    fn help_is_found_before_a_double_dash_only() {
        assert!(asks_for_help(&words("--quick --help")));
        assert!(!asks_for_help(&words("-- --help")));
    }
}
