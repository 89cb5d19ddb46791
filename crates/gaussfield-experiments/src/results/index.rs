//! The page over all kept runs.

use super::KeptRun;
use gaussfield_report::format::duration;
use gaussfield_report::{Cell, Claim, ClaimKind, Rule, Table, Tally, Value, Verdict};
use std::time::Duration;

/// One sentence on all kept runs.
pub fn headline(runs: &[KeptRun]) -> String {
    if runs.is_empty() {
        return "No full run is kept yet.".to_owned();
    }
    let of = |wanted: fn(&Claim) -> bool| {
        Tally::of(runs.iter().flat_map(|run| &run.claims).filter(move |claim| wanted(claim)))
    };
    let own = of(|claim| claim.kind() == ClaimKind::Own);
    let others = of(|claim| claim.kind() != ClaimKind::Own);
    let decided = own.holds + own.differs;
    let share = |of: usize| 100.0 * own.holds as f64 / of.max(1) as f64;
    format!(
        "Of {} claims of {} papers on their own data {} hold ({:.0} % of all, {:.0} % of the {decided} that \
         are decided), {} differ, {} say little and {} were not run; beside them {} claims on other \
         editions, stand-ins and layouts of ours, beyond the papers and identities, of which {} hold.",
        own.total(),
        runs.len(),
        own.holds,
        share(own.total()),
        share(decided),
        own.differs,
        own.says_little,
        own.not_run,
        others.total(),
        others.holds
    )
}

/// The page over all kept runs.
pub fn index(runs: &[KeptRun]) -> String {
    let mut page = format!(
        "# Results\n\n{}\n\nEvery page below was written by the run it tells of, without a word or a \
         number changed by hand. `cargo xtask reproduce KEY` runs a paper again, `cargo xtask results` \
         keeps the run and makes this page; `quick.json` has the verdicts of short runs, which \
         `cargo xtask validate` compares.\n\n",
        headline(runs)
    );
    for (title, table) in [
        ("By paper", by_paper(runs)),
        ("By what they are judged on", by_kind(runs)),
        ("By rule", by_rule(runs)),
        ("All claims", all(runs)),
    ] {
        page.push_str(&format!("## {title}\n\n{}\n", table.markdown()));
    }
    page.push_str(
        "A printed number is judged from both sides; a direction holds only with two standard errors. \
         A claim says little where its rule is so wide that the opposite would have passed.\n",
    );
    page
}

const COUNTS: [&str; 5] = ["claims", "hold", "differ", "say little", "not run"];

fn counts(tally: Tally) -> [Cell; 5] {
    [tally.total(), tally.holds, tally.differs, tally.says_little, tally.not_run]
        .map(|count| Cell::Number(count as f64, 0))
}

fn by_paper(runs: &[KeptRun]) -> Table {
    let heads = ["paper", "judged on"].into_iter().chain(COUNTS).chain(["commit", "time"]);
    let mut table = Table::new("by-paper", "", heads);
    for KeptRun { record, claims } in runs {
        let time = duration(Duration::from_secs_f64(record.seconds.max(0.0)));
        let time = match record.taken_up {
            0 => time,
            kept => format!("{time}, without {kept} trials of earlier runs"),
        };
        let commit = record.commit.clone().unwrap_or_else(|| "–".to_owned());
        for (own, name) in [(true, "paper's data"), (false, "other")] {
            let chosen = claims.iter().filter(|claim| (claim.kind() == ClaimKind::Own) == own);
            let first = [
                Cell::Text(format!("[{key}]({key}/README.md)", key = record.paper)),
                Cell::from(name),
            ];
            let last = [Cell::Text(commit.clone()), Cell::Text(time.clone())];
            table.row(first.into_iter().chain(counts(Tally::of(chosen))).chain(last));
        }
    }
    table
}

fn by_kind(runs: &[KeptRun]) -> Table {
    let mut table = Table::new("by-kind", "", ["judged on"].into_iter().chain(COUNTS));
    for &kind in ClaimKind::ALL {
        let chosen = runs.iter().flat_map(|run| &run.claims).filter(|claim| claim.kind() == kind);
        table.row([Cell::Text(kind.to_string())].into_iter().chain(counts(Tally::of(chosen))));
    }
    table
}

fn by_rule(runs: &[KeptRun]) -> Table {
    let mut table = Table::new("by-rule", "", ["rule"].into_iter().chain(COUNTS));
    let rules = Rule::ALL.iter().copied().map(Some).chain([None]);
    for rule in rules {
        let chosen = runs.iter().flat_map(|run| &run.claims).filter(|claim| claim.rule() == rule);
        let name = rule.map_or("none: not run".to_owned(), |rule| rule.to_string());
        table.row([Cell::Text(name)].into_iter().chain(counts(Tally::of(chosen))));
    }
    table
}

fn all(runs: &[KeptRun]) -> Table {
    let columns = ["judged on", "verdict", "paper", "claim", "where", "printed", "ours", "rule"];
    let mut table = Table::new("all", "", columns);
    for &kind in ClaimKind::ALL {
        for &verdict in Verdict::ALL {
            for KeptRun { record, claims } in runs {
                let chosen = claims.iter().filter(|c| c.kind() == kind && c.verdict() == verdict);
                for claim in chosen {
                    table.row(row(&record.paper, claim));
                }
            }
        }
    }
    table
}

fn row(paper: &str, claim: &Claim) -> [Cell; 8] {
    let value = |value: Option<&Value>| Cell::Text(value.map_or("–".into(), Value::to_string));
    [
        Cell::Text(claim.kind().to_string()),
        Cell::Text(claim.verdict().to_string()),
        Cell::from(paper),
        Cell::Text(format!("[{id}]({paper}/README.md#{id})", id = claim.id())),
        Cell::from(claim.place()),
        value(claim.paper_value()),
        Cell::Text(claim.ours_with_spread()),
        Cell::Text(claim.rule().map_or("–".to_owned(), |rule| rule.to_string())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::RunRecord;

    #[test]
    fn every_claim_stands_once_under_its_kind_and_verdict() {
        let claim = |id: &str| Claim::new(id, "Figure 1", "a | b");
        let record = RunRecord {
            paper: "tiny1999".to_owned(),
            title: "Tiny".to_owned(),
            program: "p".to_owned(),
            commit: Some("0123456789ab".to_owned()),
            quick: false,
            trials: None,
            seed: 0,
            threads: 2,
            seconds: 61.0,
            taken_up: 0,
            other_build: false,
            data: Vec::new(),
        };
        let claims = vec![
            claim("one").paper(1.0).over((1.1, Some(0.1), 10)).within_two_of_ours(),
            claim("two").holds_if(false, "not seen"),
            claim("three").holds_if(true, "").of_kind(ClaimKind::Layout),
            claim("four").not_run("no data"),
        ];
        let runs = [KeptRun { record, claims }];
        let words = headline(&runs);
        let begin =
            "Of 3 claims of 1 papers on their own data 1 hold (33 % of all, 50 % of the 2 that are";
        assert!(words.starts_with(begin), "{words}");
        assert!(words.contains("beside them 1 claims"), "{words}");
        let page = index(&runs);
        for id in ["one", "two", "three", "four"] {
            assert_eq!(page.matches(&format!("[{id}](tiny1999/README.md#{id})")).count(), 1);
        }
        assert!(page.contains("| paper's data | holds | tiny1999 |"), "{page}");
        assert!(page.contains("| 0123456789ab | 1 min 1 s |"), "{page}");
        assert!(page.contains("1.10 ± 0.10"), "{page}");
    }
}
