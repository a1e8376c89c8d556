//! The sheet: front view, the view from below under it, the view from the right beside it.

use super::canvas::{Canvas, Tube};
use super::center_line::{Point, center_line};
use super::color::{self, Colors, Rgb};
use super::shade::{self, PAPER};
use super::view::{Side, View};
use super::{DrawOptions, Picture, Yarns};
use nalgebra::{Matrix2, Vector2, Vector3};
use yarnwise_shared::pattern::Pattern;

/// White space around and between the views, pixels.
const MARGIN: usize = 18;

/// Draws the yarns from the front and from two sides.
pub fn draw(yarns: &Yarns<'_>, options: &DrawOptions) -> Picture {
    let scale = scale(yarns, options);
    let samples_per_radius = scale * yarns.pattern.radius();
    // Yarns that are only a few samples thick need no finer pieces than their edges.
    let fine = if samples_per_radius > 6.0 {
        3
    } else if samples_per_radius > 2.0 {
        2
    } else {
        1
    };
    let lines: Vec<Vec<Point>> = (0..yarns.pattern.yarns().len()).map(|y| center_line(yarns, y, fine)).collect();
    let (low, high) = bounds(yarns, options, &lines);
    let render = |side: Side| {
        let view = View::new(side, low, high, scale);
        let factor = options.supersampling.max(1) as usize;
        let mut canvas = Canvas::new(view.size().map(|s| s.div_ceil(factor) * factor));
        draw_copies(yarns, options, &lines, &view, &mut canvas, (low, high));
        let (width, pixels) = shade::shade(&canvas, factor, samples_per_radius as f32);
        let mut panel = Panel { width, pixels };
        if options.period_box {
            panel.draw_box(yarns, options, &view, factor as f64);
        }
        panel
    };
    compose(&render(Side::Front), &render(Side::Below), &render(Side::Right))
}

/// Samples per meter: the longer side of the front view has the wanted number of pixels.
fn scale(yarns: &Yarns<'_>, options: &DrawOptions) -> f64 {
    let (low, high) = parallelogram(yarns, options);
    let longer = (high - low).max();
    f64::from(options.pixels.clamp(16, 8192)) * f64::from(options.supersampling.clamp(1, 8)) / longer
}

/// The rectangle around the tiles.
fn parallelogram(yarns: &Yarns<'_>, options: &DrawOptions) -> (Vector2<f64>, Vector2<f64>) {
    let [a, b] = edges(yarns, options);
    let corners = [Vector2::zeros(), a, b, a + b];
    let origin = center(yarns) - 0.5 * (a + b);
    let low = corners.iter().fold(corners[0], |m, c| m.inf(c));
    let high = corners.iter().fold(corners[0], |m, c| m.sup(c));
    (low + origin, high + origin)
}

/// The sides of the tiles.
fn edges(yarns: &Yarns<'_>, options: &DrawOptions) -> [Vector2<f64>; 2] {
    [0, 1].map(|k| Vector2::from(yarns.lattice[k]) * f64::from(options.tiles[k].max(1)))
}

/// The middle of the vertices: the box of one period is drawn around it.
fn center(yarns: &Yarns<'_>) -> Vector2<f64> {
    let sum = yarns.positions.iter().fold(Vector2::zeros(), |s, p| s + Vector2::new(p[0], p[1]));
    sum / yarns.positions.len().max(1) as f64
}

fn bounds(yarns: &Yarns<'_>, options: &DrawOptions, lines: &[Vec<Point>]) -> (Vector3<f64>, Vector3<f64>) {
    let (low, high) = parallelogram(yarns, options);
    let heights = lines.iter().flatten().map(|p| p.position.z);
    let (bottom, top) = heights.fold((f64::MAX, f64::MIN), |(a, b), z| (a.min(z), b.max(z)));
    let air = 1.5 * yarns.pattern.radius();
    (Vector3::new(low.x, low.y, bottom - air), Vector3::new(high.x, high.y, top + air))
}

/// Draws all copies of the yarns that reach into the box.
fn draw_copies(
    yarns: &Yarns<'_>,
    options: &DrawOptions,
    lines: &[Vec<Point>],
    view: &View,
    canvas: &mut Canvas,
    (low, high): (Vector3<f64>, Vector3<f64>),
) {
    let air = Vector3::repeat(1.01 * yarns.pattern.radius());
    let (low, high) = (low - air, high + air);
    for (number, line) in lines.iter().enumerate() {
        for cell in cells(yarns, line, low, high) {
            let [a, b] = yarns.lattice.map(|l| Vector3::new(l[0], l[1], 0.0));
            let offset = a * f64::from(cell[0]) + b * f64::from(cell[1]);
            for pair in line.windows(2) {
                let ends = [pair[0].position + offset, pair[1].position + offset];
                let inside =
                    (0..2).all(|k| ends[0][k].max(ends[1][k]) > low[k] && ends[0][k].min(ends[1][k]) < high[k]);
                if inside {
                    canvas.draw(&Tube {
                        ends: ends.map(|e| view.project(e)),
                        tangents: [pair[0], pair[1]].map(|p| view.turn(p.tangent)),
                        directors: [pair[0], pair[1]].map(|p| view.turn(p.director)),
                        colors: colors(yarns, number, cell, pair),
                        radius: (yarns.pattern.radius() * view.scale) as f32,
                        plies: options.plies,
                    });
                }
            }
        }
    }
}

/// The copies of a line that may reach into the box.
fn cells(yarns: &Yarns<'_>, line: &[Point], low: Vector3<f64>, high: Vector3<f64>) -> Vec<[i32; 2]> {
    let lattice = Matrix2::from_columns(&yarns.lattice.map(Vector2::from));
    let Some(inverse) = lattice.try_inverse() else { return vec![[0, 0]] };
    let first = line.iter().fold(Vector2::repeat(f64::MAX), |m, p| m.inf(&p.position.xy()));
    let last = line.iter().fold(Vector2::repeat(f64::MIN), |m, p| m.sup(&p.position.xy()));
    // The offset must lie in a rectangle; its corners bound the cells.
    let (from, to) = (low.xy() - last, high.xy() - first);
    let corners = [from, to, Vector2::new(from.x, to.y), Vector2::new(to.x, from.y)].map(|c| inverse * c);
    let range = |k: usize| {
        let least = corners.iter().map(|c| c[k]).fold(f64::MAX, f64::min).floor();
        let most = corners.iter().map(|c| c[k]).fold(f64::MIN, f64::max).ceil();
        // Far more than any pattern needs, and few enough to end.
        least.clamp(-1e4, 1e4) as i32..=most.clamp(-1e4, 1e4) as i32
    };
    range(1).flat_map(|j| range(0).map(move |i| [i, j])).collect()
}

fn colors(yarns: &Yarns<'_>, yarn: usize, cell: [i32; 2], pair: &[Point]) -> [Rgb; 2] {
    match &yarns.colors {
        Colors::Strands => [strand_color(yarns.pattern, yarn, cell); 2],
        Colors::Vertices(of) => [0, 1].map(|k| vertex_color(yarns, of, &pair[k])),
    }
}

fn vertex_color(yarns: &Yarns<'_>, of: &[[u8; 3]], point: &Point) -> Rgb {
    let next = yarns.pattern.vertices()[point.vertex].edge.to as usize;
    let rgb = |i: usize| of.get(i).copied().unwrap_or_default().map(|c| f32::from(c) / 255.0);
    let (a, b, t) = (rgb(point.vertex), rgb(next), point.between as f32);
    [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]))
}

/// The color of the copy of a yarn in `cell`. Copies along a yarn continue it in its color; copies across it are other strands.
pub(crate) fn strand_color(pattern: &Pattern, yarn: usize, cell: [i32; 2]) -> Rgb {
    let [x, y] = pattern.yarns()[yarn].shift.map(i64::from);
    let along_x = x.abs() >= y.abs();
    let same = |other: &&yarnwise_shared::pattern::Yarn| {
        let [ox, oy] = other.shift.map(i64::from);
        (ox.abs() >= oy.abs()) == along_x
    };
    let siblings = pattern.yarns().iter().filter(same).count() as i64;
    let rank = pattern.yarns()[..yarn].iter().filter(same).count() as i64;
    let across = x * i64::from(cell[1]) - y * i64::from(cell[0]);
    color::of_strand(along_x, rank + siblings * across)
}

/// A finished view.
struct Panel {
    width: usize,
    pixels: Vec<[f32; 3]>,
}

impl Panel {
    fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// The border of the middle period, as far as this view shows it.
    fn draw_box(&mut self, yarns: &Yarns<'_>, options: &DrawOptions, view: &View, factor: f64) {
        let [a, b] = yarns.lattice.map(Vector2::from);
        let tiles = options.tiles.map(|t| f64::from(t.max(1) / 2));
        let [ea, eb] = edges(yarns, options);
        let origin = center(yarns) - 0.5 * (ea + eb) + a * tiles[0] + b * tiles[1];
        let corners = [origin, origin + a, origin + a + b, origin + b];
        let scale = 1.0 / factor as f32;
        let heights = [-1e3, 1e3].map(|z| z * yarns.pattern.radius());
        for (k, corner) in corners.iter().enumerate() {
            let next = corners[(k + 1) % 4];
            let ends = [*corner, next].map(|c| view.project(Vector3::new(c.x, c.y, 0.0)) * scale);
            if view.shows_plane() {
                self.draw_line(ends);
            }
            // From the sides a corner is a line through the fabric.
            self.draw_line(heights.map(|z| view.project(Vector3::new(corner.x, corner.y, z)) * scale));
        }
    }

    /// A dashed line, one pixel thick.
    fn draw_line(&mut self, [from, to]: [Vector3<f32>; 2]) {
        let (from, to) = (from.xy(), to.xy());
        let length = (to - from).norm();
        // Seen from its end, a line is nothing.
        if length < 2.0 {
            return;
        }
        let limit = nalgebra::Vector2::new(self.width as f32, self.height() as f32);
        for step in 0..=length.min(1e6) as usize {
            let p = from + (to - from) * (step as f32 / length);
            let inside = p.x >= 0.0 && p.y >= 0.0 && p.x < limit.x && p.y < limit.y;
            if inside && step % 10 < 6 {
                let pixel = &mut self.pixels[p.y as usize * self.width + p.x as usize];
                *pixel = [0, 1, 2].map(|k| 0.25 * pixel[k] + 0.75 * [0.12, 0.12, 0.16][k]);
            }
        }
    }
}

fn compose(front: &Panel, below: &Panel, right: &Panel) -> Picture {
    let width = front.width + right.width + 3 * MARGIN;
    let height = front.height() + below.height() + 3 * MARGIN;
    let mut colors = vec![PAPER; width * height];
    let mut place = |panel: &Panel, x0: usize, y0: usize| {
        for (y, row) in panel.pixels.chunks(panel.width).enumerate() {
            colors[(y0 + y) * width + x0..][..panel.width].copy_from_slice(row);
        }
    };
    place(front, MARGIN, MARGIN);
    place(below, MARGIN, 2 * MARGIN + front.height());
    place(right, 2 * MARGIN + front.width, MARGIN);
    to_picture(width, &colors)
}

/// A picture of rows of `width` colors, 0 to 1.
pub(super) fn to_picture(width: usize, colors: &[Rgb]) -> Picture {
    let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0).round() as u8;
    let height = colors.len() / width.max(1);
    Picture::from_fn(width as u32, height as u32, |x, y| colors[y as usize * width + x as usize].map(byte))
}

#[cfg(test)]
mod tests;
