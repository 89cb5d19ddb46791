//! The words of a collection, kept to be found in documents that come later.

use super::text::{Idf, TermCounts, Tf, tokens};
use crate::DataError;
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};
use sprs::CsMat;
use std::collections::{BTreeMap, HashMap};

/// Words with their weights in the collection they were counted in: a later document gets the vector
/// that it would have had there. Words that the collection did not have are passed over.
///
/// ```
/// use gaussfield_data::read::text::{Idf, TermCounts, Tf, TfIdf};
///
/// let documents = ["the cat", "the dog, the dog"];
/// let terms = TermCounts::new(documents)?;
/// let vocabulary = terms.vocabulary_by(Tf::Raw, Idf::Plain);
/// assert_eq!(vocabulary.points(documents)?, terms.tf_idf(TfIdf::default())?);
/// assert_eq!(vocabulary.points(["a dog and a bird"])?.to_dense()[[0, 1]], 2_f64.ln());
/// # Ok::<(), gaussfield_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Vocabulary {
    /// How the number of times that a word occurs counts.
    tf: Tf,
    /// Sorted; word w is column w.
    words: Vec<String>,
    /// The weight of each word.
    weights: Vec<f64>,
}

impl TermCounts {
    /// The words with their weights, to be kept.
    pub fn vocabulary_by(&self, tf: Tf, idf: Idf) -> Vocabulary {
        let documents = self.counts().rows();
        let weights = self.document_frequency();
        let weights = weights.into_iter().map(|df| idf.weight(documents, df)).collect();
        Vocabulary { tf, words: self.vocabulary().to_vec(), weights }
    }
}

impl Vocabulary {
    /// The words, sorted.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The vectors of documents, in the words of this vocabulary. O(characters).
    ///
    /// # Errors
    /// A vocabulary with another number of weights than words, or a weight that is not finite, as a
    /// damaged file may have it.
    pub fn points<S: AsRef<str>>(
        &self,
        documents: impl IntoIterator<Item = S>,
    ) -> Result<Points, DataError> {
        if self.words.len() != self.weights.len() {
            return Err(DataError::Argument {
                name: "vocabulary",
                value: format!("{} words, {} weights", self.words.len(), self.weights.len()),
                expected: "a weight for each word".to_owned(),
            });
        }
        let columns: HashMap<&str, usize> =
            self.words.iter().enumerate().map(|(column, word)| (word.as_str(), column)).collect();
        let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
        for document in documents {
            let mut row: BTreeMap<usize, f64> = BTreeMap::new();
            for token in tokens(document.as_ref()) {
                if let Some(&column) = columns.get(token.as_str()) {
                    *row.entry(column).or_insert(0.0) += 1.0;
                }
            }
            for (column, count) in row.into_iter().filter(|(column, _)| self.weights[*column] > 0.0)
            {
                indices.push(column);
                data.push(self.tf.weight(count) * self.weights[column]);
            }
            indptr.push(indices.len());
        }
        let shape = (indptr.len() - 1, self.words.len());
        Ok(Points::sparse(CsMat::new(shape, indptr, indices, data))?)
    }
}
