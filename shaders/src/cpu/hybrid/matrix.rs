//! Matrices of three rows.

use super::super::vector::Vec3;

/// By rows.
pub(super) type Mat3 = [Vec3; 3];

/// a bᵀ.
pub(super) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    a.map(|a| b.map(|b| a * b))
}

/// A += B t.
pub(super) fn add(a: &mut Mat3, b: &Mat3, t: f32) {
    for (a, b) in a.iter_mut().flatten().zip(b.iter().flatten()) {
        *a += b * t;
    }
}

pub(super) fn transposed(a: &Mat3) -> Mat3 {
    std::array::from_fn(|r| std::array::from_fn(|c| a[c][r]))
}

pub(super) fn times(a: &Mat3, v: Vec3) -> Vec3 {
    a.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// A symmetric matrix (xx, xy, yy) without its negative eigenvalues.
pub(super) fn positive_part([xx, xy, yy]: [f32; 3]) -> [f32; 3] {
    let (mean, difference) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let spread = (difference * difference + xy * xy).sqrt();
    let (low, high) = ((mean - spread).max(0.0), (mean + spread).max(0.0));
    let k = 0.5 * (high - low) / spread.max(crate::gpu::constants::MIN_SPREAD);
    let center = 0.5 * (low + high);
    [center + k * difference, k * xy, center - k * difference]
}
