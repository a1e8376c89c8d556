//! Surfaces with a number at each place, such as the stress of solid yarns, as colors.

use super::canvas::{Canvas, Facet};
use super::color::{Rgb, heat};
use super::curves::{axes, least_extent};
use super::sheet::to_picture;
use super::view::View;
use super::{Picture, shade};
use nalgebra::Vector3;

/// A surface to draw.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a> {
    /// Vertices, meters.
    pub positions: &'a [Vector3<f64>],
    /// Triangles, counterclockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// A number for each vertex.
    pub values: &'a [f64],
    /// The numbers that the darkest and the brightest color stand for; none for 0 and the largest number.
    pub range: Option<[f64; 2]>,
    /// Where the surface is drawn again, moved by these, meters; nothing for once, where it is.
    pub copies: &'a [Vector3<f64>],
    /// Width of a yarn or the like, for the reach of shadows, meters.
    pub radius: f64,
    /// The direction toward the viewer; none for where most of the surface shows.
    pub toward: Option<[f64; 3]>,
}

/// Samples along each side of a pixel.
const SUPERSAMPLING: usize = 3;

/// Draws a surface; the longer side of the picture has `pixels` pixels. Triangles without a place, with numbers that are not finite and
/// seen from inside are left out.
pub fn solid(solid: &Solid<'_>, pixels: u32) -> Picture {
    let once = [Vector3::zeros()];
    let copies = if solid.copies.is_empty() { &once[..] } else { solid.copies };
    let finite = |p: &&Vector3<f64>| p.iter().all(|c| c.is_finite());
    let points: Vec<Vector3<f64>> =
        copies.iter().flat_map(|d| solid.positions.iter().filter(finite).map(move |p| p + d)).collect();
    if points.is_empty() {
        return to_picture(1, &[shade::PAPER]);
    }
    let axes = axes(solid.toward.map_or_else(|| least_extent(&points), |t| Vector3::from(t).normalize()));
    let none = (Vector3::repeat(f64::MAX), Vector3::repeat(f64::MIN));
    let (low, high) = points.iter().map(|p| axes * p).fold(none, |(a, b), p| (a.inf(&p), b.sup(&p)));
    let air = Vector3::repeat(solid.radius);
    let (low, high) = (low - air, high + air);
    let scale = f64::from(pixels.clamp(16, 8192)) * SUPERSAMPLING as f64 / (high - low).xy().max();
    let view = View::turned(axes, low, high, scale);
    let mut canvas = Canvas::new(view.size().map(|s| s.div_ceil(SUPERSAMPLING) * SUPERSAMPLING));
    let (normals, colors) = (normals(solid), colors(solid));
    for copy in copies {
        for triangle in solid.triangles {
            let corners = triangle.map(|v| v as usize);
            if corners.iter().all(|v| solid.positions.get(*v).is_some_and(|p| finite(&p)) && solid.values.len() > *v) {
                canvas.draw_facet(&Facet {
                    corners: corners.map(|v| view.project(solid.positions[v] + copy)),
                    normals: corners.map(|v| view.turn(normals[v])),
                    colors: corners.map(|v| colors[v]),
                });
            }
        }
    }
    let (width, pixels) = shade::shade(&canvas, SUPERSAMPLING, (solid.radius * scale).max(1.0) as f32);
    to_picture(width, &pixels)
}

/// At each vertex the mean direction of its triangles, by their areas.
fn normals(solid: &Solid<'_>) -> Vec<Vector3<f64>> {
    let mut out = vec![Vector3::zeros(); solid.positions.len()];
    for triangle in solid.triangles {
        let corners = triangle.map(|v| v as usize);
        if corners.iter().all(|v| *v < out.len()) {
            let [a, b, c] = corners.map(|v| solid.positions[v]);
            let normal = (b - a).cross(&(c - a));
            corners.iter().for_each(|v| out[*v] += normal);
        }
    }
    out.into_iter().map(|n| n.try_normalize(0.0).unwrap_or_else(Vector3::z)).collect()
}

fn colors(solid: &Solid<'_>) -> Vec<Rgb> {
    let largest = || solid.values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let [low, high] = solid.range.unwrap_or_else(|| [0.0, largest()]);
    let width = if high > low { high - low } else { 1.0 };
    solid.values.iter().map(|v| heat((v - low) / width).map(|c| f32::from(c) / 255.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball with the height as number.
    fn ball() -> (Vec<Vector3<f64>>, Vec<[u32; 3]>, Vec<f64>) {
        let n = 48_u32;
        let at = |i: u32, j: u32| {
            let (a, b) = (
                std::f64::consts::PI * f64::from(i) / f64::from(n),
                std::f64::consts::TAU * f64::from(j) / f64::from(n),
            );
            Vector3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos())
        };
        let points: Vec<_> = (0..=n).flat_map(|i| (0..n).map(move |j| at(i, j))).collect();
        let vertex = |i: u32, j: u32| i * n + j % n;
        let quad = |i: u32, j: u32| {
            let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        let triangles = (0..n).flat_map(|i| (0..n).flat_map(move |j| quad(i, j))).collect();
        let values = points.iter().map(|p| p.y).collect();
        (points, triangles, values)
    }

    #[test]
    fn a_ball_is_a_disk_whose_colors_follow_its_numbers() {
        let (positions, triangles, values) = ball();
        let surface = Solid {
            positions: &positions,
            triangles: &triangles,
            values: &values,
            range: Some([-1.0, 1.0]),
            copies: &[],
            radius: 1.0,
            toward: Some([0.0, 0.0, 1.0]),
        };
        let picture = solid(&surface, 120);
        let pixel = |x: u32, y: u32| {
            let k = 4 * (y * picture.width + x) as usize;
            [0, 1, 2].map(|c| u32::from(picture.pixels[k + c]))
        };
        let center = picture.width / 2;
        // The ball is half as wide as the picture.
        let row = (0..picture.width).map(|x| pixel(x, picture.height / 2));
        // Paper is gray, also in shadow.
        let drawn = row.filter(|c| c[1] > c[0] + 10).count() as f64 / f64::from(picture.width);
        assert!((drawn - 0.5).abs() < 0.06, "{drawn}");
        let blue = |c: [u32; 3]| f64::from(c[2]) / f64::from(c.iter().sum::<u32>().max(1));
        let (top, bottom) = (pixel(center, center - picture.height / 5), pixel(center, center + picture.height / 5));
        assert!(blue(bottom) > blue(top) + 0.1, "low numbers are blue, high ones yellow: {top:?} {bottom:?}");
        // The upper half turned inside out is not seen.
        let upper = triangles.iter().filter(|t| t.iter().all(|v| positions[*v as usize].z > 0.0));
        let inside: Vec<[u32; 3]> = upper.map(|[a, b, c]| [*a, *c, *b]).collect();
        let picture = solid(&Solid { triangles: &inside, ..surface }, 60);
        assert!(picture.pixels.chunks_exact(4).all(|p| p[..3] == picture.pixels[..3]));
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_a_panic() {
        let empty = Solid {
            positions: &[],
            triangles: &[[0, 1, 2]],
            values: &[],
            range: None,
            copies: &[],
            radius: 1.0,
            toward: None,
        };
        solid(&empty, 64);
        let positions = [Vector3::zeros(), Vector3::repeat(f64::NAN), Vector3::x()];
        solid(
            &Solid { positions: &positions, values: &[f64::NAN; 3], triangles: &[[0, 1, 2], [0, 2, 9]], ..empty },
            64,
        );
    }
}
