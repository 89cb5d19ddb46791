use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// One golden file.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    schema_version: u64,
    pub(super) cases: Vec<Case>,
}

impl File {
    pub(super) fn check(&self) -> Result<()> {
        if self.schema_version != 1 {
            bail!("schema version {} is not known, only 1 is", self.schema_version);
        }
        Ok(())
    }
}

/// One case: inputs, expected fields, tolerances.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) input: Value,
    pub(super) expected: Map<String, Value>,
    #[serde(default)]
    pub(super) tolerance: Tolerance,
    #[serde(default)]
    accept_error: bool,
}

/// |got − x| ≤ atol\[field\] + rtol·|x|.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Tolerance {
    #[serde(default)]
    pub(super) rtol: f64,
    #[serde(default)]
    pub(super) atol: HashMap<String, f64>,
    /// For optimum cases: how close the objective must come.
    pub(super) objective_atol: Option<f64>,
    /// For optimum cases: how close the argument must come, relative to itself.
    pub(super) argument_rtol: Option<f64>,
}

impl Case {
    /// Whether an explicit error is as good an answer as the numbers, wherever the file says so.
    pub(super) fn accepts_error(&self) -> bool {
        let says = |value: Option<&Value>| value.and_then(Value::as_bool) == Some(true);
        self.accept_error
            || says(self.expected.get("accept_error"))
            || says(self.input.get("accept_error"))
    }
}
