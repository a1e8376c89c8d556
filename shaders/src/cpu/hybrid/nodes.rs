//! Stages of yarn nodes: `corners`, `own`, `residual`, `product`.

use super::super::vector::combine;
use super::super::yarn_solver::elements::{self, ElementInput, Stress, Weights};
use super::super::yarn_solver::product::{masked, node as element_product};
use super::super::yarn_solver::residual::{Linearized, elements as element_residual};
use super::super::yarn_solver::{Nodes, Value};
use super::diagonal::lumped_mass;
use crate::gpu::{HybridParams, NodeDiagonal, NodeLinks, NodeRows, NodeVector, node_flags};

/// The parts of a node's elements that yarns have, from 16 bits each [Casafranca20, Eq. 4].
pub fn weights(links: &[NodeLinks], packed: &[[u32; 4]], i: usize) -> Weights {
    match (links[i].flags / node_flags::WEIGHTED) as usize {
        0 => [1.0; 8],
        at => std::array::from_fn(|k| (packed[at - 1][k / 2] >> (16 * (k % 2)) & 0xffff) as f32 / 65535.0),
    }
}

/// Weights of the corners of node i, and h times their moments.
pub fn corners(input: &ElementInput<'_>, i: usize) -> ([f32; 4], [f32; 4]) {
    let (rows, stress) = elements::node(input, i);
    (rows[6], [stress[4], stress[5], stress[6], stress[7]])
}

/// The diagonal of node i, and what it gives to −r of its own: the momentum of the last step, inertia and weight of the mass that is at the node,
/// friction of sliding.
pub fn own(
    input: &ElementInput<'_>,
    hybrid: &HybridParams,
    diagonal: &NodeDiagonal,
    momentum: &NodeVector,
    i: usize,
) -> (NodeDiagonal, Value) {
    let ElementInput { params, scalars, links, .. } = *input;
    let flags = links[i].flags;
    let [u, v, force_u, force_v] = elements::node(input, i).0[7];
    let damped = 1.0 + scalars.h * params.mass_damping;
    let inverse = |stuck: u32, slide: f32| {
        if flags & stuck != 0 { 0.0 } else { 1.0 / (hybrid.slide_mass + slide / damped) }
    };
    let mass = lumped_mass(hybrid, flags, diagonal);
    let here = input.velocity_of(i);
    let p: Value = (*momentum).into();
    let g = [params.gravity[0], params.gravity[1], params.gravity[2]];
    let force = combine(g, scalars.h * mass, here.x, -mass * damped);
    let sum = Value {
        x: combine(p.x, 1.0, force, 1.0),
        s: [p.s[0] + force_u - u * here.s[0], p.s[1] + force_v - v * here.s[1]],
    };
    let own = NodeDiagonal { u: inverse(node_flags::STUCK_U, u), v: inverse(node_flags::STUCK_V, v), ..*diagonal };
    (own, sum)
}

/// −r of the yarns at node i, from what it has of its own; 0 where it is prescribed. The rows have no diagonal of their own here.
pub fn residual(input: &ElementInput<'_>, rows: &[NodeRows], stress: &[Stress], own: &Value, i: usize) -> Value {
    let linearized = Linearized { rows, stress, momentum: &[] };
    let sum = Value::combine(own, 1.0, &element_residual(input, &linearized, i), -1.0);
    masked(input.links[i].flags, &sum)
}

/// A_p d at node i, and its share of dᵀA_p d.
pub fn product<V: Fn(usize) -> Value>(
    nodes: &Nodes<'_, V>,
    input: &ElementInput<'_>,
    hybrid: &HybridParams,
    diagonal: &NodeDiagonal,
    i: usize,
) -> (Value, f32) {
    let (params, flags) = (input.params, nodes.links[i].flags);
    let damped = 1.0 + input.scalars.h * params.mass_damping;
    let own = (nodes.value)(i);
    let mut sum = element_product(nodes, i, damped * params.density / 6.0);
    sum.x = combine(sum.x, 1.0, own.x, lumped_mass(hybrid, flags, diagonal) * damped);
    let y = masked(flags, &sum);
    (y, Value::dot(&own, &y))
}
