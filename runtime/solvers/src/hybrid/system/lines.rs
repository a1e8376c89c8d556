//! Yarns solved along their length, with the small correction for the vertices' mass. Ours: the paper stops at mass.
//!
//! What is left after mass scaling is stretch along yarns, a thousand times stiffer than the rest. In the frame T of a node (rows: tangents of
//! warp and weft, normal) the stretch of warps acts on the first component along warps only, that of wefts on the second along wefts. So
//!
//!   Λ = Tᵀ diag(Λ_u, Λ_v, Λ_n) T,   P⁻¹ = T⁻¹ [Λ⁻¹ − Λ⁻¹B G_c⁻¹ BᵀΛ⁻¹] T⁻ᵀ,   G_c = K M_v⁻¹ K + BᵀΛ_c⁻¹B
//!
//! component by component. Λ_u is block tridiagonal: a node has its component along the yarn and the yarn's arc coordinate, which stretch couples
//! as strongly; the diagonal has everything else that the matrix has there (shear, bending, tension: without it lines are hardly better than mass).
//! Λ and G_c are made once for a length of step and serve many steps; frames are those of each solve.

use super::reduced::{GRAIN, Unknowns, pieces};
use crate::linear::Preconditioner;
use crate::yarn::model::Slot;
use crate::yarn::system::{LineOrder, NodeFilter, RowOperator, operator_block, segment_block};
use nalgebra::{Cholesky, DVector, Dyn, Matrix2, Matrix3, SMatrix, Vector2, Vector3};
use rayon::prelude::*;

/// A block row of the factor of a line: D⁻¹, and L to the row before.
#[derive(Clone, Copy, Debug)]
struct LineRow {
    inverse: Matrix2<f64>,
    before: Matrix2<f64>,
}

/// The factored lines of one family of yarns.
#[derive(Clone, Debug)]
struct LineFactor {
    rows: Vec<LineRow>,
    /// Whether a line has hybrid nodes.
    hybrid: Vec<bool>,
}

/// Λ, and G_c factored, for a length of step.
#[derive(Clone, Debug)]
pub(crate) struct LineMatrices {
    order: LineOrder,
    factors: [LineFactor; 2],
    /// 1/Λ_n.
    normal: Vec<f64>,
    small: [Option<Cholesky<f64, Dyn>>; 3],
}

/// Rows t_u, t_v, n of a node, inverted: columns are the directions in which one component changes alone.
type Frame = Matrix3<f64>;

/// T⁻¹ of every node, from the yarns that pass it.
fn frames(operator: &RowOperator<'_, f64>) -> Vec<Frame> {
    let frame = |i: usize| {
        let [u, v] = Slot::BOTH.map(|slot| operator.tangent(i, slot));
        let (u, v) = match (u, v) {
            (Some(u), Some(v)) => (u, v),
            (Some(u), None) => (u, across(&u)),
            (None, Some(v)) => (across(&v), v),
            (None, None) => (Vector3::x(), Vector3::y()),
        };
        // Where yarns are nearly parallel the frame would blow up: its second direction is taken across the first.
        let n = u.cross(&v);
        let (v, n) = if n.norm() > 0.2 { (v, n.normalize()) } else { (across(&u), u.cross(&across(&u))) };
        let t = Matrix3::from_rows(&[u.transpose(), v.transpose(), n.transpose()]);
        t.try_inverse().unwrap_or_else(Matrix3::identity)
    };
    (0..operator.node_count()).into_par_iter().with_min_len(512).map(frame).collect()
}

/// A unit vector across a unit vector.
fn across(t: &Vector3<f64>) -> Vector3<f64> {
    let other = if t.z.abs() < 0.9 { Vector3::z() } else { Vector3::x() };
    t.cross(&other).normalize()
}

/// The two directions of a node that a line has: along the yarn, and the yarn's arc coordinate.
type Columns = SMatrix<f64, 5, 2>;

fn columns(frame: &Frame, slot: usize) -> Columns {
    let mut c = Columns::zeros();
    c.fixed_view_mut::<3, 1>(0, 0).copy_from(&frame.column(slot));
    c[(3 + slot, 1)] = 1.0;
    c
}

impl LineMatrices {
    /// From the matrix of an iteration; `vertex_mass` is that of active vertices, kg.
    pub(crate) fn new(
        unknowns: Unknowns<'_>,
        operator: &RowOperator<'_, f64>,
        filter: &NodeFilter,
        vertex_mass: &[f64],
    ) -> Self {
        let order = LineOrder::new(operator.weave());
        let frames = frames(operator);
        let hybrid = |node: u32| unknowns.model.row_of_node[node as usize].is_some();
        let factors =
            [0, 1].map(|slot| LineFactor::new(&order, slot, operator, filter, &frames, |node: u32| hybrid(node)));
        let normal = (0..frames.len()).into_par_iter().with_min_len(512).map(|i| {
            let n = frames[i].column(2).into_owned();
            let block = operator_block(operator, i);
            let d = (n.transpose() * block.fixed_view::<3, 3>(0, 0) * n)[0];
            if d > 0.0 { 1.0 / d } else { 1.0 }
        });
        let normal: Vec<f64> = normal.collect();
        let mut lines = LineMatrices { order, factors, normal, small: [None, None, None] };
        lines.small = lines.small_matrices(unknowns, &vertex_mass[unknowns.model.free..]);
        lines
    }

    /// G_c of the three components.
    fn small_matrices(&self, unknowns: Unknowns<'_>, masses: &[f64]) -> [Option<Cholesky<f64, Dyn>>; 3] {
        let model = unknowns.model;
        let n = masses.len();
        if n == 0 || masses.iter().any(|m| *m <= 0.0) {
            return [None, None, None];
        }
        let k = model.coupling.dense_gram();
        let mut scaled = k.clone();
        scaled.row_iter_mut().zip(masses).for_each(|(mut row, m)| row /= *m);
        let base = &k * scaled;
        [0, 1, 2].map(|component| {
            let columns: Vec<Vec<f64>> =
                (0..n).into_par_iter().map(|v| self.small_column(unknowns, component, v)).collect();
            let mut g = base.clone();
            for (j, column) in columns.iter().enumerate() {
                (0..n).for_each(|i| g[(i, j)] += column[i]);
            }
            Cholesky::new((&g + g.transpose()) * 0.5)
        })
    }

    /// BᵀΛ_c⁻¹B of one vertex.
    fn small_column(&self, unknowns: Unknowns<'_>, component: usize, vertex: usize) -> Vec<f64> {
        let model = unknowns.model;
        let mut x = vec![[0.0; 2]; self.normal.len()];
        let mut touched = Vec::new();
        for (row, weight) in model.coupling.rows_of(vertex) {
            let node = model.hybrid_nodes[row] as usize;
            x[node][0] = weight;
            touched.push(node);
        }
        let nonzero: Vec<usize> = if component == 2 {
            touched.iter().for_each(|n| x[*n][0] *= self.normal[*n]);
            touched
        } else {
            self.factors[component].solve_some(&self.order, component, &touched, &mut x)
        };
        let mut out = vec![0.0; model.coupling.vertex_count()];
        for node in nonzero {
            let Some(row) = model.row_of_node[node] else { continue };
            let (vs, beta) = &model.coupling.rows()[row as usize];
            vs.iter().zip(beta).for_each(|(v, b)| out[*v as usize] += b * x[node][0]);
        }
        out
    }

    /// With the frames of a matrix.
    ///
    /// Vertices of triangles alone get `vertices`, or nothing where a coarse correction knows them exactly.
    pub(crate) fn with_frames<'a>(
        &'a self,
        unknowns: Unknowns<'a>,
        operator: &RowOperator<'_, f64>,
        vertices: Vec<Matrix3<f64>>,
    ) -> YarnLines<'a> {
        YarnLines { lines: self, unknowns, frames: frames(operator), vertices }
    }
}

impl LineFactor {
    fn new(
        order: &LineOrder,
        slot: usize,
        operator: &RowOperator<'_, f64>,
        filter: &NodeFilter,
        frames: &[Frame],
        hybrid: impl Fn(u32) -> bool + Sync,
    ) -> Self {
        let zero = LineRow { inverse: Matrix2::identity(), before: Matrix2::zeros() };
        let mut rows = vec![zero; frames.len()];
        // A frozen arc coordinate takes no part.
        let part = |node: usize| {
            let mut c = columns(&frames[node], slot);
            if filter.nodes[node].fixed()[3 + slot] {
                c.column_mut(1).fill(0.0);
            }
            c
        };
        let lines: Vec<_> = order.cut(slot, &mut rows);
        let hybrid = lines
            .into_par_iter()
            .map(|(nodes, rows)| {
                let mut last: Option<(usize, Matrix2<f64>)> = None;
                for ((node, own), row) in nodes.iter().zip(rows) {
                    let node = *node as usize;
                    let c = part(node);
                    let mut d = c.transpose() * operator_block(operator, node) * c;
                    if d[(1, 1)] == 0.0 {
                        d[(1, 1)] = 1.0;
                    }
                    row.before = Matrix2::zeros();
                    if let Some((before, inverse)) = last
                        && own.index() == slot
                        && let Some(block) = segment_block(operator, before, slot, node)
                    {
                        let off = c.transpose() * block.transpose() * part(before);
                        row.before = off * inverse;
                        d -= row.before * off.transpose();
                    }
                    row.inverse =
                        d.try_inverse().filter(|_| d[(0, 0)] > 0.0 && d.determinant() > 0.0).unwrap_or_else(|| {
                            // Rounding: a line is cut here.
                            row.before = Matrix2::zeros();
                            let whole = c.transpose() * operator_block(operator, node) * c;
                            Matrix2::new(1.0 / whole[(0, 0)].max(f64::MIN_POSITIVE), 0.0, 0.0, 1.0)
                        });
                    last = Some((node, row.inverse));
                }
                nodes.iter().any(|(node, _)| hybrid(*node))
            })
            .collect();
        LineFactor { rows, hybrid }
    }

    /// Solves all lines, or those with hybrid nodes alone, in place: entries line by line.
    fn solve(&self, order: &LineOrder, slot: usize, hybrid_only: bool, x: &mut [[f64; 2]]) {
        let starts = order.starts(slot);
        let least = pieces(starts.len(), x.len());
        order.cut(slot, x).into_par_iter().with_min_len(least).enumerate().for_each(|(k, (_, z))| {
            if !hybrid_only || self.hybrid[k] {
                substitute(&self.rows[starts[k] as usize..starts[k + 1] as usize], z);
            }
        });
    }

    /// Solves the lines through some nodes, in place; returns all nodes of these lines.
    fn solve_some(&self, order: &LineOrder, slot: usize, nodes: &[usize], x: &mut [[f64; 2]]) -> Vec<usize> {
        let starts = order.starts(slot);
        let mut lines: Vec<usize> =
            nodes.iter().map(|n| starts.partition_point(|s| *s <= order.place(slot, *n)) - 1).collect();
        lines.sort_unstable();
        lines.dedup();
        let mut all = Vec::new();
        for line in lines {
            let range = starts[line] as usize..starts[line + 1] as usize;
            let nodes = &order.nodes(slot)[range.clone()];
            let mut z: Vec<[f64; 2]> = nodes.iter().map(|(n, _)| x[*n as usize]).collect();
            substitute(&self.rows[range], &mut z);
            nodes.iter().zip(z).for_each(|((n, _), z)| x[*n as usize] = z);
            all.extend(nodes.iter().map(|(n, _)| *n as usize));
        }
        all
    }
}

fn substitute(rows: &[LineRow], z: &mut [[f64; 2]]) {
    for k in 1..z.len() {
        let y = Vector2::from(z[k]) - rows[k].before * Vector2::from(z[k - 1]);
        z[k] = y.into();
    }
    for (z, row) in z.iter_mut().zip(rows) {
        *z = (row.inverse * Vector2::from(*z)).into();
    }
    for k in (1..z.len()).rev() {
        let y = Vector2::from(z[k - 1]) - rows[k].before.transpose() * Vector2::from(z[k]);
        z[k - 1] = y.into();
    }
}

/// The preconditioner.
pub(crate) struct YarnLines<'a> {
    lines: &'a LineMatrices,
    unknowns: Unknowns<'a>,
    frames: Vec<Frame>,
    /// Inverse blocks of the vertices of triangles alone; empty for nothing.
    vertices: Vec<Matrix3<f64>>,
}

impl YarnLines<'_> {
    /// The component along the yarns of a family, with their arc coordinates: line by line.
    fn along(&self, slot: usize, r: &[[f64; 5]]) -> Vec<[f64; 2]> {
        let LineMatrices { order, factors, .. } = self.lines;
        let own = |(node, _): &(u32, Slot)| {
            let (r, t) = (&r[*node as usize], self.frames[*node as usize].column(slot));
            [t[0] * r[0] + t[1] * r[1] + t[2] * r[2], r[3 + slot]]
        };
        let mut x: Vec<[f64; 2]> = order.nodes(slot).iter().map(own).collect();
        factors[slot].solve(order, slot, false, &mut x);
        let place = |node: usize| order.place(slot, node) as usize;
        if let Some(lambda) = self.lambda(slot, |node| x[place(node)][0]) {
            let mut taken = vec![[0.0; 2]; x.len()];
            self.each_carried(&lambda, |node, carried| taken[place(node)][0] = carried);
            factors[slot].solve(order, slot, true, &mut taken);
            x.iter_mut().zip(&taken).for_each(|(x, t)| *x = [x[0] - t[0], x[1] - t[1]]);
        }
        x
    }

    /// The component across the cloth: node by node.
    fn across(&self, r: &[[f64; 5]]) -> Vec<f64> {
        let normal = &self.lines.normal;
        let own = |((r, frame), inverse): ((&[f64; 5], &Frame), &f64)| {
            let n = frame.column(2);
            (n[0] * r[0] + n[1] * r[1] + n[2] * r[2]) * inverse
        };
        let mut x: Vec<f64> = r.iter().zip(&self.frames).zip(normal).map(own).collect();
        if let Some(lambda) = self.lambda(2, |node| x[node]) {
            self.each_carried(&lambda, |node, carried| x[node] -= carried * normal[node]);
        }
        x
    }

    /// What vertices take back of a component: G_c⁻¹ Bᵀ t.
    fn lambda(&self, component: usize, t: impl Fn(usize) -> f64) -> Option<DVector<f64>> {
        let model = self.unknowns.model;
        let factor = self.lines.small[component].as_ref()?;
        let of = |v: usize| {
            let rows = model.coupling.rows_of(v);
            rows.map(|(row, b)| b * t(model.hybrid_nodes[row] as usize)).sum()
        };
        let mut g = DVector::from_fn(model.coupling.vertex_count(), |v, _| of(v));
        factor.solve_mut(&mut g);
        Some(g)
    }

    /// B λ, node by node.
    fn each_carried(&self, lambda: &DVector<f64>, mut each: impl FnMut(usize, f64)) {
        let model = self.unknowns.model;
        for (node, (vs, beta)) in model.hybrid_nodes.iter().zip(model.coupling.rows()) {
            each(*node as usize, vs.iter().zip(beta).map(|(v, b)| b * lambda[*v as usize]).sum());
        }
    }
}

impl Preconditioner for YarnLines<'_> {
    fn apply_inverse(&self, r: &[f64], y: &mut [f64]) {
        let (nodes, free) = self.unknowns.split(r);
        let order = &self.lines.order;
        let (u, (v, n)) =
            rayon::join(|| self.along(0, nodes), || rayon::join(|| self.along(1, nodes), || self.across(nodes)));
        let (out, out_free) = self.unknowns.split_mut(y);
        out.par_iter_mut().enumerate().with_min_len(GRAIN).for_each(|(i, y)| {
            let [u, v] = [u[order.place(0, i) as usize], v[order.place(1, i) as usize]];
            let x = self.frames[i] * Vector3::new(u[0], v[0], n[i]);
            *y = [x.x, x.y, x.z, u[1], v[1]];
        });
        out_free.iter_mut().for_each(|y| *y = [0.0; 3]);
        for ((y, r), inverse) in out_free.iter_mut().zip(free).zip(&self.vertices) {
            *y = (inverse * Vector3::from(*r)).into();
        }
    }
}
