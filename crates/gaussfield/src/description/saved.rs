//! Models in files: one sealed format for every method.

use super::Description;
use super::answer::Answer;
use super::extension::Extension;
use super::fitted::{Fitted, Seen};
use crate::{Choice, Error};
use gaussfield_core::files::{Format, NotRead, Refused, read_whole, write_atomically};
use gaussfield_core::{Budget, Facts};
use gaussfield_labels::{Labels, Named as _, NodeScores, Scores, Transductive as _};
use gaussfield_points::prepare::Prepared;
use gaussfield_points::{Points, Rows};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file: a sealed line, the length of a header, the header in JSON, and the arrays that it lists,
/// one after the other, in the byte order of most machines (the least byte first).
const FORMAT: Format = Format { name: "gaussfield-model", oldest: 1, newest: 2 };

/// The number that stands for no label.
const UNLABELLED: u64 = u64::MAX;

/// Why a model cannot be saved or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read.
    #[error("{source}: {}", .source.source)]
    NotRead {
        /// Which, and why.
        #[from]
        source: NotRead,
    },
    /// It is no model, an older or newer one, or damaged.
    #[error("no model can be read: {0}")]
    Refused(#[from] Refused),
    /// Its seal is whole, and what it holds does not go together.
    #[error(
        "the model does not hold together: {reason}; save it anew with the program that reads it"
    )]
    Unsound {
        /// What is wrong.
        reason: String,
    },
}

fn unsound(reason: impl std::fmt::Display) -> Error {
    Error::Model(ModelError::Unsound { reason: reason.to_string() })
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Header {
    description: Description,
    prepared: Vec<Prepared>,
    facts: Facts,
    names: Vec<String>,
    /// Whether the method answers for new points itself: it is fitted again when it is loaded.
    inductive: bool,
    /// Columns of sparse points.
    width: Option<usize>,
    notes: BTreeMap<String, String>,
    /// Since version 2.
    #[serde(default)]
    choices: Vec<Choice>,
    arrays: Vec<Listed>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    name: String,
    rows: usize,
    columns: usize,
}

impl Fitted {
    /// Writes the model into a file, whole or not at all: description, preparations, class names,
    /// answer, notes, and what new points need.
    ///
    /// A method that answers for new points itself is fitted again when it is loaded, to the same
    /// answer to the last bit, which takes as long as it took here; others are read as they were.
    ///
    /// ```
    /// use gaussfield::data::generate::TwoMoons;
    /// use gaussfield::description::{Description, Fitted};
    ///
    /// let moons = TwoMoons { n: 100, noise: 0.05 }.generate(1)?;
    /// let labels = moons.labels.keep(&[0, 99])?;
    /// let plan = Description::automatic(&moons.points, &labels)?;
    /// let fitted = plan.fit(&moons.points, &labels)?;
    /// let again = Fitted::from_bytes(&fitted.to_bytes()?)?;
    /// assert_eq!(again.predictions(), fitted.predictions());
    ///
    /// let new = TwoMoons { n: 10, noise: 0.05 }.generate(2)?.points;
    /// assert_eq!(again.predict_new(&new)?, fitted.predict_new(&new)?);
    /// # Ok::<(), gaussfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be written; as [`Fitted::to_bytes`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Ok(write_atomically(path.as_ref(), &self.to_bytes()?)?)
    }

    /// Reads a model from a file, within a budget of 16 GiB.
    ///
    /// # Errors
    /// The file cannot be read; it is no model, of another version, or was changed since; a method
    /// that cannot be fitted again.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let budget = Budget { bytes: 16 << 30 };
        let bytes = read_whole(path.as_ref(), budget).map_err(ModelError::from)?;
        Self::from_bytes(&bytes)
    }

    /// The bytes of the file that [`Fitted::save`] writes.
    ///
    /// # Errors
    /// A description or facts that JSON does not have, such as a number that is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut arrays = Arrays::default();
        let inductive = self.answer.new.is_some();
        let label = |label: &Option<usize>| label.map_or(UNLABELLED, |class| class as u64);
        arrays.whole("labels", self.labels.as_slice().iter().map(label));
        let mut width = None;
        match self.points.as_ref().map(Points::rows) {
            Some(Rows::Dense(rows)) => arrays.reals("points", rows.dim(), rows.iter().copied()),
            Some(Rows::Sparse(rows)) => {
                width = Some(rows.cols());
                let starts = (0..=rows.rows()).map(|i| rows.indptr().index(i) as u64);
                arrays.whole("starts", starts);
                arrays.whole("columns", rows.indices().iter().map(|&j| j as u64));
                arrays.reals("values", (1, rows.nnz()), rows.data().iter().copied());
            }
            None => {}
        }
        if !inductive {
            let scores = self.scores().values();
            arrays.reals("scores", scores.dim(), scores.iter().copied());
            arrays.whole("islands", self.islands().iter().map(|&node| node as u64));
            if let Some(scales) = self.extension.as_ref().and_then(|of| of.scales.as_ref()) {
                arrays.reals("scales", (1, scales.len()), scales.iter().copied());
            }
        }
        let header = Header {
            description: self.description.clone(),
            prepared: self.prepared.clone(),
            facts: self.facts.clone(),
            names: self.class_names().to_vec(),
            inductive,
            width,
            notes: self.notes.clone(),
            choices: self.choices.clone(),
            arrays: arrays.listed,
        };
        let header = serde_json::to_vec(&header).map_err(unsound)?;
        // A number that is not finite becomes a word in JSON, and could not be read again.
        serde_json::from_slice::<Header>(&header).map_err(unsound)?;
        let mut content = (header.len() as u64).to_le_bytes().to_vec();
        content.extend_from_slice(&header);
        content.extend_from_slice(&arrays.bytes);
        Ok(FORMAT.seal(&content))
    }

    /// Reads what [`Fitted::to_bytes`] wrote.
    ///
    /// # Errors
    /// As [`Fitted::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let content = FORMAT.open(bytes).map_err(ModelError::from)?.content;
        let (length, rest) = content.split_first_chunk().ok_or_else(|| unsound("it is empty"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(unsound)?;
        let cut = || unsound("the header is longer than the file");
        let (header, rest) = rest.split_at_checked(length).ok_or_else(cut)?;
        let mut header: Header = serde_json::from_slice(header).map_err(unsound)?;
        header.description.check()?;
        let listed = std::mem::take(&mut header.arrays);
        let mut arrays = Found::new(&listed, rest)?;
        let labels = arrays.whole("labels").ok_or_else(|| unsound("it has no labels"))?;
        let class = |label: u64| match label {
            UNLABELLED => Ok(None),
            class => usize::try_from(class).map(Some),
        };
        let labels: Result<Vec<_>, _> = labels.into_iter().map(class).collect();
        let labels = Labels::new(labels.map_err(unsound)?, header.names.clone())?;
        let points = arrays.points(header.width)?;
        if points.as_ref().is_some_and(|points| points.len() != labels.len()) {
            return Err(unsound("labels and points differ in number"));
        }
        let Header { description, prepared, facts, notes, choices, inductive, .. } = header;
        let fitted = if inductive {
            let points = points.ok_or_else(|| unsound("it has no points"))?;
            let plain = Description { prepare: Vec::new(), ..description.clone() };
            Self { description, prepared, facts, ..plain.fit(&points, &labels)? }
        } else {
            Self::as_it_was((description, prepared, facts), points, labels, &mut arrays)?
        };
        Ok(Self { notes, choices, ..fitted })
    }

    /// A model whose method is not needed any more.
    fn as_it_was(
        (description, prepared, facts): (Description, Vec<Prepared>, Facts),
        points: Option<Points>,
        labels: Labels,
        arrays: &mut Found<'_>,
    ) -> Result<Self, Error> {
        let (dim, values) = arrays.reals("scores")?.ok_or_else(|| unsound("it has no scores"))?;
        if dim != (labels.len(), labels.classes()) {
            return Err(unsound("scores and labels differ in number"));
        }
        let scores = Scores::new(Array2::from_shape_vec(dim, values).map_err(unsound)?)?;
        let islands = arrays.whole("islands").unwrap_or_default();
        let islands: Result<Vec<usize>, _> = islands.into_iter().map(usize::try_from).collect();
        let scales = arrays.reals("scales")?.map(|(_, scales)| scales.into());
        let extension = match (&points, &description.graph, &description.weights) {
            (Some(points), Some(graph), Some(weights)) => {
                Some(Extension::new(points, graph, weights, scales))
            }
            _ => None,
        };
        let nodes = NodeScores::new(&labels, scores, Facts::default())?;
        let answer = Answer::nodes(nodes.on_islands(islands.map_err(unsound)?));
        let seen = Seen { prepared, points, labels, extension };
        let fitted = Self::new(description, seen, Facts::default(), answer, None)?;
        Ok(Self { facts, ..fitted })
    }
}

/// Arrays on their way into a file.
#[derive(Default)]
struct Arrays {
    listed: Vec<Listed>,
    bytes: Vec<u8>,
}

impl Arrays {
    fn whole(&mut self, name: &str, values: impl Iterator<Item = u64>) {
        let before = self.bytes.len();
        values.for_each(|value| self.bytes.extend_from_slice(&value.to_le_bytes()));
        let columns = (self.bytes.len() - before) / 8;
        self.listed.push(Listed { name: name.to_owned(), rows: 1, columns });
    }

    fn reals(&mut self, name: &str, dim: (usize, usize), values: impl Iterator<Item = f64>) {
        self.whole(name, values.map(f64::to_bits));
        if let Some(last) = self.listed.last_mut() {
            (last.rows, last.columns) = dim;
        }
    }
}

/// A shape and its numbers.
type Reals = ((usize, usize), Vec<f64>);

/// Arrays of a file, by name.
struct Found<'a> {
    by_name: BTreeMap<&'a str, ((usize, usize), &'a [u8])>,
}

impl<'a> Found<'a> {
    fn new(listed: &'a [Listed], mut rest: &'a [u8]) -> Result<Self, Error> {
        let mut by_name = BTreeMap::new();
        for Listed { name, rows, columns } in listed {
            let bytes = rows.checked_mul(*columns).and_then(|count| count.checked_mul(8));
            let parts = bytes.and_then(|bytes| rest.split_at_checked(bytes));
            let cut = || unsound(format!("the array {name:?} is longer than the file"));
            let (own, after) = parts.ok_or_else(cut)?;
            rest = after;
            if by_name.insert(name.as_str(), ((*rows, *columns), own)).is_some() {
                return Err(unsound(format!("the array {name:?} is there twice")));
            }
        }
        if rest.is_empty() { Ok(Self { by_name }) } else { Err(unsound("bytes are left over")) }
    }

    fn take(&mut self, name: &str) -> Option<((usize, usize), impl Iterator<Item = u64> + 'a)> {
        let (dim, bytes) = self.by_name.remove(name)?;
        let eight = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        Some((dim, bytes.chunks_exact(8).map(eight)))
    }

    fn whole(&mut self, name: &str) -> Option<Vec<u64>> {
        self.take(name).map(|(_, values)| values.collect())
    }

    fn reals(&mut self, name: &str) -> Result<Option<Reals>, Error> {
        let Some((dim, values)) = self.take(name) else { return Ok(None) };
        let values: Vec<f64> = values.map(f64::from_bits).collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(unsound(format!("entry {at} of {name:?} is not finite"))),
            None => Ok(Some((dim, values))),
        }
    }

    fn points(&mut self, width: Option<usize>) -> Result<Option<Points>, Error> {
        let Some(width) = width else {
            let Some((dim, values)) = self.reals("points")? else { return Ok(None) };
            let rows = Array2::from_shape_vec(dim, values).map_err(unsound)?;
            return Ok(Some(Points::dense(rows)?));
        };
        let none = || unsound("its sparse points are not whole");
        let starts = self.whole("starts").ok_or_else(none)?;
        let columns = self.whole("columns").ok_or_else(none)?;
        let (_, values) = self.reals("values")?.ok_or_else(none)?;
        let small = |all: Vec<u64>| -> Result<Vec<usize>, _> {
            all.into_iter().map(usize::try_from).collect()
        };
        let starts = small(starts).map_err(unsound)?;
        let dim = (starts.len().saturating_sub(1), width);
        let rows = sprs::CsMat::try_new(dim, starts, small(columns).map_err(unsound)?, values);
        Ok(Some(Points::sparse(rows.map_err(|(_, _, _, error)| unsound(error))?)?))
    }
}
