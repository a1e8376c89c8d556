//! Light: a lamp from the upper left, dark rims, and shadow where another yarn is above.

use super::canvas::Canvas;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Color of the paper.
pub(super) const PAPER: [f32; 3] = [0.985, 0.98, 0.965];

/// How many places around a sample are looked at.
const DIRECTIONS: usize = 10;

/// Samples of a pixel look at places turned against each other: what is left of the pattern averages out.
const TURNS: usize = 16;

/// Averages `factor` x `factor` lit samples to a pixel; gives the width and the rows of pixels as colors from 0 to 1.
/// `radius` is that of the yarns in samples.
pub(super) fn shade(canvas: &Canvas, factor: usize, radius: f32) -> (usize, Vec<[f32; 3]>) {
    let [width, height] = [canvas.size[0] / factor, canvas.size[1] / factor];
    let weight = 1.0 / (factor * factor) as f32;
    let surroundings = Surroundings::new(radius);
    let mut pixels = vec![[0.0; 3]; width * height];
    pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            for j in 0..factor {
                for i in 0..factor {
                    let lit = light(canvas, x * factor + i, y * factor + j, &surroundings);
                    (0..3).for_each(|k| pixel[k] += weight * lit[k]);
                }
            }
        }
    });
    (width, pixels)
}

/// Where nearer yarns are looked for.
struct Surroundings {
    radius: f32,
    /// To the right, down, and the distance, in samples.
    offsets: [[(isize, isize, f32); DIRECTIONS]; TURNS],
}

impl Surroundings {
    fn new(radius: f32) -> Self {
        let offset = |turn: usize, k: usize| {
            // A spiral: places at all distances up to the radius.
            let distance = radius * ((k as f32 + (turn as f32 + 0.5) / TURNS as f32) / DIRECTIONS as f32).sqrt();
            let angle = std::f32::consts::TAU * (0.618_034 * k as f32 + turn as f32 / TURNS as f32 * 0.381_966);
            ((distance * angle.cos()).round() as isize, (distance * angle.sin()).round() as isize, distance)
        };
        let offsets = std::array::from_fn(|turn| std::array::from_fn(|k| offset(turn, k)));
        Surroundings { radius, offsets }
    }

    /// How much of the surroundings is higher than this sample, 0 to 1.
    fn occlusion(&self, canvas: &Canvas, x: usize, y: usize) -> f32 {
        let [width, height] = canvas.size;
        let own = canvas.samples[y * width + x].depth;
        let mut hidden = 0.0;
        for (right, down, distance) in self.offsets[(5 * x + 3 * y) % TURNS] {
            let (Some(px), Some(py)) = (x.checked_add_signed(right), y.checked_add_signed(down)) else { continue };
            if px >= width || py >= height {
                continue;
            }
            let other = canvas.samples[py * width + px].depth;
            if other == f32::NEG_INFINITY {
                continue;
            }
            let above = if own == f32::NEG_INFINITY { self.radius } else { other - own };
            // What is hardly higher belongs to the same yarn.
            hidden += ((above - 0.6 * distance) / (1.2 * self.radius)).clamp(0.0, 1.0);
        }
        (1.6 * hidden / DIRECTIONS as f32).min(1.0)
    }
}

fn light(canvas: &Canvas, x: usize, y: usize, surroundings: &Surroundings) -> [f32; 3] {
    let sample = &canvas.samples[y * canvas.size[0] + x];
    let shadow = 1.0 - surroundings.occlusion(canvas, x, y);
    if sample.depth == f32::NEG_INFINITY {
        return PAPER.map(|c| c * (0.8 + 0.2 * shadow));
    }
    let [nx, ny] = sample.normal.map(|n| f32::from(n) / 127.0);
    let facing = (1.0 - nx * nx - ny * ny).max(0.0).sqrt();
    let normal = Vector3::new(nx, ny, facing);
    let lamp = Vector3::new(-0.42, -0.58, 0.70);
    let diffuse = normal.dot(&lamp).max(0.0);
    // The rim is dark, so that yarns of one color stay apart.
    let rim = (facing / 0.45).min(1.0);
    let brightness = (0.42 + 0.68 * diffuse) * (0.35 + 0.65 * rim * (2.0 - rim)) * (0.35 + 0.65 * shadow);
    sample.color.map(|c| (f32::from(c) / 255.0 * brightness).min(1.0))
}
