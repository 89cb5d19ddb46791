//! Code that the compiler cannot check stands where foreign functions are called, and nowhere else.

use super::tidy::File;

/// The modules that may have it: BoomerAMG of hypre, and arrays of NumPy.
const FOREIGN: &[&str] =
    &["crates/gaussfield-distributed/src/hypre.rs", "crates/gaussfield-python/src/arrays.rs"];

// In pieces, so that this file may be looked at.
const WORD: &str = concat!("un", "safe");
const LINT: &str = concat!("un", "safe_code");

/// Every line outside these modules that has such code or lets it in. A crate without the macro `s!` of ndarray,
/// which lets it in for itself, can forbid it, so that no line lets it in; elsewhere the lint is an error and
/// this is what keeps a line from lifting it.
pub(super) fn check(code: &[File]) -> Vec<String> {
    let forbid = format!("#![forbid({LINT})]");
    let mut problems = Vec::new();
    for File { path, text } in code {
        if FOREIGN.contains(&path.as_str()) {
            continue;
        }
        let lines =
            text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (at, line) in lines {
            let lifts = line.contains(LINT) && line != forbid;
            if lifts || has_word(line, WORD) {
                problems.push(format!("{path}:{} is {WORD}: only {FOREIGN:?} may be", at + 1));
            }
        }
    }
    problems
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|own| own == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, String)]) -> Vec<String> {
        let of = |(path, text): &(&str, String)| File { path: (*path).into(), text: text.clone() };
        check(&files.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn it_stands_where_foreign_functions_are_called() {
        let block = format!("//! What.\nfn f() {{\n    {WORD} {{ g() }}\n}}\n");
        let found = problems(&[("crates/g/src/a.rs", block.clone())]);
        assert!(found.len() == 1 && found[0].starts_with("crates/g/src/a.rs:3"), "{found:?}");
        assert_eq!(problems(&[(FOREIGN[0], block)]), [""; 0]);
        let allowed = format!("//! What.\n#![allow({LINT})]\n");
        assert_eq!(problems(&[("crates/g/tests/all/a.rs", allowed)]).len(), 1);
        let named = format!("//! No {WORD} word.\nfn {WORD}_ids() {{}} // not {WORD}ly\n");
        assert_eq!(problems(&[("crates/g/src/a.rs", named)]), [""; 0]);
    }
}
