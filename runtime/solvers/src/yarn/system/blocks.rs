//! Blocks of the matrix: the 5 × 5 block of each node, and the preconditioner made of their inverses.

use super::CHUNK;
use super::filter::NodeFilter;
use super::lanes::PackScalar;
use super::operator::{RowOperator, corners_at};
use super::rows::{BendRow, Rows, SegmentRow};
use crate::linear::{PiecewisePreconditioner, Scalar};
use crate::yarn::model::Weave;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};
use rayon::prelude::*;

/// A block of the matrix.
pub(crate) type NodeBlock = SMatrix<f64, 5, 5>;

/// Node of a bend.
#[derive(Clone, Copy)]
pub(super) enum BendEnd {
    /// Node 2.
    Behind,
    /// Node 0.
    Middle,
    /// Node 1.
    Ahead,
}

impl BendRow {
    /// The rows ĝ and h at one of the three nodes, where the yarn has slot `slot`.
    pub(super) fn at(&self, end: BendEnd, slot: usize) -> [SVector<f64, 5>; 2] {
        let (g, s, h) = match end {
            BendEnd::Behind => (self.g2, self.rate, self.h2),
            BendEnd::Middle => (-(self.g1 + self.g2), 0.0, -(self.h1 + self.h2)),
            BendEnd::Ahead => (self.g1, -self.rate, self.h1),
        };
        [entries(&g, slot, s), entries(&h, slot, 0.0)]
    }

    /// D of ĝ and h.
    pub(super) fn weights(&self) -> [f64; 2] {
        [self.in_plane, self.out_of_plane]
    }
}

/// A vector with entries at x and in one slot.
pub(super) fn entries(x: &Vector3<f64>, slot: usize, s: f64) -> SVector<f64, 5> {
    let mut out = SVector::<f64, 5>::zeros();
    out.fixed_rows_mut::<3>(0).copy_from(x);
    out[3 + slot] = s;
    out
}

impl SegmentRow {
    /// The block of one of the two ends with itself (`same`), or of a with b.
    pub(super) fn block(&self, same: bool, slot_a: usize, slot_b: usize) -> NodeBlock {
        let (t, w) = (self.direction, self.slope);
        let (sign, mass) = if same { (1.0, 2.0) } else { (-1.0, 1.0) };
        let m = mass * self.mass;
        let xx = t * t.transpose() * (sign * self.along) + Matrix3::identity() * (sign * self.across + m);
        let xs = t * (sign * self.coupling) - w * m;
        let ss = sign * self.sliding + m * w.norm_squared();
        let mut out = NodeBlock::zeros();
        out.fixed_view_mut::<3, 3>(0, 0).copy_from(&xx);
        for k in 0..3 {
            out[(k, 3 + slot_b)] += xs[k];
            out[(3 + slot_a, k)] += xs[k];
        }
        out[(3 + slot_a, 3 + slot_b)] += ss;
        out
    }
}

/// The block of node i with itself.
pub(super) fn diagonal_block<T: Scalar>(weave: &Weave, rows: &Rows<T>, i: usize) -> NodeBlock {
    let links = &weave.links[i];
    let mut out = NodeBlock::zeros();
    let mut add = |row: &SVector<f64, 5>, weight: f64| out += row * row.transpose() * weight;
    for c in 0..2 {
        let mut bend = |node: usize, slot: usize, end: BendEnd| {
            let Some(b) = rows.bend(weave, node, slot) else { return };
            for (row, weight) in b.at(end, c).iter().zip(b.weights()) {
                add(row, weight);
            }
        };
        bend(i, c, BendEnd::Middle);
        if let Some((n, back)) = links[2 * c + 1].get() {
            bend(n, back.slot().index(), BendEnd::Behind);
        }
        if let Some((n, back)) = links[2 * c].get() {
            bend(n, back.slot().index(), BendEnd::Ahead);
        }
    }
    for corner in (0..4).filter_map(|k| rows.corner(weave, i, k)) {
        add(&entries(&-(corner.g1 + corner.g3), 0, 0.0), corner.weight);
    }
    for port in 0..4 {
        let Some((n, back)) = links[port].get() else { continue };
        let (pairs, warp) = corners_at(back.index());
        for corner in pairs.into_iter().filter_map(|k| rows.corner(weave, n, k)) {
            add(&entries(if warp { &corner.g1 } else { &corner.g3 }, 0, 0.0), corner.weight);
        }
    }
    for (row, entry) in rows.contacts.of(i) {
        add(&entries(&entry, 0, 0.0), rows.contacts.stiffness(row));
    }
    for c in 0..2 {
        if links[2 * c + 1].get().is_some() {
            out += rows.segment(i, c).block(true, c, c);
        }
        if let Some((n, back)) = links[2 * c].get() {
            out += rows.segment(n, back.slot().index()).block(true, c, c);
        }
        out[(3 + c, 3 + c)] += rows.diagonal(i, c);
    }
    if let Some(drag) = rows.drag.get(i) {
        for k in 0..3 {
            out[(k, k)] += drag.to_f64();
        }
    }
    out
}

/// The block of node i with itself, of an operator.
pub(crate) fn operator_block<T: PackScalar>(operator: &RowOperator<'_, T>, i: usize) -> NodeBlock {
    diagonal_block(operator.weave, operator.rows, i)
}

/// The block of a segment between its end with the smaller arc coordinate, in `slot`, and the other one; none where they are no neighbors.
pub(crate) fn segment_block<T: PackScalar>(
    operator: &RowOperator<'_, T>,
    a: usize,
    slot: usize,
    b: usize,
) -> Option<NodeBlock> {
    let (next, back) = operator.weave.links[a][2 * slot + 1].get()?;
    (next == b).then(|| operator.rows.segment(a, slot).block(false, slot, back.slot().index()))
}

/// S of a node as a matrix, or none where it is free.
pub(super) fn projection(filter: &NodeFilter, i: usize) -> Option<NodeBlock> {
    let c = filter.nodes[i];
    if c == Default::default() {
        return None;
    }
    let mut s = NodeBlock::identity();
    let position = filter.position(i);
    for k in 0..3 {
        let column = position.apply(&Vector3::ith(k, 1.0).into());
        for r in 0..3 {
            s[(r, k)] = column[r];
        }
    }
    for k in 3..5 {
        s[(k, k)] = if c.fixed()[k] { 0.0 } else { 1.0 };
    }
    Some(s)
}

/// S C S + I − S for the block of a node with itself.
pub(super) fn constrained(block: NodeBlock, s: Option<&NodeBlock>) -> NodeBlock {
    match s {
        None => block,
        Some(s) => s * block * s + NodeBlock::identity() - s,
    }
}

/// The inverse of each node's constrained block, as K of (L Lᵀ)⁻¹ = Kᵀ K: rounded as coarsely as one likes it stays positive definite.
#[derive(Debug)]
pub struct NodeBlocks<T: PackScalar> {
    /// Lower triangles by rows.
    factors: Vec<[T::Short; 15]>,
}

impl<T: PackScalar> NodeBlocks<T> {
    /// From the matrix of an iteration.
    ///
    /// A block that is not positive definite, which rounding may do, is replaced by the identity: a preconditioner may be
    /// rough, not singular.
    pub fn new(operator: &RowOperator<'_, T>, filter: &NodeFilter) -> Self {
        let RowOperator { weave, rows, .. } = *operator;
        let mut factors = vec![[T::shorten(0.0); 15]; weave.node_count()];
        factors.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, out)| {
            let mut block = diagonal_block(weave, rows, i);
            if !rows.crimps.is_empty() {
                block += rows.crimp_block(weave, i);
            }
            let block = constrained(block, projection(filter, i).as_ref());
            let mut factor = NodeBlock::identity();
            if let Some(c) = block.cholesky() {
                c.l_dirty().solve_lower_triangular_mut(&mut factor);
            }
            let lower = (0..5).flat_map(|r| (0..=r).map(move |c| (r, c)));
            for (out, at) in out.iter_mut().zip(lower) {
                *out = T::shorten(factor[at]);
            }
        });
        NodeBlocks { factors }
    }
}

impl<T: PackScalar> PiecewisePreconditioner<T> for NodeBlocks<T> {
    fn apply_inverse_piece(&self, first: usize, r: &[T], h: &mut [T]) {
        let (r, _) = r.as_chunks::<5>();
        for ((r, h), k) in r.iter().zip(h.as_chunks_mut::<5>().0).zip(&self.factors[first / 5..]) {
            let k = k.map(T::lengthen);
            let [a, b, c, d, e] = *r;
            let y = [
                k[0] * a,
                k[1] * a + k[2] * b,
                k[3] * a + k[4] * b + k[5] * c,
                k[6] * a + k[7] * b + k[8] * c + k[9] * d,
                k[10] * a + k[11] * b + k[12] * c + k[13] * d + k[14] * e,
            ];
            *h = [
                k[0] * y[0] + k[1] * y[1] + k[3] * y[2] + k[6] * y[3] + k[10] * y[4],
                k[2] * y[1] + k[4] * y[2] + k[7] * y[3] + k[11] * y[4],
                k[5] * y[2] + k[8] * y[3] + k[12] * y[4],
                k[9] * y[3] + k[13] * y[4],
                k[14] * y[4],
            ];
        }
    }
}
