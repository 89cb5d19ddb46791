//! Nodes by degree, the smallest first.

/// No node.
const NONE: u32 = u32::MAX;

/// Lists of the nodes of each degree. Of nodes of one degree the one that came last goes first.
pub(super) struct ByDegree {
    /// The first node of each degree; the last list holds all larger ones.
    heads: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    degrees: Vec<u32>,
    /// No list before this one has a node.
    least: usize,
}

impl ByDegree {
    pub(super) fn new(degrees: Vec<u32>) -> Self {
        let n = degrees.len();
        let mut queue = Self {
            heads: vec![NONE; 2 * n.max(1)],
            next: vec![NONE; n],
            before: vec![NONE; n],
            degrees,
            least: 0,
        };
        // Backwards, so that the lowest number of a degree goes first.
        (0..n as u32).rev().for_each(|node| queue.insert(node));
        queue
    }

    /// Takes a node of the smallest degree.
    pub(super) fn pop(&mut self) -> Option<u32> {
        while *self.heads.get(self.least)? == NONE {
            self.least += 1;
        }
        let node = self.heads[self.least];
        self.remove(node);
        Some(node)
    }

    /// Changes the degree of a node that is still waiting.
    pub(super) fn change(&mut self, node: u32, by: i64) {
        if by == 0 {
            return;
        }
        self.remove(node);
        let degree = &mut self.degrees[node as usize];
        *degree = (i64::from(*degree) + by).max(0) as u32;
        self.insert(node);
    }

    fn list(&self, node: u32) -> usize {
        (self.degrees[node as usize] as usize).min(self.heads.len() - 1)
    }

    fn insert(&mut self, node: u32) {
        let list = self.list(node);
        let first = std::mem::replace(&mut self.heads[list], node);
        self.next[node as usize] = first;
        self.before[node as usize] = NONE;
        if first != NONE {
            self.before[first as usize] = node;
        }
        self.least = self.least.min(list);
    }

    fn remove(&mut self, node: u32) {
        let (next, before) = (self.next[node as usize], self.before[node as usize]);
        if next != NONE {
            self.before[next as usize] = before;
        }
        if before == NONE {
            let list = self.list(node);
            self.heads[list] = next;
        } else {
            self.next[before as usize] = next;
        }
    }
}
