//! Parallel transport of directors, the rotation without twist: along a yarn \[Bergou08\], and in time as it moves \[Bergou10\].

use crate::elementary::atan2;
use nalgebra::Vector3;

/// Below this 1 + cos the two tangents are opposite and the smallest rotation is not defined.
const OPPOSITE: f64 = 1e-12;

/// Carries any `v` by the smallest rotation that takes the unit vector `from` to the unit vector `to`.
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

/// [`parallel_transport`] of a `director` that lies across `from`, as the reflection at the plane between both tangents; the
/// result lies across `to`, also where these are opposite.
///
/// A second form of one formula: it rounds differently, and files that leave directors out mean exactly what it gives, while
/// databases hold exactly what solves with the other one gave. A test holds both together.
pub(super) fn director_transport(director: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let cos = 1.0 + from.dot(to);
    // Folded back onto itself: no rotation is the smallest, any vector across will do.
    if cos < 1e-9 { orthonormalized(director, to) } else { director - (from + to) * (to.dot(director) / cos) }
}

/// The unit vector nearest to `v` that lies across the unit vector `tangent`.
///
/// A `v` along the tangent gives some unit vector across it.
pub fn orthonormalized(v: &Vector3<f64>, tangent: &Vector3<f64>) -> Vector3<f64> {
    let across = v - tangent * tangent.dot(v);
    if across.norm_squared() > 1e-18 * v.norm_squared() { across.normalize() } else { perpendicular(tangent) }
}

/// A unit vector across `tangent`, as near to +z as it gets; near +x for a tangent along z.
pub(super) fn perpendicular(tangent: &Vector3<f64>) -> Vector3<f64> {
    let axis = if tangent.z.abs() < 0.99 { Vector3::z() } else { Vector3::x() };
    (axis - tangent * tangent.dot(&axis)).normalize()
}

/// The angle that turns `u` into `v` about the unit vector `about`, in (-pi, pi].
pub fn signed_angle(u: &Vector3<f64>, v: &Vector3<f64>, about: &Vector3<f64>) -> f64 {
    atan2(u.cross(v).dot(about), u.dot(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-1.0..1.0f64)
            .prop_map(Vector3::from)
            .prop_filter_map("too short", |v| v.try_normalize(0.1))
    }

    proptest! {
        #[test]
        fn transport_keeps_lengths_and_the_axis_and_takes_the_tangent_along(from in unit(), to in unit(), v in unit()) {
            prop_assume!(1.0 + from.dot(&to) > 1e-3);
            let v = orthonormalized(&v, &from);
            let carried = parallel_transport(&v, &from, &to);
            prop_assert!((carried.norm() - 1.0).abs() < 1e-12);
            prop_assert!(carried.dot(&to).abs() < 1e-12);
            prop_assert!((parallel_transport(&from, &from, &to) - to).norm() < 1e-12);
            let axis = from.cross(&to);
            prop_assert!((carried.dot(&axis) - v.dot(&axis)).abs() < 1e-12, "no twist: the axis keeps its part");
            prop_assert!((director_transport(&v, &from, &to) - carried).norm() < 1e-12, "both forms agree");
        }
    }

    #[test]
    fn opposite_tangents_stay_finite() {
        let x = Vector3::x();
        assert_eq!(parallel_transport(&Vector3::z(), &x, &-x), Vector3::z());
        assert_eq!(director_transport(&Vector3::z(), &x, &-x), Vector3::z());
    }

    #[test]
    fn vectors_along_the_tangent_give_some_unit_vector_across_it() {
        for tangent in [Vector3::x(), Vector3::z(), Vector3::new(1.0, 2.0, -3.0).normalize()] {
            let across = orthonormalized(&(tangent * 2.0), &tangent);
            assert!((across.norm() - 1.0).abs() < 1e-14 && across.dot(&tangent).abs() < 1e-14);
        }
    }

    #[test]
    fn angles_are_signed() {
        let angle = signed_angle(&Vector3::x(), &Vector3::y(), &Vector3::z());
        assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((signed_angle(&Vector3::y(), &Vector3::x(), &Vector3::z()) + angle).abs() < 1e-15);
    }
}
