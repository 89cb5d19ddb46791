//! The edges that were joined, newest first, a cache line at a time.

/// No line.
const NONE: u32 = u32::MAX;
/// Edges of a line: with the next one's place they fill 64 bytes.
const LINE: usize = 5;

/// Some edges of one node, filled from the front.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    weights: [f64; LINE],
    nodes: [u32; LINE],
    /// The line that was filled before.
    next: u32,
}

/// The newest line of a node, and how many edges all its lines hold.
#[derive(Clone, Copy)]
struct Head {
    line: u32,
    edges: u32,
}

/// One list for each node. Edges come and go in millions, each list at another place: one to a link
/// would be one miss of the caches each.
pub(super) struct Lists {
    heads: Vec<Head>,
    lines: Vec<Line>,
    /// The first unused line.
    unused: u32,
}

impl Lists {
    /// Empty lists of n nodes, with room for so many edges at a time.
    pub(super) fn new(nodes: usize, edges: usize) -> Self {
        let heads = vec![Head { line: NONE, edges: 0 }; nodes];
        // Half a line of each node is empty on average.
        let lines = Vec::with_capacity(edges.div_ceil(LINE) + nodes / 2);
        Self { heads, lines, unused: NONE }
    }

    pub(super) fn push(&mut self, owner: u32, node: u32, weight: f64) {
        let Head { line, edges } = self.heads[owner as usize];
        let at = edges as usize % LINE;
        let line = if at == 0 { self.fresh(line) } else { line };
        self.heads[owner as usize] = Head { line, edges: edges + 1 };
        let line = &mut self.lines[line as usize];
        (line.nodes[at], line.weights[at]) = (node, weight);
    }

    /// An unused line in front of another.
    fn fresh(&mut self, next: u32) -> u32 {
        let place = self.unused;
        if place == NONE {
            self.lines.push(Line { weights: [0.0; LINE], nodes: [0; LINE], next });
            return self.lines.len() as u32 - 1;
        }
        let line = &mut self.lines[place as usize];
        self.unused = std::mem::replace(&mut line.next, next);
        place
    }

    /// Takes all edges of a node off its list, the newest first.
    pub(super) fn take(&mut self, owner: u32, mut visit: impl FnMut(u32, f64)) {
        let empty = Head { line: NONE, edges: 0 };
        let Head { mut line, edges } = std::mem::replace(&mut self.heads[owner as usize], empty);
        let mut left = edges as usize;
        while left > 0 {
            let Line { weights, nodes, next } = self.lines[line as usize];
            self.lines[line as usize].next = std::mem::replace(&mut self.unused, line);
            line = next;
            let filled = (left - 1) % LINE + 1;
            for at in (0..filled).rev() {
                visit(nodes[at], weights[at]);
            }
            left -= filled;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_stacks_that_share_their_lines() {
        let mut lists = Lists::new(2, 0);
        let taken = |lists: &mut Lists, owner: u32| {
            let mut edges = Vec::new();
            lists.take(owner, |node, weight| edges.push((node, weight)));
            edges
        };
        for round in 0..3 {
            for edge in 0..13_u32 {
                lists.push(edge % 2, edge, f64::from(edge + round));
            }
            let expected = |owner: u32| -> Vec<(u32, f64)> {
                let own = (0..13).rev().filter(|edge| edge % 2 == owner);
                own.map(|edge| (edge, f64::from(edge + round))).collect()
            };
            assert_eq!(taken(&mut lists, 1), expected(1));
            assert_eq!(taken(&mut lists, 0), expected(0));
            assert!(taken(&mut lists, 0).is_empty());
            assert_eq!(lists.lines.len(), 4, "lines are used again");
        }
    }

    #[test]
    fn a_line_fills_a_line_of_the_caches() {
        assert_eq!(size_of::<Line>(), 64);
    }
}
