//! What a section is made of.

use super::Table;
use crate::plot::Width;
use serde::{Deserialize, Serialize};

/// One part of the page, following a part of the paper.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) items: Vec<Item>,
}

#[derive(Debug, Clone)]
pub(super) enum Item {
    Statement {
        place: String,
        text: String,
    },
    Text(String),
    Figure(Figure),
    Table(Table),
    /// An index into the report's claims.
    Claim(usize),
}

/// A figure of the report.
#[derive(Debug, Clone)]
pub struct Figure {
    pub(super) id: String,
    pub(super) caption: String,
    pub(super) svg: String,
    pub(super) csv: String,
    pub(super) width: Width,
    pub(super) stand_in: Option<String>,
}

impl Figure {
    /// Says that other data stand in for the paper's; the page shows it above the caption. `None`
    /// leaves the figure as it is.
    #[must_use]
    pub fn stand_in(mut self, note: Option<String>) -> Self {
        self.stand_in = note;
        self
    }
}

/// Where a data set came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFact {
    /// Its name in the catalogue, or that of its generator.
    pub name: String,
    /// Size, for example "11000 points, 256 dimensions, 10 classes".
    pub shape: String,
    /// Where it was found.
    pub found: String,
    /// The sha256 of its files, each with its name.
    pub digests: Vec<String>,
    /// Whether its sha256 was checked; `None` for generated data.
    pub checked: Option<bool>,
    /// Citation and licence as the owner states it.
    pub source: String,
}
