//! Contact of skins: vertices of one against triangles of another, both ways.
//!
//!   E = k_n/2 sum_a A_a g_a^2   over vertices a inside another strand, g_a = depth below its nearest triangle
//!
//! k_n = stiffness of the surface (Pa/m), A_a = area of a vertex (m^2), g in m; E in J. \[MartinGarrido18\] leave contact to their
//! program; this is the usual penalty of a node and a facet. The energy is continuous; where two facets are equally near it has a ridge,
//! on which no minimum lies.

use super::closest::{Closest, closest};
use super::mesh::{Node, Skin};
use crate::cell::kinematics::Image;
use crate::newton::{Blocks, PointMatrix};
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;

/// Where the strands are repeated that vertices may touch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// The motions that carry skins to their copies.
    pub(crate) images: Vec<Image>,
    /// For each image and strand a number that is the same for all parts of one endless strand.
    pub(crate) group: Vec<Vec<usize>>,
    /// For each strand the number of itself, which it does not touch.
    pub(crate) own: Vec<usize>,
}

impl Copies {
    /// Strands repeated at `shifts` (in periods), each its own continuation `closing` periods on. The images are set by
    /// [`Copies::place`].
    pub(crate) fn periodic(shifts: &[[i32; 2]], closing: &[Option<[i32; 2]>]) -> Self {
        let mut numbers = BTreeMap::new();
        let mut number = |strand: usize, shift: [i32; 2]| {
            let next = numbers.len();
            *numbers.entry((strand, representative(shift, closing[strand]))).or_insert(next)
        };
        let own = (0..closing.len()).map(|s| number(s, [0, 0])).collect();
        let group = shifts.iter().map(|shift| (0..closing.len()).map(|s| number(s, *shift)).collect()).collect();
        Copies { images: vec![Image::IDENTITY; shifts.len()], group, own }
    }
}

/// The shift of the first piece of the endless strand that has a piece at `shift`.
fn representative(shift: [i32; 2], closing: Option<[i32; 2]>) -> [i32; 2] {
    let Some([a, b]) = closing.filter(|c| *c != [0, 0]) else { return shift };
    let along = (shift[0] * a + shift[1] * b).div_euclid(a * a + b * b);
    [shift[0] - along * a, shift[1] - along * b]
}

/// A triangle that a vertex may come near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NearTriangle {
    group: usize,
    image: usize,
    triangle: usize,
}

/// A vertex inside another strand.
#[derive(Clone, Debug)]
pub(crate) struct SkinTouch {
    /// The vertex.
    pub(crate) vertex: usize,
    /// The triangle it is below.
    pub(crate) triangle: usize,
    /// The copy whose triangle it is.
    pub(crate) image: usize,
    /// Where on the triangle.
    pub(crate) closest: Closest,
    /// Corners of the triangle, m.
    corners: [Vector3<f64>; 3],
}

/// What may touch, and how hard it resists.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    /// k_n, Pa/m.
    pub(crate) stiffness: f64,
    /// Where strands are repeated.
    pub(crate) copies: Copies,
    /// The largest depth that is looked for, m.
    pub(crate) reach: f64,
    candidates: Vec<Vec<NearTriangle>>,
    near: Vec<SkinTouch>,
}

impl Contact {
    pub(crate) fn new(stiffness: f64, copies: Copies, reach: f64) -> Self {
        Contact { stiffness, copies, reach, candidates: Vec::new(), near: Vec::new() }
    }

    /// Lists what may touch as long as no vertex moves by more than `motion` (m) from `places` (m).
    pub(crate) fn refresh(&mut self, skin: &Skin, places: &[Vector3<f64>], motion: f64) {
        let distance = self.reach + 2.0 * motion;
        let mut candidates = vec![Vec::new(); places.len()];
        let mut order: Vec<usize> = (0..places.len()).filter(|v| skin.vertices[*v].area > 0.0).collect();
        order.sort_by(|a, b| places[*a].x.total_cmp(&places[*b].x));
        let (least, most) = bounds(places);
        for (image, motion) in self.copies.images.iter().enumerate() {
            for (triangle, corners) in skin.triangles.iter().enumerate() {
                let group = self.copies.group[image][skin.vertices[corners[0]].strand];
                let corners = corners.map(|v| motion.point(&places[v]));
                let low = corners[0].inf(&corners[1]).inf(&corners[2]).add_scalar(-distance);
                let high = corners[0].sup(&corners[1]).sup(&corners[2]).add_scalar(distance);
                if (0..3).any(|k| high[k] < least[k] || low[k] > most[k]) {
                    continue;
                }
                let first = order.partition_point(|v| places[*v].x < low.x);
                for v in order[first..].iter().take_while(|v| places[**v].x <= high.x) {
                    let p = &places[*v];
                    let inside = p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z;
                    if inside && group != self.copies.own[skin.vertices[*v].strand] {
                        candidates[*v].push(NearTriangle { group, image, triangle });
                    }
                }
            }
        }
        candidates.iter_mut().for_each(|c| c.sort_unstable());
        self.candidates = candidates;
        self.near = self.touches(skin, places);
    }

    /// Vertices inside other strands.
    pub(crate) fn touches(&self, skin: &Skin, places: &[Vector3<f64>]) -> Vec<SkinTouch> {
        let mut out = Vec::new();
        for (vertex, candidates) in self.candidates.iter().enumerate() {
            for group in candidates.chunk_by(|a, b| a.group == b.group) {
                let touch = group.iter().map(|c| self.touch(skin, places, vertex, c));
                let nearest = touch.reduce(|a, b| if b.depth2() < a.depth2() { b } else { a });
                out.extend(nearest.filter(|t| t.is_inside() && t.depth2() <= self.reach * self.reach));
            }
        }
        out
    }

    fn touch(&self, skin: &Skin, places: &[Vector3<f64>], vertex: usize, c: &NearTriangle) -> SkinTouch {
        let image = &self.copies.images[c.image];
        let corners = skin.triangles[c.triangle].map(|v| image.point(&places[v]));
        let closest = closest(&places[vertex], &corners);
        SkinTouch { vertex, triangle: c.triangle, image: c.image, closest, corners }
    }

    /// E, J.
    pub(crate) fn value(&self, skin: &Skin, places: &[Vector3<f64>]) -> f64 {
        self.touches(skin, places).iter().map(|t| 0.5 * self.weight(skin, t) * t.depth2()).sum()
    }

    /// k_n A_a, N/m.
    fn weight(&self, skin: &Skin, touch: &SkinTouch) -> f64 {
        self.stiffness * skin.vertices[touch.vertex].area
    }

    /// The force on the vertex of a touch, N: away from the triangle that it is below. The triangle feels the opposite.
    pub(crate) fn force(&self, skin: &Skin, touch: &SkinTouch) -> Vector3<f64> {
        -touch.closest.offset * self.weight(skin, touch)
    }

    /// The number of the strand that a touch is with.
    pub(crate) fn strand(&self, skin: &Skin, touch: &SkinTouch) -> usize {
        self.copies.group[touch.image][skin.vertices[skin.triangles[touch.triangle][0]].strand]
    }

    /// The gradient by the vertex and the corners of the triangle, N: those of the copy taken back to the cell.
    fn gradients(&self, skin: &Skin, touch: &SkinTouch) -> [Vector3<f64>; 4] {
        let (image, c) = (&self.copies.images[touch.image], touch.closest.shares());
        let pull = -self.force(skin, touch);
        std::array::from_fn(|i| if i == 0 { pull } else { image.inverse_vector(&(pull * c[i])) })
    }

    /// Adds the gradient (N) alone.
    pub(crate) fn add_gradient(&self, skin: &Skin, places: &[Vector3<f64>], gradient: &mut [Vector3<f64>]) {
        for touch in self.touches(skin, places) {
            let force = self.gradients(skin, &touch);
            for (point, w) in touch.shares(skin) {
                (0..4).for_each(|i| gradient[point] += force[i] * w[i]);
            }
        }
    }

    /// Calls `pair` for points of vertices and triangles that touched at the last refresh.
    pub(crate) fn couplings(&self, skin: &Skin, pair: &mut dyn FnMut(usize, usize)) {
        for touch in &self.near {
            let points: Vec<usize> = touch.shares(skin).into_keys().collect();
            for (k, a) in points.iter().enumerate() {
                points[k + 1..].iter().for_each(|b| pair(*a, *b));
            }
        }
    }

    /// Adds gradient (N) and second derivatives (N/m) with vertices at `places`.
    pub(crate) fn derivatives(
        &self,
        skin: &Skin,
        places: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        matrix: &mut PointMatrix,
    ) {
        for touch in self.touches(skin, places) {
            let k = self.weight(skin, &touch);
            let hessian = touch.closest.half_hessian(&touch.corners);
            let shares = touch.shares(skin);
            let turn = self.copies.images[touch.image].rotation;
            // The image's rotation takes motions of corners there, and forces on them back.
            let back = |m: Matrix3<f64>, i: usize| if i == 0 { m } else { turn.map_or(m, |r| r.transpose() * m) };
            let there = |m: Matrix3<f64>, j: usize| if j == 0 { m } else { turn.map_or(m, |r| m * r) };
            let mut turned = hessian;
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                turned[i][j] = there(back(hessian[i][j], i), j) * k;
            }
            let force = self.gradients(skin, &touch);
            let shares: Vec<(usize, [f64; 4])> = shares.into_iter().collect();
            for (n, (a, wa)) in shares.iter().enumerate() {
                (0..4).for_each(|i| gradient[*a] += force[i] * wa[i]);
                for (b, wb) in &shares[n..] {
                    let block = combined(&turned, wa, wb);
                    if a == b { matrix.add_diagonal(*a, &block) } else { matrix.add(*a, *b, &block) }
                }
            }
        }
    }
}

/// The box around all places.
fn bounds(places: &[Vector3<f64>]) -> (Vector3<f64>, Vector3<f64>) {
    let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    places.iter().fold(none, |(low, high), p| (low.inf(p), high.sup(p)))
}

/// sum_ij wa_i wb_j H_ij.
fn combined(h: &[[Matrix3<f64>; 4]; 4], wa: &[f64; 4], wb: &[f64; 4]) -> Matrix3<f64> {
    let mut out = Matrix3::zeros();
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
        let w = wa[i] * wb[j];
        if w != 0.0 {
            out += h[i][j] * w;
        }
    }
    out
}

impl SkinTouch {
    /// The square of the depth, m^2.
    pub(crate) fn depth2(&self) -> f64 {
        self.closest.offset.norm_squared()
    }

    /// Whether the vertex is below the triangle. Neighboring faces turn by less than a right angle, so any face at the nearest place
    /// will do; one that is exactly beside it is not below.
    fn is_inside(&self) -> bool {
        let [a, b, c] = &self.corners;
        (b - a).cross(&(c - a)).dot(&self.closest.offset) < 0.0
    }

    /// Points and how much of each is in the offset of the vertex from the triangle.
    pub(crate) fn parts(&self, skin: &Skin) -> Vec<(usize, f64)> {
        let c = self.closest.shares();
        let total = |w: [f64; 4]| (0..4).map(|i| c[i] * w[i]).sum();
        self.shares(skin).into_iter().map(|(point, w)| (point, total(w))).collect()
    }

    /// For each point how much of it is in the vertex and in the corners of the triangle.
    fn shares(&self, skin: &Skin) -> BTreeMap<usize, [f64; 4]> {
        let [a, b, c] = skin.triangles[self.triangle];
        let mut out = BTreeMap::new();
        for (i, v) in [self.vertex, a, b, c].into_iter().enumerate() {
            for (Node { point, .. }, w) in &skin.vertices[v].parts {
                out.entry(*point).or_insert([0.0; 4])[i] += w;
            }
        }
        out
    }
}
