//! A seam: a yarn along two edges, on which the yarns of both panels end [Cirio14, §3.1].
//!
//! Nodes of the seam yarn are where panel yarns end, at least 0.3 L apart. Ends of different panels that are nearer than L/4 along the
//! seam share a node and bend as one yarn there, if one ends and the other begins: arc coordinates ascend along a yarn.

use serde::{Deserialize, Serialize};

/// An edge of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelEdge {
    /// Number of the panel, from 0.
    pub panel: usize,
    /// Number of the edge's first vertex, from 0.
    pub edge: usize,
}

/// Two edges that are sewn together; they must meet in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// One edge.
    pub a: PanelEdge,
    /// The other one.
    pub b: PanelEdge,
    /// Whether the start of one edge meets the end of the other; where none, the ends that are nearer in space meet.
    #[serde(default)]
    pub reversed: Option<bool>,
}

/// The end of a panel yarn on a seam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrival {
    /// Along the seam, meters.
    pub(super) at: f64,
    /// Whether it comes from the seam's second edge.
    pub(super) second: bool,
    /// Number of the strand.
    pub(super) strand: usize,
    /// Whether the strand ends here; else it begins.
    pub(super) ends: bool,
}

/// A node of a seam: where along it, and the panel yarns there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SeamNode {
    pub(super) at: f64,
    pub(super) arrivals: Vec<Arrival>,
}

/// Shared nodes: ends of both panels nearer than this part of the spacing.
const SHARED: f64 = 0.25;

/// Smallest distance of seam nodes as a part of the spacing.
pub(super) const APART: f64 = 0.3 * (1.0 + 1e-6);

/// The nodes of a seam. `join` says whether two strands may become one yarn, and remembers it if so.
pub(super) fn seam_nodes(
    mut arrivals: Vec<Arrival>,
    length: f64,
    spacing: f64,
    mut join: impl FnMut(usize, usize) -> bool,
) -> Result<Vec<SeamNode>, String> {
    arrivals.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.second.cmp(&b.second)).then(a.strand.cmp(&b.strand)));
    let mut nodes: Vec<SeamNode> = Vec::new();
    for arrival in arrivals {
        if let Some(last) = nodes.last_mut()
            && let [only] = last.arrivals[..]
        {
            let fits =
                only.second != arrival.second && only.ends != arrival.ends && arrival.at - only.at < SHARED * spacing;
            let (ending, beginning) =
                if only.ends { (only.strand, arrival.strand) } else { (arrival.strand, only.strand) };
            if fits && join(ending, beginning) {
                last.at = 0.5 * (only.at + arrival.at);
                last.arrivals.push(arrival);
                continue;
            }
        }
        nodes.push(SeamNode { at: arrival.at, arrivals: vec![arrival] });
    }
    if nodes.is_empty() {
        return Err("no yarn ends on it: sew longer edges".into());
    }
    let wanted: Vec<f64> = nodes.iter().map(|n| n.at).collect();
    let apart = APART * spacing;
    if (nodes.len() - 1) as f64 * apart > length {
        return Err(format!(
            "{} yarn ends on {length:.3e} m, they must be {apart:.3e} m apart: turn the warps of a panel, or sew longer edges",
            nodes.len()
        ));
    }
    for (node, at) in nodes.iter_mut().zip(spread(&wanted, apart, length)) {
        node.at = at;
    }
    Ok(nodes)
}

/// Ascending places moved as little as possible in the mean square, so that they are `apart` from each other and within 0 to
/// `length`: pool adjacent violators on place − k · apart.
fn spread(wanted: &[f64], apart: f64, length: f64) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (k, at) in wanted.iter().enumerate() {
        pools.push((at - k as f64 * apart, 1));
        while let [.., (a, m), (b, n)] = pools[..]
            && a > b
        {
            pools.truncate(pools.len() - 2);
            pools.push(((a * m as f64 + b * n as f64) / (m + n) as f64, m + n));
        }
    }
    let most = length - (wanted.len() - 1) as f64 * apart;
    let shifted = pools.iter().flat_map(|(at, n)| std::iter::repeat_n(at.clamp(0.0, most), *n));
    shifted.enumerate().map(|(k, at)| at + k as f64 * apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_move_apart_as_little_as_possible() {
        assert_eq!(spread(&[0.5, 1.5, 2.5], 0.3, 3.0), [0.5, 1.5, 2.5]);
        let moved = spread(&[1.0, 1.0, 2.0], 0.5, 3.0);
        assert!(moved.iter().zip([0.75, 1.25, 2.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{moved:?}");
        let ends = spread(&[0.0, 0.0, 3.0, 3.0], 1.0, 3.0);
        assert!(ends.iter().zip([0.0, 1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{ends:?}");
    }

    #[test]
    fn only_an_end_and_a_beginning_of_two_panels_share_a_node() {
        let arrival = |at: f64, second: bool, strand: usize, ends: bool| Arrival { at, second, strand, ends };
        let count = |a: Arrival, b: Arrival| seam_nodes(vec![a, b], 1.0, 0.1, |_, _| true).unwrap().len();
        assert_eq!(count(arrival(0.5, false, 0, true), arrival(0.52, true, 1, false)), 1);
        assert_eq!(count(arrival(0.5, false, 0, true), arrival(0.53, true, 1, false)), 2);
        assert_eq!(count(arrival(0.5, false, 0, true), arrival(0.5, true, 1, true)), 2);
        assert_eq!(count(arrival(0.5, false, 0, true), arrival(0.5, false, 1, false)), 2);
        let refused = vec![arrival(0.5, false, 0, true), arrival(0.5, true, 1, false)];
        let apart = seam_nodes(refused, 1.0, 0.1, |_, _| false).unwrap();
        assert!(apart.len() == 2 && apart[1].at - apart[0].at >= 0.03);
        assert!(seam_nodes(Vec::new(), 1.0, 0.1, |_, _| true).is_err());
    }
}
