//! From documents to word counts and tf-idf vectors.
//!
//! A *token* is a maximal run of letters, digits (any number character, so also `²`) and
//! underscores, lower-cased. Everything else separates tokens. Nothing is removed: no stop words,
//! no stemming, no cut-off by frequency, headers are text like the rest (Zhu, Ghahramani and
//! Lafferty 2003, section 7).
//!
//! With tf(d, w) the number of times the word w occurs in document d, df(w) the number of the
//! task's N documents in which it occurs,
//!
//! ```math
//! \text{tf-idf}(d, w) = \text{tf}(d, w) \cdot \ln \frac{N}{\text{df}(w)}.
//! ```
//!
//! A word in every document weighs nothing. Vectors are not normalised: a cosine does that.
//! [`Idf::Smooth`] is the other form in common use.
//!
//! ```
//! use gaussfield_data::read::text::{TermCounts, tokens};
//!
//! assert_eq!(tokens("Re: 68040's my_file").collect::<Vec<_>>(), ["re", "68040", "s", "my_file"]);
//!
//! let terms = TermCounts::new(["the cat", "the dog, the dog"])?;
//! assert_eq!(terms.vocabulary(), ["cat", "dog", "the"]);
//! let weights = terms.tf_idf()?.to_dense();
//! assert!((weights[[1, 1]] - 2.0 * 2_f64.ln()).abs() < 1e-15);
//! assert!(weights[[1, 2]].abs() < 1e-15); // "the" is in both documents
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

use crate::DataError;
use gaussfield_points::Points;
use sprs::CsMat;
use std::collections::{BTreeMap, HashMap};

/// The tokens of a text, in order. O(characters).
pub fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|run| !run.is_empty())
        .map(str::to_lowercase)
}

/// How a word is weighed by the number df of the N documents in which it occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Idf {
    /// ln(N / df): nothing for a word in every document.
    #[default]
    Plain,
    /// ln((1 + N) / (1 + df)) + 1: never nothing, as scikit-learn weighs by default.
    Smooth,
}

impl Idf {
    fn weight(self, documents: usize, df: usize) -> f64 {
        let (n, df) = (documents as f64, df as f64);
        match self {
            Self::Plain => (n / df).ln(),
            Self::Smooth => ((1.0 + n) / (1.0 + df)).ln() + 1.0,
        }
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

    /// The tf-idf vectors of the documents with [`Idf::Plain`], idf over these very documents;
    /// zero weights are not stored. O(stored counts).
    ///
    /// # Errors
    /// None in practice: counts and logarithms of them are finite.
    pub fn tf_idf(&self) -> Result<Points, DataError> {
        self.tf_idf_with(Idf::Plain)
    }

    /// As [`TermCounts::tf_idf`], with the weight of a word chosen.
    ///
    /// # Errors
    /// As [`TermCounts::tf_idf`].
    pub fn tf_idf_with(&self, idf: Idf) -> Result<Points, DataError> {
        let documents = self.counts.rows();
        let idf: Vec<f64> =
            self.document_frequency().iter().map(|&df| idf.weight(documents, df)).collect();
        let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
        for row in self.counts.outer_iterator() {
            for (word, count) in row.iter().filter(|(word, _)| idf[*word] > 0.0) {
                indices.push(word);
                data.push(count * idf[word]);
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
