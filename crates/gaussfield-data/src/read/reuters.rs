//! Reuters-21578, Distribution 1.0: newswire documents in SGML (Lewis, 1997).
//!
//! The collection is 22 files `reut2-000.sgm` … `reut2-021.sgm` in a folder or a tar archive.
//! They are read as Latin-1. A document is
//!
//! ```text
//! <REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" … NEWID="1">
//! <TOPICS><D>cocoa</D></TOPICS> …
//! <TEXT><TITLE>BAHIA COCOA REVIEW</TITLE> … <BODY>Showers continued …</BODY></TEXT>
//! </REUTERS>
//! ```
//!
//! where a text of type `UNPROC` has neither title nor body tags and is taken as the body.

use super::{archive, memory::Memory, source};
use crate::DataError;
use std::path::Path;

/// The value of the attribute `LEWISSPLIT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LewisSplit {
    /// `TRAIN`.
    Train,
    /// `TEST`.
    Test,
    /// `NOT-USED`.
    NotUsed,
}

/// The value of the attribute `TOPICS`: what the indexers meant by the list of topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicsStatus {
    /// `YES`: the document was indexed.
    Yes,
    /// `NO`: it was not.
    No,
    /// `BYPASS`: it was passed over.
    Bypass,
}

/// One newswire document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The attribute `NEWID`, 1 to 21578.
    pub new_id: u32,
    /// The attribute `LEWISSPLIT`.
    pub lewis_split: LewisSplit,
    /// The attribute `TOPICS`.
    pub topics_status: TopicsStatus,
    /// The topics, in the order of the file.
    pub topics: Vec<String>,
    /// The title, entities decoded.
    pub title: String,
    /// The body, entities decoded; empty for documents of type `BRIEF`.
    pub body: String,
}

impl Document {
    /// Title and body with a line between.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.title, self.body)
    }
}

/// Reads all documents of a folder, a tar archive (gzipped or not) or one `.sgm` file, in order
/// of `NEWID`. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Document>, DataError> {
    let path = path.as_ref();
    if !path.is_dir() {
        return parse(path, &source::bytes(path)?);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(DataError::io(path))? {
        files.push(entry.map_err(DataError::io(path))?.path());
    }
    files.sort_unstable();
    let mut documents = Vec::new();
    for file in files.iter().filter(|file| is_sgml(&file.to_string_lossy())) {
        let bytes = source::bytes(file)?;
        take_for(&mut Memory::holding(file, &bytes)?, &bytes)?;
        sgml(file, &source::latin1(&bytes), &mut documents)?;
    }
    in_order(path, documents)
}

/// Reads the bytes of a tar archive (gzipped or not), or of one `.sgm` file if they start as one;
/// `path` names them in messages.
///
/// # Errors
/// A damaged archive, no document, a document that does not end, an attribute that is missing or
/// has an unknown value.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Document>, DataError> {
    let mut documents = Vec::new();
    let mut memory = Memory::holding(path, bytes)?;
    if bytes.starts_with(b"<") {
        take_for(&mut memory, bytes)?;
        sgml(path, &source::latin1(bytes), &mut documents)?;
    } else {
        archive::tar_members(&mut memory, bytes, is_sgml, |memory, name, contents| {
            take_for(memory, &contents)?;
            sgml(&path.join(name), &source::latin1(&contents), &mut documents)
        })?;
    }
    in_order(path, documents)
}

/// Memory for the text of a file and for its documents, which have their title, body and topics.
fn take_for(memory: &mut Memory<'_>, bytes: &[u8]) -> Result<(), DataError> {
    let tags = bytes.iter().filter(|&&byte| byte == b'<').count();
    memory.items("the text", bytes.len(), 2 * 3)?;
    memory.items("the documents", tags, 3 * size_of::<String>() + size_of::<Document>())
}

fn is_sgml(name: &str) -> bool {
    name.ends_with(".sgm")
}

fn in_order(path: &Path, mut documents: Vec<Document>) -> Result<Vec<Document>, DataError> {
    if documents.is_empty() {
        let remedy = "give the folder or archive that holds reut2-000.sgm to reut2-021.sgm";
        return Err(source::empty(path, "there is no document", remedy));
    }
    documents.sort_by_key(|document| document.new_id);
    Ok(documents)
}

/// Takes the documents of one file.
fn sgml(path: &Path, text: &str, documents: &mut Vec<Document>) -> Result<(), DataError> {
    let (mut rest, mut line) = (text, 1);
    while let Some(start) = rest.find("<REUTERS") {
        line += newlines(&rest[..start]);
        rest = &rest[start..];
        let unfinished = || source::refused(path, line, "document", "<REUTERS", "closed again");
        let end = rest.find("</REUTERS>").ok_or_else(unfinished)?;
        let (whole, after) = rest.split_at(end);
        let (tag, content) = whole.split_once('>').ok_or_else(unfinished)?;
        documents.push(document(path, line, tag, content)?);
        line += newlines(whole);
        rest = after;
    }
    Ok(())
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&b| b == b'\n').count()
}

fn document(path: &Path, line: usize, tag: &str, content: &str) -> Result<Document, DataError> {
    let attribute = |name: &str| attribute(tag, name).unwrap_or_default();
    let refuse = |name: &str, expected: &str| {
        source::refused(path, line, format!("attribute {name}"), attribute(name), expected)
    };
    let lewis_split = match attribute("LEWISSPLIT") {
        "TRAIN" => LewisSplit::Train,
        "TEST" => LewisSplit::Test,
        "NOT-USED" => LewisSplit::NotUsed,
        _ => return Err(refuse("LEWISSPLIT", "TRAIN, TEST or NOT-USED")),
    };
    let topics_status = match attribute("TOPICS") {
        "YES" => TopicsStatus::Yes,
        "NO" => TopicsStatus::No,
        "BYPASS" => TopicsStatus::Bypass,
        _ => return Err(refuse("TOPICS", "YES, NO or BYPASS")),
    };
    let new_id = attribute("NEWID").parse().map_err(|_| refuse("NEWID", "a whole number"))?;
    let topics = between(content, "<TOPICS>", "</TOPICS>").unwrap_or_default();
    let topics = topics.split("<D>").skip(1).filter_map(|topic| topic.split("</D>").next());
    let (kind, text) = between(content, "<TEXT", "</TEXT>")
        .and_then(|text| text.split_once('>'))
        .unwrap_or_default();
    let title = between(text, "<TITLE>", "</TITLE>").unwrap_or_default();
    let body = match between(text, "<BODY>", "</BODY>") {
        Some(body) => body,
        None if kind.contains("UNPROC") => text,
        None => "",
    };
    Ok(Document {
        new_id,
        lewis_split,
        topics_status,
        topics: topics.map(decoded).collect(),
        title: decoded(title),
        body: decoded(body),
    })
}

/// The value of ` name="value"` in a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = format!(" {name}=\"");
    between(tag, &start, "\"")
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

/// Bytes of the longest entity, `&#1114111;`.
const LONGEST_ENTITY: usize = 10;

/// Text with its entities replaced and without the blanks and control characters (the wire's end
/// of transmission) around it. An unknown entity stays as it is.
fn decoded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest.bytes().take(LONGEST_ENTITY).position(|b| b == b';').and_then(|end| {
            let character = match &rest[1..end] {
                "lt" => '<',
                "gt" => '>',
                "amp" => '&',
                "quot" => '"',
                "apos" => '\'',
                other => char::from_u32(other.strip_prefix('#')?.parse().ok()?)?,
            };
            Some((character, end))
        });
        match entity {
            Some((character, end)) => {
                plain.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    plain.trim_matches(|c: char| c.is_whitespace() || c.is_control()).to_owned()
}
