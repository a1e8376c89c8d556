//! Crossed cylinders against Hertz: F = 4/3 E* sqrt(r) d^(3/2), 1/E* = 2 (1 - nu^2) / E.
//!
//! Two equal cylinders that cross at a right angle are each other's image by a mirror and a quarter turn, and each is symmetric to
//! two planes through the contact: a quarter of one cylinder in contact with its own image is the whole problem.

use super::super::Brick;
use super::super::mesh::{Node, Skin, SkinVertex};
use super::super::surface::{Contact, Copies};
use super::*;
use crate::cell::kinematics::Image;
use crate::newton::Hold;
use nalgebra::Matrix3;

/// Levels from 0 to `end`: `even` steps of `h`, then steps that grow.
fn graded(h: f64, even: usize, growth: f64, end: f64) -> Vec<f64> {
    let mut levels: Vec<f64> = (0..=even).map(|k| h * k as f64).collect();
    let mut step = h;
    while levels[levels.len() - 1] + growth * step < end {
        step *= growth;
        levels.push(levels[levels.len() - 1] + step);
    }
    levels.push(end);
    levels
}

struct Quarter {
    assembly: SolidBody,
    x: Vec<Vector3<f64>>,
    holds: Holds,
    /// Points of the middle plane.
    middle: Vec<usize>,
}

/// How fine the mesh is: size of elements under the contact, how many of them, growth of sizes outside; k_n r / E.
#[derive(Clone, Copy)]
struct Resolution {
    h: f64,
    even: usize,
    growth: f64,
    penalty: f64,
    /// From the top to the middle plane, m.
    depth: f64,
}

/// A quarter of a body whose top is a cylinder of radius 1 along x, at z = 0, and whose middle plane lies `depth` below. What is more
/// than 0.9 r to the side is left out.
fn quarter(r: &Resolution) -> Quarter {
    let along = graded(r.h, r.even, r.growth, 1.8);
    let across = graded(r.h, r.even, r.growth, 0.9);
    let down = graded(r.h, r.even, r.growth, 1.0);
    let up: Vec<f64> = down.iter().rev().map(|w| 1.0 - w).collect();
    let height = |y: f64| (1.0 - y * y).sqrt() - 1.0 + r.depth;
    let place = |_, x: Vector3<f64>| Vector3::new(x.x, x.y, x.z * height(x.y) - r.depth);
    let (mut mesh, x) = block(Brick::Hex8, [&along, &across, &up], place);
    let mut holds = Holds::default();
    let mut middle = Vec::new();
    for (p, x) in x.iter().enumerate() {
        let on_middle = x.z == -r.depth;
        middle.extend(on_middle.then_some(p));
        holds.set(p, Hold::along_axes([x.x == 0.0, x.y == 0.0, on_middle]));
    }
    mesh.skin = top(&x, [along.len(), across.len(), up.len()]);
    let mirror = Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0);
    let images = vec![Image { rotation: Some(mirror), translation: Vector3::zeros() }];
    let mut assembly = SolidBody::new(mesh, &material(), 1.0);
    let copies = Copies { images, group: vec![vec![1]], own: vec![0] };
    assembly.contact = Some(Contact::new(r.penalty, copies, 0.1));
    Quarter { assembly, x, holds, middle }
}

/// The upper side of a block with these numbers of corners along its axes.
fn top(x: &[Vector3<f64>], [nx, ny, nz]: [usize; 3]) -> Skin {
    let first = nx * ny * (nz - 1);
    let vertex = |point| SkinVertex { parts: vec![(Node { point, shift: 0 }, 1.0)], area: 0.0, strand: 0 };
    let mut skin = Skin { vertices: (first..nx * ny * nz).map(vertex).collect(), triangles: Vec::new() };
    for (i, j) in (0..nx - 1).flat_map(|i| (0..ny - 1).map(move |j| (i, j))) {
        let [a, b, c, d] = [i + nx * j, i + 1 + nx * j, i + 1 + nx * (j + 1), i + nx * (j + 1)];
        skin.triangles.extend([[a, b, c], [a, c, d]]);
    }
    skin.set_areas(&x[first..]);
    skin
}

/// The force with which the cylinders press on each other when they approach by `d`, over that of Hertz, for one d after the other.
fn ratios(resolution: &Resolution, approaches: &[f64]) -> Vec<f64> {
    let mut q = quarter(resolution);
    let mut reached = 0.0;
    let reduced = 1.0 / (2.0 * (1.0 - 0.3 * 0.3));
    let mut out = Vec::new();
    for d in approaches {
        q.x.iter_mut().for_each(|x| x.z += 0.5 * (d - reached));
        reached = *d;
        let options = NewtonOptions { tolerance: 1e-8, rho: 0.0, ..NewtonOptions::default() };
        let mut newton = Newton::new(&mut q.assembly, q.x.clone(), q.holds.clone(), &options);
        let minimum = newton.run();
        assert!(minimum.converged, "{minimum:?}");
        let force: f64 = 4.0 * q.middle.iter().map(|p| newton.gradient()[*p].z).sum::<f64>();
        out.push(force / (4.0 / 3.0 * reduced * d.powf(1.5)));
        q.x = newton.into_x();
    }
    out
}

#[test]
fn crossed_cylinders_press_as_hertz_says() {
    // Hertz's bodies are large compared with the contact: the middle plane is held a diameter below the top. Held at the axis, where
    // the cylinder is widest, it is 3 to 14 % stiffer. k_n is that of elements below the surface, 10 E / h.
    let h = 0.08;
    let resolution = Resolution { h, even: 3, growth: 1.6, penalty: 10.0 / h, depth: 2.0 };
    let approaches = [0.02_f64, 0.03, 0.05];
    let found = ratios(&resolution, &approaches);
    assert!(found.iter().all(|r| (r - 1.0).abs() < 0.1), "{found:?}");
    let exponent = 1.5 + (found[2] / found[0]).ln() / (approaches[2] / approaches[0]).ln();
    assert!((exponent - 1.5).abs() < 0.1, "{exponent}");
    // A surface that gives way is noticed.
    let soft = ratios(&Resolution { penalty: 1.0, ..resolution }, &[0.03]);
    assert!(soft[0] < 0.9, "{soft:?}");
}
