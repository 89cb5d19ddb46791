//! Values of options that are words.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gaussfield::points::prepare::Preparation;
use serde::de::DeserializeOwned;

/// What makes a row worth asking about.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Criterion {
    /// Errors expected to go once its class is known
    ExpectedErrors,
    /// Variance of the field that goes
    Variance,
    /// Variance of the sum of the field that goes: the middle of clusters
    Survey,
    /// Entropy times density
    Uncertainty,
}

impl Criterion {
    /// What the gain counts.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::ExpectedErrors => "errors expected to go",
            Self::Variance => "variance that goes",
            Self::Survey => "variance of the sum that goes",
            Self::Uncertainty => "entropy times density",
        }
    }
}

/// The names of what `tune` tries, as descriptions of a search have them.
pub(crate) const WEIGHTS: &[&str] = &["self-tuning", "mean-edge", "learned"];
pub(crate) const METHODS: &[&str] = &[
    "tempered",
    "harmonic",
    "smoothing",
    "consistency",
    "dynamics",
    "poisson",
    "gaussian-process",
];
pub(crate) const LAPLACIANS: &[&str] = &["combinatorial", "symmetric"];
pub(crate) const DECISIONS: &[&str] = &["usual", "largest", "class-mass", "equal-mass"];

/// A preparation of features by name; `none` is no preparation.
pub(crate) type Prepare = Option<Preparation>;

/// The preparations that need no more than their name.
const PREPARATIONS: &[&str] = &["none", "standardise", "min-max", "unit-rows"];

pub(crate) fn prepared() -> impl TypedValueParser<Value = Prepare> {
    PossibleValuesParser::new(PREPARATIONS).try_map(|name| match &*name {
        "none" => Ok(None),
        _ => serde_json::from_value(serde_json::Value::String(name)).map(Some),
    })
}

/// One of these names, as the value it stands for.
pub(crate) fn one_of<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names)
        .try_map(|name| serde_json::from_value::<T>(serde_json::Value::String(name)))
}

/// What takes the place of missing numbers.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Impute {
    /// The mean of the column
    Mean,
    /// The median of the column
    Median,
    /// Zero
    Zero,
}

/// A number above 0 and below 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("it must be a number above 0 and below 1".to_owned()),
    }
}

/// The length scale of the weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Learn,
    Mean,
    Given(f64),
}

impl std::str::FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("learn", _) => Ok(Self::Learn),
            ("mean", _) => Ok(Self::Mean),
            (_, Ok(scale)) if scale > 0.0 && scale.is_finite() => Ok(Self::Given(scale)),
            _ => Err("it must be `learn`, `mean` or a positive number".to_owned()),
        }
    }
}

/// The character between cells; a tab may be written as two, as shells do not pass one on easily.
pub(crate) fn delimiter(text: &str) -> Result<char, String> {
    let mut letters = text.chars();
    match (text, letters.next(), letters.next()) {
        ("\\t", ..) => Ok('\t'),
        (_, Some(letter), None) => Ok(letter),
        _ => Err("it must be one character, or \\t for a tab".to_owned()),
    }
}

/// How probabilities become classes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Rule {
    /// The most probable class
    Largest,
    /// Class masses as the labels have them
    ClassMass,
    /// Class masses equal
    EqualMass,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_words_or_positive_numbers() {
        assert_eq!("learn".parse(), Ok(Scale::Learn));
        assert_eq!("0.5".parse(), Ok(Scale::Given(0.5)));
        for bad in ["", "-1", "0", "inf", "nan", "big"] {
            assert!(bad.parse::<Scale>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_name_stands_for_a_value() {
        fn values<T: DeserializeOwned>(names: &[&str]) -> usize {
            let value = |name: &&str| serde_json::from_value::<T>((*name).into()).is_ok();
            names.iter().filter(|name| value(name)).count()
        }
        assert_eq!(values::<gaussfield::TriedWeights>(WEIGHTS), WEIGHTS.len());
        assert_eq!(values::<gaussfield::TriedMethod>(METHODS), METHODS.len());
        assert_eq!(values::<gaussfield::laplacian::Laplacian>(LAPLACIANS), LAPLACIANS.len());
        assert_eq!(values::<gaussfield::TriedDecision>(DECISIONS), DECISIONS.len());
    }

    #[test]
    fn a_tab_is_written_in_two_ways() {
        for (text, letter) in [(";", ';'), ("\t", '\t'), ("\\t", '\t'), ("\\", '\\')] {
            assert_eq!(delimiter(text), Ok(letter));
        }
        assert!(delimiter("").is_err() && delimiter(";;").is_err());
    }
}
