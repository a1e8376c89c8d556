//! A depth buffer that tubes are drawn into.

use super::color::Rgb;
use nalgebra::Vector3;

/// What is seen at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Toward the viewer, in samples; negative infinity where nothing is.
    pub(super) depth: f32,
    /// Color before light, 8 bits each.
    pub(super) color: [u8; 3],
    /// Normal to the right and down, -127 to 127; the rest of it looks toward the viewer.
    pub(super) normal: [i8; 2],
}

/// A piece of a tube in samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tube {
    pub(super) ends: [Vector3<f32>; 2],
    /// Of the smooth center line, unit vectors.
    pub(super) tangents: [Vector3<f32>; 2],
    pub(super) directors: [Vector3<f32>; 2],
    pub(super) colors: [Rgb; 2],
    pub(super) radius: f32,
    pub(super) plies: bool,
}

/// A flat piece of a surface in samples, shaded as if it were round: normals and colors are those of its corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub(super) corners: [Vector3<f32>; 3],
    pub(super) normals: [Vector3<f32>; 3],
    pub(super) colors: [Rgb; 3],
}

/// The picture that is drawn.
pub(super) struct Canvas {
    pub(super) size: [usize; 2],
    pub(super) samples: Vec<Sample>,
}

/// How dark the grooves between plies are.
const GROOVE: f32 = 0.30;

/// Plies of a yarn.
const PLIES: f32 = 3.0;

impl Canvas {
    pub(super) fn new(size: [usize; 2]) -> Self {
        let empty = Sample { depth: f32::NEG_INFINITY, color: [0; 3], normal: [0; 2] };
        Canvas { size, samples: vec![empty; size[0] * size[1]] }
    }

    /// Draws a piece of a tube with a ball at its first end, which closes the joint with the piece before.
    pub(super) fn draw(&mut self, tube: &Tube) {
        let [a, b] = tube.ends;
        let range = |k: usize| {
            let low = (a[k].min(b[k]) - tube.radius).floor().max(0.0) as usize;
            let high = (a[k].max(b[k]) + tube.radius).ceil().min(self.size[k] as f32);
            low..high.max(0.0) as usize
        };
        let (columns, rows) = (range(0), range(1));
        let axis = b - a;
        let length = axis.norm();
        let along = if length > 0.0 { axis / length } else { Vector3::z() };
        for y in rows {
            for x in columns.clone() {
                let q = Vector3::new(x as f32 + 0.5 - a.x, y as f32 + 0.5 - a.y, 0.0);
                let hits = [on_side(q, along, length, tube.radius), on_ball(q, tube.radius)];
                for (kind, hit) in hits.into_iter().enumerate() {
                    let Some((height, place)) = hit else { continue };
                    let sample = &mut self.samples[y * self.size[0] + x];
                    if a.z + height > sample.depth {
                        let at = if length > 0.0 { place / length } else { 0.0 };
                        let outward = q + Vector3::new(0.0, 0.0, height) - along * place;
                        // A ball may be the end of a yarn: its normals look along it.
                        let smooth = kind == 0;
                        let normal = if smooth { tube.smooth_normal(at, outward) } else { outward / tube.radius };
                        let unit = |v: f32| (v * 127.0).clamp(-127.0, 127.0) as i8;
                        *sample = Sample {
                            depth: a.z + height,
                            color: tube.color(at, along, normal),
                            normal: [unit(normal.x), unit(normal.y)],
                        };
                    }
                }
            }
        }
    }
}

impl Canvas {
    /// Draws a triangle, if its front is seen.
    pub(super) fn draw_facet(&mut self, facet: &Facet) {
        let [a, b, c] = facet.corners;
        let (u, v) = (b - a, c - a);
        // Down is positive: seen from outside, corners go around clockwise here.
        let area = u.x * v.y - u.y * v.x;
        if area >= 0.0 || area.is_nan() {
            return;
        }
        let range = |k: usize| {
            let low = a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize;
            let high = a[k].max(b[k]).max(c[k]).ceil().min(self.size[k] as f32);
            low..high.max(0.0) as usize
        };
        let (columns, rows) = (range(0), range(1));
        for y in rows {
            for x in columns.clone() {
                let q = [x as f32 + 0.5 - a.x, y as f32 + 0.5 - a.y];
                let second = (q[0] * v.y - q[1] * v.x) / area;
                let third = (u.x * q[1] - u.y * q[0]) / area;
                let weights = [1.0 - second - third, second, third];
                let sample = &mut self.samples[y * self.size[0] + x];
                let depth = a.z + second * u.z + third * v.z;
                if weights.iter().all(|w| *w >= -EDGE) && depth > sample.depth {
                    *sample = facet.sample(weights, depth);
                }
            }
        }
    }
}

/// How far a triangle reaches beyond its edges, as a share of its height: no gaps between neighbors.
const EDGE: f32 = 1e-4;

impl Facet {
    fn sample(&self, weights: [f32; 3], depth: f32) -> Sample {
        let normal = (0..3).map(|k| self.normals[k] * weights[k]).sum::<Vector3<f32>>();
        let normal = normal.try_normalize(0.0).unwrap_or_else(Vector3::z);
        let unit = |v: f32| (v * 127.0).clamp(-127.0, 127.0) as i8;
        let color = |c: usize| (0..3).map(|k| self.colors[k][c] * weights[k]).sum::<f32>();
        Sample {
            depth,
            color: [0, 1, 2].map(|c| (255.0 * color(c).clamp(0.0, 1.0)).round() as u8),
            normal: [unit(normal.x), unit(normal.y)],
        }
    }
}

impl Tube {
    /// A normal across the smooth center line instead of its straight piece: joints do not show.
    fn smooth_normal(&self, at: f32, normal: Vector3<f32>) -> Vector3<f32> {
        let tangent = self.tangents[0].lerp(&self.tangents[1], at);
        (normal - tangent * (tangent.dot(&normal) / tangent.norm_squared().max(0.25))).normalize()
    }

    fn color(&self, at: f32, along: Vector3<f32>, normal: Vector3<f32>) -> [u8; 3] {
        let shade = if self.plies {
            let director = self.directors[0].lerp(&self.directors[1], at);
            let angle = director.cross(&normal).dot(&along).atan2(director.dot(&normal));
            let groove = 1.0 - (0.5 * PLIES * angle).sin().abs();
            1.0 - GROOVE * groove * groove * groove
        } else {
            1.0
        };
        [0, 1, 2].map(|k| {
            let mixed = self.colors[0][k] + at * (self.colors[1][k] - self.colors[0][k]);
            (255.0 * shade * mixed).round() as u8
        })
    }
}

/// Height above the first end, and distance along the axis, of the mantle over `q`.
fn on_side(q: Vector3<f32>, along: Vector3<f32>, length: f32, radius: f32) -> Option<(f32, f32)> {
    // |p - (p . t) t|^2 = r^2 with p = q + h e: (1 - tz^2) h^2 - 2 (q . t) tz h + |q|^2 - (q . t)^2 - r^2 = 0
    let qt = q.dot(&along);
    let a = 1.0 - along.z * along.z;
    if a < 1e-6 {
        return None;
    }
    let (b, c) = (qt * along.z, q.norm_squared() - qt * qt - radius * radius);
    let root = b * b - a * c;
    if root < 0.0 {
        return None;
    }
    let height = (b + root.sqrt()) / a;
    let place = qt + height * along.z;
    (0.0..=length).contains(&place).then_some((height, place))
}

/// The same for the ball around the first end.
fn on_ball(q: Vector3<f32>, radius: f32) -> Option<(f32, f32)> {
    let root = radius * radius - q.norm_squared();
    (root >= 0.0).then(|| (root.sqrt(), 0.0))
}
