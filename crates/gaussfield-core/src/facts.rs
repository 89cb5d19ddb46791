//! How an answer was computed, in a form that every method shares.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Facts about how an answer came about: the solver that ran, its iterations, the residual it
/// reached, the graph it ran on. A list, in the order in which things happened.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Facts(Vec<Fact>);

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about.
    pub name: Cow<'static, str>,
    /// What there is to say.
    pub value: FactValue,
}

/// The content of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FactValue {
    /// How many.
    Count(u64),
    /// How much.
    Number(f64),
    /// In words.
    Text(String),
}

impl Facts {
    /// Adds a fact.
    pub fn add(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<FactValue>) {
        self.0.push(Fact { name: name.into(), value: value.into() });
    }

    /// Adds a fact and hands the list on.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<FactValue>) -> Self {
        self.add(name, value);
        self
    }

    /// Adds all facts of another list.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The value of the first fact of a name.
    pub fn get(&self, name: &str) -> Option<&FactValue> {
        self.0.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
    }

    /// All facts in order.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.0.iter()
    }
}

impl From<usize> for FactValue {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<f64> for FactValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for FactValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for FactValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(x) if *x != 0.0 && !(1e-3..1e6).contains(&x.abs()) => write!(f, "{x:.2e}"),
            Self::Number(x) => write!(f, "{x:.4}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fact) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "; " };
            write!(f, "{between}{}: {}", fact.name, fact.value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_read_as_a_line_and_survive_a_file() {
        let facts = Facts::default().with("solver", "elimination").with("unknowns", 12);
        let facts = facts.with("residual", 4e-9).with("share", 0.25);
        let line = "solver: elimination; unknowns: 12; residual: 4.00e-9; share: 0.2500";
        assert_eq!(facts.to_string(), line);
        let text = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<Facts>(&text).unwrap(), facts);
        assert_eq!(facts.get("unknowns"), Some(&FactValue::Count(12)));
        assert_eq!(facts.get("colour"), None);
    }
}
