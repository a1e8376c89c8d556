//! Time-parallel reference frames of a discrete elastic rod \[Bergou10\].
//!
//! Each edge carries a reference director d1 across it. When the edge moves, d1 follows by parallel transport, the
//! rotation without twist from the old tangent to the new one (`yarnwise_shared::pattern::transport`). The material frame is the reference frame turned about
//! the tangent by the twist angle theta.

use nalgebra::Vector3;
use yarnwise_shared::elementary::sin_cos;

/// The multiple-of-a-turn copy of `angle` nearest to `earlier`.
pub(crate) fn unwrapped(angle: f64, earlier: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + TAU * ((earlier - angle) / TAU).round()
}

/// The directors (m1, m2) of the material frame: the frame (d1, t x d1) turned by `theta`.
pub(crate) fn material_directors(d1: &Vector3<f64>, tangent: &Vector3<f64>, theta: f64) -> [Vector3<f64>; 2] {
    let d2 = tangent.cross(d1);
    let (sin, cos) = sin_cos(theta);
    [d1 * cos + d2 * sin, d2 * cos - d1 * sin]
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::pattern::transport::signed_angle;

    #[test]
    fn directors_turn_by_their_twist_and_angles_are_unwrapped() {
        assert!((unwrapped(-3.1, 3.1) - (std::f64::consts::TAU - 3.1)).abs() < 1e-15);
        let [m1, m2] = material_directors(&Vector3::x(), &Vector3::z(), 0.3);
        assert!((signed_angle(&Vector3::x(), &m1, &Vector3::z()) - 0.3).abs() < 1e-15);
        assert!((m2 - Vector3::z().cross(&m1)).norm() < 1e-15);
    }
}
