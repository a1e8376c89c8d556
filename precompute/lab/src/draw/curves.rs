//! Any curves in space as tubes, seen from where most of them shows.

use super::Picture;
use super::canvas::{Canvas, Tube};
use super::shade;
use super::sheet::to_picture;
use super::view::View;
use nalgebra::{Matrix3, Vector3};

/// Curves to draw.
#[derive(Clone, Copy, Debug)]
pub struct Curves<'a> {
    /// Points of all curves, one curve after the other, meters.
    pub positions: &'a [[f32; 3]],
    /// Where each curve begins among the points, and after the last one the number of points.
    pub starts: &'a [u32],
    /// A color for each point: red, green, blue.
    pub colors: &'a [[u8; 3]],
    /// Radius of the tubes, meters.
    pub radius: f64,
    /// The direction toward the viewer; none for where most of the curves shows.
    pub toward: Option<[f64; 3]>,
}

/// Samples along each side of a pixel.
const SUPERSAMPLING: usize = 2;

/// Thinner tubes are drawn this thick, in samples: a hair would leave holes between samples.
const THINNEST: f64 = 0.75;

/// Draws curves; the longer side of the picture has `pixels` pixels.
pub fn curves(curves: &Curves<'_>, pixels: u32) -> Picture {
    let points: Vec<Vector3<f64>> = curves.positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
    let axes = axes(curves.toward.map_or_else(|| least_extent(&points), |t| Vector3::from(t).normalize()));
    let turned = points.iter().map(|p| axes * p);
    let (low, high) =
        turned.fold((Vector3::repeat(f64::MAX), Vector3::repeat(f64::MIN)), |(a, b), p| (a.inf(&p), b.sup(&p)));
    if points.is_empty() {
        return to_picture(1, &[shade::PAPER]);
    }
    let air = Vector3::repeat(2.0 * curves.radius);
    let (low, high) = (low - air, high + air);
    let longer = (high - low).xy().max();
    let scale = f64::from(pixels.clamp(16, 8192)) * SUPERSAMPLING as f64 / longer;
    let view = View::turned(axes, low, high, scale);
    let mut canvas = Canvas::new(view.size().map(|s| s.div_ceil(SUPERSAMPLING) * SUPERSAMPLING));
    let radius = (curves.radius * scale).max(THINNEST) as f32;
    for range in curves.starts.windows(2) {
        let range = range[0] as usize..range[1] as usize;
        for i in range.start..range.end.saturating_sub(1) {
            canvas.draw(&segment(curves, &points, &view, &range, i, radius));
        }
    }
    let (width, pixels) = shade::shade(&canvas, SUPERSAMPLING, radius.max(1.0));
    to_picture(width, &pixels)
}

fn segment(
    curves: &Curves<'_>,
    points: &[Vector3<f64>],
    view: &View,
    range: &std::ops::Range<usize>,
    i: usize,
    radius: f32,
) -> Tube {
    let tangent = |i: usize| {
        let (before, after) = (i.max(range.start + 1) - 1, (i + 1).min(range.end - 1));
        view.turn((points[after] - points[before]).try_normalize(0.0).unwrap_or(Vector3::x()))
    };
    Tube {
        ends: [view.project(points[i]), view.project(points[i + 1])],
        tangents: [tangent(i), tangent(i + 1)],
        directors: [Vector3::x(); 2],
        colors: [i, i + 1].map(|i| curves.colors[i].map(|c| f32::from(c) / 255.0)),
        radius,
        plies: false,
    }
}

/// The direction in which the points extend least, from the front or from above rather than from behind or below.
pub(super) fn least_extent(points: &[Vector3<f64>]) -> Vector3<f64> {
    let n = points.len().max(1) as f64;
    let mean = points.iter().sum::<Vector3<f64>>() / n;
    let spread = points.iter().map(|p| (p - mean) * (p - mean).transpose()).sum::<Matrix3<f64>>() / n;
    let eigen = spread.symmetric_eigen();
    let toward = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
    let sign = if toward.z.abs() > 0.5 { toward.z } else { toward.y };
    if sign < 0.0 { -toward } else { toward }
}

/// Rows: the picture's axes to the right, up and toward the viewer. Up is as near to y as it can be; a sheet on the ground is seen
/// with z toward the viewer's feet.
pub(super) fn axes(toward: Vector3<f64>) -> Matrix3<f64> {
    let up = if toward.y.abs() > 0.9 { -Vector3::z() } else { Vector3::y() };
    let right = up.cross(&toward).normalize();
    Matrix3::from_rows(&[right.transpose(), toward.cross(&right).transpose(), toward.transpose()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_seen_from_the_front_whichever_way_it_lies() {
        for turn in [Matrix3::identity(), Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0)] {
            let flat = (0..100).map(|i| Vector3::new(f64::from(i % 10), f64::from(i / 10), 0.0));
            let points: Vec<[f32; 3]> = flat.map(|p| (turn * p).map(|c| c as f32).into()).collect();
            let starts: Vec<u32> = (0..=10).map(|i| 10 * i).collect();
            let colors = vec![[200, 40, 40]; 100];
            let picture = curves(
                &Curves { positions: &points, starts: &starts, colors: &colors, radius: 0.2, toward: None },
                100,
            );
            assert_eq!(picture.width.max(picture.height), 100);
            assert!(picture.width.abs_diff(picture.height) < 3, "seen from the front it is a square");
            let red = picture.pixels.chunks_exact(4).filter(|p| u16::from(p[0]) > 2 * u16::from(p[1])).count() as f64;
            // Ten yarns of 0.4 on a square of 9 and a bit.
            assert!((0.25..0.5).contains(&(red / f64::from(picture.width * picture.height))), "{red}");
        }
    }

    #[test]
    fn nothing_and_a_single_point_are_drawn_without_a_fuss() {
        for positions in [vec![], vec![[0.0; 3]], vec![[0.0; 3]; 2]] {
            let starts = [0, positions.len() as u32];
            let colors = vec![[0; 3]; positions.len()];
            curves(&Curves { positions: &positions, starts: &starts, colors: &colors, radius: 1e-3, toward: None }, 64);
        }
    }
}
