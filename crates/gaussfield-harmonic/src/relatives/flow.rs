//! The largest flow between two sets of nodes, by Dinic's phases.

use gaussfield_core::{Cancelled, Progress};
use gaussfield_graph::Graph;
use std::collections::VecDeque;

/// One direction of an edge, with what can still flow along it.
struct Arc {
    to: usize,
    left: f64,
    /// Where the same edge stands in the other direction.
    back: usize,
}

/// A graph as a network of pipes: an edge of weight w takes w in either direction.
pub(super) struct Network {
    start: Vec<usize>,
    arcs: Vec<Arc>,
}

impl Network {
    pub(super) fn new(graph: &Graph) -> Self {
        let (mut start, mut arcs) = (vec![0], Vec::new());
        for node in 0..graph.nodes() {
            graph.for_each_neighbour(node, |to, left| arcs.push(Arc { to, left, back: 0 }));
            start.push(arcs.len());
        }
        let mut network = Self { start, arcs };
        for node in 0..graph.nodes() {
            for at in network.of(node) {
                let to = network.arcs[at].to;
                // Neighbours are visited in increasing order, and the graph is symmetric.
                let row = &network.arcs[network.of(to)];
                let offset = row.partition_point(|arc| arc.to < node);
                network.arcs[at].back = network.start[to] + offset;
            }
        }
        network
    }

    fn of(&self, node: usize) -> std::ops::Range<usize> {
        self.start[node]..self.start[node + 1]
    }

    /// Sends as much as can flow from the sources to the sinks. Every phase saturates all shortest
    /// paths, so that there are at most as many as nodes, whatever the weights; a path takes its
    /// narrowest edge exactly to zero.
    pub(super) fn saturate(&mut self, source: &[bool], sink: &[bool]) -> Result<(), Cancelled> {
        let stage = Progress::stage("minimum cut", None);
        loop {
            stage.step()?;
            let level = self.levels(source, |arc| arc.left > 0.0);
            let met = |node: usize| sink[node] && level[node].is_some();
            if !(0..sink.len()).any(met) {
                return Ok(());
            }
            let mut next: Vec<usize> = self.start[..sink.len()].to_vec();
            for node in (0..source.len()).filter(|&node| source[node]) {
                while self.push(node, sink, &level, &mut next) {}
            }
        }
    }

    /// One path of the phase from a source, saturated; false where there is none left.
    fn push(
        &mut self,
        from: usize,
        sink: &[bool],
        level: &[Option<usize>],
        next: &mut [usize],
    ) -> bool {
        let mut path: Vec<usize> = Vec::new();
        let mut node = from;
        loop {
            if sink[node] {
                let narrow =
                    path.iter().map(|&at| self.arcs[at].left).fold(f64::INFINITY, f64::min);
                for &at in &path {
                    let back = self.arcs[at].back;
                    self.arcs[at].left -= narrow;
                    self.arcs[back].left += narrow;
                }
                return true;
            }
            let deeper = level[node].map(|level| level + 1);
            let open = (next[node]..self.start[node + 1])
                .find(|&at| self.arcs[at].left > 0.0 && level[self.arcs[at].to] == deeper);
            match open {
                Some(at) => {
                    next[node] = at;
                    path.push(at);
                    node = self.arcs[at].to;
                }
                // A dead end: the arc that led here is passed over.
                None => {
                    next[node] = self.start[node + 1];
                    let Some(at) = path.pop() else { return false };
                    node = self.arcs[self.arcs[at].back].to;
                    next[node] = at + 1;
                }
            }
        }
    }

    /// How many open arcs away from the roots each node is; none where no path leads.
    fn levels(&self, roots: &[bool], open: impl Fn(&Arc) -> bool) -> Vec<Option<usize>> {
        let mut level: Vec<Option<usize>> = roots.iter().map(|&root| root.then_some(0)).collect();
        let mut queue: VecDeque<usize> = (0..roots.len()).filter(|&node| roots[node]).collect();
        while let Some(node) = queue.pop_front() {
            let deeper = level[node].map(|level| level + 1);
            for arc in &self.arcs[self.of(node)] {
                if open(arc) && level[arc.to].is_none() {
                    level[arc.to] = deeper;
                    queue.push_back(arc.to);
                }
            }
        }
        level
    }

    /// The nodes that the sources still reach: the least side of a minimum cut that holds them.
    pub(super) fn reached_from(&self, sources: &[bool]) -> Vec<bool> {
        self.levels(sources, |arc| arc.left > 0.0).iter().map(Option::is_some).collect()
    }

    /// The nodes that still reach the sinks: the least side that holds those.
    pub(super) fn reaching(&self, sinks: &[bool]) -> Vec<bool> {
        self.levels(sinks, |arc| self.arcs[arc.back].left > 0.0)
            .iter()
            .map(Option::is_some)
            .collect()
    }
}
