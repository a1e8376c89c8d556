//! Yarns as lines: the part of the matrix that couples nodes of one yarn is block pentadiagonal and solved directly.
//!
//! With W the warps' part of A and F the wefts', the preconditioner is ½ (W⁻¹ + F⁻¹), or one after the other,
//!
//!   z ← W⁻¹ r,  z ← z + F⁻¹ (r − A z),  z ← z + W⁻¹ (r − A z)
//!
//! which takes two more products and half the iterations. Stretch is a thousand times stiffer than the rest, and lines take
//! it exactly; blocks of single nodes do not know it. Ours: the paper names no preconditioner.
//!
//! One after the other is symmetric, with
//!
//!   P⁻¹ = W⁻¹ (2 W − A) W⁻¹ + (I − W⁻¹A) F⁻¹ (I − A W⁻¹)
//!
//! and positive definite where 2 W > A; where 2 F > A too, the eigenvalues of P⁻¹A are between 0 and 2. The diagonal blocks of A are
//! not enough for that: `across` adds what is missing. The sum of two inverses is positive definite as it is, and has them.

mod across;

use super::blocks::{BendEnd, NodeBlock, constrained, diagonal_block, entries, projection};
use super::filter::NodeFilter;
use super::lanes::PackScalar;
use super::operator::{RowOperator, corners_at};
use super::rows::Rows;
use crate::linear::{Filter, Preconditioner, Scalar};
use crate::yarn::model::{Family, Slot, Weave};
use rayon::prelude::*;
use std::sync::Mutex;

/// Nodes of the weave in the order of lines: every node is in one line of a set.
#[derive(Clone, Debug, Default)]
struct LineSet {
    /// Nodes with the slot of the line's yarn, line after line.
    nodes: Vec<(u32, Slot)>,
    /// Where lines begin in `nodes`, and the end.
    starts: Vec<u32>,
    /// Where each node is in `nodes`.
    place: Vec<u32>,
}

/// The lines of a weave: along warps, and along wefts.
#[derive(Clone, Debug, Default)]
pub struct LineOrder {
    sets: [LineSet; 2],
}

impl LineOrder {
    /// Follows the yarns of a weave. Nodes that no yarn of a set reaches are lines of their own; seam yarns are with the
    /// warps, as far as no warp ends on them.
    pub fn new(weave: &Weave) -> Self {
        LineOrder { sets: [[Family::Warp, Family::Seam], [Family::Weft, Family::Seam]].map(|f| LineSet::new(weave, f)) }
    }
}

/// The nodes of a line with their slots, and what each of them has.
type CutLine<'a, V> = (&'a [(u32, Slot)], &'a mut [V]);

impl LineOrder {
    /// Nodes with the slot of the line's yarn, line after line; lines along warps (0) or wefts (1).
    pub(crate) fn nodes(&self, set: usize) -> &[(u32, Slot)] {
        &self.sets[set].nodes
    }

    /// Where lines begin, and the end.
    pub(crate) fn starts(&self, set: usize) -> &[u32] {
        &self.sets[set].starts
    }

    /// Where a node is.
    pub(crate) fn place(&self, set: usize, node: usize) -> u32 {
        self.sets[set].place[node]
    }

    /// A slice with an entry for each node in the order of lines, cut into lines, with the nodes of each.
    pub(crate) fn cut<'a, V>(&'a self, set: usize, whole: &'a mut [V]) -> Vec<CutLine<'a, V>> {
        let set = &self.sets[set];
        set.cut(whole).into_iter().map(|(start, line)| (&set.nodes[start..start + line.len()], line)).collect()
    }
}

impl LineSet {
    fn new(weave: &Weave, families: [Family; 2]) -> Self {
        const NOWHERE: u32 = u32::MAX;
        let mut set = LineSet { nodes: Vec::new(), starts: Vec::new(), place: vec![NOWHERE; weave.node_count()] };
        for family in families {
            for yarn in (0..weave.yarns.len()).filter(|y| weave.yarns[*y].family == family) {
                let mut connected = false;
                for (node, slot) in weave.along(yarn) {
                    let taken = set.place[node] != NOWHERE;
                    if !taken {
                        if !connected {
                            set.starts.push(set.nodes.len() as u32);
                        }
                        set.place[node] = set.nodes.len() as u32;
                        set.nodes.push((node as u32, slot));
                    }
                    connected = !taken;
                }
            }
        }
        for node in 0..weave.node_count() {
            if set.place[node] == NOWHERE {
                set.starts.push(set.nodes.len() as u32);
                set.place[node] = set.nodes.len() as u32;
                set.nodes.push((node as u32, Slot::U));
            }
        }
        set.starts.push(set.nodes.len() as u32);
        set
    }

    /// Whether two nodes follow each other in a line, in either order.
    fn joined(&self, a: usize, b: usize) -> bool {
        let (low, high) = (self.place[a].min(self.place[b]), self.place[a].max(self.place[b]));
        high == low + 1 && self.starts.binary_search(&high).is_err()
    }

    /// A slice with an entry for each node, cut into lines.
    fn cut<'a, V>(&self, mut whole: &'a mut [V]) -> Vec<(usize, &'a mut [V])> {
        let mut lines = Vec::with_capacity(self.starts.len());
        for pair in self.starts.windows(2) {
            let (line, rest) = whole.split_at_mut((pair[1] - pair[0]) as usize);
            lines.push((pair[0] as usize, line));
            whole = rest;
        }
        lines
    }
}

/// One block row of the factor: L_kk⁻¹, L_{k,k−1}, L_{k,k−2}.
#[derive(Clone, Copy, Debug)]
struct FactorRow<T> {
    /// Lower triangle by rows.
    inverse: [T; 15],
    first: [[T; 5]; 5],
    second: [[T; 5]; 5],
}

/// The factored lines of one set.
#[derive(Debug)]
struct FactoredSet<'a, T> {
    set: &'a LineSet,
    rows: Vec<FactorRow<T>>,
    buffer: Mutex<Vec<[T; 5]>>,
}

/// What lines have of rows that run across them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coverage {
    /// The diagonal blocks of A.
    Diagonal,
    /// As much as makes 2 W ≥ A.
    HalfOfMatrix,
}

/// What lines of one set are made of.
struct LineMatrix<'a, T> {
    weave: &'a Weave,
    rows: &'a Rows<T>,
    filter: &'a NodeFilter,
    set: &'a LineSet,
    coverage: Coverage,
}

impl<T: Scalar> LineMatrix<'_, T> {
    /// The block of a node with itself.
    fn diagonal(&self, node: usize) -> NodeBlock {
        let block = diagonal_block(self.weave, self.rows, node);
        match self.coverage {
            Coverage::Diagonal => block,
            Coverage::HalfOfMatrix => block + across::surplus(self.weave, self.rows, self.set, node),
        }
    }
}

/// The preconditioner.
pub struct Lines<'a, T> {
    sets: [FactoredSet<'a, T>; 2],
    /// For warps, wefts, warps: the matrix and its filter.
    sequential: Option<(&'a RowOperator<'a, T>, &'a NodeFilter)>,
}

impl<'a, T: Scalar> Lines<'a, T> {
    /// Factors the lines of a matrix; `sequential` for warps, wefts, warps.
    pub fn new(
        order: &'a LineOrder,
        operator: &'a RowOperator<'a, T>,
        filter: &'a NodeFilter,
        sequential: bool,
    ) -> Self {
        let coverage = if sequential { Coverage::HalfOfMatrix } else { Coverage::Diagonal };
        let factor = |set: &'a LineSet| FactoredSet::new(set, operator, filter, coverage);
        Lines {
            sets: [factor(&order.sets[0]), factor(&order.sets[1])],
            sequential: sequential.then_some((operator, filter)),
        }
    }
}

impl<'a, T: Scalar> FactoredSet<'a, T> {
    fn new(set: &'a LineSet, operator: &RowOperator<'_, T>, filter: &NodeFilter, coverage: Coverage) -> Self {
        let matrix = LineMatrix { weave: operator.weave, rows: operator.rows, filter, set, coverage };
        let zero = FactorRow { inverse: [T::ZERO; 15], first: [[T::ZERO; 5]; 5], second: [[T::ZERO; 5]; 5] };
        let mut factor = vec![zero; set.nodes.len()];
        set.cut(&mut factor).into_par_iter().for_each(|(start, line)| {
            factor_line(&matrix, &set.nodes[start..start + line.len()], line);
        });
        FactoredSet { set, rows: factor, buffer: Mutex::default() }
    }

    /// h += scale · (lines)⁻¹ r.
    fn add_solution(&self, r: &[[T; 5]], scale: T, h: &mut [[T; 5]]) {
        let mut buffer = self.buffer.lock().unwrap_or_else(|e| e.into_inner());
        buffer.resize(self.set.nodes.len(), [T::ZERO; 5]);
        self.set.cut(&mut buffer).into_par_iter().for_each(|(start, z)| {
            for (z, (node, _)) in z.iter_mut().zip(&self.set.nodes[start..]) {
                *z = r[*node as usize];
            }
            solve_line(&self.rows[start..start + z.len()], z);
        });
        h.par_iter_mut().zip(&self.set.place).with_min_len(4096).for_each(|(h, place)| {
            for (h, z) in h.iter_mut().zip(&buffer[*place as usize]) {
                *h += scale * *z;
            }
        });
    }
}

/// The block of node k with node k + 1 of a line.
fn first_off_diagonal<T: Scalar>(weave: &Weave, rows: &Rows<T>, line: &[(u32, Slot)], k: usize) -> NodeBlock {
    let [(a, slot_a), (b, slot_b)] = [line[k], line[k + 1]];
    let (a, b, ca, cb) = (a as usize, b as usize, slot_a.index(), slot_b.index());
    let mut out = rows.segment(a, ca).block(false, ca, cb);
    let bends = [
        (rows.bend(weave, a, ca), BendEnd::Middle, BendEnd::Ahead),
        (rows.bend(weave, b, cb), BendEnd::Behind, BendEnd::Middle),
    ];
    for (bend, end_a, end_b) in bends {
        let Some(bend) = bend else { continue };
        for ((a, b), weight) in bend.at(end_a, ca).iter().zip(&bend.at(end_b, cb)).zip(bend.weights()) {
            out += a * b.transpose() * weight;
        }
    }
    // Corners at a with the arm b, and at b with the arm a.
    for (center, port, center_first) in [(a, slot_a.plus(), true), (b, slot_b.minus(), false)] {
        let (pairs, warp) = corners_at(port);
        for corner in pairs.into_iter().filter_map(|k| rows.corner(weave, center, k)) {
            let (g1, g3) = (corner.g1, corner.g3);
            let (middle, arm) = (entries(&-(g1 + g3), 0, 0.0), entries(if warp { &g1 } else { &g3 }, 0, 0.0));
            let (row, column) = if center_first { (&middle, &arm) } else { (&arm, &middle) };
            out += row * column.transpose() * corner.weight;
        }
    }
    out
}

/// The block of node k with node k + 2 of a line: the bend between.
fn second_off_diagonal<T: Scalar>(weave: &Weave, rows: &Rows<T>, line: &[(u32, Slot)], k: usize) -> NodeBlock {
    let (middle, slot) = line[k + 1];
    let Some(bend) = rows.bend(weave, middle as usize, slot.index()) else { return NodeBlock::zeros() };
    let at_a = bend.at(BendEnd::Behind, line[k].1.index());
    let at_b = bend.at(BendEnd::Ahead, line[k + 2].1.index());
    let terms = at_a.iter().zip(&at_b).zip(bend.weights());
    terms.fold(NodeBlock::zeros(), |sum, ((a, b), weight)| sum + a * b.transpose() * weight)
}

/// NodeBlock Cholesky of one line.
fn factor_line<T: Scalar>(matrix: &LineMatrix<'_, T>, line: &[(u32, Slot)], out: &mut [FactorRow<T>]) {
    let LineMatrix { weave, rows, filter, .. } = *matrix;
    let n = line.len();
    let project = |k: usize| projection(filter, line[k].0 as usize);
    let between = |block: NodeBlock, a: &Option<NodeBlock>, b: &Option<NodeBlock>| {
        let left = a.map_or(block, |s| s * block);
        b.map_or(left, |s| left * s)
    };
    // L_{k,k−1}, L_{k,k−2} and L_{k−1,k−2} of the row that is made, and inverses of the two rows before.
    let mut inverses = [NodeBlock::zeros(); 2];
    let mut last_first = NodeBlock::zeros();
    let mut projections = [None, None, project(0)];
    for k in 0..n {
        let s = projections[2];
        let mut diagonal = constrained(matrix.diagonal(line[k].0 as usize), s.as_ref());
        let mut second = NodeBlock::zeros();
        if k >= 2 {
            let a = between(second_off_diagonal(weave, rows, line, k - 2), &projections[0], &s);
            second = a.transpose() * inverses[0].transpose();
            diagonal -= second * second.transpose();
        }
        let mut first = NodeBlock::zeros();
        if k >= 1 {
            let a = between(first_off_diagonal(weave, rows, line, k - 1), &projections[1], &s);
            first = (a.transpose() - second * last_first.transpose()) * inverses[1].transpose();
            diagonal -= first * first.transpose();
        }
        let inverse = match diagonal.cholesky() {
            Some(c) => {
                let mut inverse = NodeBlock::identity();
                c.l_dirty().solve_lower_triangular_mut(&mut inverse);
                inverse
            }
            // Rounding: the line is cut here, the preconditioner gets rougher.
            None => {
                (first, second) = (NodeBlock::zeros(), NodeBlock::zeros());
                NodeBlock::identity()
            }
        };
        let lower = (0..5).flat_map(|r| (0..=r).map(move |c| (r, c)));
        for (o, at) in out[k].inverse.iter_mut().zip(lower) {
            *o = T::from_f64(inverse[at]);
        }
        let store = |m: &NodeBlock| std::array::from_fn(|r| std::array::from_fn(|c| T::from_f64(m[(r, c)])));
        out[k].first = store(&first);
        out[k].second = store(&second);
        inverses = [inverses[1], inverse];
        last_first = first;
        projections = [projections[1], s, if k + 1 < n { project(k + 1) } else { None }];
    }
}

/// Solves one line in place.
fn solve_line<T: Scalar>(rows: &[FactorRow<T>], z: &mut [[T; 5]]) {
    for k in 0..z.len() {
        let mut v = z[k];
        if k >= 1 {
            subtract(&mut v, &rows[k].first, &z[k - 1]);
        }
        if k >= 2 {
            subtract(&mut v, &rows[k].second, &z[k - 2]);
        }
        z[k] = lower_times(&rows[k].inverse, &v);
    }
    for k in (0..z.len()).rev() {
        let mut v = z[k];
        if k + 1 < z.len() {
            subtract_transposed(&mut v, &rows[k + 1].first, &z[k + 1]);
        }
        if k + 2 < z.len() {
            subtract_transposed(&mut v, &rows[k + 2].second, &z[k + 2]);
        }
        z[k] = upper_times(&rows[k].inverse, &v);
    }
}

#[inline]
fn subtract<T: Scalar>(v: &mut [T; 5], m: &[[T; 5]; 5], x: &[T; 5]) {
    for (v, m) in v.iter_mut().zip(m) {
        *v -= m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3] * x[3] + m[4] * x[4];
    }
}

#[inline]
fn subtract_transposed<T: Scalar>(v: &mut [T; 5], m: &[[T; 5]; 5], x: &[T; 5]) {
    for (m, x) in m.iter().zip(x) {
        for (v, m) in v.iter_mut().zip(m) {
            *v -= *m * *x;
        }
    }
}

/// The product of a lower triangle with a vector.
#[inline]
fn lower_times<T: Scalar>(m: &[T; 15], v: &[T; 5]) -> [T; 5] {
    let [a, b, c, d, e] = *v;
    [
        m[0] * a,
        m[1] * a + m[2] * b,
        m[3] * a + m[4] * b + m[5] * c,
        m[6] * a + m[7] * b + m[8] * c + m[9] * d,
        m[10] * a + m[11] * b + m[12] * c + m[13] * d + m[14] * e,
    ]
}

/// The product of its transpose with a vector.
#[inline]
fn upper_times<T: Scalar>(m: &[T; 15], v: &[T; 5]) -> [T; 5] {
    let [a, b, c, d, e] = *v;
    [
        m[0] * a + m[1] * b + m[3] * c + m[6] * d + m[10] * e,
        m[2] * b + m[4] * c + m[7] * d + m[11] * e,
        m[5] * c + m[8] * d + m[12] * e,
        m[9] * d + m[13] * e,
        m[14] * e,
    ]
}

impl<T: PackScalar> Lines<'_, T> {
    /// W⁻¹ r of the warps (0) or the wefts (1) alone.
    #[cfg(test)]
    pub(super) fn solve_set(&self, set: usize, r: &[T], h: &mut [T]) {
        h.fill(T::ZERO);
        self.sets[set].add_solution(r.as_chunks().0, T::from_f64(1.0), h.as_chunks_mut().0);
    }

    /// h = P⁻¹ r.
    fn solve(&self, r: &[T], h: &mut [T]) {
        let (r, _) = r.as_chunks::<5>();
        h.fill(T::ZERO);
        let (h, _) = h.as_chunks_mut::<5>();
        let Some((operator, filter)) = self.sequential else {
            for set in &self.sets {
                set.add_solution(r, T::from_f64(0.5), h);
            }
            return;
        };
        let one = T::from_f64(1.0);
        let mut rest = r.to_vec();
        for (k, set) in [0, 1, 0].into_iter().enumerate() {
            if k > 0 {
                operator.product(h, &mut rest);
                Filter::apply(filter, rest.as_flattened_mut());
                rest.par_iter_mut().zip(r).with_min_len(4096).for_each(|(rest, r)| {
                    for (rest, r) in rest.iter_mut().zip(r) {
                        *rest = *r - *rest;
                    }
                });
            }
            self.sets[set].add_solution(&rest, one, h);
        }
    }
}

// For each kind of number alone: an implementation for all of them could clash with one for pieces elsewhere.

impl Preconditioner<f32> for Lines<'_, f32> {
    fn apply_inverse(&self, r: &[f32], h: &mut [f32]) {
        self.solve(r, h);
    }
}

impl Preconditioner<f64> for Lines<'_, f64> {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        self.solve(r, h);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::SVector;

    #[test]
    fn triangles_are_multiplied_as_matrices() {
        let m: [f64; 15] = std::array::from_fn(|k| (k as f64 * 1.7).sin());
        let mut l = NodeBlock::zeros();
        let lower = (0..5).flat_map(|r| (0..=r).map(move |c| (r, c)));
        lower.zip(m).for_each(|(at, m)| l[at] = m);
        let v = SVector::<f64, 5>::from_fn(|k, _| k as f64 - 1.3);
        assert!((SVector::from(lower_times(&m, &v.into())) - l * v).norm() < 1e-14);
        assert!((SVector::from(upper_times(&m, &v.into())) - l.transpose() * v).norm() < 1e-14);
    }
}
