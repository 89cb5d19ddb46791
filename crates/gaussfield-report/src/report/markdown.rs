//! The page as Markdown, for those who read it where the repository is shown.

use super::items::{Item, Section};
use super::{Cell, Colophon, Heading, Report, Table};
use crate::{Claim, ClaimKind, Value};

impl Report {
    /// The whole report with its figures beside it, `figures/ID.svg`. It names no place on this
    /// machine.
    pub(super) fn markdown(&self, heading: &Heading, colophon: &Colophon) -> String {
        let mut page = format!("# {}\n\n", plain(&heading.title));
        let tally =
            if self.claims.is_empty() { String::new() } else { format!("**{}.**", self.tally()) };
        for text in [&heading.kind, &heading.source, &heading.summary, &tally] {
            if !text.is_empty() {
                page.push_str(&format!("{}\n\n", text.replace('<', "&lt;")));
            }
        }
        heading.notes.iter().for_each(|note| page.push_str(&format!("> {note}\n\n")));
        self.sections.iter().for_each(|section| page.push_str(&self.section_text(section)));
        page.push_str("## Data and run\n\n");
        let mut data =
            Table::new("data", "", ["data set", "shape", "sha256", "source and licence"]);
        for fact in &self.data {
            let digests =
                if fact.digests.is_empty() { "–".to_owned() } else { fact.digests.join(" ") };
            data.row([fact.name.clone(), fact.shape.clone(), digests, fact.source.clone()]);
        }
        page.push_str(&format!("{}\n", data.markdown()));
        for (name, value) in self.facts.iter().chain(&colophon.facts) {
            page.push_str(&format!("- {}: {}\n", plain(name), plain(value)));
        }
        page.push_str(&format!("\n    {}\n", colophon.command));
        page
    }

    fn section_text(&self, section: &Section) -> String {
        let mut text = format!("## {}\n\n{}\n\n", plain(&section.title), plain(&section.text));
        let mut items = section.items.iter().peekable();
        while let Some(item) = items.next() {
            match item {
                Item::Statement { place, text: says } => {
                    let says = plain(says).replace('\n', "\n> ");
                    text.push_str(&format!("> The paper, {}: {says}\n\n", plain(place)));
                }
                Item::Text(words) => text.push_str(&format!("{}\n\n", plain(words))),
                Item::Figure(figure) => {
                    let caption = plain(&figure.caption);
                    text.push_str(&format!("![{caption}](figures/{}.svg)\n\n", figure.id));
                    text.push_str(&format!("{caption}\n\n"));
                    if let Some(note) = &figure.stand_in {
                        text.push_str(&format!("*{}*\n\n", plain(note)));
                    }
                }
                Item::Table(table) => {
                    text.push_str(&format!("{}\n\n{}\n", plain(table.caption()), table.markdown()));
                }
                Item::Claim(index) => {
                    let mut claims: Vec<&Claim> = self.claims.get(*index).into_iter().collect();
                    while let Some(Item::Claim(next)) = items.peek() {
                        claims.extend(self.claims.get(*next));
                        items.next();
                    }
                    text.push_str(&format!("{}\n", claims_table(&claims).markdown()));
                }
            }
        }
        text
    }
}

fn claims_table(claims: &[&Claim]) -> Table {
    let columns = ["verdict", "where", "claim", "paper", "ours", "rule", "reason"];
    let mut table = Table::new("claims", "", columns);
    for claim in claims {
        let place = match claim.kind() {
            ClaimKind::Own => claim.place().to_owned(),
            kind => format!("{} ({kind})", claim.place()),
        };
        let text = format!("<a id=\"{}\"></a>{}", claim.id(), plain(claim.text()));
        let value = |value: Option<&Value>| value.map_or("–".to_owned(), Value::to_string);
        table.row([
            Cell::Text(format!("**{}**", claim.verdict())),
            Cell::Text(plain(&place)),
            Cell::Text(text),
            Cell::Text(plain(&value(claim.paper_value()))),
            Cell::Text(plain(&claim.ours_with_spread())),
            Cell::Text(claim.rule().map_or("–".to_owned(), |rule| rule.to_string())),
            Cell::Text(plain(claim.reason())),
        ]);
    }
    table
}

/// Text in which no character means anything to Markdown.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '*' | '_' | '[' | ']' | '`' | '#' => safe.extend(['\\', c]),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_everything_once() {
        let mut report = Report::default();
        report.section("A <coin>", "Tosses of σ_x.").statement("Section 1", "it is fair");
        let claim =
            Claim::new("fair", "Section 1", "one half").paper(0.5).over((0.52, Some(0.1), 9));
        report.claim(claim.within_two_of_ours()).claim(Claim::new("later", "", "not yet"));
        let heading = Heading { title: "On a coin".to_owned(), ..Heading::default() };
        let page = report.markdown(&heading, &Colophon::default());
        for part in [
            "# On a coin",
            "## A &lt;coin>",
            "Tosses of σ\\_x.",
            "> The paper, Section 1: it is fair",
            "| **holds** | Section 1 | <a id=\"fair\"></a>one half | 0.5 | 0.52 ± 0.10 |",
            "| two of our standard deviations |",
            "| **not run** |",
        ] {
            assert_eq!(page.matches(part).count(), 1, "{part} in\n{page}");
        }
    }
}
