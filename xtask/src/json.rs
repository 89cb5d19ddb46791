//! Reading JSON, as far as `cargo metadata` needs it.

use anyhow::{Context, bail};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    /// `true`, `false` or a number, as written.
    Bare(String),
    Text(String),
    List(Vec<Json>),
    /// Names with their values, in the order of the text.
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn parse(text: &str) -> anyhow::Result<Json> {
        let mut reader = Reader { rest: text };
        let value = reader.value()?;
        reader.blank();
        if !reader.rest.is_empty() {
            bail!("JSON goes on after its end: `{}`", reader.next_words());
        }
        Ok(value)
    }

    /// The value under a name; null where there is none.
    pub(crate) fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => {
                fields.iter().find(|(key, _)| key == name).map_or(&Json::Null, |(_, value)| value)
            }
            _ => &Json::Null,
        }
    }

    /// The text, empty if it is none.
    pub(crate) fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }

    /// The items, none if it is no list.
    pub(crate) fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn next_words(&self) -> String {
        self.rest.chars().take(20).collect()
    }

    fn take(&mut self, mark: char) -> bool {
        self.blank();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn need(&mut self, mark: char) -> anyhow::Result<()> {
        if self.take(mark) {
            return Ok(());
        }
        bail!("JSON has `{}` where `{mark}` should stand", self.next_words())
    }

    fn value(&mut self) -> anyhow::Result<Json> {
        if self.take('{') {
            let field = |reader: &mut Self| {
                let name = reader.string()?;
                reader.need(':')?;
                Ok((name, reader.value()?))
            };
            return Ok(Json::Object(self.series('}', field)?));
        }
        if self.take('[') {
            return Ok(Json::List(self.series(']', Self::value)?));
        }
        if self.rest.starts_with('"') {
            return Ok(Json::Text(self.string()?));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let end = self.rest.find(|c| !plain(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" => Ok(Json::Null),
            "" => bail!("JSON has `{}` where a value should stand", self.next_words()),
            word => Ok(Json::Bare(word.to_string())),
        }
    }

    /// What stands between an opening mark, already taken, and its end.
    fn series<T>(
        &mut self,
        end: char,
        item: impl Fn(&mut Self) -> anyhow::Result<T>,
    ) -> anyhow::Result<Vec<T>> {
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(end) {
                return Ok(items);
            }
            self.need(',')?;
        }
    }

    fn string(&mut self) -> anyhow::Result<String> {
        self.need('"')?;
        let mut text = String::new();
        let mut characters = self.rest.chars();
        loop {
            match characters.next().context("a JSON string has no end")? {
                '"' => break,
                '\\' => text.push(match characters.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some('u') => {
                        let digits: String = characters.by_ref().take(4).collect();
                        let number = u32::from_str_radix(&digits, 16).context(digits)?;
                        // Halves of a pair do not occur in what cargo writes.
                        char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    Some(other) => other,
                    None => bail!("a JSON string has no end"),
                }),
                other => text.push(other),
            }
        }
        self.rest = characters.as_str();
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind() {
        let text =
            r#" {"a": [1, -2.5e3, true, null], "b": {"c": "x\"\\\n\u00e9"}, "d": [], "e": {}} "#;
        let json = Json::parse(text).unwrap();
        assert_eq!(json.get("a").items().len(), 4);
        assert_eq!(json.get("a").items()[1], Json::Bare("-2.5e3".into()));
        assert_eq!(json.get("a").items()[3], Json::Null);
        assert_eq!(json.get("b").get("c").text(), "x\"\\\né");
        assert_eq!(json.get("d"), &Json::List(Vec::new()));
        assert_eq!(json.get("nothing").get("at all"), &Json::Null);
    }

    #[test]
    fn what_is_not_json_is_an_error() {
        for text in ["", "{", "[1,]", "{\"a\" 1}", "\"open", "\"\\u00\"", "1 2", "{1: 2}", "[1 2]"]
        {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
