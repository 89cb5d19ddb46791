//! Every crate that is meant for others packs, with all that belongs into a package.

use std::path::Path;
use std::process::Command;

use anyhow::bail;

use crate::command::Exit;
use crate::json::Json;
use crate::process::{cargo, cargo_with_blas, output, run, target};

/// What every package carries besides its code.
const CARRIES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", "README.md", "katex.html"];

/// The crate that is also built from its package: it embeds files and needs no LAPACK.
const BUILT: &str = "gaussfield-data";

pub(crate) fn check() -> anyhow::Result<Exit> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata = Json::parse(&metadata)?;
    let packages: Vec<&Json> =
        metadata.get("packages").items().iter().filter(|package| is_published(package)).collect();
    let mut problems: Vec<String> = packages.iter().flat_map(|package| lacks(package)).collect();

    // All at once: each is packed after those it needs.
    let exit = pack(&packages, &["--no-verify"])?;
    if !exit.is_success() {
        return Ok(exit);
    }
    for package in &packages {
        problems.extend(unpacked(package, &target().join("package"))?);
    }
    if !problems.is_empty() {
        bail!("{} wrong:\n  {}", problems.len(), problems.join("\n  "));
    }
    let needed = needs(BUILT, &packages);
    let exit = pack(&needed, &[])?;
    if exit.is_success() {
        println!("{} crates pack; {BUILT} builds from its package", packages.len());
    }
    Ok(exit)
}

fn pack(packages: &[&Json], options: &[&str]) -> anyhow::Result<Exit> {
    let mut command = cargo_with_blas();
    command.args(["package", "--allow-dirty"]).args(options);
    for package in packages {
        command.args(["--package", package.get("name").text()]);
    }
    run(&mut command)
}

/// `publish = false` is an empty list of registries.
fn is_published(package: &Json) -> bool {
    *package.get("publish") != Json::List(Vec::new())
}

/// What a stranger would miss in the manifest.
fn lacks(package: &Json) -> Vec<String> {
    let name = package.get("name").text();
    let mut missing = Vec::new();
    for field in ["description", "license", "repository", "readme"] {
        if package.get(field).text().is_empty() {
            missing.push(format!("{name} has no `{field}`"));
        }
    }
    let page = format!("https://docs.rs/{name}");
    if package.get("documentation").text() != page {
        missing.push(format!("{name} has not `documentation = \"{page}\"`"));
    }
    for field in ["keywords", "categories"] {
        if !(1..=5).contains(&package.get(field).items().len()) {
            missing.push(format!("{name} has not one to five `{field}`"));
        }
    }
    let header = package.get("metadata").get("docs").get("rs").get("rustdoc-args");
    if !header.items().iter().any(|word| word.text() == "katex.html") {
        missing.push(format!("{name} does not give docs.rs its katex.html"));
    }
    missing
}

/// What the packed archive should hold and does not.
fn unpacked(package: &Json, folder: &Path) -> anyhow::Result<Vec<String>> {
    let name = package.get("name").text();
    let stem = format!("{name}-{}", package.get("version").text());
    let archive = folder.join(format!("{stem}.crate"));
    let list = output(Command::new("tar").arg("-tzf").arg(archive))?;
    let holds = |file: &str| list.lines().any(|line| line == format!("{stem}/{file}"));
    let absent = CARRIES.iter().filter(|file| !holds(file));
    Ok(absent.map(|file| format!("{name} is packed without {file}")).collect())
}

/// A package and those of the workspace it is built on.
fn needs<'a>(name: &str, packages: &[&'a Json]) -> Vec<&'a Json> {
    let mut names = vec![name.to_string()];
    let mut found: Vec<&Json> = Vec::new();
    while let Some(name) = names.pop() {
        let is_it = |package: &&&Json| package.get("name").text() == name;
        let Some(package) = packages.iter().find(is_it) else { continue };
        if !found.contains(package) {
            found.push(package);
            let dependencies = package.get("dependencies").items().iter();
            names.extend(dependencies.map(|other| other.get("name").text().to_string()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_manifest_lacks_is_named() {
        let good = r#"{"name": "x", "description": "d", "license": "MIT", "repository": "r",
            "readme": "README.md", "documentation": "https://docs.rs/x", "keywords": ["k"],
            "categories": ["science"], "publish": null,
            "metadata": {"docs": {"rs": {"rustdoc-args": ["--html-in-header", "katex.html"]}}}}"#;
        assert_eq!(lacks(&Json::parse(good).unwrap()), [""; 0]);
        for (part, worse, needle) in [
            ("\"MIT\"", "null", "no `license`"),
            ("docs.rs/x", "docs.rs/y", "documentation"),
            ("[\"k\"]", "[]", "keywords"),
            ("katex.html", "other.html", "katex.html"),
        ] {
            let found = lacks(&Json::parse(&good.replace(part, worse)).unwrap());
            assert!(found.len() == 1 && found[0].contains(needle), "{found:?}");
        }
    }

    #[test]
    fn private_crates_are_left_out() {
        let published = |text: &str| is_published(&Json::parse(text).unwrap());
        assert!(published(r#"{"publish": null}"#));
        assert!(published(r#"{"publish": ["elsewhere"]}"#));
        assert!(!published(r#"{"publish": []}"#));
    }

    #[test]
    fn a_package_comes_with_those_it_is_built_on() {
        let all = r#"[{"name": "a", "dependencies": [{"name": "b"}, {"name": "serde"}]},
            {"name": "b", "dependencies": []}, {"name": "c", "dependencies": [{"name": "a"}]}]"#;
        let all = Json::parse(all).unwrap();
        let found = needs("a", &all.items().iter().collect::<Vec<_>>());
        let names: Vec<&str> = found.iter().map(|package| package.get("name").text()).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
