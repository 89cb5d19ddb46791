//! Saving and loading: a sealed file with JSON in it, checked again on load.

use crate::components::{Components, Covariances, Gaussian, Multinomial};
use crate::{Assignment, Encoder, Keep, Mixture, MixtureError, Model, Prototypes};
use gaussfield_core::Budget;
use gaussfield_core::files::{Format, Refused, is_sealed, read_whole, write_atomically};
use gaussfield_labels::{Decision, Named as _};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::Path;

/// The file of a model. Version 4 is the first that is sealed.
const FORMAT: Format = Format { name: "gaussfield-mixture", oldest: 4, newest: 4 };

/// The oldest version read here: 2 and 3 are JSON alone, with name and version among the fields.
const OLDEST: u32 = 2;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredModel {
    names: Vec<String>,
    keep: Keep,
    decision: Decision,
    lambda: Array2<f64>,
    encoder: Encoder,
}

/// What is to be known of a file without a seal before the rest of it is read.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// Versions 2 and 3.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnsealedModel {
    #[serde(rename = "format")]
    _format: String,
    version: u32,
    names: Vec<String>,
    keep: Keep,
    /// Of version 2.
    cut: Option<f64>,
    /// Of version 3.
    decision: Option<Decision>,
    lambda: Array2<f64>,
    encoder: Encoder,
}

impl Model {
    /// Writes the model: a line with its format, version, length and checksum, and then JSON.
    ///
    /// # Errors
    /// [`MixtureError::BadModel`] with what the writer said.
    pub fn write(&self, mut to: impl Write) -> Result<(), MixtureError> {
        to.write_all(&self.sealed()?).map_err(bad_model)
    }

    fn sealed(&self) -> Result<Vec<u8>, MixtureError> {
        let stored = StoredModel {
            names: self.names.clone(),
            keep: self.keep,
            decision: self.decision.clone(),
            lambda: self.lambda.clone(),
            encoder: self.encoder.clone(),
        };
        Ok(FORMAT.seal(&serde_json::to_vec(&stored).map_err(bad_model)?))
    }

    /// Reads a model and checks it as if it were built anew. One that was changed since it was
    /// written is refused, be it by one bit; versions 2 and 3, which carry no checksum, are read still.
    ///
    /// # Errors
    /// [`MixtureError::Version`] for another version, [`MixtureError::BadModel`] for anything that
    /// is not a valid model, [`MixtureError::OverBudget`] for one of more than 4 GiB.
    pub fn read(from: impl Read) -> Result<Self, MixtureError> {
        let (budget, mut bytes) = (Budget::default(), Vec::new());
        from.take(budget.bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(bad_model)?;
        budget.take("the bytes of the model", bytes.len() as u64)?;
        Self::from_bytes(&bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, MixtureError> {
        if !is_sealed(bytes) {
            return Self::from_unsealed(bytes);
        }
        let opened = FORMAT.open(bytes).map_err(|refused| match refused {
            Refused::Version { found, newest, .. } => {
                MixtureError::Version { found, oldest: OLDEST, newest }
            }
            other => bad_model(other),
        })?;
        let stored: StoredModel = serde_json::from_slice(opened.content).map_err(bad_model)?;
        Self::new(stored.encoder, stored.lambda, stored.names, stored.keep)?
            .with_decision(stored.decision)
    }

    fn from_unsealed(bytes: &[u8]) -> Result<Self, MixtureError> {
        let header: Header = serde_json::from_slice(bytes).map_err(bad_model)?;
        if header.format != FORMAT.name {
            let reason = format!("its format is {:?}, not {:?}", header.format, FORMAT.name);
            return Err(MixtureError::BadModel { reason });
        }
        if !(OLDEST..FORMAT.oldest).contains(&header.version) {
            let (found, oldest, newest) = (header.version, OLDEST, FORMAT.newest);
            return Err(MixtureError::Version { found, oldest, newest });
        }
        let stored: UnsealedModel = serde_json::from_slice(bytes).map_err(bad_model)?;
        let decision = match (stored.version, stored.decision) {
            (2, _) => stored.cut.map_or(Decision::Argmax, Decision::Above),
            (_, Some(decision)) => decision,
            (_, None) => {
                return Err(MixtureError::BadModel { reason: "it has no decision".to_owned() });
            }
        };
        Self::new(stored.encoder, stored.lambda, stored.names, stored.keep)?.with_decision(decision)
    }

    /// Writes the model to a file. A file that is there is replaced whole or not at all.
    ///
    /// # Errors
    /// [`MixtureError::File`] with the path.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), MixtureError> {
        let path = path.as_ref();
        let file = self.sealed().map_err(|error| file_error(path, &error))?;
        write_atomically(path, &file).map_err(|error| file_error(path, &error.source))
    }

    /// Reads a model from a file, as [`Model::read`] does.
    ///
    /// # Errors
    /// [`MixtureError::File`] with the path and what is wrong with the file or the model in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, MixtureError> {
        let path = path.as_ref();
        let bytes = read_whole(path, Budget::default());
        let bytes = bytes.map_err(|error| file_error(path, &error.source))?;
        Self::from_bytes(&bytes).map_err(|error| file_error(path, &error))
    }
}

fn bad_model(error: impl std::fmt::Display) -> MixtureError {
    MixtureError::BadModel { reason: error.to_string() }
}

fn file_error(path: &Path, error: &dyn std::fmt::Display) -> MixtureError {
    MixtureError::File { path: path.display().to_string(), reason: error.to_string() }
}

/// Stored forms, each turned into the checked type on the way in.
macro_rules! stored {
    ($type:ty, $stored:ident { $($field:ident: $kind:ty = $get:expr),* $(,)? }, $new:expr) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $stored { $($field: $kind),* }

        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $stored { $($field: $get(self)),* }.serialize(to)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let stored = $stored::deserialize(from)?;
                $new(stored).map_err(serde::de::Error::custom)
            }
        }
    };
}

stored!(
    Gaussian,
    StoredGaussian {
        means: Array2<f64> = |g: &Gaussian| g.means().to_owned(),
        covariances: Covariances = |g: &Gaussian| g.covariances().clone(),
    },
    |stored: StoredGaussian| Gaussian::new(stored.means, stored.covariances)
);

stored!(
    Multinomial,
    StoredMultinomial {
        words: Array2<f64> = |m: &Multinomial| m.word_probabilities().to_owned(),
    },
    |stored: StoredMultinomial| Multinomial::new(stored.words)
);

stored!(
    Mixture,
    StoredMixture {
        gamma: Array1<f64> = |m: &Mixture| m.gamma().to_owned(),
        components: Components = |m: &Mixture| m.components().clone(),
        lambda: Array2<f64> = |m: &Mixture| m.lambda().to_owned(),
        names: Vec<String> = |m: &Mixture| m.class_names().to_vec(),
    },
    |s: StoredMixture| Mixture::new(s.gamma, s.components, s.lambda, s.names)
);

stored!(
    Prototypes,
    StoredPrototypes {
        centres: Array2<f64> = |p: &Prototypes| p.centres().to_owned(),
        assignment: Assignment = |p: &Prototypes| p.assignment(),
    },
    |s: StoredPrototypes| Prototypes::new(s.centres, s.assignment)
);
