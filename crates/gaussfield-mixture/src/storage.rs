//! Stored forms, each turned into the checked type on the way in.

use crate::components::{Components, Covariances, Gaussian, Multinomial};
use crate::{Assignment, Encoder, Keep, Mixture, Model, Prototypes};
use gaussfield_labels::Named as _;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

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

stored!(
    Model,
    StoredModel {
        names: Vec<String> = |m: &Model| m.names.clone(),
        keep: Keep = |m: &Model| m.keep,
        lambda: Array2<f64> = |m: &Model| m.lambda.clone(),
        encoder: Encoder = |m: &Model| m.encoder.clone(),
    },
    |s: StoredModel| Model::new(s.encoder, s.lambda, s.names, s.keep)
);
