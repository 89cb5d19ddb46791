//! The programs in a bounded form, under a limit of memory.

use std::process::Command;

/// Kilobytes of address space: an input that asks for much more memory than it has bytes ends the
/// program.
const MEMORY: &str = "1500000";

/// Runs one of the programs where it may not take more than the memory.
fn run(program: &str, arguments: &[&str]) {
    let limited = "ulimit -v \"$1\" && shift && exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", MEMORY, program]).args(arguments);
    // Threads reserve addresses that they do not use.
    command.env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2");
    let output = command.output().expect("a shell");
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {told}\n{errors}");
}

#[test]
fn mutated_files_are_read_or_refused() {
    run(env!("CARGO_BIN_EXE_mutate"), &["--inputs", "100000", "--seed", "1"]);
}

#[test]
fn the_limit_of_memory_is_one() {
    let limited = "ulimit -v 20000 && exec \"$0\" --inputs 10";
    let mut command = Command::new("sh");
    let status = command.args(["-c", limited, env!("CARGO_BIN_EXE_mutate")]).output();
    assert!(!status.expect("a shell").status.success(), "20 MB of addresses are not enough");
}

#[test]
fn no_flipped_bit_loads() {
    run(env!("CARGO_BIN_EXE_flip"), &["--bits", "3000"]);
}

#[test]
fn killed_writers_leave_whole_files() {
    run(env!("CARGO_BIN_EXE_kill"), &["--kills", "10"]);
}

#[test]
fn random_pipelines_keep_their_invariants() {
    run(env!("CARGO_BIN_EXE_soak"), &["--seconds", "10"]);
}
