//! Plain text made safe for pages and drawings.

/// Text made safe for HTML and SVG, in content and in quoted attributes. Characters that neither
/// may hold are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(c),
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => {}
            other => safe.push(other),
        }
    }
    safe
}

/// Escaped text in which words between two backticks are code.
pub(crate) fn escape_with_code(text: &str) -> String {
    let safe = escape(text);
    let parts: Vec<&str> = safe.split('`').collect();
    // Backticks come in pairs, or they are text.
    if parts.len().is_multiple_of(2) {
        return safe;
    }
    let set = |(index, part): (usize, &&str)| match index % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    };
    parts.iter().enumerate().map(set).collect()
}

/// Escaped text in paragraphs; an empty line parts two of them.
pub(crate) fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| format!("<p>{}</p>\n", escape(part)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_stays_text() {
        assert_eq!(escape(r#"a<b & "c" > 'd'"#), "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert_eq!(escape("a\u{1}b\u{FFFF}c\n"), "abc\n");
        assert_eq!(escape_with_code("run `a < b` now"), "run <code>a &lt; b</code> now");
        assert_eq!(escape_with_code("one ` alone"), "one ` alone");
        assert_eq!(paragraphs("one\n\n\n\n<two>\n"), "<p>one</p>\n<p>&lt;two&gt;</p>\n");
    }
}
