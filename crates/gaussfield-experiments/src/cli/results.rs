//! `results`: runs that are kept in the repository.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use gaussfield_core::files::write_atomically;
use gaussfield_experiments::results::{Baseline, KeptRun, headline, index, keep};
use gaussfield_experiments::{papers, repository, runs_folder};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What stands around the headline in the repository's README.
const MARKS: (&str, &str) = ("<!-- results -->\n", "<!-- end of results -->\n");

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The papers whose runs are kept [default: every paper with a full run in the folder]
    #[arg(value_name = "KEY", value_parser = PossibleValuesParser::new(papers().iter().map(|p| p.key)))]
    keys: Vec<String>,

    /// Folder with the runs, each in DIR/KEY [default: target/reproduce]
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Keep the verdicts of short runs as those to compare with
    #[arg(long, conflicts_with = "check")]
    quick: bool,

    /// Compare short runs with the verdicts kept; keep nothing
    #[arg(long)]
    check: bool,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let root = repository()?;
        let from = match &self.from {
            Some(folder) => folder.clone(),
            None => runs_folder()?,
        };
        let results = root.join("docs").join("results");
        if self.check {
            return self.compare(&from, &results.join("quick.json"));
        }
        if self.quick {
            return self.keep_quick(&from, &results.join("quick.json"));
        }
        let mut out = std::io::stdout();
        for (key, run) in self.runs(&from)? {
            if run.record.quick && self.keys.is_empty() {
                writeln!(out, "{key}: a short run, not kept")?;
                continue;
            }
            let kept = keep(&from.join(key), &results.join(key))?;
            writeln!(out, "{key}: {} claims kept", kept.claims.len())?;
        }
        let mut kept = Vec::new();
        for paper in papers() {
            kept.extend(KeptRun::read(&results.join(paper.key))?);
        }
        write_atomically(&results.join("README.md"), index(&kept).as_bytes())?;
        put_headline(&root.join("README.md"), &headline(&kept))?;
        writeln!(out, "{}", headline(&kept))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The runs in a folder that were named, or all of them.
    fn runs(&self, from: &Path) -> Result<Vec<(&'static str, KeptRun)>> {
        let mut runs = Vec::new();
        for key in papers().iter().map(|paper| paper.key) {
            let named = self.keys.iter().any(|named| named == key);
            match KeptRun::read(&from.join(key))? {
                Some(run) if named || self.keys.is_empty() => runs.push((key, run)),
                None if named => bail!(
                    "{} has no run of {key}: `cargo xtask reproduce {key}` makes one",
                    from.display()
                ),
                _ => {}
            }
        }
        Ok(runs)
    }

    fn keep_quick(&self, from: &Path, file: &Path) -> Result<ExitCode> {
        let mut baseline = Baseline::read(file)?;
        for (key, run) in self.runs(from)? {
            if !run.record.quick {
                bail!("the run of {key} in {} is not a short one", from.display());
            }
            baseline.take(&run);
            writeln!(std::io::stdout(), "{key}: {} verdicts kept", run.claims.len())?;
        }
        baseline.write(file)?;
        Ok(ExitCode::SUCCESS)
    }

    fn compare(&self, from: &Path, file: &Path) -> Result<ExitCode> {
        let baseline = Baseline::read(file)?;
        let (mut lost, mut out) = (false, std::io::stdout());
        let runs = self.runs(from)?;
        let named = |key: &&str| self.keys.is_empty() || self.keys.iter().any(|k| k == key);
        for key in baseline.papers().filter(named) {
            let Some((_, run)) = runs.iter().find(|(known, _)| *known == key) else {
                bail!("{} has no run of {key} to compare", from.display());
            };
            let found = baseline.compare(run);
            writeln!(out, "{key}: {found}")?;
            for (mark, lines) in [("not compared", &found.unchecked), ("LOST", &found.lost)] {
                for line in lines {
                    writeln!(out, "  {mark}  {line}")?;
                }
            }
            lost |= !found.lost.is_empty();
        }
        if lost {
            bail!(
                "claims that held differ; if that is meant, the commit says why and keeps the new \
                 verdicts: `cargo xtask results --quick --from {}`",
                from.display()
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Puts the headline between the marks of the README.
fn put_headline(path: &Path, headline: &str) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let parts = text
        .split_once(MARKS.0)
        .and_then(|(before, rest)| rest.split_once(MARKS.1).map(|(_, after)| (before, after)));
    let Some((before, after)) = parts else {
        bail!("{} lacks the marks {:?} around its results", path.display(), MARKS);
    };
    let folded = fold(headline, 100);
    let new = format!("{before}{}{folded}{}{after}", MARKS.0, MARKS.1);
    if new != text {
        write_atomically(path, new.as_bytes())?;
    }
    Ok(())
}

/// Words in lines of at most so many characters.
fn fold(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.len() - 1;
        if !lines[line].is_empty() && lines[line].chars().count() + 1 + word.chars().count() > width
        {
            lines.push(word.to_owned());
        } else {
            if !lines[line].is_empty() {
                lines[line].push(' ');
            }
            lines[line].push_str(word);
        }
    }
    lines.join("\n") + "\n"
}
