//! Bends: both rows of one, times a vector.

use super::super::vector::{Vec3, combine, dot, scaled, sub};
use super::angle::Angle;
use super::view::{Nodes, Value};

/// A bend's rows ĝ and h, and D (row·x) of both.
pub(super) struct Bend {
    pub(super) g1: Vec3,
    pub(super) g2: Vec3,
    pub(super) normal: Vec3,
    pub(super) inverse1: f32,
    pub(super) inverse2: f32,
    pub(super) rate: f32,
    pub(super) weights: [f32; 2],
    /// D (row·x).
    pub(super) products: [f32; 2],
}

impl<V: Fn(usize) -> Value> Nodes<'_, V> {
    /// The bend in a slot of a node, where it has two neighbors there.
    pub(super) fn bend(&self, node: usize, slot: usize) -> Option<Bend> {
        let (two, one) = (self.neighbor(node, 2 * slot)?, self.neighbor(node, 2 * slot + 1)?);
        let (t1, inverse1) = self.away(node, 2 * slot + 1)?;
        let (back, inverse2) = self.away(node, 2 * slot)?;
        let angle = Angle::between(t1, scaled(back, -1.0));
        let (g1, g2) = (scaled(angle.e1, -inverse1), scaled(angle.e3, inverse2));
        let [in_plane, out_of_plane, rate, _] = self.rows[node][4 + slot];
        let (v0, v1, v2) = ((self.value)(node), (self.value)(one.node), (self.value)(two.node));
        let (d1, d2) = (sub(v1.x, v0.x), sub(v2.x, v0.x));
        let along_g = dot(g1, d1) + dot(g2, d2) + rate * (v2.s[two.slot()] - v1.s[one.slot()]);
        let along_h = dot(angle.normal, combine(d1, inverse1, d2, inverse2));
        Some(Bend {
            g1,
            g2,
            normal: angle.normal,
            inverse1,
            inverse2,
            rate,
            weights: [in_plane, out_of_plane],
            products: [in_plane * along_g, out_of_plane * along_h],
        })
    }
}

impl Bend {
    /// Row ĝ at node 2, 0 or 1, and row h.
    pub(super) fn at(&self, end: usize) -> [Vec3; 2] {
        match end {
            2 => [self.g2, scaled(self.normal, self.inverse2)],
            1 => [self.g1, scaled(self.normal, self.inverse1)],
            _ => [combine(self.g1, -1.0, self.g2, -1.0), scaled(self.normal, -(self.inverse1 + self.inverse2))],
        }
    }
}
