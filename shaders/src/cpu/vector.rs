//! Three-component vectors as arrays.

use crate::gpu::constants::MIN_SQUARE;

pub(super) type Vec3 = [f32; 3];

pub(super) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn scaled(a: Vec3, s: f32) -> Vec3 {
    a.map(|c| c * s)
}

/// a s + b t.
pub(super) fn combine(a: Vec3, s: f32, b: Vec3, t: f32) -> Vec3 {
    [a[0] * s + b[0] * t, a[1] * s + b[1] * t, a[2] * s + b[2] * t]
}

/// Unit length, or zero where there is no direction.
pub(super) fn normalized(a: Vec3) -> Vec3 {
    let square = dot(a, a);
    scaled(a, if square > MIN_SQUARE { 1.0 / square.sqrt() } else { 0.0 })
}

/// The first three lanes of a row.
pub(super) fn xyz(row: [f32; 4]) -> Vec3 {
    [row[0], row[1], row[2]]
}
