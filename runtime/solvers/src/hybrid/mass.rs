//! Mass of yarns, split between nodes and vertices [Casafranca20, §4.2].
//!
//! Per half segment, of mass m = ρ ℓ/2 with its center c a quarter of the segment away from node i: ω m goes to the node, (1 − ω) m to the
//! corners of the triangle that c is in, by its barycentric coordinates. ω is 1 at nodes of yarns and 0 at those that are only drawn; at
//! hybrid nodes it is α at the middle of the segment. All yarns of the cloth count, so that the mass per area is the same everywhere, and
//!
//!   Σ M_v + Σ M_p = Σ m
//!
//! exactly. Segments between two nodes of yarns keep the mass matrix of [Cirio14, Eq. 5], through which yarn slides; all others have
//! their mass at their nodes.

use super::locate::Place;
use super::region::Class;
use super::registration::{Point, along};
use super::weights::{Field, yarn_weight};
use crate::yarn::model::Weave;

/// Mass of nodes and vertices, kg.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Masses {
    /// M_p of each node: what is at the node alone.
    pub nodes: Vec<f64>,
    /// M_v of each vertex of the mesh.
    pub vertices: Vec<f64>,
    /// Whether the segment ahead of a node, by slot, has its mass at its nodes.
    pub lumped: Vec<[bool; 2]>,
    /// Mass of segments that keep their own mass matrix.
    pub segments: f64,
    /// Of all yarns of the cloth.
    pub total: f64,
}

/// Splits the mass of yarns of `density` kg/m; with `lump`, no segment keeps a mass matrix of its own.
pub(super) fn split(field: &Field<'_>, vertices: usize, spacing: f64, density: f64, lump: bool) -> Masses {
    let registration = field.registration;
    let weave = &registration.weave;
    let lumped = lumped_segments(weave, &registration.classes, lump);
    let mut split = Split {
        field,
        masses: Masses {
            nodes: vec![0.0; weave.node_count()],
            vertices: vec![0.0; vertices],
            lumped,
            ..Masses::default()
        },
    };
    for p in &registration.points {
        for port in 0..4 {
            split.add_port(p, port, spacing, density);
        }
    }
    split.masses
}

/// Which segments have their mass at their nodes.
fn lumped_segments(weave: &Weave, classes: &[Class], lump: bool) -> Vec<[bool; 2]> {
    let yarns = |n: usize| classes[n] == Class::Yarns;
    let of = |i: usize| [1, 3].map(|port| lump || !yarns(i) || weave.links[i][port].node().is_none_or(|n| !yarns(n)));
    (0..weave.node_count()).map(of).collect()
}

struct Split<'a> {
    field: &'a Field<'a>,
    masses: Masses,
}

/// A half segment.
struct Half<'a> {
    point: &'a Point,
    node: Option<u32>,
    class: Class,
    place: Place,
    port: usize,
    /// Distances from the crossing to the middle of the segment and to the center of the half, meters.
    middle: f64,
    center: f64,
    mass: f64,
}

impl Split<'_> {
    /// The yarn behind a port, as far as it belongs to a crossing and to its loose end.
    fn add_port(&mut self, point: &Point, port: usize, spacing: f64, density: f64) {
        let (node, class, place) = (point.node, point.class, point.place);
        let half = |middle: f64, center: f64, length: f64| Half {
            point,
            node,
            class,
            place,
            port,
            middle,
            center,
            mass: density * length,
        };
        let tail = point.tails[port];
        if point.neighbors[port].is_some() {
            self.add(&half(0.5 * spacing, 0.25 * spacing, 0.5 * spacing));
        } else if let Some(end) = point.ends[port] {
            self.add(&half(0.5 * tail, 0.25 * tail, 0.5 * tail));
            let registration = self.field.registration;
            let (class, place) = (registration.classes[end as usize], registration.places[end as usize]);
            let own = half(0.5 * tail, 0.75 * tail, 0.5 * tail);
            self.add(&Half { node: Some(end), class, place, ..own });
        } else if tail > 0.0 {
            self.add(&half(0.5 * tail, 0.5 * tail, tail));
        }
    }

    fn add(&mut self, half: &Half<'_>) {
        let Half { point, node, class, place, port, middle, center, mass } = *half;
        self.masses.total += mass;
        let weight = match (node, class) {
            (None, _) | (_, Class::Triangles) => 0.0,
            (_, Class::Yarns) => 1.0,
            (_, Class::Hybrid) => yarn_weight(self.field.at(point.island, along(point.uv, port, middle), &place)),
        };
        if let Some(node) = node {
            if self.keeps_matrix(half) {
                self.masses.segments += mass;
                return;
            }
            self.masses.nodes[node as usize] += weight * mass;
        }
        if weight < 1.0 {
            let at = self.vertex_place(half, along(point.uv, port, center));
            let face = self.field.faces[at.triangle as usize];
            for (v, beta) in face.iter().zip(at.beta) {
                self.masses.vertices[*v as usize] += (1.0 - weight) * mass * beta;
            }
        }
    }

    /// Whether the half is part of a segment with a mass matrix of its own.
    fn keeps_matrix(&self, half: &Half<'_>) -> bool {
        let weave = &self.field.registration.weave;
        let Some(crossing) = half.point.node.map(|n| n as usize) else { return false };
        let Some((other, back)) = weave.links[crossing][half.port].get() else { return false };
        let (owner, slot) = if half.port % 2 == 1 { (crossing, half.port / 2) } else { (other, back.slot().index()) };
        !self.masses.lumped[owner][slot]
    }

    /// The triangle that takes the mass of a half: where its center is, unless that is yarns.
    fn vertex_place(&self, half: &Half<'_>, uv: [f64; 2]) -> Place {
        let Field { registration, region, .. } = self.field;
        let place = registration.place_near(half.point.island, uv, &half.place, region);
        if region.triangles[place.triangle as usize] == Class::Yarns { half.place } else { place }
    }
}
