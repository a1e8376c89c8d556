//! Taking hold of cloth with the mouse.

use nalgebra::Vector3;

/// The point nearest to the viewer along a ray, of those at most `radius` meters from it.
pub(crate) fn nearest_on_ray<'a, H>(
    points: impl Iterator<Item = (H, &'a Vector3<f64>)>,
    origin: &Vector3<f64>,
    direction: &Vector3<f64>,
    radius: f64,
) -> Option<H> {
    let direction = direction.try_normalize(1e-12)?;
    let along = |p: &Vector3<f64>| direction.dot(&(p - origin));
    let near = |p: &Vector3<f64>| {
        let t = along(p);
        t > 0.0 && (p - origin - direction * t).norm() <= radius
    };
    let hits = points.filter(|(_, p)| near(p));
    hits.min_by(|(_, a), (_, b)| along(a).total_cmp(&along(b))).map(|(handle, _)| handle)
}

/// Where a dragged point is next, if it moves by at most `limit` meters: a jump of the mouse must not stretch cloth beyond sense.
pub(crate) fn follow(here: Vector3<f64>, target: &Vector3<f64>, limit: f64) -> Vector3<f64> {
    let way = target - here;
    here + if way.norm() > limit { way * (limit / way.norm()) } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_along_the_ray_is_taken() {
        let points = [
            Vector3::new(0.01, 0.0, 5.0),
            Vector3::new(0.0, 0.02, 3.0),
            Vector3::new(0.5, 0.0, 1.0),
            Vector3::z() * -1.0,
        ];
        let at = |radius| nearest_on_ray(points.iter().enumerate(), &Vector3::zeros(), &(Vector3::z() * 9.0), radius);
        assert_eq!((at(0.015), at(0.05), at(0.005)), (Some(0), Some(1), None));
        assert_eq!(nearest_on_ray(points.iter().enumerate(), &Vector3::zeros(), &Vector3::zeros(), 1.0), None);
    }

    #[test]
    fn a_jump_of_the_mouse_is_followed_slowly() {
        let near = follow(Vector3::x(), &(Vector3::x() * 1.5), 1.0);
        let far = follow(Vector3::x(), &(Vector3::x() * 9.0), 1.0);
        assert_eq!((near, far), (Vector3::x() * 1.5, Vector3::x() * 2.0));
    }
}
