//! Tables, on the page and as CSV.

use crate::escape::escape;
use crate::format;

/// One cell of a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// Words, set to the left.
    Text(String),
    /// A number with so many decimals, set to the right.
    Number(f64, usize),
    /// Mean ± spread with so many decimals, set to the right.
    Spread(f64, f64, usize),
    /// Nothing to report.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Cell {
    /// Mean ± standard deviation over trials, or the number alone for a single one, which has no
    /// deviation.
    pub fn of_trials(over: impl Into<(f64, Option<f64>)>, decimals: usize) -> Self {
        match over.into() {
            (mean, Some(std)) => Self::Spread(mean, std, decimals),
            (mean, None) => Self::Number(mean, decimals),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value, decimals) => format!("{value:.decimals$}"),
            Self::Spread(mean, spread, decimals) => format::mean_spread(*mean, *spread, *decimals),
            Self::Empty => "–".to_owned(),
        }
    }

    /// Full precision, for the CSV file.
    fn exact(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value, _) => value.to_string(),
            Self::Spread(mean, spread, _) => format!("{mean} ± {spread}"),
            Self::Empty => String::new(),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Number(..) | Self::Spread(..) | Self::Empty)
    }
}

/// A table with a header line.
#[derive(Debug, Clone)]
pub struct Table {
    id: String,
    caption: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    csv: String,
}

impl Table {
    /// A table without rows. It is written as `data/ID.csv` too.
    pub fn new<C: Into<String>>(
        id: impl Into<String>,
        caption: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        let csv = crate::plot::csv_line(&columns);
        Self { id: id.into(), caption: caption.into(), columns, rows: Vec::new(), csv }
    }

    /// Adds a row. Missing cells at its end are empty; cells past the last column are dropped.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) -> &mut Self {
        let mut cells: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.columns.len(), Cell::Empty);
        self.csv.push_str(&crate::plot::csv_line(cells.iter().map(Cell::exact)));
        self.rows.push(cells);
        self
    }

    /// The table as Markdown, for terminals and files that are read as they are.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
        let rule = |column| if self.is_numeric(column) { "--:" } else { "---" };
        let rules: Vec<&str> = (0..self.columns.len()).map(rule).collect();
        let mut text = line(self.columns.clone()) + &format!("|{}|\n", rules.join("|"));
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|cell| cell.shown().replace('|', "\\|")).collect()));
        }
        text
    }

    fn is_numeric(&self, column: usize) -> bool {
        !self.rows.is_empty()
            && self.rows.iter().all(|row| row.get(column).is_some_and(Cell::is_number))
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn caption(&self) -> &str {
        &self.caption
    }

    pub(super) fn csv(&self) -> &str {
        &self.csv
    }

    pub(super) fn html(&self) -> String {
        let class = |number: bool| if number { " class=\"number\"" } else { "" };
        let mut html = format!("<div class=\"scroll\"><table id=\"{}\">\n", escape(&self.id));
        if !self.caption.is_empty() {
            html.push_str(&format!("<caption>{}</caption>\n", escape(&self.caption)));
        }
        html.push_str("<thead><tr>");
        for (column, name) in self.columns.iter().enumerate() {
            let class = class(self.is_numeric(column));
            html.push_str(&format!("<th scope=\"col\"{class}>{}</th>", escape(name)));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for cell in row {
                let class = class(cell.is_number());
                html.push_str(&format!("<td{class}>{}</td>", escape(&cell.shown())));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>\n");
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_and_filled_to_the_columns() {
        let mut table = Table::new("t", "a & b", ["method", "accuracy"]);
        table.row([Cell::from("thresh"), Cell::Spread(94.61, 1.18, 1)]);
        table.row(["only one"]).row(["a", "b", "too many"]);
        let html = table.html();
        assert!(html.contains("<td class=\"number\">94.6 ± 1.2</td>"), "{html}");
        assert!(html.contains("a &amp; b") && !html.contains("too many"));
        assert_eq!(table.csv(), "method,accuracy\nthresh,94.61 ± 1.18\nonly one,\na,b\n");
    }

    #[test]
    fn markdown_sets_numbers_to_the_right() {
        let mut table = Table::new("t", "", ["method", "accuracy"]);
        table.row([Cell::from("a|b"), Cell::Number(0.5, 2)]).row(["c"]);
        let text = "| method | accuracy |\n|---|--:|\n| a\\|b | 0.50 |\n| c | – |\n";
        assert_eq!(table.markdown(), text);
    }
}
