//! Graphs from the outside: searches, patterns, weights with their pullbacks, and what wrong input
//! is told.

mod approximate;
mod bad_input;
mod families;
mod graph;
mod neighbours;
mod pattern;
