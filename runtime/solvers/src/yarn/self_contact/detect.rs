//! Nodes that are near to triangles of the same cloth.

use super::row::SheetContact;
use crate::contact::SpatialHash;
use crate::yarn::model::{LatticePlace, Slot, Weave};
use crate::yarn::state::State;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Crossings that are nearer than this many steps of the weave are the same place of the cloth.
const SAME_PLACE: i32 = 3;

/// Up to this many steps the way along the yarns is measured; what is further is another place.
const MEASURED: i32 = 12;

/// Along the yarns, what is nearer than this many thicknesses is the same place.
const SAME_LENGTH: f64 = 2.0;

/// The cloth: its yarns, where they are, and where nodes are in their panels.
#[derive(Clone, Copy)]
pub struct ContactSurface<'a> {
    /// Nodes and links.
    pub weave: &'a Weave,
    /// Positions and arc coordinates.
    pub state: &'a State,
    /// Lattice places of the nodes.
    pub places: &'a [LatticePlace],
}

/// Finds, for every node, the nearest triangle in front of it and the nearest behind it that are closer than `reach` meters.
pub fn detect(surface: &ContactSurface<'_>, thickness: f64, reach: f64) -> Vec<SheetContact> {
    let ContactSurface { weave, state, .. } = *surface;
    let positions = &state.positions;
    // A point of a triangle is at most its longest side from its crossing.
    let side = longest_side(weave, positions);
    let hash = SpatialHash::new(positions, reach + side);
    let found = (0..weave.node_count()).into_par_iter().with_min_len(256).map(|p| {
        let mut nearest: [Option<(f64, SheetContact)>; 2] = [None, None];
        if weave.links[p].iter().all(|l| l.node().is_none()) {
            return nearest;
        }
        let front = state.normals[p];
        hash.near(positions, &positions[p], |j| {
            if !weave.kinds[j].is_crossing() || surface.same_place(p, j, SAME_LENGTH * thickness) {
                return;
            }
            for corner in 0..4 {
                let Some((distance, contact)) = surface.contact(p, j, corner).filter(|(d, _)| *d < reach) else {
                    continue;
                };
                let best = &mut nearest[usize::from(front.dot(&contact.normal) < 0.0)];
                // Of triangles that share the nearest point, the one with the smallest numbers.
                let better = |(d, c): &(f64, SheetContact)| (distance, contact.nodes) < (*d, c.nodes);
                if best.as_ref().is_none_or(better) {
                    *best = Some((distance, contact));
                }
            }
        });
        nearest
    });
    let found: Vec<_> = found.collect();
    found.into_iter().flatten().flatten().map(|(_, contact)| contact).collect()
}

fn longest_side(weave: &Weave, positions: &[Vector3<f64>]) -> f64 {
    let length = |i: usize| {
        let sides = weave.links[i].iter().filter_map(|l| l.node()).map(|n| (positions[n] - positions[i]).norm());
        sides.fold(0.0, f64::max)
    };
    let crossings =
        (0..weave.node_count()).into_par_iter().with_min_len(1024).filter(|i| weave.kinds[*i].is_crossing());
    crossings.map(length).reduce(|| 0.0, f64::max)
}

impl ContactSurface<'_> {
    /// Whether two nodes are the same place of the cloth.
    fn same_place(&self, p: usize, j: usize, length: f64) -> bool {
        let ((panel_p, ap, bp), (panel_j, aj, bj)) = (self.places[p], self.places[j]);
        let (da, db) = (aj - ap, bj - bp);
        if panel_p != panel_j || da.abs() > MEASURED || db.abs() > MEASURED {
            return false;
        }
        (da.abs() <= SAME_PLACE && db.abs() <= SAME_PLACE) || self.way(p, da, db).is_some_and(|way| way < length)
    }

    /// The length of yarn to the node `db` further along warps and `da` along wefts, meters: warp first, or weft first where the node is
    /// on no warp.
    fn way(&self, p: usize, da: i32, db: i32) -> Option<f64> {
        let around = |[(first, n), (second, m)]: [(Slot, i32); 2]| {
            let (corner, one) = self.follow(p, first, n)?;
            let (_, other) = self.follow(corner, second, m)?;
            Some(one.hypot(other))
        };
        let (warp, weft) = ((Slot::U, db), (Slot::V, da));
        around([warp, weft]).or_else(|| around([weft, warp]))
    }

    /// The node some links further along a yarn, and the length of yarn to there.
    fn follow(&self, node: usize, slot: Slot, links: i32) -> Option<(usize, f64)> {
        let ContactSurface { weave, state, .. } = *self;
        let (mut here, mut slot_here) = (node, slot);
        let mut length = 0.0;
        for _ in 0..links.unsigned_abs() {
            let port = if links > 0 { slot_here.plus() } else { slot_here.minus() };
            let (next, back) = weave.links[here][port].get()?;
            length += (state.arcs[next][back.slot().index()] - state.arcs[here][slot_here.index()]).abs();
            (here, slot_here) = (next, back.slot());
        }
        Some((here, length))
    }

    /// The nearest point of a corner of crossing j to node p: its distance, and the contact there.
    fn contact(&self, p: usize, j: usize, corner: usize) -> Option<(f64, SheetContact)> {
        let ContactSurface { weave, state, .. } = *self;
        let (warp, weft) = (weave.links[j][corner / 2].node()?, weave.links[j][2 + corner % 2].node()?);
        if p == warp || p == weft {
            return None;
        }
        let x = |i: usize| state.positions[i];
        let b = nearest(&x(p), [&x(j), &x(warp), &x(weft)]);
        let way = x(p) - (x(j) * b[0] + x(warp) * b[1] + x(weft) * b[2]);
        let distance = way.norm();
        let normal = way.try_normalize(1e-12)?;
        let nodes = [p, j, warp, weft].map(|n| n as u32);
        Some((distance, SheetContact { nodes, weights: [1.0, -b[0], -b[1], -b[2]], normal }))
    }
}

/// Barycentric coordinates of the point of a triangle that is nearest to p.
fn nearest(p: &Vector3<f64>, [a, b, c]: [&Vector3<f64>; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d00, d01, d11) = (ab.dot(&ab), ab.dot(&ac), ac.dot(&ac));
    let (d20, d21) = (ap.dot(&ab), ap.dot(&ac));
    let determinant = d00 * d11 - d01 * d01;
    if determinant > 1e-12 * d00 * d11 {
        let v = (d11 * d20 - d01 * d21) / determinant;
        let w = (d00 * d21 - d01 * d20) / determinant;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return [1.0 - v - w, v, w];
        }
    }
    // Outside: on one of the sides.
    let side = |from: &Vector3<f64>, to: &Vector3<f64>| {
        let d = to - from;
        let t = if d.norm_squared() > 0.0 { ((p - from).dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
        ((p - from - d * t).norm_squared(), t)
    };
    let ((d_ab, t_ab), (d_ac, t_ac), (d_bc, t_bc)) = (side(a, b), side(a, c), side(b, c));
    if d_ab <= d_ac && d_ab <= d_bc {
        [1.0 - t_ab, t_ab, 0.0]
    } else if d_ac <= d_bc {
        [1.0 - t_ac, 0.0, t_ac]
    } else {
        [0.0, 1.0 - t_bc, t_bc]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::random::Random;

    #[test]
    fn the_nearest_point_is_nearer_than_any_other() {
        let seed = 11;
        let mut random = Random::new(seed);
        let mut r = || 2.0 * random.unit() - 1.0;
        let mut point = || Vector3::new(r(), r(), r());
        for _ in 0..200 {
            let (p, a, b, c) = (point() * 2.0, point(), point(), point());
            let [u, v, w] = nearest(&p, [&a, &b, &c]);
            assert!((u + v + w - 1.0).abs() < 1e-12 && u >= 0.0 && v >= 0.0 && w >= 0.0, "seed {seed}");
            let found = (p - (a * u + b * v + c * w)).norm();
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (s, t) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let other = (p - (a * (1.0 - s - t) + b * s + c * t)).norm();
                    assert!(found <= other + 1e-12, "seed {seed}: {found} {other}");
                }
            }
        }
    }
}
