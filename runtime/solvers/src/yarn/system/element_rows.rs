//! The elements that belong to a node as rows, for what is put together outside.

use super::lanes::PackScalar;
use super::operator::RowOperator;
use nalgebra::Vector3;

/// A row: its entries by node.
type Entries<V> = Vec<(usize, V)>;

/// Rows g with D of the elements of a node, D g gᵀ; positions only.
pub(crate) struct ElementRows {
    directed: Vec<(Entries<Vector3<f64>>, f64)>,
    isotropic: Vec<(Entries<f64>, f64)>,
}

impl ElementRows {
    /// Of a node.
    pub(crate) fn of<T: PackScalar>(operator: &RowOperator<'_, T>, node: usize) -> Self {
        let RowOperator { weave, rows, .. } = *operator;
        let mut out = ElementRows { directed: Vec::with_capacity(10), isotropic: Vec::with_capacity(7) };
        let neighbor = |port: usize| weave.links[node][port].node();
        for slot in 0..2 {
            if let Some(next) = neighbor(2 * slot + 1) {
                let s = rows.segment(node, slot);
                out.directed.push((vec![(node, -s.direction), (next, s.direction)], s.along));
                out.isotropic.push((vec![(node, -1.0), (next, 1.0)], s.across));
                // m (2 1; 1 2) = m (1 1)ᵀ(1 1) + m I.
                out.isotropic.push((vec![(node, 1.0), (next, 1.0)], s.mass));
                out.isotropic.push((vec![(node, 1.0)], s.mass));
                out.isotropic.push((vec![(next, 1.0)], s.mass));
            }
            if let (Some(behind), Some(ahead), Some(b)) =
                (neighbor(2 * slot), neighbor(2 * slot + 1), rows.bend(weave, node, slot))
            {
                let row = |g1: Vector3<f64>, g2: Vector3<f64>| vec![(node, -(g1 + g2)), (ahead, g1), (behind, g2)];
                out.directed.push((row(b.g1, b.g2), b.in_plane));
                out.directed.push((row(b.h1, b.h2), b.out_of_plane));
            }
        }
        for corner in 0..4 {
            if let (Some(warp), Some(weft), Some(c)) =
                (neighbor(corner / 2), neighbor(2 + corner % 2), rows.corner(weave, node, corner))
            {
                out.directed.push((vec![(node, -(c.g1 + c.g3)), (warp, c.g1), (weft, c.g3)], c.weight));
            }
        }
        let drag = rows.drag.get(node).map_or(0.0, |d| d.to_f64());
        out.isotropic.push((vec![(node, 1.0)], drag));
        out
    }

    /// Rows with directions.
    pub(crate) fn directed(&self) -> impl Iterator<Item = (&[(usize, Vector3<f64>)], f64)> {
        self.directed.iter().map(|(e, w)| (e.as_slice(), *w))
    }

    /// Rows that are the same for the three coordinates.
    pub(crate) fn isotropic(&self) -> impl Iterator<Item = (&[(usize, f64)], f64)> {
        self.isotropic.iter().map(|(e, w)| (e.as_slice(), *w))
    }
}
