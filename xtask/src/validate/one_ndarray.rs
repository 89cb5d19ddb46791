//! Exactly one `ndarray`: arrays of two versions are two types, and nothing
//! that takes one accepts the other.

use std::collections::BTreeSet;

use anyhow::bail;

use super::tree::{self, Package};
use crate::command::Exit;

pub(crate) fn check() -> anyhow::Result<Exit> {
    let packages = tree::packages(&["--workspace", "--edges", "normal,build,dev"])?;
    let version = only_version(&packages)?;
    println!("one ndarray: {version}");
    Ok(Exit::SUCCESS)
}

fn only_version(packages: &BTreeSet<Package>) -> anyhow::Result<&str> {
    let versions: Vec<&str> =
        packages.iter().filter(|p| p.name == "ndarray").map(|p| p.version.as_str()).collect();
    match versions[..] {
        [one] => Ok(one),
        [] => bail!("no ndarray in the tree: is this the right workspace?"),
        _ => bail!(
            "{} versions of ndarray: {}; `cargo tree --workspace --invert ndarray@VERSION` shows \
             who brings each",
            versions.len(),
            versions.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_of(versions: &[&str]) -> BTreeSet<Package> {
        let package = |name: &str, version: &str| Package {
            name: name.into(),
            version: version.into(),
            licence: "MIT".into(),
        };
        versions.iter().map(|v| package("ndarray", v)).chain([package("sprs", "0.11.4")]).collect()
    }

    #[test]
    fn one_is_right_none_and_two_are_wrong() {
        assert_eq!(only_version(&tree_of(&["0.17.1"])).unwrap(), "0.17.1");
        assert!(only_version(&tree_of(&[])).is_err());
        let error = only_version(&tree_of(&["0.16.1", "0.17.1"])).unwrap_err().to_string();
        assert!(error.contains("0.16.1, 0.17.1"), "{error}");
    }
}
