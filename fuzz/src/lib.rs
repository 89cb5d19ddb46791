//! What is done to every format and every method to see whether it breaks.
//!
//! - [`formats`]: every reader, model and description format, with the seeds of `fuzz/seeds` and what must hold of
//!   whatever bytes it is given;
//! - [`mutate`]: a deterministic mutator;
//! - [`pipelines`]: random pipelines from a generator to predictions, with their invariants;
//! - [`running`]: how long the process has really run;
//! - [`watch`]: an input without an end is told.
//!
//! The programs `mutate`, `flip`, `kill` and `soak` run them for as long as they are told, and print
//! what they counted. `fuzz/coverage` has the same formats as targets of `cargo fuzz`.

#![forbid(unsafe_code)]

pub mod formats;
pub mod mutate;
pub mod options;
pub mod pipelines;
pub mod running;
pub mod watch;
