//! Saving and loading: JSON with a format name and version, checked again on load.

use crate::components::{Components, Covariances, Gaussian, Multinomial};
use crate::{Assignment, Encoder, Keep, Mixture, MixtureError, Model, Prototypes};
use gaussfield_core::files::write_atomically;
use gaussfield_labels::{Decision, Named as _};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// The name every stored model carries.
const FORMAT: &str = "gaussfield-mixture";

/// The version written here. It holds the decision; version 2 had a cut instead.
const VERSION: u32 = 3;

/// The oldest version read here.
const OLDEST: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct StoredModel {
    #[serde(flatten)]
    header: Header,
    names: Vec<String>,
    keep: Keep,
    /// Of version 2.
    #[serde(default, skip_serializing)]
    cut: Option<f64>,
    /// Since version 3.
    decision: Option<Decision>,
    lambda: Array2<f64>,
    encoder: Encoder,
}

impl Model {
    /// Writes the model as JSON.
    ///
    /// # Errors
    /// [`MixtureError::BadModel`] with what the writer said.
    pub fn write(&self, to: impl Write) -> Result<(), MixtureError> {
        let stored = StoredModel {
            header: Header { format: FORMAT.to_owned(), version: VERSION },
            names: self.names.clone(),
            keep: self.keep,
            cut: None,
            decision: Some(self.decision.clone()),
            lambda: self.lambda.clone(),
            encoder: self.encoder.clone(),
        };
        serde_json::to_writer(to, &stored).map_err(bad_model)
    }

    /// Reads a model and checks it as if it were built anew.
    ///
    /// # Errors
    /// [`MixtureError::Version`] for another version, [`MixtureError::BadModel`] for anything that
    /// is not a valid model.
    pub fn read(mut from: impl Read) -> Result<Self, MixtureError> {
        let mut text = String::new();
        from.read_to_string(&mut text)
            .map_err(|e| MixtureError::BadModel { reason: e.to_string() })?;
        let header: Header = serde_json::from_str(&text).map_err(bad_model)?;
        if header.format != FORMAT {
            let reason = format!("its format is {:?}, not {FORMAT:?}", header.format);
            return Err(MixtureError::BadModel { reason });
        }
        if !(OLDEST..=VERSION).contains(&header.version) {
            let (found, oldest, newest) = (header.version, OLDEST, VERSION);
            return Err(MixtureError::Version { found, oldest, newest });
        }
        let stored: StoredModel = serde_json::from_str(&text).map_err(bad_model)?;
        let model = Self::new(stored.encoder, stored.lambda, stored.names, stored.keep)?;
        match (header.version, stored.decision) {
            (2, _) => model.with_decision(stored.cut.map_or(Decision::Argmax, Decision::Above)),
            (_, Some(decision)) => model.with_decision(decision),
            (_, None) => Err(MixtureError::BadModel { reason: "it has no decision".to_owned() }),
        }
    }

    /// Writes the model to a file. A file that is there is replaced whole or not at all.
    ///
    /// # Errors
    /// [`MixtureError::File`] with the path.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), MixtureError> {
        let path = path.as_ref();
        let mut text = Vec::new();
        self.write(&mut text).map_err(|error| file_error(path, &error))?;
        write_atomically(path, &text).map_err(|error| file_error(path, &error.source))
    }

    /// Reads a model from a file.
    ///
    /// # Errors
    /// [`MixtureError::File`] with the path and what is wrong with the file or the model in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, MixtureError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|e| file_error(path, &e))?;
        Self::read(BufReader::new(file)).map_err(|e| file_error(path, &e))
    }
}

fn bad_model(error: serde_json::Error) -> MixtureError {
    MixtureError::BadModel { reason: error.to_string() }
}

fn file_error(path: &Path, error: &dyn std::fmt::Display) -> MixtureError {
    MixtureError::File { path: path.display().to_string(), reason: error.to_string() }
}

/// Stored forms, each turned into the checked type on the way in.
macro_rules! stored {
    ($type:ty, $stored:ident { $($field:ident: $kind:ty = $get:expr),* $(,)? }, $new:expr) => {
        #[derive(Serialize, Deserialize)]
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
