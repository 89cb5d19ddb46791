//! The table of claims, and their count as a bar.

use crate::escape::escape;
use crate::{Claim, ClaimKind, Tally, Value, Verdict};
use std::fmt::Write as _;

/// A table of claims: a row of facts each, and below it the reason over the whole width, which a
/// column would squeeze to a word a line. `anchors` gives each row the id that links elsewhere lead to.
pub(super) fn claims_table(claims: &[&Claim], anchors: bool) -> String {
    let mut html = "<div class=\"scroll\"><table class=\"claims\">\n<thead><tr>".to_owned();
    for (name, class) in [
        ("Verdict", ""),
        ("Where", ""),
        ("Claim", ""),
        ("Paper", " class=\"number\""),
        ("Ours", " class=\"number\""),
        ("Rule", ""),
    ] {
        let _ = write!(html, "<th scope=\"col\"{class}>{name}</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for claim in claims {
        let badge = match claim.verdict() {
            Verdict::Holds => "holds",
            Verdict::Differs => "differs",
            Verdict::SaysLittle => "says-little",
            Verdict::NotRun => "not-run",
        };
        let shown = |value: Option<&Value>| value.map_or("–".to_owned(), Value::to_string);
        // One line: no break around the sign.
        let ours = claim.ours_with_spread().replace(" ± ", "\u{a0}±\u{a0}");
        let place = match claim.kind() {
            ClaimKind::Own => claim.place().to_owned(),
            kind => format!("{} ({kind})", claim.place()),
        };
        let id = escape(claim.id());
        // Ids on a page are unique: the section's table has the target, the last one links to it.
        let (row, text) = if anchors {
            (format!("<tr id=\"claim-{id}\">"), escape(claim.text()))
        } else {
            let text = escape(claim.text());
            ("<tr>".to_owned(), format!("<a href=\"#claim-{id}\">{text}</a>"))
        };
        let _ = writeln!(
            html,
            "{row}<td><span class=\"badge {badge}\">{}</span></td><td>{}</td><td>{text}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"rule\">{}</td></tr>\
             <tr class=\"reason\"><td></td><td colspan=\"5\">{}</td></tr>",
            claim.verdict(),
            escape(&place),
            escape(&shown(claim.paper_value())),
            escape(&ours),
            escape(&claim.rule().map_or("–".to_owned(), |rule| rule.to_string())),
            escape(claim.reason())
        );
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// The tally as a bar: a share of the width for every verdict.
pub(super) fn tally_bar(tally: &Tally) -> String {
    if tally.total() == 0 {
        return String::new();
    }
    let part = |count: usize, class: &str| match count {
        0 => String::new(),
        _ => format!("<span class=\"{class}\" style=\"flex-grow:{count}\"></span>"),
    };
    format!(
        "<div class=\"bar\" role=\"img\" aria-label=\"{tally}\">{}{}{}{}</div>\n",
        part(tally.holds, "holds"),
        part(tally.differs, "differs"),
        part(tally.says_little, "says-little"),
        part(tally.not_run, "not-run")
    )
}
