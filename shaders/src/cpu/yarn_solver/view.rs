//! What the stages that look at elements read.

use super::super::vector::Vec3;
use crate::gpu::constants::NONE;
use crate::gpu::{NodeLinks, NodeRows, NodeVector};

/// A vector of unknowns at a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Value {
    pub(in crate::cpu) x: Vec3,
    pub(in crate::cpu) s: [f32; 2],
}

impl From<NodeVector> for Value {
    fn from(v: NodeVector) -> Self {
        Value { x: [v.x, v.y, v.z], s: [v.u, v.v] }
    }
}

impl From<Value> for NodeVector {
    fn from(v: Value) -> Self {
        NodeVector { x: v.x[0], y: v.x[1], z: v.x[2], u: v.s[0], v: v.s[1] }
    }
}

impl Value {
    /// From five words.
    pub fn from_words(w: &[f32]) -> Self {
        Value { x: [w[0], w[1], w[2]], s: [w[3], w[4]] }
    }

    /// As five words.
    pub fn words(&self) -> [f32; 5] {
        [self.x[0], self.x[1], self.x[2], self.s[0], self.s[1]]
    }

    /// a s + b t.
    pub(in crate::cpu) fn combine(a: &Value, s: f32, b: &Value, t: f32) -> Value {
        Value {
            x: std::array::from_fn(|k| a.x[k] * s + b.x[k] * t),
            s: std::array::from_fn(|k| a.s[k] * s + b.s[k] * t),
        }
    }

    /// a·b.
    pub(in crate::cpu) fn dot(a: &Value, b: &Value) -> f32 {
        a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2] + a.s[0] * b.s[0] + a.s[1] * b.s[1]
    }
}

/// Links, rows, and the vector that rows are multiplied with.
pub struct Nodes<'a, V: Fn(usize) -> Value> {
    /// By node.
    pub links: &'a [NodeLinks],
    /// By node.
    pub rows: &'a [NodeRows],
    /// The vector.
    pub value: V,
}

/// A neighbor: its number and its port that leads back.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Neighbor {
    pub(super) node: usize,
    pub(super) port: usize,
}

impl Neighbor {
    /// Its slot of the shared yarn.
    pub(super) fn slot(self) -> usize {
        self.port / 2
    }
}

/// The neighbor behind a port.
pub(in crate::cpu) fn neighbor(links: &[NodeLinks], node: usize, port: usize) -> Option<Neighbor> {
    let link = links[node].ports[port];
    (link != NONE).then_some(Neighbor { node: (link >> 2) as usize, port: (link & 3) as usize })
}

impl<V: Fn(usize) -> Value> Nodes<'_, V> {
    pub(super) fn neighbor(&self, node: usize, port: usize) -> Option<Neighbor> {
        neighbor(self.links, node, port)
    }

    /// Direction away from a node through a port, and one over the segment's length.
    pub(super) fn away(&self, node: usize, port: usize) -> Option<(Vec3, f32)> {
        let n = self.neighbor(node, port)?;
        let plus = port % 2 == 1;
        let [x, y, z, inverse] = if plus { self.rows[node][port / 2] } else { self.rows[n.node][n.slot()] };
        Some(if plus { ([x, y, z], inverse) } else { ([-x, -y, -z], inverse) })
    }
}
