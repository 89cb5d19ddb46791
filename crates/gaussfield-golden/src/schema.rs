//! The form of a golden file.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// One golden file.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    schema_version: u64,
    pub(crate) cases: Vec<Case>,
}

impl File {
    pub(crate) fn check(&self) -> Result<()> {
        if self.schema_version != 1 {
            bail!("schema version {} is not known, only 1 is", self.schema_version);
        }
        Ok(())
    }
}

/// One case: inputs, expected fields, tolerances.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) input: Value,
    pub(crate) expected: Map<String, Value>,
    #[serde(default)]
    pub(crate) tolerance: Tolerance,
    #[serde(default)]
    accept_error: bool,
}

/// |got − x| ≤ atol\[field\] + rtol·|x|.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Tolerance {
    #[serde(default)]
    pub(crate) rtol: f64,
    #[serde(default)]
    pub(crate) atol: HashMap<String, f64>,
    /// For optimum cases: how close the objective must come.
    pub(crate) objective_atol: Option<f64>,
    /// For optimum cases: how close the argument must come, relative to itself.
    pub(crate) argument_rtol: Option<f64>,
}

impl Case {
    /// Whether an explicit error is as good an answer as the numbers, wherever the file says so.
    pub(crate) fn accepts_error(&self) -> bool {
        let says = |value: Option<&Value>| value.and_then(Value::as_bool) == Some(true);
        self.accept_error
            || says(self.expected.get("accept_error"))
            || says(self.input.get("accept_error"))
    }
}
