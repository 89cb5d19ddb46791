//! The page.

use super::claims::{claims_table, tally_bar};
use super::items::{Item, Section};
use super::{Colophon, Figure, Heading, Report};
use crate::Claim;
use crate::escape::{escape, escape_with_code, paragraphs};
use crate::plot::Width;
use std::fmt::Write as _;

impl Report {
    /// The whole report as one page that needs nothing else: no script, font, style or picture
    /// from outside.
    pub(super) fn html(&self, heading: &Heading, colophon: &Colophon) -> String {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
            escape(&heading.title),
            include_str!("style.css")
        );
        page.push_str(&self.header(heading));
        for (index, section) in self.sections.iter().enumerate() {
            page.push_str(&self.section_html(index, section));
        }
        if !self.claims.is_empty() {
            page.push_str(&self.all_claims());
        }
        page.push_str("<section id=\"data\">\n<h2>Data and run</h2>\n");
        page.push_str(&self.data_html());
        page.push_str(&run_html(colophon));
        page.push_str("</section>\n</main>\n</body>\n</html>\n");
        page
    }

    fn header(&self, heading: &Heading) -> String {
        let mut html = "<header>\n".to_owned();
        for (tag, class, text) in [
            ("p", " class=\"eyebrow\"", &heading.kind),
            ("h1", "", &heading.title),
            ("p", " class=\"citation\"", &heading.source),
        ] {
            if !text.is_empty() {
                let _ = writeln!(html, "<{tag}{class}>{}</{tag}>", escape(text));
            }
        }
        let _ = writeln!(html, "<div class=\"summary\">{}</div>", paragraphs(&heading.summary));
        if !self.claims.is_empty() {
            let tally = self.tally();
            let _ = writeln!(html, "<p class=\"tally\"><a href=\"#claims\">{tally}</a></p>");
            html.push_str(&tally_bar(&tally.own));
        }
        for note in &heading.notes {
            let _ = writeln!(html, "<p class=\"note\">{}</p>", escape_with_code(note));
        }
        html.push_str("<nav aria-label=\"Contents\"><ol>\n");
        for (index, section) in self.sections.iter().enumerate() {
            let title = escape(&section.title);
            let _ = writeln!(html, "<li><a href=\"#section-{}\">{title}</a></li>", index + 1);
        }
        if !self.claims.is_empty() {
            html.push_str("<li><a href=\"#claims\">All claims</a></li>\n");
        }
        html.push_str("<li><a href=\"#data\">Data and run</a></li>\n</ol></nav>\n</header>\n");
        html
    }

    fn section_html(&self, index: usize, section: &Section) -> String {
        let mut html = format!(
            "<section id=\"section-{}\">\n<h2>{}</h2>\n{}",
            index + 1,
            escape(&section.title),
            paragraphs(&section.text)
        );
        let mut rest = section.items.as_slice();
        // Claims that follow each other share a table, figures that do share a row.
        while let Some(item) = rest.first() {
            let same = |a: &Item| std::mem::discriminant(a) == std::mem::discriminant(item);
            let length = rest.iter().take_while(|other| same(other)).count();
            let (group, later) = rest.split_at(length);
            rest = later;
            html.push_str(&self.group_html(group));
        }
        html.push_str("</section>\n");
        html
    }

    fn group_html(&self, group: &[Item]) -> String {
        let mut figures = String::new();
        let mut claims = Vec::new();
        let mut html = String::new();
        for item in group {
            match item {
                Item::Statement { place, text } => {
                    let place = escape(place);
                    let _ = writeln!(
                        html,
                        "<blockquote><p class=\"place\">The paper, {place}</p>\n{}</blockquote>",
                        paragraphs(text)
                    );
                }
                Item::Text(text) => html.push_str(&paragraphs(text)),
                Item::Figure(figure) => figures.push_str(&figure_html(figure)),
                Item::Table(table) => html.push_str(&table.html()),
                Item::Claim(index) => claims.extend(self.claims.get(*index)),
            }
        }
        if !figures.is_empty() {
            let _ = writeln!(html, "<div class=\"figures\">\n{figures}</div>");
        }
        if !claims.is_empty() {
            html.push_str(&claims_table(&claims, true));
        }
        html
    }

    fn all_claims(&self) -> String {
        let claims: Vec<&Claim> = self.claims.iter().collect();
        let mut html = "<section id=\"claims\">\n<h2>All claims</h2>\n".to_owned();
        html.push_str(
            "<p>Ours is mean ± one standard deviation over trials. Each claim is decided by the rule \
             beside it: a printed number from both sides, a direction (\u{201c}better\u{201d}) only \
             with two standard errors. A claim says little where its rule is so wide that the \
             opposite would have passed. The headline counts claims on the paper's own data; what the \
             others are judged on stands beside their place.</p>\n",
        );
        html.push_str(&claims_table(&claims, false));
        html.push_str("</section>\n");
        html
    }

    fn data_html(&self) -> String {
        let mut html = String::new();
        if !self.data.is_empty() {
            html.push_str(
                "<h3>Data</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Data \
                 set</th><th scope=\"col\">Shape</th><th scope=\"col\">Found</th>\
                 <th scope=\"col\">sha256</th><th scope=\"col\">Source and licence</th></tr>\
                 </thead>\n<tbody>\n",
            );
            for fact in &self.data {
                let checked = match fact.checked {
                    Some(true) => "checked",
                    Some(false) => "not checked",
                    None => "generated",
                };
                html.push_str("<tr>");
                for text in [&fact.name, &fact.shape, &fact.found] {
                    let _ = write!(html, "<td>{}</td>", escape(text));
                }
                let _ = writeln!(html, "<td>{checked}</td><td>{}</td></tr>", escape(&fact.source));
            }
            html.push_str("</tbody></table></div>\n");
        }
        html + &facts_html("Solvers and settings", &self.facts)
    }
}

fn run_html(colophon: &Colophon) -> String {
    let mut html = facts_html("This run", &colophon.facts);
    for table in &colophon.tables {
        html.push_str(&table.html());
    }
    if !colophon.command.is_empty() {
        let _ = writeln!(
            html,
            "<h3>To run it again</h3>\n<pre><code>{}</code></pre>",
            escape(&colophon.command)
        );
    }
    if !colophon.advice.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", escape_with_code(&colophon.advice));
    }
    html
}

fn facts_html(title: &str, facts: &[(String, String)]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let mut html = format!("<h3>{title}</h3>\n<dl>\n");
    for (name, value) in facts {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    }
    html.push_str("</dl>\n");
    html
}

fn figure_html(figure: &Figure) -> String {
    let width = match figure.width {
        Width::Third => "third",
        Width::Half => "half",
        Width::Full => "full",
    };
    let stand_in = match &figure.stand_in {
        Some(note) => format!("<p class=\"stand-in\">{}</p>\n", escape(note)),
        None => String::new(),
    };
    let id = escape(&figure.id);
    format!(
        "<figure id=\"{id}\" class=\"{width}\">\n{}\n{stand_in}<figcaption>{} \
         <span class=\"file\">Numbers: data/{id}.csv</span></figcaption>\n</figure>\n",
        figure.svg.trim(),
        escape(&figure.caption)
    )
}
