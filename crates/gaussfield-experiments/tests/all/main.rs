//! The program and the machinery behind it: a made-up paper goes all the way.

use openblas_src as _;

mod cli;
mod output;
mod paper;
mod resume;
