//! Completions and the manual page, from the same definitions as the help.

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::run::Console;
use clap::CommandFactory as _;

/// What a shell needs to complete commands and options.
pub(crate) fn completions(shell: clap_complete::Shell, console: &Console) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gaussfield", &mut script);
    console.bytes(&script)
}

/// The manual page: the program, then each command.
pub(crate) fn manual(console: &Console) -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    let mut pages = Vec::new();
    let commands: Vec<clap::Command> = program.get_subcommands().cloned().collect();
    for command in std::iter::once(program).chain(commands) {
        let written = clap_mangen::Man::new(command).render(&mut pages);
        written.map_err(|error| Failure::Output(format!("the manual page: {error}")))?;
    }
    console.bytes(&pages)
}
