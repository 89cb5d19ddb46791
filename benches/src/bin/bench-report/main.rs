//! Sums up criterion's figures: `bench-report CRITERION_FOLDER OUT_FOLDER`
//! writes `bench.json`, `bench.md` and `report.html`, and prints the second.
//! `bench-report compare OLD NEW` tells what became slower from one `bench.json` to another.

#![allow(clippy::print_stdout)] // a terminal program

mod compare;
mod figures;
mod growth;
mod page;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{bail, ensure};
use gaussfield_core::files::write_atomically;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        [word, old, new] if word == "compare" => {
            let compared = compare::files(Path::new(old), Path::new(new))?;
            println!("{}", compared.text);
            Ok(if compared.slower == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        [measured, out] => {
            write(Path::new(measured), Path::new(out))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("usage: bench-report CRITERION_FOLDER OUT_FOLDER, or compare OLD NEW"),
    }
}

fn write(measured: &Path, out: &Path) -> anyhow::Result<()> {
    let figures = figures::read(measured)?;
    ensure!(
        !figures.is_empty(),
        "no figures under {}: run `cargo xtask bench` first",
        measured.display()
    );
    page::write(&figures, out)?;
    let markdown = page::markdown(&figures);
    write_atomically(&out.join("bench.json"), &serde_json::to_vec_pretty(&figures)?)?;
    write_atomically(&out.join("bench.md"), markdown.as_bytes())?;
    println!("{markdown}\nwritten to {}", out.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One benchmark as criterion leaves it.
    fn leave(folder: &Path, group: &str, function: &str, median: f64) {
        let new = folder.join(group.replace('/', "_")).join(function).join("new");
        std::fs::create_dir_all(&new).unwrap();
        let identity = format!(
            r#"{{"group_id":"{group}","function_id":"{function}","value_str":null,"full_id":"x"}}"#
        );
        let estimate = format!(
            r#"{{"confidence_interval":{{"lower_bound":{},"upper_bound":{}}},"point_estimate":{median}}}"#,
            median - 5.0,
            median + 10.0
        );
        std::fs::write(new.join("benchmark.json"), identity).unwrap();
        std::fs::write(
            new.join("estimates.json"),
            format!(r#"{{"mean":{estimate},"median":{estimate},"slope":null}}"#),
        )
        .unwrap();
    }

    #[test]
    fn figures_become_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let (measured, out) = (folder.path().join("criterion"), folder.path().join("bench"));
        leave(&measured, "search/2-D", "blocked GEMM", 4000.0);
        leave(&measured, "search/2-D", "kd-tree", 1000.0);
        leave(&measured, "other/group", "alone", 2.5e9);
        let once = measured.join("scale_once/long/new");
        std::fs::create_dir_all(&once).unwrap();
        let identity = r#"{"group_id":"scale/once","function_id":"long","value_str":null}"#;
        std::fs::write(once.join("benchmark.json"), identity).unwrap();
        let estimates = r#"{"median":{"point_estimate":3e9,"confidence_interval":null}}"#;
        std::fs::write(once.join("estimates.json"), estimates).unwrap();
        write(&measured, &out).unwrap();

        let page = std::fs::read_to_string(out.join("bench.md")).unwrap();
        assert!(page.contains("| search | 2-D: kd-tree | 1.00 µs | ± 0.01 µs | 0.25 |"), "{page}");
        assert!(page.contains("| search | 2-D: blocked GEMM | 4.00 µs | ± 0.01 µs | 1.00 |"));
        assert!(page.contains("| other | group: alone | 2.50 s | ± 0.00 s | – |"), "{page}");
        assert!(page.contains("| scale | once: long | 3.00 s | once | – |"), "{page}");

        let page = std::fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("<td>2-D: kd-tree</td><td>1.00 µs</td>"), "{page}");
        let numbers = std::fs::read_to_string(out.join("data/search.csv")).unwrap();
        assert_eq!(numbers.lines().count(), 3, "{numbers}");

        let json = std::fs::read_to_string(out.join("bench.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json.as_array().unwrap().len(), 4);
        assert_eq!(json[0]["suite"], "other");
        assert!(json[0]["ratio"].is_null());
        assert!(json[1]["plus_minus_ns"].is_null());
        assert_eq!(json[2]["benchmark"], "blocked GEMM");
        assert_eq!(json[3]["ratio"], 0.25);
    }

    #[test]
    fn nothing_measured_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = write(folder.path(), &folder.path().join("out")).unwrap_err();
        assert!(error.to_string().contains("cargo xtask bench"));
        assert!(write(&folder.path().join("nowhere"), folder.path()).is_err());
    }
}
