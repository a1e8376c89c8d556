//! Quadrature along the segments.
//!
//! N equispaced nodes from end to end with Simpson's weights (1, 4, 2, 4, ..., 4, 1) / 3N. Differs from Simpson's rule,
//! which divides by N - 1: so do the published equilibria, to which this was fitted.

use std::sync::OnceLock;

/// Largest spacing of the nodes in yarn radii, in the affine state.
const SPACING: f64 = 0.75;

/// The most nodes a segment may have: 48 radii long at the usual spacing.
pub(crate) const MAX_NODES: usize = 65;

/// Nodes and weights of one segment.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// Position along the segment, from 0 to 1.
    pub node: Vec<f64>,
    /// Weight; their sum is (N - 1) / N.
    pub weight: Vec<f64>,
    /// The nodes and their weights by [`LANES`], padded with nodes without weight.
    pub lanes: Vec<[[f64; LANES]; 2]>,
}

/// Nodes that are worked on together.
pub(crate) const LANES: usize = 4;

fn rule(n: usize) -> Rule {
    let simpson = |i: usize| match i {
        0 => 1.0,
        _ if i == n - 1 => 1.0,
        _ if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let node: Vec<f64> = (0..n).map(|i| i as f64 / (n - 1) as f64).collect();
    let weight: Vec<f64> = (0..n).map(|i| simpson(i) / (3 * n) as f64).collect();
    let group = |first: usize| {
        let at = |values: &[f64]| std::array::from_fn(|l| values.get(first + l).copied().unwrap_or(0.0));
        [at(&node), at(&weight)]
    };
    let lanes = (0..n).step_by(LANES).map(group).collect();
    Rule { node, weight, lanes }
}

/// The rule with `n` nodes, n odd, 5 to [`MAX_NODES`].
pub(crate) fn rule_of(n: usize) -> &'static Rule {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    let rules = RULES.get_or_init(|| (5..=MAX_NODES).step_by(2).map(rule).collect());
    &rules[(n - 5) / 2]
}

/// The number of nodes for a segment of `length` meters of a yarn of `radius` meters.
pub(crate) fn node_count(length: f64, radius: f64) -> usize {
    let n = (length / (SPACING * radius)).ceil() as usize;
    (n | 1).clamp(5, MAX_NODES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_follow_the_published_pattern() {
        let r = rule_of(5);
        assert_eq!(r.node, [0.0, 0.25, 0.5, 0.75, 1.0]);
        for (w, expected) in r.weight.iter().zip([1.0, 4.0, 2.0, 4.0, 1.0]) {
            assert!((w * 15.0 - expected).abs() < 1e-15);
        }
        for n in [5, 7, 31] {
            let sum: f64 = rule_of(n).weight.iter().sum();
            assert!((sum - (n - 1) as f64 / n as f64).abs() < 1e-14);
        }
    }

    #[test]
    fn node_counts_are_odd_and_at_least_five() {
        assert_eq!(node_count(1e-4, 1e-3), 5);
        assert_eq!(node_count(3.75e-3, 1e-3), 5);
        assert_eq!(node_count(3.76e-3, 1e-3), 7);
        assert_eq!(node_count(1.0, 1e-3), MAX_NODES);
    }
}
