//! As much of XML as the drawings use, checked.

/// Elements are closed in order, attributes are quoted and come once, `<` and `&` stand only
/// where they may, and no character is one that XML forbids.
pub(super) fn well_formed(text: &str) -> Result<(), String> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    if let Some(bad) = text.chars().find(|&c| !allowed(c)) {
        return Err(format!("{bad:?} is forbidden"));
    }
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        entities(&rest[..start])?;
        let end = rest[start..].find('>').ok_or("an element without end")? + start;
        let inside = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let body = inside.strip_suffix('/');
        let name = element(body.unwrap_or(inside))?;
        if body.is_none() {
            open.push(name);
        }
    }
    entities(rest)?;
    open.pop().map_or(Ok(()), |name| Err(format!("<{name}> is not closed")))
}

fn entities(text: &str) -> Result<(), String> {
    let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
    match text.match_indices('&').find(|(at, _)| !known.iter().any(|k| text[*at..].starts_with(k)))
    {
        Some((at, _)) => Err(format!("a bare & at {at}")),
        None => Ok(()),
    }
}

/// The name of an element, whose attributes are checked.
fn element(text: &str) -> Result<&str, String> {
    let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut seen = Vec::new();
    while !rest.trim().is_empty() {
        let (key, value) = rest.split_once("=\"").ok_or(format!("{rest} is not quoted"))?;
        let (value, after) = value.split_once('"').ok_or("a quote without end")?;
        if value.contains('<') || seen.contains(&key.trim()) {
            return Err(format!("the attribute {key}"));
        }
        entities(value)?;
        seen.push(key.trim());
        rest = after;
    }
    Ok(name)
}

#[test]
fn the_check_of_form_finds_faults() {
    let faults = [
        "<a>",
        "<a></b>",
        "<a b=\"<\"/>",
        "<a b=c/>",
        "a & b",
        "<a/>\u{1}",
        "<a b=\"1\" b=\"2\"/>",
    ];
    for text in faults {
        assert!(well_formed(text).is_err(), "{text}");
    }
    assert_eq!(well_formed("<a b=\"1 &amp; 2\">x &lt; y<c/></a>"), Ok(()));
}
