//! The options of the programs: numbers by name.

use anyhow::{Context as _, bail};
use lexopt::Arg::Long;
use lexopt::ValueExt as _;

/// Reads `--NAME NUMBER …`; each option has a name and a default.
///
/// # Errors
/// An option that is not known, or no whole number.
pub fn numbers<const N: usize>(options: [(&str, u64); N]) -> anyhow::Result<[u64; N]> {
    let mut values = options.map(|(_, default)| default);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        let Long(name) = argument else { bail!("options are: {}", names(&options)) };
        let place = options.iter().position(|(known, _)| *known == name);
        let name = name.to_owned();
        let place = place.with_context(|| format!("no option --{name}: {}", names(&options)))?;
        values[place] = parser.value()?.parse().with_context(|| format!("--{name}"))?;
    }
    Ok(values)
}

fn names(options: &[(&str, u64)]) -> String {
    let named = |(name, default): &(&str, u64)| format!("--{name} NUMBER (default {default})");
    options.iter().map(named).collect::<Vec<_>>().join(", ")
}
