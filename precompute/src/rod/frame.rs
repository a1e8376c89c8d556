//! Time-parallel reference frames of a discrete elastic rod \[Bergou10\].
//!
//! Each edge carries a reference director d1 across it. When the edge moves, d1 follows by parallel transport, the
//! rotation without twist from the old tangent to the new one. The material frame is the reference frame turned about
//! the tangent by the twist angle theta.

use nalgebra::Vector3;

/// Below this 1 + cos the two tangents are opposite and the shortest rotation is not defined.
const OPPOSITE: f64 = 1e-12;

/// Carries `v` by the smallest rotation that takes the unit vector `from` to the unit vector `to`.
///
/// For opposite vectors there is no smallest rotation; `v` is then made orthogonal to `to` and kept.
pub fn parallel_transport(v: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let cosine = from.dot(to);
    if 1.0 + cosine < OPPOSITE {
        return v - to * to.dot(v);
    }
    let axis = from.cross(to);
    v * cosine + axis.cross(v) + axis * (axis.dot(v) / (1.0 + cosine))
}

/// The angle that turns `u` into `v` about the unit vector `about`, in (-pi, pi].
pub fn signed_angle(u: &Vector3<f64>, v: &Vector3<f64>, about: &Vector3<f64>) -> f64 {
    about.dot(&u.cross(v)).atan2(u.dot(v))
}

/// `v` without its part along the unit vector `tangent`, as a unit vector.
///
/// A `v` along the tangent gives some unit vector across it.
pub fn orthonormalized(v: &Vector3<f64>, tangent: &Vector3<f64>) -> Vector3<f64> {
    let across = v - tangent * tangent.dot(v);
    if across.norm() > 1e-9 {
        return across.normalize();
    }
    let axis = tangent.iamin();
    let mut other = Vector3::zeros();
    other[axis] = 1.0;
    (other - tangent * tangent.dot(&other)).normalize()
}

/// The multiple-of-a-turn copy of `angle` nearest to `earlier`.
pub fn unwrapped(angle: f64, earlier: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + TAU * ((earlier - angle) / TAU).round()
}

/// The directors (m1, m2) of the material frame: the frame (d1, t x d1) turned by `theta`.
pub fn material_directors(d1: &Vector3<f64>, tangent: &Vector3<f64>, theta: f64) -> [Vector3<f64>; 2] {
    let d2 = tangent.cross(d1);
    let (sin, cos) = theta.sin_cos();
    [d1 * cos + d2 * sin, d2 * cos - d1 * sin]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transport_keeps_lengths_angles_and_takes_the_tangent_along() {
        let from = Vector3::new(1.0, 2.0, -0.5).normalize();
        let to = Vector3::new(-0.3, 1.0, 0.8).normalize();
        let v = orthonormalized(&Vector3::new(0.2, 0.1, 0.9), &from);
        let carried = parallel_transport(&v, &from, &to);
        assert!((carried.norm() - 1.0).abs() < 1e-14);
        assert!(carried.dot(&to).abs() < 1e-14);
        assert!((parallel_transport(&from, &from, &to) - to).norm() < 1e-14);
        let axis = from.cross(&to);
        assert!((carried.dot(&axis) - v.dot(&axis)).abs() < 1e-14, "no twist: the axis keeps its part");
    }

    #[test]
    fn opposite_tangents_stay_finite() {
        let x = Vector3::x();
        assert_eq!(parallel_transport(&Vector3::z(), &x, &-x), Vector3::z());
    }

    #[test]
    fn angles_are_signed_and_unwrapped() {
        let angle = signed_angle(&Vector3::x(), &Vector3::y(), &Vector3::z());
        assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((unwrapped(-3.1, 3.1) - (std::f64::consts::TAU - 3.1)).abs() < 1e-15);
        let [m1, m2] = material_directors(&Vector3::x(), &Vector3::z(), 0.3);
        assert!((signed_angle(&Vector3::x(), &m1, &Vector3::z()) - 0.3).abs() < 1e-15);
        assert!((m2 - Vector3::z().cross(&m1)).norm() < 1e-15);
    }
}
