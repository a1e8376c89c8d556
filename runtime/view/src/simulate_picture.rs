//! A plain picture of cloth and bodies: faces filled with depth, lit from above.

use anyhow::Result;
use image::{Rgb, RgbImage};
use nalgebra::Vector3;
use std::path::Path;
use yarnwise_solvers::cloth::{Simulation, normals};

const SIZE: u32 = 720;
const BACKGROUND: Vector3<f64> = Vector3::new(0.93, 0.94, 0.96);
const CLOTH: Vector3<f64> = Vector3::new(0.72, 0.25, 0.22);
const LINING: Vector3<f64> = Vector3::new(0.85, 0.62, 0.45);
const BODY: Vector3<f64> = Vector3::new(0.62, 0.66, 0.72);

/// An orthographic camera that looks down on the scene from the front.
struct Camera {
    center: Vector3<f64>,
    right: Vector3<f64>,
    up: Vector3<f64>,
    back: Vector3<f64>,
    scale: f64,
}

impl Camera {
    fn new(points: &[Vector3<f64>]) -> Self {
        let low = points.iter().fold(Vector3::repeat(f64::INFINITY), |l, p| l.inf(p));
        let high = points.iter().fold(Vector3::repeat(f64::NEG_INFINITY), |h, p| h.sup(p));
        let back = Vector3::new(0.45, 0.42, 0.8).normalize();
        let right = Vector3::y().cross(&back).normalize();
        let extent = (high - low).norm().max(1e-6);
        let scale = 0.95 * f64::from(SIZE) / extent;
        Camera { center: (low + high) * 0.5, right, up: back.cross(&right), back, scale }
    }

    /// Pixel coordinates and depth, larger nearer.
    fn project(&self, p: &Vector3<f64>) -> Vector3<f64> {
        let d = p - self.center;
        let half = 0.5 * f64::from(SIZE);
        Vector3::new(half + self.scale * d.dot(&self.right), half - self.scale * d.dot(&self.up), d.dot(&self.back))
    }

    /// The point of a pixel at a depth.
    fn unproject(&self, x: f64, y: f64, depth: f64) -> Vector3<f64> {
        let half = 0.5 * f64::from(SIZE);
        let (a, b) = ((x - half) / self.scale, (half - y) / self.scale);
        self.center + self.right * a + self.up * b + self.back * depth
    }
}

/// Draws the cloth as it is now.
pub(crate) fn draw(cloth: &Simulation, path: &Path) -> Result<()> {
    let camera = Camera::new(cloth.positions());
    let mut depth = vec![f64::NEG_INFINITY; (SIZE * SIZE) as usize];
    let mut image = RgbImage::from_pixel(SIZE, SIZE, color(&BACKGROUND));
    draw_bodies(cloth, &camera, &mut image, &mut depth);
    let normals = normals(cloth.positions(), &cloth.model().faces);
    for face in &cloth.model().faces {
        let corners = face.map(|i| camera.project(&cloth.positions()[i as usize]));
        let shades = face.map(|i| normals[i as usize]);
        fill(&corners, &shades, &camera.back, &mut image, &mut depth);
    }
    image.save(path)?;
    Ok(())
}

/// Bodies by marching each pixel's ray through their distance.
fn draw_bodies(cloth: &Simulation, camera: &Camera, image: &mut RgbImage, depth: &mut [f64]) {
    let reach = f64::from(SIZE) / camera.scale;
    for body in &cloth.bodies {
        for y in 0..SIZE {
            for x in 0..SIZE {
                let mut d = reach;
                for _ in 0..200 {
                    let p = camera.unproject(f64::from(x), f64::from(y), d);
                    let (distance, normal) = body.distance(&p, cloth.time());
                    if distance < 1e-4 {
                        let at = (y * SIZE + x) as usize;
                        if d > depth[at] {
                            depth[at] = d;
                            image.put_pixel(x, y, color(&(BODY * light(&normal))));
                        }
                        break;
                    }
                    d -= distance;
                    if d < -reach {
                        break;
                    }
                }
            }
        }
    }
}

fn fill(
    [a, b, c]: &[Vector3<f64>; 3],
    normals: &[Vector3<f64>; 3],
    back: &Vector3<f64>,
    image: &mut RgbImage,
    depth: &mut [f64],
) {
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if area.abs() < 1e-12 {
        return;
    }
    let range = |k: usize| {
        let low = a[k].min(b[k]).min(c[k]).floor().max(0.0) as u32;
        let high = a[k].max(b[k]).max(c[k]).ceil().clamp(0.0, f64::from(SIZE) - 1.0) as u32;
        low..=high
    };
    for y in range(1) {
        for x in range(0) {
            let (px, py) = (f64::from(x), f64::from(y));
            let v = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) / area;
            let w = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) / area;
            let u = 1.0 - v - w;
            let at = (y * SIZE + x) as usize;
            let z = u * a.z + v * b.z + w * c.z;
            if u < 0.0 || v < 0.0 || w < 0.0 || z <= depth[at] {
                continue;
            }
            depth[at] = z;
            let normal = (normals[0] * u + normals[1] * v + normals[2] * w).normalize();
            let (normal, base) = if normal.dot(back) >= 0.0 { (normal, CLOTH) } else { (-normal, LINING) };
            image.put_pixel(x, y, color(&(base * light(&normal))));
        }
    }
}

fn light(normal: &Vector3<f64>) -> f64 {
    let sun = Vector3::new(-0.35, 0.8, 0.5).normalize();
    0.35 + 0.65 * (0.5 + 0.5 * normal.dot(&sun)).powf(1.5)
}

fn color(c: &Vector3<f64>) -> Rgb<u8> {
    Rgb([c.x, c.y, c.z].map(|v| (v.clamp(0.0, 1.0).powf(1.0 / 1.6) * 255.0).round() as u8))
}
