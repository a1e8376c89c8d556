//! Stage `compression`: F_n of one crossing, from crimped points [Cirio14, Eq. 9].

use super::super::vector::{Vec3, combine, dot, scaled, sub};
use super::angle::Angle;
use super::fixed::{arc_difference, difference};
use super::product::add;
use super::view::{Neighbor, neighbor};
use crate::gpu::constants::{COLLAPSED, FOLDED};
use crate::gpu::{NodeArcs, NodeLinks, NodePosition, YarnSolverParams, node_flags};

/// What the stage reads.
pub struct CompressionInput<'a> {
    /// Constants.
    pub params: &'a YarnSolverParams,
    /// By node.
    pub positions: &'a [NodePosition],
    /// By node.
    pub arcs: &'a [NodeArcs],
    /// By node.
    pub links: &'a [NodeLinks],
    /// Front normals.
    pub normals: &'a [Vec3],
}

/// A point of a yarn near the crossing: where it is from the crossing's x, and the rest length from the point before.
#[derive(Clone, Copy)]
struct Point {
    x: Vec3,
    rest: f32,
}

/// The points beside a crossing on one side, the nearer first, and the tension of the segment next to it.
struct Side {
    points: [Option<Point>; 2],
    tension: f32,
}

impl CompressionInput<'_> {
    /// From the warp to the weft; zero where nothing crosses.
    fn toward_weft(&self, i: usize) -> Vec3 {
        let flags = self.links[i].flags;
        if flags & node_flags::CROSSING == 0 {
            return [0.0; 3];
        }
        scaled(self.normals[i], if flags & node_flags::WARP_OVER != 0 { -1.0 } else { 1.0 })
    }

    /// The center line of the yarn in a slot of node n, from the x of node i.
    fn crimped(&self, i: usize, n: usize, slot: usize) -> Vec3 {
        let x = difference(&self.positions[i], &self.positions[n], self.params.unit);
        let offset = if slot == 0 { -self.params.radius } else { self.params.radius };
        combine(x, 1.0, self.toward_weft(n), offset)
    }

    fn side(&self, i: usize, slot: usize, ahead: bool) -> Side {
        let way = usize::from(ahead);
        let mut side = Side { points: [None; 2], tension: 0.0 };
        let (mut here, mut here_slot) = (i, slot);
        for distance in 0..2 {
            let Some(near) = neighbor(self.links, here, 2 * here_slot + way) else { break };
            if distance == 0 {
                side.tension = self.tension(here, here_slot, near);
            }
            let next = self.past_plain(near, way);
            let between =
                arc_difference(&self.arcs[here], here_slot, &self.arcs[next.node], next.slot(), self.params.unit);
            side.points[distance] = Some(Point { x: self.crimped(i, next.node, next.slot()), rest: between.abs() });
            (here, here_slot) = (next.node, next.slot());
        }
        side
    }

    /// T of a segment where it is positive, N.
    fn tension(&self, here: usize, slot: usize, near: Neighbor) -> f32 {
        let unit = self.params.unit;
        let rest = arc_difference(&self.arcs[here], slot, &self.arcs[near.node], near.slot(), unit).abs();
        let d = difference(&self.positions[here], &self.positions[near.node], unit);
        (self.params.stretch * (dot(d, d).sqrt() - rest) / rest).max(0.0)
    }

    /// The next node along a yarn that is no plain one. Not more than a few lie between two crossings.
    fn past_plain(&self, near: Neighbor, way: usize) -> Neighbor {
        let mut at = near;
        while self.links[at.node].flags & node_flags::PLAIN != 0 {
            let Some(further) = neighbor(self.links, at.node, 2 * at.slot() + way) else { break };
            at = further;
        }
        at
    }

    /// F_s + F_b of one yarn at the crossing, N.
    fn yarn_force(&self, i: usize, slot: usize) -> Vec3 {
        let (behind, ahead) = (self.side(i, slot, false), self.side(i, slot, true));
        let here = self.crimped(i, i, slot);
        let bend = self.params.bend;
        let mut force = [0.0; 3];
        if let [Some(a), Some(b)] = behind.points {
            let (g1, _, moment) = bent(bend, b.x, a.x, here, b.rest, a.rest);
            add(&mut force, g1, -moment);
        }
        if let (Some(a), Some(b)) = (behind.points[0], ahead.points[0]) {
            let (g1, g2, moment) = bent(bend, a.x, here, b.x, a.rest, b.rest);
            add(&mut force, combine(g1, 1.0, g2, 1.0), moment);
        }
        if let [Some(a), Some(b)] = ahead.points {
            let (_, g2, moment) = bent(bend, here, a.x, b.x, a.rest, b.rest);
            add(&mut force, g2, -moment);
        }
        for side in [behind, ahead] {
            let Some(point) = side.points[0] else { continue };
            let d = sub(point.x, here);
            let length = dot(d, d).sqrt();
            if length > 0.0 {
                add(&mut force, d, side.tension / length);
            }
        }
        force
    }
}

/// Gradients of θ at the points ahead and behind, and the moment, of a bend through a, b, c with rest lengths between them.
pub(in crate::cpu) fn bent(stiffness: f32, a: Vec3, b: Vec3, c: Vec3, rest_ab: f32, rest_bc: f32) -> (Vec3, Vec3, f32) {
    let (t3, l3) = direction(sub(b, a), rest_ab);
    let (t1, l1) = direction(sub(c, b), rest_bc);
    let angle = Angle::between(t1, t3);
    let moment = 2.0 * stiffness / (rest_ab + rest_bc) * angle.value();
    (scaled(angle.e1, -1.0 / l1.max(FOLDED * rest_bc)), scaled(angle.e3, 1.0 / l3.max(FOLDED * rest_ab)), moment)
}

fn direction(d: Vec3, rest: f32) -> (Vec3, f32) {
    let length = dot(d, d).sqrt();
    (if length > COLLAPSED * rest { scaled(d, 1.0 / length) } else { [1.0, 0.0, 0.0] }, length)
}

/// F_n of node i, N; 0 where nothing crosses.
pub fn node(input: &CompressionInput<'_>, i: usize) -> f32 {
    if input.links[i].flags & node_flags::CROSSING == 0 {
        return 0.0;
    }
    let difference = sub(input.yarn_force(i, 0), input.yarn_force(i, 1));
    (0.5 * dot(input.toward_weft(i), difference)).max(0.0)
}
