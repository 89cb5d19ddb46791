//! What stands around the sections: the head of the page, and how it was made.

use super::Table;

/// What stands at the head of the page. Empty parts take no room.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    /// A short line above the title: what kind of report this is.
    pub kind: String,
    /// The title.
    pub title: String,
    /// Whose work it is about and where it appeared, or what was measured.
    pub source: String,
    /// What it is about; empty lines part paragraphs.
    pub summary: String,
    /// What a reader must know before the first number, such as that the run was a short one.
    /// Words between backticks are set as code.
    pub notes: Vec<String>,
}

/// How the report was made; it stands at the end of the page. Empty parts take no room.
#[derive(Debug, Clone, Default)]
pub struct Colophon {
    /// Facts of the run by name: program, wall time, seed.
    pub facts: Vec<(String, String)>,
    /// Tables about the run.
    pub tables: Vec<Table>,
    /// The command that makes the report again.
    pub command: String,
    /// What to know about running it again; words between backticks are set as code.
    pub advice: String,
}
