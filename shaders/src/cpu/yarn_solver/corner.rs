//! Corners: the row of one, times a vector.

use super::super::vector::{Vec3, dot, scaled, sub};
use super::angle::Angle;
use super::view::{Nodes, Value};

/// A corner's row, its weight, and D (row·x).
pub(super) struct Corner {
    pub(super) warp: Vec3,
    pub(super) weft: Vec3,
    pub(super) weight: f32,
    pub(super) product: f32,
}

impl<V: Fn(usize) -> Value> Nodes<'_, V> {
    /// A corner of a crossing; none where it has no weight.
    pub(super) fn corner(&self, node: usize, corner: usize) -> Option<Corner> {
        let weight = self.rows[node][6][corner];
        let (warp_port, weft_port) = (corner / 2, 2 + corner % 2);
        let (t1, inverse1) = self.away(node, warp_port)?;
        let (t3, inverse3) = self.away(node, weft_port)?;
        let (one, three) = (self.neighbor(node, warp_port)?, self.neighbor(node, weft_port)?);
        let angle = Angle::between(t1, t3);
        let (warp, weft) = (scaled(angle.e1, -inverse1), scaled(angle.e3, -inverse3));
        let here = (self.value)(node).x;
        let along = dot(warp, sub((self.value)(one.node).x, here)) + dot(weft, sub((self.value)(three.node).x, here));
        Some(Corner { warp, weft, weight, product: weight * along })
    }
}

/// The two corners of a crossing that its neighbor behind a port is an arm of.
pub(super) fn corners_at(port: usize) -> [usize; 2] {
    if port < 2 { [2 * port, 2 * port + 1] } else { [port - 2, port] }
}
