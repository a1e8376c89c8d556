//! The yarns of the whole cloth as they are drawn: simulated ones where there are some, carried by triangles elsewhere.
//!
//! One set of yarns covers the cloth. At the arc coordinate s of a vertex,
//!
//!   p(s) = α p_sim(s) + (1 − α) p_carried(s)
//!
//! p_sim runs through the crimped nodes at their present arc coordinates, so that sliding is seen, and continues through carried crossings
//! where no node is; p_carried runs through Σ β v ± R n of the mesh at rest coordinates. Both are the cubics of [`crate::yarn::polyline`],
//! and α is continuous and 0 and 1 at the borders: so are the yarns. Differs from [Casafranca20, §6.1], where yarns outside are drawn
//! straight through the triangles.

use super::locate::Place;
use super::model::HybridModel;
use super::registration::{Point, SHORTEST_END, along};
use crate::yarn::YarnValues;
use crate::yarn::crossing::crimped;
use crate::yarn::force::Stretch;
use crate::yarn::model::{Family, Slot, Weave};
use crate::yarn::{State, YarnMaterial};
use nalgebra::Vector3;
use rayon::prelude::*;
use std::collections::BTreeMap;
use yarnwise_shared::pattern::transport::{orthonormalized, parallel_transport};

/// A place that a yarn runs through: a crossing, or an end.
#[derive(Clone, Copy, Debug)]
struct Knot {
    /// Arc coordinate at rest, meters.
    arc: f64,
    place: Place,
    /// How far the yarn is in front of the cloth, radii: −1, 0 at ends, or 1.
    side: f64,
    /// The simulated node, if there is one.
    node: Option<u32>,
}

/// A yarn of the cloth.
#[derive(Clone, Debug)]
struct YarnLine {
    slot: Slot,
    knots: Vec<Knot>,
}

/// A vertex of a drawn yarn: which line, and where on it.
#[derive(Clone, Copy, Debug)]
struct Site {
    line: u32,
    arc: f64,
    alpha: f64,
}

/// Yarns of the whole cloth, cut into vertices.
#[derive(Clone, Debug)]
pub struct DrawnYarns {
    material: YarnMaterial,
    lines: Vec<YarnLine>,
    sites: Vec<Site>,
    starts: Vec<u32>,
    families: Vec<Family>,
    /// Sign of each triangle's area in the material plane.
    signs: Vec<f64>,
    faces: Vec<[u32; 3]>,
}

/// A vertex at one moment.
#[derive(Clone, Copy, Debug)]
pub struct DrawnPoint {
    /// Meters.
    pub position: Vector3<f64>,
    /// Unit vector across the edge that leaves the point; that of the last edge at a yarn's last point.
    pub director: Vector3<f64>,
    /// Tension, compression and sliding; 0 where nothing is simulated.
    pub values: YarnValues,
}

impl DrawnYarns {
    /// Vertices at every crossing and `per_segment` − 1 between neighbors.
    pub fn new(model: &HybridModel, per_segment: usize) -> Self {
        let mut drawn = DrawnYarns::empty(model);
        for (number, line) in drawn.lines.iter().enumerate() {
            for (i, knot) in line.knots.iter().enumerate() {
                let next = line.knots.get(i + 1);
                for k in 0..next.map_or(1, |_| per_segment.max(1)) {
                    let share = k as f64 / per_segment.max(1) as f64;
                    let to = next.unwrap_or(knot);
                    let alpha = alpha_between(model, knot, to, share);
                    let arc = knot.arc + share * (to.arc - knot.arc);
                    drawn.sites.push(Site { line: number as u32, arc, alpha });
                }
            }
            drawn.starts.push(drawn.sites.len() as u32);
            drawn.families.push(if line.slot == Slot::U { Family::Warp } else { Family::Weft });
        }
        drawn
    }

    /// Vertices of other yarns that run along these, at places of the material plane (meters) in a triangle each: those of a pattern
    /// with the same spacing. A yarn is a warp where it runs along v. None where a vertex is far from every yarn.
    pub fn along(model: &HybridModel, yarns: &[Vec<(u32, [f64; 2])>]) -> Option<Self> {
        let mut drawn = DrawnYarns::empty(model);
        let spacing = drawn.material.spacing;
        let mut found: BTreeMap<(u32, usize, i64), Vec<u32>> = BTreeMap::new();
        for (number, line) in drawn.lines.iter().enumerate() {
            let (axis, first) = (usize::from(line.slot == Slot::U), &line.knots[0]);
            let uv = uv_of(model, &first.place);
            let island = model.registration.locator.island_of(first.place.triangle) as u32;
            let across = (uv[1 - axis] / spacing).floor() as i64;
            found.entry((island, axis, across)).or_default().push(number as u32);
        }
        for yarn in yarns {
            let (first, last) = (yarn.first()?.1, yarn.last()?.1);
            let axis = usize::from((last[1] - first[1]).abs() > (last[0] - first[0]).abs());
            for (triangle, uv) in yarn {
                let island = model.registration.locator.island_of(*triangle) as u32;
                let lines = found.get(&(island, axis, (uv[1 - axis] / spacing).floor() as i64))?;
                let beyond = |line: &u32| {
                    let knots = &drawn.lines[*line as usize].knots;
                    (knots[0].arc - uv[axis]).max(uv[axis] - knots[knots.len() - 1].arc)
                };
                let line = *lines.iter().min_by(|a, b| beyond(a).total_cmp(&beyond(b)))?;
                let beta = model.registration.locator.beta(*triangle, *uv);
                let alpha = model.region().alpha_in(&model.mesh().faces()[*triangle as usize], &beta).clamp(0.0, 1.0);
                drawn.sites.push(Site { line, arc: uv[axis], alpha });
            }
            drawn.starts.push(drawn.sites.len() as u32);
            drawn.families.push(if axis == 1 { Family::Warp } else { Family::Weft });
        }
        Some(drawn)
    }

    fn empty(model: &HybridModel) -> Self {
        let mesh = model.mesh();
        let sign = |f: usize| {
            let [a, b, c] = mesh.uv_corners(f).map(|p| p.map(f64::from));
            ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).signum()
        };
        DrawnYarns {
            material: model.weave().material,
            lines: lines(model),
            sites: Vec::new(),
            starts: vec![0],
            families: Vec::new(),
            signs: (0..mesh.faces().len()).map(sign).collect(),
            faces: mesh.faces().to_vec(),
        }
    }

    /// Where each yarn begins among the vertices, and after the last one the number of vertices.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// What each yarn is in the cloth.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// α of every vertex.
    pub fn alphas(&self) -> impl Iterator<Item = f64> + '_ {
        self.sites.iter().map(|s| s.alpha)
    }

    /// Arc coordinate of every vertex, meters.
    pub fn arcs(&self) -> impl Iterator<Item = f64> + '_ {
        self.sites.iter().map(|s| s.arc)
    }

    /// The vertices at a moment: positions of the mesh, meters, and the simulated yarns. `carried` has another position of each vertex
    /// where triangles carry it, as a table of displacements gives it.
    pub fn points(
        &self,
        mesh: &[Vector3<f64>],
        yarns: Option<(&Weave, &State)>,
        carried: Option<&[Vector3<f64>]>,
    ) -> Vec<DrawnPoint> {
        let normals = self.normals(mesh);
        let curves: Vec<Curves> =
            self.lines.par_iter().with_min_len(8).map(|line| self.curves(line, mesh, &normals, yarns)).collect();
        let at = |i: usize| {
            let site = &self.sites[i];
            let curve = &curves[site.line as usize];
            let place = || carried.map_or_else(|| curve.carried.at(site.arc), |list| list[i]);
            let position = match site.alpha {
                a if a >= 1.0 => curve.simulated.at(site.arc),
                a if a <= 0.0 => place(),
                a => curve.simulated.at(site.arc) * a + place() * (1.0 - a),
            };
            DrawnPoint { position, director: curve.front, values: curve.values_at(site.arc) }
        };
        let mut points: Vec<DrawnPoint> = (0..self.sites.len()).into_par_iter().with_min_len(256).map(at).collect();
        let mut rest = points.as_mut_slice();
        for yarn in self.starts.windows(2) {
            let (first, others) = rest.split_at_mut((yarn[1] - yarn[0]) as usize);
            transport(first);
            rest = others;
        }
        points
    }

    /// Unit normals of the vertices of a mesh, where u × v points to.
    fn normals(&self, mesh: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut normals = vec![Vector3::zeros(); mesh.len()];
        for (face, sign) in self.faces.iter().zip(&self.signs) {
            let [a, b, c] = face.map(|v| mesh[v as usize]);
            let normal = (b - a).cross(&(c - a)) * *sign;
            face.iter().for_each(|v| normals[*v as usize] += normal);
        }
        normals.iter().map(|n| n.try_normalize(0.0).unwrap_or_else(Vector3::z)).collect()
    }

    fn curves(
        &self,
        line: &YarnLine,
        mesh: &[Vector3<f64>],
        normals: &[Vector3<f64>],
        yarns: Option<(&Weave, &State)>,
    ) -> Curves {
        let mut curves = Curves::default();
        for knot in &line.knots {
            let face = self.faces[knot.place.triangle as usize];
            let mix = |of: &[Vector3<f64>]| -> Vector3<f64> {
                face.iter().zip(knot.place.beta).map(|(v, b)| of[*v as usize] * b).sum()
            };
            let normal = mix(normals).try_normalize(0.0).unwrap_or_else(Vector3::z);
            if curves.carried.arcs.is_empty() {
                curves.front = normal;
            }
            let carried = mix(mesh) + normal * (knot.side * self.material.radius);
            curves.carried.push(knot.arc, carried);
            match (knot.node.map(|n| n as usize), yarns) {
                (Some(node), Some((weave, state))) => {
                    curves.simulated.push(state.arcs[node][line.slot.index()], crimped(weave, state, node, line.slot));
                    curves.values.push(values(weave, state, node, line.slot));
                }
                _ => {
                    curves.simulated.push(knot.arc, carried);
                    curves.values.push(YarnValues::default());
                }
            }
        }
        curves
    }
}

/// A yarn as it is simulated and as it is carried, over its arc coordinate.
#[derive(Default)]
struct Curves {
    simulated: Curve,
    carried: Curve,
    values: Vec<YarnValues>,
    front: Vector3<f64>,
}

impl Curves {
    fn values_at(&self, arc: f64) -> YarnValues {
        let (i, t) = self.simulated.find(arc);
        let (a, b) = (self.values[i], self.values[(i + 1).min(self.values.len() - 1)]);
        let mix = |a: f32, b: f32| a + t as f32 * (b - a);
        YarnValues {
            tension: mix(a.tension, b.tension),
            compression: mix(a.compression, b.compression),
            sliding: mix(a.sliding, b.sliding),
        }
    }
}

/// A cubic through points with the slopes of Catmull and Rom, as those of [`crate::yarn::polyline`].
#[derive(Default)]
struct Curve {
    arcs: Vec<f64>,
    places: Vec<Vector3<f64>>,
}

impl Curve {
    fn push(&mut self, arc: f64, place: Vector3<f64>) {
        self.arcs.push(arc);
        self.places.push(place);
    }

    /// The point before an arc coordinate, and the share of the way to the next one; inside of the curve.
    fn find(&self, arc: f64) -> (usize, f64) {
        let after = self.arcs.partition_point(|a| *a <= arc);
        let i = after.saturating_sub(1).min(self.arcs.len().saturating_sub(2));
        let next = (i + 1).min(self.arcs.len() - 1);
        let length = self.arcs[next] - self.arcs[i];
        (i, if length > 0.0 { ((arc - self.arcs[i]) / length).clamp(0.0, 1.0) } else { 0.0 })
    }

    fn at(&self, arc: f64) -> Vector3<f64> {
        let (i, t) = self.find(arc);
        let next = (i + 1).min(self.arcs.len() - 1);
        if t == 0.0 || next == i {
            return self.places[i];
        }
        let (length, u) = (self.arcs[next] - self.arcs[i], 1.0 - t);
        let (from, to) = (self.slope(i) * length, self.slope(next) * length);
        self.places[i] * ((1.0 + 2.0 * t) * u * u) + from * (t * u * u) + self.places[next] * (t * t * (3.0 - 2.0 * t))
            - to * (t * t * u)
    }

    fn slope(&self, i: usize) -> Vector3<f64> {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(self.arcs.len() - 1));
        (self.places[after] - self.places[before]) / (self.arcs[after] - self.arcs[before]).max(1e-12)
    }
}

fn values(weave: &Weave, state: &State, node: usize, slot: Slot) -> YarnValues {
    let (c, links, k) = (slot.index(), &weave.links[node], weave.material.stiffness().stretch);
    let of = |segment| Stretch::new(k, weave.material.compression_ratio, &segment).tension;
    let ahead = state.segment_ahead(node, c, links[slot.plus()]).map(of);
    let behind = state.segment_behind(node, c, links[slot.minus()]).map(of);
    let tension = match (ahead, behind) {
        (Some(a), Some(b)) => 0.5 * (a + b),
        (one, other) => one.or(other).unwrap_or(0.0),
    };
    let slid = if weave.kinds[node].is_crossing() { (state.arcs[node][c] - weave.arcs[node][c]).abs() } else { 0.0 };
    YarnValues { tension: tension as f32, compression: state.compression[node] as f32, sliding: slid as f32 }
}

/// Carries the first director, which is near the front of the cloth, along a yarn.
fn transport(points: &mut [DrawnPoint]) {
    let edge = |points: &[DrawnPoint], i: usize| {
        let next = points.get(i + 1)?.position;
        (next - points[i].position).try_normalize(1e-15)
    };
    let mut tangent = (0..points.len()).find_map(|i| edge(points, i)).unwrap_or(Vector3::x());
    let Some(first) = points.first() else { return };
    let mut director = orthonormalized(&first.director, &tangent);
    for i in 0..points.len() {
        let next = edge(points, i).unwrap_or(tangent);
        director = orthonormalized(&parallel_transport(&director, &tangent, &next), &next);
        points[i].director = director;
        tangent = next;
    }
}

fn uv_of(model: &HybridModel, place: &Place) -> [f64; 2] {
    let corners = model.mesh().uv_corners(place.triangle as usize);
    [0, 1].map(|k| (0..3).map(|c| place.beta[c] * f64::from(corners[c][k])).sum())
}

/// α at a share of the way between two knots.
fn alpha_between(model: &HybridModel, a: &Knot, b: &Knot, share: f64) -> f64 {
    let (from, to) = (uv_of(model, &a.place), uv_of(model, &b.place));
    let uv = [0, 1].map(|k| from[k] + share * (to[k] - from[k]));
    let registration = &model.registration;
    let island = registration.locator.island_of(a.place.triangle) as u32;
    let place = registration.place_near(island, uv, &a.place, model.region());
    model.region().alpha_in(&model.mesh().faces()[place.triangle as usize], &place.beta).clamp(0.0, 1.0)
}

/// All yarns of the cloth.
fn lines(model: &HybridModel) -> Vec<YarnLine> {
    let points = &model.registration.points;
    let mut lines = Vec::new();
    for slot in Slot::BOTH {
        for first in points.iter().filter(|p| p.neighbors[slot.minus()].is_none()) {
            let mut knots = Vec::new();
            knots.extend(end(model, first, slot, slot.minus()));
            let mut last = first;
            loop {
                knots.push(crossing(last, slot));
                let Some(next) = last.neighbors[slot.plus()] else { break };
                last = &points[next as usize];
            }
            knots.extend(end(model, last, slot, slot.plus()));
            if knots.len() > 1 {
                lines.push(YarnLine { slot, knots });
            }
        }
    }
    lines
}

fn crossing(p: &Point, slot: Slot) -> Knot {
    let in_front = p.warp_over == (slot == Slot::U);
    Knot {
        arc: p.uv[usize::from(slot == Slot::U)],
        place: p.place,
        side: if in_front { 1.0 } else { -1.0 },
        node: p.node,
    }
}

/// The loose end behind a port of the last crossing.
fn end(model: &HybridModel, p: &Point, slot: Slot, port: usize) -> Option<Knot> {
    let spacing = model.weave().material.spacing;
    if p.tails[port] < SHORTEST_END * spacing {
        return None;
    }
    let uv = along(p.uv, port, p.tails[port]);
    let place = model.registration.place_near(p.island, uv, &p.place, model.region());
    Some(Knot { arc: uv[usize::from(slot == Slot::U)], place, side: 0.0, node: p.ends[port] })
}
