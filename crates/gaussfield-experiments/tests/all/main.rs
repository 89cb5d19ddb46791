//! The program and the machinery behind it: a made-up paper goes all the way.

mod cli;
mod output;
mod paper;
mod resume;
