//! What rows are called: a text each, or their number.

use crate::failure::Failure;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What rows are called. Numbers are not written out: of a large table they would take more than its
/// features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Names {
    Given(Vec<String>),
    Numbered { first: usize, rows: usize },
}

impl Names {
    /// Rows numbered from 1.
    pub(crate) fn of_rows(rows: usize) -> Self {
        Self::Numbered { first: 1, rows }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Given(names) => names.len(),
            Self::Numbered { rows, .. } => *rows,
        }
    }

    /// What a row is called.
    pub(crate) fn of(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Given(names) => Cow::Borrowed(&names[row]),
            Self::Numbered { first, .. } => Cow::Owned((first + row).to_string()),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|row| self.of(row))
    }

    /// The row of a name, for many of them.
    pub(crate) fn find_each<'n>(
        &self,
        wanted: impl Iterator<Item = &'n str>,
    ) -> Vec<Option<usize>> {
        match self {
            Self::Numbered { first, rows } => {
                let row = |name: &str| {
                    // No "+3" and no "003": a number has one name.
                    let row = name.parse::<usize>().ok()?.checked_sub(*first)?;
                    (row < *rows && self.of(row) == name).then_some(row)
                };
                wanted.map(row).collect()
            }
            Self::Given(names) => {
                let places = Places::of(names);
                wanted.map(|name| places.find(names, name)).collect()
            }
        }
    }

    /// The names, if no two are equal; `column` is where they stand.
    pub(crate) fn distinct(file: &str, names: Vec<String>, column: &str) -> Result<Self, Failure> {
        if let Some((before, row)) = Places::of(&names).twice(&names) {
            return Err(Failure::Input(format!(
                "{file}: rows {} and {} are both named {:?} in the column {column:?}; make the names \
                 differ, or leave --id out to number the rows",
                before + 1,
                row + 1,
                names[row]
            )));
        }
        Ok(Self::Given(names))
    }
}

/// Rows by the hash of their names: two numbers for a row, whatever its name.
struct Places(Vec<(u64, usize)>);

impl Places {
    fn of(names: &[String]) -> Self {
        let all = names.iter().enumerate().map(|(row, name)| (hash(name), row));
        let mut places: Vec<(u64, usize)> = all.collect();
        places.sort_unstable();
        Self(places)
    }

    fn find(&self, names: &[String], name: &str) -> Option<usize> {
        let hash = hash(name);
        let begin = self.0.partition_point(|place| place.0 < hash);
        let alike = self.0[begin..].iter().take_while(|place| place.0 == hash);
        alike.map(|place| place.1).find(|&row| names[row] == name)
    }

    /// The first row whose name stands before it, with the row where it does.
    fn twice(&self, names: &[String]) -> Option<(usize, usize)> {
        let mut first: Option<(usize, usize)> = None;
        for alike in self.0.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            for (at, &(_, row)) in alike.iter().enumerate() {
                let mut before = alike[..at].iter().map(|place| place.1);
                let before = before.rfind(|&before| names[before] == names[row]);
                if let Some(before) = before
                    && first.is_none_or(|(_, known)| row < known)
                {
                    first = Some((before, row));
                }
            }
        }
        first
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_their_names() {
        let numbered = Names::Numbered { first: 1, rows: 3 };
        let wanted = ["3", "0", "4", "03", "+1", "1", "x"];
        let found = numbered.find_each(wanted.into_iter());
        assert_eq!(found, [Some(2), None, None, None, None, Some(0), None]);
        assert_eq!(numbered.iter().collect::<Vec<_>>(), ["1", "2", "3"]);
        let given: Vec<String> = ["b", "a", "c"].map(str::to_owned).into();
        let given = Names::distinct("t", given, "id").unwrap();
        assert_eq!(given.find_each(["a", "d", "b"].into_iter()), [Some(1), None, Some(0)]);
    }

    #[test]
    fn the_first_name_that_comes_again_is_told() {
        let names: Vec<String> = ["a", "b", "c", "b", "a", "b"].map(str::to_owned).into();
        assert_eq!(Places::of(&names).twice(&names), Some((1, 3)));
        assert_eq!(Places::of(&names[..3]).twice(&names[..3]), None);
        let told = Names::distinct("t.csv", names, "key").unwrap_err().to_string();
        assert!(told.contains("rows 2 and 4 are both named \"b\" in the column \"key\""), "{told}");
    }
}
