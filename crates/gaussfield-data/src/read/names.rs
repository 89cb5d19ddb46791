//! Columns by name or by pattern.

/// Whether a name fits a pattern, in which `*` stands for any text and `?` for any one character.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last star was, and up to which character it reaches so far.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, reach)) => {
                    (p, n) = (at + 1, reach + 1);
                    star = Some((at, reach + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, want) in [
            ("x", "x", true),
            ("x", "xy", false),
            ("x*", "x", true),
            ("x*", "x_12", true),
            ("*_mean", "a_mean_mean", true),
            ("*_mean", "a_mean_", false),
            ("p?", "p1", true),
            ("p?", "p", false),
            ("*a*b*", "xaybz", true),
            ("*a*b*", "xbya", false),
            ("", "", true),
            ("é?", "éß", true),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
    }
}
