//! A made-up paper goes through the whole machinery.

use openblas_src as _;

mod output;
mod paper;
mod resume;
