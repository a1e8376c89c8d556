//! Rows that run across lines, weighted so that W holds at least half of A.
//!
//! A = Σ D r rᵀ over rows r with a part r_i at each node. Lines of a set hold a row exactly where one line has all of its nodes.
//! Of any other row W has the parts of its groups (the nodes that a line joins, or a node alone), without products between groups. For any
//! w_i > 0 with Σ w_i = 1 Cauchy and Schwarz give
//!
//!   (Σ r_i·x_i)² ≤ Σ (r_i·x_i)² / w_i
//!
//! so 2 W ≥ A where each part is in W with the factor c_i ≥ 1 / (2 w_i). Two groups: w = ½, c = 1, which the diagonal blocks of A
//! already have. This is every segment across (its two ends are alike) and every corner with an arm on the line. Three nodes on three lines,
//! as the other family's bends, need more:
//!
//!   c_i = Σ_j |r_j| / (2 |r_i|)        from w_i ∝ |r_i|
//!
//! On a straight yarn with even crossings r = (1, −2, 1) and c = (2, 1, 2): W then has 8 where the stiffest mode of A has 16, and c = 1
//! would have 6. A contact of the cloth with itself has four nodes, 1 and −b_k, which are taken as four groups.

use super::LineSet;
use crate::linear::Scalar;
use crate::yarn::model::Weave;
use crate::yarn::system::blocks::{BendEnd, NodeBlock, entries};
use crate::yarn::system::operator::corners_at;
use crate::yarn::system::rows::Rows;
use nalgebra::SVector;

/// Σ (c_i − 1) D r_i r_iᵀ of node i: what its block of W has besides its block of A.
pub(super) fn surplus<T: Scalar>(weave: &Weave, rows: &Rows<T>, set: &LineSet, i: usize) -> NodeBlock {
    let mut across = Across { weave, rows, set, node: i, sum: NodeBlock::zeros() };
    across.bends();
    across.corners();
    across.contacts();
    across.sum
}

struct Across<'a, T> {
    weave: &'a Weave,
    rows: &'a Rows<T>,
    set: &'a LineSet,
    node: usize,
    sum: NodeBlock,
}

impl<T: Scalar> Across<'_, T> {
    /// Adds the part `own` of a row with the given Σ |r_j|.
    fn add(&mut self, own: &SVector<f64, 5>, norms: f64, weight: f64) {
        let norm = own.norm();
        if norm > 0.0 {
            self.sum += own * own.transpose() * (weight * (norms / (2.0 * norm) - 1.0));
        }
    }

    /// Whether no line joins a node with its neighbors behind two ports.
    fn apart(&self, middle: usize, ports: [usize; 2]) -> bool {
        let mut arms = ports.into_iter().filter_map(|port| self.weave.links[middle][port].node());
        !arms.any(|arm| self.set.joined(middle, arm))
    }

    /// The bends that the node is in the middle of, behind and ahead.
    fn bends(&mut self) {
        const ENDS: [BendEnd; 3] = [BendEnd::Behind, BendEnd::Middle, BendEnd::Ahead];
        for slot in 0..2 {
            let neighbor = |port: usize| self.weave.links[self.node][port].get().map(|(n, p)| (n, p.slot().index()));
            let middles = [neighbor(2 * slot + 1), Some((self.node, slot)), neighbor(2 * slot)];
            for (own, middle) in middles.into_iter().enumerate() {
                let Some((n, c)) = middle else { continue };
                if self.apart(n, [2 * c, 2 * c + 1]) {
                    let Some(bend) = self.rows.bend(self.weave, n, c) else { continue };
                    let parts = ENDS.map(|end| bend.at(end, slot));
                    for (row, weight) in bend.weights().into_iter().enumerate() {
                        self.add(&parts[own][row], parts.iter().map(|p| p[row].norm()).sum(), weight);
                    }
                }
            }
        }
    }

    /// The corners that the node is the middle of, and those that it is an arm of.
    fn corners(&mut self) {
        (0..4).for_each(|k| self.corner(self.node, k, None));
        for port in 0..4 {
            let Some((n, back)) = self.weave.links[self.node][port].get() else { continue };
            let (pairs, warp) = corners_at(back.index());
            pairs.into_iter().for_each(|k| self.corner(n, k, Some(warp)));
        }
    }

    /// A corner in which the node is the middle, or an arm on the warp or not.
    fn corner(&mut self, middle: usize, k: usize, arm: Option<bool>) {
        if !self.apart(middle, [k / 2, 2 + k % 2]) {
            return;
        }
        let Some(corner) = self.rows.corner(self.weave, middle, k) else { return };
        let (g1, g3) = (corner.g1, corner.g3);
        let g0 = -(g1 + g3);
        let own = arm.map_or(g0, |warp| if warp { g1 } else { g3 });
        self.add(&entries(&own, 0, 0.0), g0.norm() + g1.norm() + g3.norm(), corner.weight);
    }

    /// Contacts: parts 1 and b_k along the normal, Σ b_k = 1.
    fn contacts(&mut self) {
        let rows = self.rows;
        for (row, entry) in rows.contacts.of(self.node) {
            self.add(&entries(&entry, 0, 0.0), 2.0, rows.contacts.stiffness(row));
        }
    }
}
