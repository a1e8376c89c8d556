//! Whether links, kinds and arc coordinates fit together.

use super::{NodeKind, Weave};

impl Weave {
    /// The first thing that does not fit together, with the arc coordinates of a state in meters: links lead back, arc
    /// coordinates ascend along every yarn, yarns and their nodes know each other, removed nodes have no links.
    pub fn inconsistency(&self, arcs: &[[f64; 2]]) -> Option<String> {
        let n = self.node_count();
        let lengths = [self.arcs.len(), self.links.len(), self.kinds.len(), self.yarns_of.len(), arcs.len()];
        if lengths.iter().any(|l| *l != n) {
            return Some(format!("{n} positions, but lists of {lengths:?} nodes"));
        }
        (0..n).find_map(|i| self.wrong_link(arcs, i)).or_else(|| self.wrong_yarn())
    }

    fn wrong_link(&self, arcs: &[[f64; 2]], i: usize) -> Option<String> {
        self.links[i].iter().enumerate().find_map(|(port, link)| {
            let (next, back) = link.get()?;
            let gone = self.kinds[i] == NodeKind::Gone;
            if next >= self.node_count()
                || gone
                || self.links[next][back.index()].get().map(|(n, p)| (n, p.index())) != Some((i, port))
            {
                return Some(format!("port {port} of node {i} leads to node {next}, which does not lead back"));
            }
            let (c, other) = (port / 2, back.slot().index());
            if self.yarns_of[i][c] != self.yarns_of[next][other] {
                return Some(format!("nodes {i} and {next} are neighbors on different yarns"));
            }
            let ascending = port % 2 == 0 || (back.index() % 2 == 0 && arcs[next][other] > arcs[i][c]);
            (!ascending).then(|| format!("arc coordinates do not ascend from node {i} to node {next}"))
        })
    }

    fn wrong_yarn(&self) -> Option<String> {
        let mut seen = 0;
        for yarn in 0..self.yarns.len() {
            for (node, slot) in self.along(yarn) {
                seen += 1;
                if self.yarns_of[node][slot.index()] != yarn as u32 {
                    return Some(format!("node {node} lies on yarn {yarn} and does not know it"));
                }
            }
        }
        let known = self.yarns_of.iter().flatten().filter(|y| **y != Weave::NO_YARN).count();
        (known != seen)
            .then(|| format!("{known} places on yarns, of which {seen} are reached from the yarns' first nodes"))
    }
}
