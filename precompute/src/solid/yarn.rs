//! Meshes of yarns: straight bars, and where their nodes are on a center line.
//!
//!   (X1, X2, S) -> y(S) + X1 m1(S) + X2 m2(S)          \[MartinGarrido18, Section 4\]
//!
//! S = length along the straight yarn (m), y = the center line by its arc length scaled to that of the straight yarn, m1 and m2 = a frame
//! carried along it by parallel transport. Deformation is measured from the straight bar, so that the start is stressed.

use super::brick::Brick;
use super::mesh::{Mesh, Node, Skin, SkinVertex};
use super::section::{CENTER, Section};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use yarnwise_shared::pattern::transport::{orthonormalized, parallel_transport, signed_angle};

/// A yarn's curve in space.
#[derive(Clone, Debug, PartialEq)]
pub struct CenterLine {
    /// Points along it, dense and about evenly spaced, m. Those of a periodic yarn end before the first one's copy.
    pub points: Vec<Vector3<f64>>,
    /// For a periodic yarn, how many periods along x and y it is from the first point to its copy.
    pub closing: Option<[i32; 2]>,
    /// Length of the straight yarn, m: of one period where it is periodic.
    pub rest_length: f64,
}

/// How yarns are cut into elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMesh {
    /// The kind of element.
    pub brick: Brick,
    /// Rings of eight elements around the core: one for 12 elements a section, two for 20.
    pub rings: usize,
    /// Length of an element along the yarn at most, in radii.
    pub element_length: f64,
    /// Distance of the skin's vertices at most, in radii.
    pub skin_spacing: f64,
}

impl Default for SolidMesh {
    /// The paper's element, a radius long: 15 % too stiff in bending, which in a weave makes up for what solids are softer in shear. At half a
    /// radius it is 5 % too stiff; with 20 nodes it is right at any length, and ten times as expensive.
    fn default() -> Self {
        SolidMesh { brick: Brick::Hex8, rings: 1, element_length: 1.0, skin_spacing: 0.4 }
    }
}

/// A straight bar and the places of its points at rest, m: its axis is z, from 0.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) mesh: Mesh,
    pub(crate) at_rest: Vec<Vector3<f64>>,
    /// Points of the axis, one a layer, in order.
    pub(crate) axis: Vec<usize>,
    /// A point on the outside of the first section, in the direction of the first axis of its frame.
    pub(crate) side: usize,
}

impl Bar {
    /// An open bar of this radius and length, m.
    pub(crate) fn new(options: &SolidMesh, radius: f64, length: f64) -> Self {
        let section = Section::butterfly(options.rings);
        let layers = (length / (options.element_length * radius) - 1e-9).ceil().max(3.0) as usize;
        let across = section.points.len();
        let level = |k: usize| if k == layers { length } else { length * k as f64 / layers as f64 };
        let corners: Vec<Vector3<f64>> = (0..=layers)
            .flat_map(|k| section.points.iter().map(move |p| Vector3::new(p[0] * radius, p[1] * radius, level(k))))
            .collect();
        let hexahedron = |k: usize, q: &[usize; 4]| {
            std::array::from_fn(|n| if n < 4 { q[n] + k * across } else { q[n - 4] + (k + 1) * across })
        };
        let hexahedra: Vec<[usize; 8]> =
            (0..layers).flat_map(|k| section.quads.iter().map(move |q| hexahedron(k, q))).collect();
        // Quads of the section are convex and levels ascend: no element is inside out.
        let (mut mesh, at_rest) =
            Mesh::new(options.brick, &corners, &hexahedra).unwrap_or_else(|| (Mesh::empty(options.brick), Vec::new()));
        mesh.share_tables(section.quads.len());
        let axis = (0..=layers).map(|k| CENTER + k * across).collect();
        let farthest = |a: &usize, b: &usize| section.points[*a][0].total_cmp(&section.points[*b][0]);
        let side = (0..across).max_by(farthest).unwrap_or(CENTER);
        let mut bar = Bar { mesh, at_rest, axis, side };
        bar.add_skin(options, &section, radius, layers);
        bar
    }

    /// The mantle: a polygon with the area of the circle at each station.
    fn add_skin(&mut self, options: &SolidMesh, section: &Section, radius: f64, layers: usize) {
        let around = 8 * (TAU / 8.0 / options.skin_spacing - 1e-9).ceil().max(1.0) as usize;
        let length = self.at_rest.last().map_or(0.0, |_| self.at_rest[self.axis[layers]].z);
        let per_layer = (length / layers as f64 / (options.skin_spacing * radius) - 1e-9).ceil().max(1.0) as usize;
        let stretch = (TAU / (around as f64 * (TAU / around as f64).sin())).sqrt();
        let mut skin = Skin::default();
        for station in 0..=layers * per_layer {
            let layer = (station / per_layer).min(layers - 1);
            let height = 2.0 * (station as f64 / per_layer as f64 - layer as f64) - 1.0;
            for j in 0..around {
                let angle = TAU * j as f64 / around as f64;
                let (quad, [u, v]) = section.locate(angle, stretch);
                let element = layer * section.quads.len() + quad;
                skin.vertices.push(self.skin_vertex(element, Vector3::new(u, v, height)));
            }
        }
        let vertex = |station: usize, j: usize| station * around + j % around;
        for (station, j) in (0..layers * per_layer).flat_map(|s| (0..around).map(move |j| (s, j))) {
            let [a, b] = [vertex(station, j), vertex(station, j + 1)];
            let [c, d] = [vertex(station + 1, j + 1), vertex(station + 1, j)];
            // Diagonals alternate: none of the two ways to wind around the yarn is preferred.
            let two = if (station + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            skin.triangles.extend(two);
        }
        self.mesh.skin = skin;
        self.set_areas();
    }

    fn skin_vertex(&self, element: usize, at: Vector3<f64>) -> SkinVertex {
        let shapes = self.mesh.brick.shapes(at);
        let parts = self.mesh.element(element).iter().zip(shapes).map(|(n, (w, _))| (*n, w));
        SkinVertex { parts: parts.filter(|(_, w)| w.abs() > 1e-13).collect(), area: 0.0, strand: 0 }
    }

    fn set_areas(&mut self) {
        let place = |v: &SkinVertex| v.parts.iter().map(|(n, w)| self.at_rest[n.point] * *w).sum();
        let places: Vec<Vector3<f64>> = self.mesh.skin.vertices.iter().map(place).collect();
        self.mesh.skin.set_areas(&places);
    }

    /// Closes the skin at both ends.
    pub(crate) fn with_caps(mut self) -> Self {
        let around = self.around();
        let count = self.mesh.skin.vertices.len();
        for (first, axis, up) in [(0, self.axis[0], false), (count - around, self.axis[self.axis.len() - 1], true)] {
            let center = self.mesh.skin.vertices.len();
            let parts = vec![(Node { point: axis, shift: 0 }, 1.0)];
            self.mesh.skin.vertices.push(SkinVertex { parts, area: 0.0, strand: 0 });
            for j in 0..around {
                let [a, b] = [first + j, first + (j + 1) % around];
                self.mesh.skin.triangles.push(if up { [center, a, b] } else { [center, b, a] });
            }
        }
        self.set_areas();
        self
    }

    /// Vertices of the skin around the yarn: those in one plane.
    fn around(&self) -> usize {
        let first = |v: &SkinVertex| v.parts.iter().map(|(n, w)| self.at_rest[n.point].z * w).sum::<f64>();
        self.mesh.skin.vertices.iter().take_while(|v| first(v).abs() < 1e-9 * self.at_rest[self.axis[1]].z).count()
    }

    /// Makes the last section the first one, `closing` periods on.
    pub(crate) fn closed(mut self, closing: [i32; 2]) -> Self {
        let end = self.at_rest[self.axis[self.axis.len() - 1]].z;
        let key = |x: &Vector3<f64>| (x.x.to_bits(), x.y.to_bits());
        let first: BTreeMap<(u64, u64), usize> =
            self.at_rest.iter().enumerate().filter(|(_, x)| x.z == 0.0).map(|(p, x)| (key(x), p)).collect();
        let shift = self.mesh.shift(closing);
        let mut kept = Vec::new();
        let mut node = Vec::with_capacity(self.at_rest.len());
        for x in &self.at_rest {
            match first.get(&key(x)).filter(|_| x.z == end) {
                Some(start) => node.push(Node { point: *start, shift }),
                None => {
                    node.push(Node { point: kept.len(), shift: 0 });
                    kept.push(*x);
                }
            }
        }
        // Points of the first section keep their numbers relative to each other, but not to those dropped before them.
        let renumbered: Vec<Node> =
            node.iter().map(|n| if n.shift == 0 { *n } else { Node { point: node[n.point].point, ..*n } }).collect();
        self.mesh.nodes.iter_mut().for_each(|n| *n = renumbered[n.point]);
        let around = self.around();
        for vertex in &mut self.mesh.skin.vertices {
            vertex.parts.iter_mut().for_each(|(n, _)| *n = renumbered[n.point]);
        }
        // Vertices of the last section are those of the first; they stay for the triangles alone.
        let last = self.mesh.skin.vertices.len() - around;
        for j in 0..around {
            self.mesh.skin.vertices[j].area += self.mesh.skin.vertices[last + j].area;
            self.mesh.skin.vertices[last + j].area = 0.0;
        }
        self.axis.pop();
        self.axis.iter_mut().for_each(|p| *p = renumbered[*p].point);
        self.side = renumbered[self.side].point;
        self.mesh.points = kept.len();
        self.at_rest = kept;
        self
    }

    /// Where its points are on a center line, m; `lattice` are the vectors to the next cells along x and y.
    pub(crate) fn placed(&self, line: &CenterLine, lattice: &[Vector3<f64>; 2]) -> Vec<Vector3<f64>> {
        let curve = FramedLine::new(line, lattice);
        self.at_rest
            .iter()
            .map(|x| {
                let (y, [m1, m2]) = curve.at(x.z / line.rest_length);
                y + m1 * x.x + m2 * x.y
            })
            .collect()
    }
}

/// A center line with its frames.
struct FramedLine {
    points: Vec<Vector3<f64>>,
    tangents: Vec<Vector3<f64>>,
    directors: Vec<Vector3<f64>>,
    /// Arc length up to each point, over that of the whole.
    arc: Vec<f64>,
}

impl FramedLine {
    fn new(line: &CenterLine, lattice: &[Vector3<f64>; 2]) -> Self {
        let n = line.points.len();
        let mut points = line.points.clone();
        let end = line.closing.map(|[a, b]| lattice[0] * f64::from(a) + lattice[1] * f64::from(b));
        points.extend(end.map(|e| line.points[0] + e));
        let last = points.len() - 1;
        let secant = |k: usize| match end {
            Some(e) if k == 0 || k == last => points[1] + e - points[n - 1],
            _ => points[(k + 1).min(last)] - points[k.max(1) - 1],
        };
        let tangents: Vec<Vector3<f64>> = (0..=last).map(|k| secant(k).normalize()).collect();
        let mut arc = vec![0.0; last + 1];
        (1..=last).for_each(|k| arc[k] = arc[k - 1] + (points[k] - points[k - 1]).norm());
        let length = arc[last];
        arc.iter_mut().for_each(|a| *a /= length);
        let mut directors = vec![orthonormalized(&Vector3::z(), &tangents[0])];
        for k in 1..=last {
            directors.push(parallel_transport(&directors[k - 1], &tangents[k - 1], &tangents[k]));
        }
        if end.is_some() {
            // What the frame has turned by on the way is taken back evenly, so that the ends meet.
            let lag = signed_angle(&directors[last], &directors[0], &tangents[last]);
            for k in 1..=last {
                directors[k] = turned(&directors[k], &tangents[k], lag * arc[k]);
            }
        }
        FramedLine { points, tangents, directors, arc }
    }

    /// The place at a share of the length, and the frame across it.
    fn at(&self, share: f64) -> (Vector3<f64>, [Vector3<f64>; 2]) {
        let k = self.arc.partition_point(|a| *a <= share).clamp(1, self.arc.len() - 1);
        let [a, b] = [self.points[k - 1], self.points[k]];
        let t = (share - self.arc[k - 1]) / (self.arc[k] - self.arc[k - 1]);
        // Hermite's cubic between the two points.
        let chord = (b - a).norm();
        let [u, v] = [self.tangents[k - 1] * chord, self.tangents[k] * chord];
        let (t2, t3) = (t * t, t * t * t);
        let y = a * (2.0 * t3 - 3.0 * t2 + 1.0) + u * (t3 - 2.0 * t2 + t) + b * (3.0 * t2 - 2.0 * t3) + v * (t3 - t2);
        let slope = a * (6.0 * t2 - 6.0 * t)
            + u * (3.0 * t2 - 4.0 * t + 1.0)
            + b * (6.0 * t - 6.0 * t2)
            + v * (3.0 * t2 - 2.0 * t);
        let tangent = slope.normalize();
        let m1 = orthonormalized(&self.directors[k - 1].lerp(&self.directors[k], t), &tangent);
        (y, [m1, tangent.cross(&m1)])
    }
}

fn turned(v: &Vector3<f64>, axis: &Vector3<f64>, angle: f64) -> Vector3<f64> {
    let (sin, cos) = angle.sin_cos();
    v * cos + axis.cross(v) * sin
}
