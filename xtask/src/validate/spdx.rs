//! Licence expressions: SPDX, and the older `MIT/Apache-2.0` form.
//!
//! Grammar, loosest first: `a OR b` (also `a / b`), `a AND b`, `ID`,
//! `ID WITH EXCEPTION`, `( … )`.

/// Whether the expression can be met with the licences that `allowed` accepts.
///
/// An exception only adds permissions, so `ID WITH X` is as good as `ID`.
///
/// # Errors
/// What is wrong with the expression, in words.
pub(crate) fn permits(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " / ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    let verdict = reader.either()?;
    match reader.words.first() {
        None => Ok(verdict),
        Some(word) => Err(format!("`{word}` is out of place")),
    }
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a dyn Fn(&str) -> bool,
}

impl Reader<'_> {
    /// Consumes the next word if it is one of these (case does not count).
    fn take(&mut self, any_of: &[&str]) -> bool {
        let found =
            self.words.first().is_some_and(|w| any_of.iter().any(|a| a.eq_ignore_ascii_case(w)));
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn either(&mut self) -> Result<bool, String> {
        let mut verdict = self.both()?;
        while self.take(&["OR", "/"]) {
            verdict |= self.both()?;
        }
        Ok(verdict)
    }

    fn both(&mut self) -> Result<bool, String> {
        let mut verdict = self.one()?;
        while self.take(&["AND"]) {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.take(&["("]) {
            let verdict = self.either()?;
            return if self.take(&[")"]) { Ok(verdict) } else { Err("`)` is missing".into()) };
        }
        let verdict = (self.allowed)(self.name()?);
        if self.take(&["WITH"]) {
            self.name()?;
        }
        Ok(verdict)
    }

    /// The next word, which must be a name.
    fn name(&mut self) -> Result<&str, String> {
        let Some((&word, rest)) = self.words.split_first() else {
            return Err("it ends where a licence is expected".into());
        };
        if ["AND", "OR", "WITH", "/", ")", "("].iter().any(|w| w.eq_ignore_ascii_case(word)) {
            return Err(format!("`{word}` stands where a licence is expected"));
        }
        self.words = rest;
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(expression: &str) -> Result<bool, String> {
        permits(expression, &|id| ["MIT", "Apache-2.0", "Zlib"].contains(&id))
    }

    #[test]
    fn expressions() {
        let cases = [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("GPL-3.0-only AND MIT", false),
            ("MIT/Apache-2.0", true),
            ("GPL-2.0 / Zlib", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("GPL-3.0 WITH Classpath-exception-2.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
            // AND binds tighter than OR.
            ("MIT OR Zlib AND GPL-3.0", true),
            ("GPL-3.0 AND MIT OR GPL-3.0", false),
            ("(MIT OR GPL-3.0) AND (Zlib OR LGPL-3.0)", true),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", false),
            ("MIT or GPL-3.0", true),
            ("((MIT))", true),
            ("mit", false),
        ];
        for (expression, expected) in cases {
            assert_eq!(permitted(expression), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn malformed_expressions_are_errors() {
        for expression in
            ["", "OR", "MIT OR", "MIT AND", "(MIT", "MIT)", "MIT Zlib", "MIT WITH", "()", "/MIT"]
        {
            assert!(permitted(expression).is_err(), "{expression}");
        }
    }
}
