//! Stage `normals`: the front normal of one crossing.

use super::super::vector::{Vec3, cross, dot, scaled, sub};
use super::fixed::difference;
use super::view::neighbor;
use crate::gpu::constants::PARALLEL_SPANS;
use crate::gpu::{NodeLinks, NodePosition, node_flags};

/// Along (x_v+ − x_v−) × (x_u+ − x_u−); the `last` one where warp and weft are parallel, or at other nodes.
pub fn node(links: &[NodeLinks], positions: &[NodePosition], unit: f32, i: usize, last: Vec3) -> Vec3 {
    if links[i].flags & node_flags::CROSSING == 0 {
        return last;
    }
    let to = |port: usize| {
        let n = neighbor(links, i, port).map_or(i, |n| n.node);
        difference(&positions[i], &positions[n], unit)
    };
    let (warp, weft) = (sub(to(1), to(0)), sub(to(3), to(2)));
    let product = cross(weft, warp);
    let length = dot(product, product).sqrt();
    if length > PARALLEL_SPANS * (dot(warp, warp) * dot(weft, weft)).sqrt() {
        scaled(product, 1.0 / length)
    } else {
        last
    }
}
