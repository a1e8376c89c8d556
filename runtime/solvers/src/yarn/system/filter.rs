//! Prescribed velocities of nodes.

use crate::linear::{Constraint, PiecewiseFilter, Scalar};
use std::collections::BTreeMap;

/// What is prescribed at a node, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NodeConstraint(u8);

impl NodeConstraint {
    /// The position is prescribed.
    pub const POSITION: u8 = 1;
    /// u does not slide.
    pub const U: u8 = 2;
    /// v does not slide.
    pub const V: u8 = 4;
    /// Some direction of the position is prescribed, see [`NodeFilter::partial`].
    pub const PARTIAL: u8 = 8;

    /// From bits.
    pub fn new(bits: u8) -> Self {
        NodeConstraint(bits)
    }

    /// Whether all of the bits are set.
    #[inline]
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits == bits
    }

    /// Sets bits.
    #[inline]
    pub fn insert(&mut self, bits: u8) {
        self.0 |= bits;
    }

    /// Which of the five entries are prescribed entirely.
    #[inline]
    pub fn fixed(self) -> [bool; 5] {
        let x = self.has(Self::POSITION);
        [x, x, x, self.has(Self::U), self.has(Self::V)]
    }
}

/// S: what is prescribed at all nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    /// By node.
    pub nodes: Vec<NodeConstraint>,
    /// Nodes on bodies: directions of the position that are prescribed.
    pub partial: BTreeMap<u32, Constraint>,
}

impl NodeFilter {
    /// The constraint of a node's position.
    #[inline]
    pub fn position(&self, node: usize) -> Constraint {
        let c = self.nodes[node];
        if c.has(NodeConstraint::POSITION) {
            Constraint::Fixed
        } else if c.has(NodeConstraint::PARTIAL) {
            self.partial.get(&(node as u32)).copied().unwrap_or_default()
        } else {
            Constraint::Free
        }
    }
}

impl<T: Scalar> PiecewiseFilter<T> for NodeFilter {
    fn apply_piece(&self, first: usize, v: &mut [T]) {
        let nodes = first / 5..;
        for (i, v) in nodes.zip(v.as_chunks_mut::<5>().0) {
            let c = self.nodes[i];
            if c == NodeConstraint::default() {
                continue;
            }
            if c.has(NodeConstraint::PARTIAL) {
                let x = self.position(i).apply(&[v[0], v[1], v[2]].map(T::to_f64));
                [v[0], v[1], v[2]] = x.map(T::from_f64);
            }
            for (v, fixed) in v.iter_mut().zip(c.fixed()) {
                if fixed {
                    *v = T::ZERO;
                }
            }
        }
    }
}
