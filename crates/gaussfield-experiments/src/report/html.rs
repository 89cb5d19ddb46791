use super::claims::{claims_table, tally_bar};
use super::escape::{escape, paragraphs};
use super::items::{Item, Section};
use super::{Figure, Report};
use crate::format::duration;
use crate::plot::Width;
use crate::trials::Ran;
use crate::{Claim, Paper};
use std::fmt::Write as _;
use std::time::Duration;

/// How and when the report was made; printed at its end.
#[derive(Debug, Clone)]
pub struct Colophon {
    /// Wall time of the run.
    pub time: Duration,
    /// The seed.
    pub seed: u64,
    /// Worker threads.
    pub threads: usize,
    /// The user's trial count, if any.
    pub trials: Option<usize>,
    /// Whether it was a short run.
    pub quick: bool,
    /// Whether trials of another build were used.
    pub other_build: bool,
    /// What was run.
    pub runs: Vec<Ran>,
}

impl Report {
    /// The whole report as one page that needs nothing else: no script, font, style or picture
    /// from outside.
    pub fn html(&self, paper: &Paper, colophon: &Colophon) -> String {
        let title = escape(paper.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title} – reproduction</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
            include_str!("style.css")
        );
        page.push_str(&self.header(paper, colophon));
        for (index, section) in self.sections.iter().enumerate() {
            page.push_str(&self.section_html(index, section));
        }
        page.push_str(&self.all_claims());
        page.push_str(&self.data_html());
        page.push_str(&self.run_html(paper, colophon));
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    fn header(&self, paper: &Paper, colophon: &Colophon) -> String {
        let tally = self.tally();
        let mut html = format!(
            "<header>\n<p class=\"eyebrow\">Reproduction of {}</p>\n<h1>{}</h1>\n\
             <p class=\"citation\">{}. {}</p>\n<div class=\"summary\">{}</div>\n",
            escape(paper.key),
            escape(paper.title),
            escape(paper.authors.trim_end_matches('.')),
            escape(paper.venue),
            paragraphs(paper.summary)
        );
        let _ = writeln!(html, "<p class=\"tally\"><a href=\"#claims\">{tally}</a></p>");
        html.push_str(&tally_bar(&tally));
        if colophon.quick {
            html.push_str(
                "<p class=\"note\">This is a short run: fewer trials and smaller grids than the \
                 paper's. Run without <code>--quick</code> for the full one.</p>\n",
            );
        }
        if colophon.other_build {
            html.push_str(
                "<p class=\"note\">Some trials were kept from another build of the program.</p>\n",
            );
        }
        html.push_str("<nav aria-label=\"Contents\"><ol>\n");
        for (index, section) in self.sections.iter().enumerate() {
            let title = escape(&section.title);
            let _ = writeln!(html, "<li><a href=\"#section-{}\">{title}</a></li>", index + 1);
        }
        html.push_str("<li><a href=\"#claims\">All claims</a></li>\n");
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
            "<p>A claim with a number holds when our mean lies within two of the paper's standard \
             deviations, or within the tolerance stated. Ours is mean ± one standard deviation \
             over trials.</p>\n",
        );
        html.push_str(&claims_table(&claims, false));
        html.push_str("</section>\n");
        html
    }

    fn data_html(&self) -> String {
        let mut html = "<section id=\"data\">\n<h2>Data and run</h2>\n".to_owned();
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
        if !self.facts.is_empty() {
            html.push_str("<h3>Solvers and settings</h3>\n<dl>\n");
            for (name, value) in &self.facts {
                let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
            }
            html.push_str("</dl>\n");
        }
        html
    }

    fn run_html(&self, paper: &Paper, colophon: &Colophon) -> String {
        let trials = match (colophon.trials, colophon.quick) {
            (Some(trials), _) => trials.to_string(),
            (None, true) => "the short run's".to_owned(),
            (None, false) => "the paper's".to_owned(),
        };
        let mut html = format!(
            "<h3>This run</h3>\n<dl>\n<dt>Program</dt><dd>gaussfield-experiments {}</dd>\n\
             <dt>Wall time</dt><dd>{}</dd>\n<dt>Seed</dt><dd>{}</dd>\n\
             <dt>Trials per experiment</dt><dd>{trials}</dd>\n<dt>Threads</dt><dd>{}</dd>\n</dl>\n",
            env!("CARGO_PKG_VERSION"),
            duration(colophon.time),
            colophon.seed,
            colophon.threads
        );
        if !colophon.runs.is_empty() {
            html.push_str(
                "<div class=\"scroll\"><table>\n<caption>Trials by experiment</caption>\n<thead>\
                 <tr><th scope=\"col\">Experiment</th><th scope=\"col\" class=\"number\">Settings\
                 </th><th scope=\"col\" class=\"number\">Trials</th><th scope=\"col\" \
                 class=\"number\">Kept from earlier runs</th></tr></thead>\n<tbody>\n",
            );
            for ran in &colophon.runs {
                let _ = write!(html, "<tr><td>{}</td>", escape(&ran.experiment));
                for count in [ran.settings, ran.trials, ran.kept] {
                    let _ = write!(html, "<td class=\"number\">{count}</td>");
                }
                html.push_str("</tr>\n");
            }
            html.push_str("</tbody></table></div>\n");
        }
        let mut command = format!("cargo xtask reproduce {} --seed {}", paper.key, colophon.seed);
        if let Some(trials) = colophon.trials {
            let _ = write!(command, " --trials {trials}");
        }
        if colophon.quick {
            command.push_str(" --quick");
        }
        let _ = writeln!(
            html,
            "<h3>To run it again</h3>\n<pre><code>{}</code></pre>\n<p>Finished trials are kept and \
             used again; <code>--fresh</code> computes everything anew. The numbers do not depend \
             on the number of threads.</p>\n</section>",
            escape(&command)
        );
        html
    }
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
