//! Points with their names and classes, and graphs as they stand in files.

use gaussfield_labels::Labels;
use gaussfield_points::Points;

/// Named points with what is known of their classes.
///
/// The readers and generators make one; `labels` holds the whole truth where the source has it,
/// and splits choose which of these labels a method may see.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// A short name for reports.
    pub name: String,
    /// n points in d dimensions.
    pub points: Points,
    /// n labels, some or all of them known.
    pub labels: Labels,
    /// The names of the d features, where the source names them.
    pub feature_names: Option<Vec<String>>,
    /// What the source calls each of the n points, where it names them.
    pub ids: Option<Vec<String>>,
    /// Columns that were read as text, to be handed on (`CsvOptions::keep`).
    pub kept: Vec<KeptColumn>,
}

/// A column of a table as it stands there, which tells nothing of the classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptColumn {
    /// What the table calls it.
    pub name: String,
    /// A text for each row, empty where nothing stands.
    pub cells: Vec<String>,
}

impl Dataset {
    /// Points and labels whose source names neither features nor points.
    pub fn new(name: impl Into<String>, points: Points, labels: Labels) -> Self {
        Self { name: name.into(), points, labels, feature_names: None, ids: None, kept: Vec::new() }
    }

    /// The number of points, n.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The number of features, d.
    pub fn dim(&self) -> usize {
        self.points.dim()
    }

    /// The number of classes, C.
    pub fn classes(&self) -> usize {
        self.labels.classes()
    }

    /// The given rows, in the given order, as a data set of the same name and classes.
    ///
    /// # Errors
    /// A row past the end of the points or of the labels.
    pub fn select(&self, rows: &[usize]) -> Result<Self, crate::DataError> {
        Ok(Self {
            name: self.name.clone(),
            points: self.points.select(rows)?,
            labels: self.labels.select(rows)?,
            feature_names: self.feature_names.clone(),
            ids: self.ids.as_ref().map(|ids| chosen(ids, rows)),
            kept: self.kept.iter().map(|column| column.select(rows)).collect(),
        })
    }
}

impl KeptColumn {
    fn select(&self, rows: &[usize]) -> Self {
        Self { name: self.name.clone(), cells: chosen(&self.cells, rows) }
    }
}

/// The texts of some rows; the points have refused rows past the end by now.
fn chosen(texts: &[String], rows: &[usize]) -> Vec<String> {
    rows.iter().filter_map(|&row| texts.get(row)).cloned().collect()
}

/// A ready-made graph as it stands in a file: weighted pairs of 0-based nodes.
///
/// Nothing is checked beyond the syntax: repeated edges, self-loops and negative weights are
/// kept, and the graph that is built from the list decides about them.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeList {
    /// The number of nodes; nodes without an edge count.
    pub nodes: usize,
    /// (u, v, weight) in the order of the file.
    pub edges: Vec<(usize, usize, f64)>,
    /// The node names of the file, where nodes are named by text.
    pub ids: Option<Vec<String>>,
}
