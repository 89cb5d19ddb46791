//! The choice that the paper does not state: which Laplacian bends the kernel.

use super::choice::{Method, Outcome, Set};
use super::study::Case;
use super::{benefit, selection};
use crate::Context;
use anyhow::Result;
use gaussfield_report::{Cell, Claim, Table, Verdict};

/// Both Laplacians side by side; `cases` has the normalised one.
pub(super) fn run(ctx: &mut Context, cases: &[Case], others: &[Case]) -> Result<()> {
    ctx.report.section(
        "Beyond the paper: the other Laplacian",
        "The claims above are decided with the normalised Laplacian. Here is all of it once more \
         with D − W, on the same labels. Its eigenvalues grow with the degrees, so γ_I is divided \
         by the p-th power of the mean degree.",
    );
    let mut table = Table::new(
        "laplacians",
        "Errors of SSGP in per cent where the evidence is largest, over draws.",
        [
            "data set",
            "labels",
            "test, normalised",
            "test, D − W",
            "unlabelled, normalised",
            "unlabelled, D − W",
        ],
    );
    for (case, other) in cases.iter().zip(others) {
        let (Ok(first), Ok(second)) = (&case.study, &other.study) else { continue };
        let of = |set| move |o: &Outcome| o.of(Method::Ssgp, set).chosen;
        let columns = [
            first.curve(of(Set::Test))?,
            second.curve(of(Set::Test))?,
            first.curve(of(Set::Unlabelled))?,
            second.curve(of(Set::Unlabelled))?,
        ];
        for (at, &count) in first.counts.iter().enumerate() {
            let mut cells = vec![Cell::from(first.plan.name), Cell::Number(count as f64, 0)];
            cells.extend(columns.iter().map(|column| Cell::of_trials(column[at], 1)));
            table.row(cells);
        }
    }
    ctx.report.table(table);
    let (ours, theirs) = (decided(cases)?, decided(others)?);
    let holds =
        |claims: &[Claim]| claims.iter().filter(|claim| claim.verdict() == Verdict::Holds).count();
    let only = |a: &[Claim], b: &[Claim]| -> String {
        let pairs = a.iter().zip(b);
        let better =
            pairs.filter(|(a, b)| a.verdict() == Verdict::Holds && b.verdict() == Verdict::Differs);
        let ids: Vec<&str> = better.map(|(a, _)| a.id()).collect();
        if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
    };
    ctx.report.text(format!(
        "Of the {} claims of Figures 2 to 5, {} hold with the normalised Laplacian and {} with D − W. \
         Only with the normalised one: {}. Only with D − W: {}.",
        ours.len(),
        holds(&ours),
        holds(&theirs),
        only(&ours, &theirs),
        only(&theirs, &ours)
    ));
    Ok(())
}

fn decided(cases: &[Case]) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    for case in cases {
        claims.extend(benefit::claims(case)?);
        claims.extend(selection::claims(case)?);
    }
    Ok(claims)
}
