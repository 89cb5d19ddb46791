//! Every dependency may be used under a permissive licence.

use std::collections::BTreeSet;

use anyhow::bail;

use super::spdx;
use super::tree::{self, Package};
use crate::command::Exit;

/// Licences that ask for no more than credit.
const PERMISSIVE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0", // data: the list of certificate authorities
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Also accepted in build scripts, which are run but not linked into anything:
/// copyleft that ends at the file.
const BUILD_ONLY: &[&str] = &["MPL-2.0"];

pub(crate) fn check() -> anyhow::Result<Exit> {
    let all = tree::packages(&["--workspace", "--edges", "normal,build,dev"])?;
    let linked = tree::packages(&["--workspace", "--edges", "normal,dev"])?;
    let refused = refused(&all, &linked);
    if !refused.is_empty() {
        bail!(
            "{} of {} packages have no licence on the list of permissive ones:\n  {}\n\
             `cargo tree --workspace --invert NAME` shows who brings one",
            refused.len(),
            all.len(),
            refused.join("\n  ")
        );
    }
    println!("{} packages, all with a permissive licence", all.len());
    Ok(Exit::SUCCESS)
}

/// One line for each package that cannot be used, with the reason.
fn refused(all: &BTreeSet<Package>, linked: &BTreeSet<Package>) -> Vec<String> {
    let reason = |package: &Package| {
        let build_only = !linked.contains(package);
        let allowed = |id: &str| PERMISSIVE.contains(&id) || build_only && BUILD_ONLY.contains(&id);
        if package.licence.is_empty() {
            return Some("states no licence".to_string());
        }
        match spdx::permits(&package.licence, &allowed) {
            Ok(true) => None,
            Ok(false) => Some(format!("is `{}`", package.licence)),
            Err(problem) => Some(format!("has the licence `{}`: {problem}", package.licence)),
        }
    };
    all.iter()
        .filter_map(|p| reason(p).map(|reason| format!("{} {} {reason}", p.name, p.version)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, licence: &str) -> Package {
        Package { name: name.into(), version: "1.0.0".into(), licence: licence.into() }
    }

    #[test]
    fn refusals_name_the_package_and_the_reason() {
        let linked: BTreeSet<Package> = [
            package("good", "MIT OR Apache-2.0"),
            package("choice", "LGPL-3.0-only OR MIT"),
            package("copyleft", "LGPL-3.0-only"),
            package("file-copyleft", "MPL-2.0"),
            package("silent", ""),
            package("garbled", "MIT OR"),
        ]
        .into();
        let found = refused(&linked, &linked);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0], "copyleft 1.0.0 is `LGPL-3.0-only`");
        assert_eq!(found[1], "file-copyleft 1.0.0 is `MPL-2.0`");
        assert!(found[2].starts_with("garbled 1.0.0 has the licence `MIT OR`"), "{}", found[2]);
        assert_eq!(found[3], "silent 1.0.0 states no licence");
    }

    #[test]
    fn file_copyleft_is_for_build_scripts_only() {
        let tool = package("tool", "MPL-2.0");
        let all: BTreeSet<Package> = [tool.clone(), package("worse", "GPL-3.0-only")].into();
        assert_eq!(refused(&all, &BTreeSet::new()), ["worse 1.0.0 is `GPL-3.0-only`"]);
        assert_eq!(refused(&[tool.clone()].into(), &[tool].into()).len(), 1);
    }
}
