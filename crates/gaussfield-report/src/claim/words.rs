//! The words of a claim: its verdict, what it is judged on, by which rule, and values.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An enum whose values are words, the same on the page and in files.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $value,)+
        }

        impl $name {
            /// All of them, in the order of the tables.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$value => $word,)+
                })
            }
        }
    };
}

words! {
    /// Whether a claim was borne out by the run.
    Verdict {
        /// The run agrees with the paper.
        Holds = "holds",
        /// The run disagrees with the paper; the reason says how.
        Differs = "differs",
        /// The run agrees, but it would also have agreed with the opposite: the rule is that wide.
        SaysLittle = "says little",
        /// The claim could not be checked; the reason says what is missing.
        NotRun = "not run",
    }
}

words! {
    /// What a claim is judged on.
    #[derive(Default)]
    #[non_exhaustive]
    ClaimKind {
        /// The paper's own data.
        #[default]
        Own = "paper's data",
        /// Another edition or part of the paper's data.
        Edition = "other edition",
        /// Other data in the place of those that are not public.
        StandIn = "stand-in",
        /// Points laid out or generated here, where the paper shows a figure without coordinates.
        Layout = "our layout",
        /// Nothing that the paper states: an experiment of ours.
        Beyond = "beyond",
        /// An identity of the method, checked by numbers.
        Identity = "identity",
    }
}

words! {
    /// By what a claim is decided: one of a few rules, the same for all papers.
    ///
    /// A printed number is judged from both sides. A direction ("better than") needs significance:
    /// the sign of a mean is a toss of a coin where there is no effect.
    #[non_exhaustive]
    Rule {
        /// Our mean lies within two of the standard deviations that the paper prints.
        PaperDeviation = "two of the paper's standard deviations",
        /// The paper prints one draw, which lies within two of our standard deviations over draws.
        OurDeviation = "two of our standard deviations",
        /// The paper prints an error bar, which overlaps with ours of the same kind.
        Bars = "error bars that overlap",
        /// A mean over trials is on one side of a limit by two of its standard errors; trials are
        /// paired, so the mean is that of a difference.
        TwoErrors = "two standard errors of a difference",
        /// Our mean lies in an interval that the paper prints.
        Interval = "an interval of the paper",
        /// Our number lies within a tolerance that was stated before the run.
        Stated = "a stated tolerance",
        /// A condition, which the reason tells.
        Condition = "a condition",
    }
}

/// What a paper or a run reports: a number, or words where a number does not fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Words, for example `"CMN above thresh at every size"`.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&crate::format::number(*number)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
