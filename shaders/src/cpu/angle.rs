//! The arc tangent, written out: that of WGSL may be off by thousands of units in the last place.

use crate::gpu::constants::{ARC_TANGENT, PI};

/// The angle of (x, y) in [-pi, pi]; 0 for (0, 0).
pub(super) fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let (small, large) = if ay > ax { (ax, ay) } else { (ay, ax) };
    let t = if large > 0.0 { small / large } else { 0.0 };
    let z = t * t;
    let polynomial = ARC_TANGENT.iter().rev().fold(0.0, |sum, c| sum * z + c);
    let octant = polynomial * t;
    let quadrant = if ay > ax { 0.5 * PI - octant } else { octant };
    let half = if x < 0.0 { PI - quadrant } else { quadrant };
    half.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::atan2;

    #[test]
    fn the_arc_tangent_is_that_of_the_library() {
        for i in 0..10_000 {
            let angle = (i as f32 - 5000.0) * 6.28e-4;
            for size in [1e-6f32, 1.0, 3e4] {
                let (y, x) = (angle.sin() * size, angle.cos() * size);
                assert!((atan2(y, x) - y.atan2(x)).abs() < 4e-7, "{angle}");
            }
            let small = angle * 1e-5;
            assert!((atan2(small, 1.0) - small).abs() <= 1e-6 * small.abs(), "relative accuracy at small angles");
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(0.0, -1.0), std::f32::consts::PI);
    }
}
