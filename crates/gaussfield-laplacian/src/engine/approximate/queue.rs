//! Nodes by degree, the small ones first, neighbours one after the other.

/// The nodes in sweeps: a sweep goes through all that wait in the order of their numbers and takes
/// those whose degree is at most its bound; the next one has a larger bound.
///
/// The smallest degree of all would be a little better for the factor. But nodes that stand beside
/// each other are neighbours, and in a sweep all that the elimination touches stays in the caches.
pub(super) struct ByDegree {
    degrees: Vec<u32>,
    /// Those that wait: up to `kept` those of this sweep that were passed over, from `at` on those to
    /// come.
    waiting: Vec<u32>,
    kept: usize,
    at: usize,
    bound: u32,
}

impl ByDegree {
    pub(super) fn new(degrees: Vec<u32>) -> Self {
        let waiting = (0..degrees.len() as u32).collect();
        let bound = degrees.iter().copied().min().unwrap_or(0);
        Self { degrees, waiting, kept: 0, at: 0, bound }
    }

    /// Takes the next node.
    pub(super) fn pop(&mut self) -> Option<u32> {
        while !self.waiting.is_empty() {
            while let Some(&node) = self.waiting.get(self.at) {
                self.at += 1;
                if self.degrees[node as usize] <= self.bound {
                    return Some(node);
                }
                self.waiting[self.kept] = node;
                self.kept += 1;
            }
            self.waiting.truncate(self.kept);
            (self.at, self.kept) = (0, 0);
            self.bound = self.bound.saturating_add((self.bound / 8).max(1));
        }
        None
    }

    /// Changes the degree of a node that is still waiting.
    pub(super) fn change(&mut self, node: u32, by: i64) {
        let degree = &mut self.degrees[node as usize];
        *degree = (i64::from(*degree) + by).clamp(0, i64::from(u32::MAX)) as u32;
    }
}
