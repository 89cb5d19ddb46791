//! From documents to word counts and tf-idf vectors.
//!
//! A *token* is a maximal run of letters, digits (any number character, so also `²`) and
//! underscores, lower-cased. Everything else separates tokens. Nothing is removed: no stop words,
//! no stemming, no cut-off by frequency, headers are text like the rest (Zhu, Ghahramani and
//! Lafferty 2003, section 7).
//!
//! With tf(d, w) the number of times the word w occurs in document d, df(w) the number of N
//! documents in which it occurs,
//!
//! ```math
//! \text{tf-idf}(d, w) = \text{tf}(d, w) \cdot \ln \frac{N}{\text{df}(w)}.
//! ```
//!
//! A word in every document weighs nothing. Vectors are not normalised: a cosine does that.
//! [`TfIdf`] has the other forms in common use: counts damped to 1 + ln tf, so that a word that is
//! repeated does not rule a vector ([`Tf::Log`]); df over a larger collection than the documents at
//! hand ([`DocumentFrequencies`]), so that words of both classes keep their weight;
//! [`Idf::Smooth`].
//!
//! ```
//! use gaussfield_data::read::text::{DocumentFrequencies, TermCounts, Tf, TfIdf, tokens};
//!
//! assert_eq!(tokens("Re: 68040's my_file").collect::<Vec<_>>(), ["re", "68040", "s", "my_file"]);
//!
//! let terms = TermCounts::new(["the cat", "the dog, the dog"])?;
//! assert_eq!(terms.vocabulary(), ["cat", "dog", "the"]);
//! let weights = terms.tf_idf(TfIdf::default())?.to_dense();
//! assert!((weights[[1, 1]] - 2.0 * 2_f64.ln()).abs() < 1e-15);
//! assert!(weights[[1, 2]].abs() < 1e-15); // "the" is in both documents
//!
//! let all = DocumentFrequencies::count(["the cat", "the dog, the dog", "a bird", "a fish"]);
//! let damped = TfIdf { tf: Tf::Log, over: Some(&all), ..TfIdf::default() };
//! let weights = terms.tf_idf(damped)?.to_dense();
//! assert!((weights[[1, 2]] - (1.0 + 2_f64.ln()) * 2_f64.ln()).abs() < 1e-15); // half of them
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

pub use super::vocabulary::Vocabulary;

use crate::DataError;
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};
use sprs::CsMat;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The tokens of a text, in order. O(characters).
pub fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|run| !run.is_empty())
        .map(str::to_lowercase)
}

/// How a word is weighed by the number df of the N documents in which it occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Idf {
    /// ln(N / df): nothing for a word in every document.
    #[default]
    Plain,
    /// ln((1 + N) / (1 + df)) + 1: never nothing, as scikit-learn weighs by default.
    Smooth,
}

impl Idf {
    pub(super) fn weight(self, documents: usize, df: usize) -> f64 {
        let (n, df) = (documents as f64, df as f64);
        match self {
            Self::Plain => (n / df).ln(),
            Self::Smooth => ((1.0 + n) / (1.0 + df)).ln() + 1.0,
        }
    }
}

/// How the number of times that a word occurs in a document counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tf {
    /// As it is.
    #[default]
    Raw,
    /// 1 + ln tf: the first occurrence counts most.
    Log,
}

impl Tf {
    pub(super) fn weight(self, count: f64) -> f64 {
        match self {
            Self::Raw => count,
            Self::Log => 1.0 + count.ln(),
        }
    }
}

/// How words are weighed; [`Default`] is tf · ln(N/df) over the documents at hand.
#[derive(Debug, Clone, Copy, Default)]
pub struct TfIdf<'a> {
    /// By their number in the document.
    pub tf: Tf,
    /// By the number of documents that have them.
    pub idf: Idf,
    /// The collection in which N and df are counted; the documents at hand if there is none. A word
    /// that the collection does not have counts as being in one of its documents.
    pub over: Option<&'a DocumentFrequencies>,
}

/// In how many documents of a collection each word occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFrequencies {
    documents: usize,
    counts: HashMap<String, usize>,
}

impl DocumentFrequencies {
    /// Counts the documents of each word. O(characters).
    pub fn count<S: AsRef<str>>(documents: impl IntoIterator<Item = S>) -> Self {
        let mut all = Self { documents: 0, counts: HashMap::new() };
        for document in documents {
            all.documents += 1;
            for word in tokens(document.as_ref()).collect::<HashSet<_>>() {
                *all.counts.entry(word).or_insert(0) += 1;
            }
        }
        all
    }

    /// N: how many documents there are.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// df(w): how many of them have the word.
    pub fn of(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }
}

/// How often each word occurs in each document.
#[derive(Debug, Clone, PartialEq)]
pub struct TermCounts {
    /// Documents × words; only positive counts are stored.
    counts: CsMat<f64>,
    vocabulary: Vec<String>,
}

impl TermCounts {
    /// Counts the words of documents. The vocabulary is sorted, so it does not depend on the
    /// order of the documents. O(characters + words · log words).
    ///
    /// # Errors
    /// [`DataError::Argument`] if there is no document, or no word in any of them.
    pub fn new<S: AsRef<str>>(documents: impl IntoIterator<Item = S>) -> Result<Self, DataError> {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut rows: Vec<BTreeMap<usize, f64>> = Vec::new();
        for document in documents {
            let mut row = BTreeMap::new();
            for token in tokens(document.as_ref()) {
                let next = numbers.len();
                *row.entry(*numbers.entry(token).or_insert(next)).or_insert(0.0) += 1.0;
            }
            rows.push(row);
        }
        if numbers.is_empty() {
            return Err(DataError::Argument {
                name: "documents",
                value: format!("{} documents without a word", rows.len()),
                expected: "at least one document with at least one word".to_owned(),
            });
        }
        let mut words: Vec<(String, usize)> = numbers.into_iter().collect();
        words.sort_unstable();
        let mut rank = vec![0; words.len()];
        for (sorted, (_, first_seen)) in words.iter().enumerate() {
            rank[*first_seen] = sorted;
        }
        let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
        for row in &rows {
            let mut entries: Vec<(usize, f64)> =
                row.iter().map(|(word, count)| (rank[*word], *count)).collect();
            entries.sort_unstable_by_key(|(word, _)| *word);
            indices.extend(entries.iter().map(|(word, _)| *word));
            data.extend(entries.iter().map(|(_, count)| *count));
            indptr.push(indices.len());
        }
        let counts = CsMat::new((rows.len(), words.len()), indptr, indices, data);
        Ok(Self { counts, vocabulary: words.into_iter().map(|(word, _)| word).collect() })
    }

    /// The words, sorted; word w is column w.
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// The raw counts tf(d, w), documents × words.
    pub fn counts(&self) -> &CsMat<f64> {
        &self.counts
    }

    /// df(w): in how many documents each word occurs. O(stored counts).
    pub fn document_frequency(&self) -> Vec<usize> {
        let mut frequency = vec![0; self.vocabulary.len()];
        for row in self.counts.outer_iterator() {
            for &word in row.indices() {
                frequency[word] += 1;
            }
        }
        frequency
    }

    /// The tf-idf vectors of the documents; zero weights are not stored. O(stored counts).
    ///
    /// # Errors
    /// None in practice: counts and logarithms of them are finite.
    pub fn tf_idf(&self, TfIdf { tf, idf, over }: TfIdf<'_>) -> Result<Points, DataError> {
        let (documents, frequency) = match over {
            None => (self.counts.rows(), self.document_frequency()),
            Some(all) => {
                let of = |word: &String| all.of(word).max(1);
                (all.documents(), self.vocabulary.iter().map(of).collect())
            }
        };
        let idf: Vec<f64> = frequency.iter().map(|&df| idf.weight(documents, df)).collect();
        let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
        for row in self.counts.outer_iterator() {
            for (word, count) in row.iter().filter(|(word, _)| idf[*word] > 0.0) {
                indices.push(word);
                data.push(tf.weight(*count) * idf[word]);
            }
            indptr.push(indices.len());
        }
        let shape = (self.counts.rows(), self.counts.cols());
        Ok(Points::sparse(CsMat::new(shape, indptr, indices, data))?)
    }

    /// The raw counts as points.
    ///
    /// # Errors
    /// None in practice: counts are finite.
    pub fn count_points(&self) -> Result<Points, DataError> {
        Ok(Points::sparse(self.counts.clone())?)
    }
}
