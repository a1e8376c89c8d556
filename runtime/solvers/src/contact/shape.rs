//! Shapes with a signed distance.

use super::DistanceGrid;
use nalgebra::Vector3;
use std::sync::Arc;

/// A solid in its own coordinates, meters.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// Meters.
        radius: f64,
    },
    /// A box about the origin with rounded edges.
    Box {
        /// Half of the outer size in x, y, z, meters.
        half: Vector3<f64>,
        /// Radius of the edges, meters; at most the smallest half size.
        rounding: f64,
    },
    /// The half space below the plane y = 0.
    Plane,
    /// All points closer than `radius` to the segment from −half_length to +half_length on the y axis.
    Capsule {
        /// Meters.
        half_length: f64,
        /// Meters.
        radius: f64,
    },
    /// A closed surface, sampled.
    Mesh(Arc<DistanceGrid>),
}

impl Shape {
    /// Signed distance of a point, meters, negative inside, and the unit direction in which it grows.
    pub fn distance(&self, p: &Vector3<f64>) -> (f64, Vector3<f64>) {
        match self {
            Shape::Sphere { radius } => from_center(p, *radius),
            Shape::Box { half, rounding } => rounded_box(p, half, *rounding),
            Shape::Plane => (p.y, Vector3::y()),
            Shape::Capsule { half_length, radius } => {
                let nearest = Vector3::new(0.0, p.y.clamp(-half_length, *half_length), 0.0);
                from_center(&(p - nearest), *radius)
            }
            Shape::Mesh(grid) => grid.distance(p),
        }
    }
}

fn from_center(p: &Vector3<f64>, radius: f64) -> (f64, Vector3<f64>) {
    let length = p.norm();
    let normal = if length > 1e-12 { p / length } else { Vector3::y() };
    (length - radius, normal)
}

fn rounded_box(p: &Vector3<f64>, half: &Vector3<f64>, rounding: f64) -> (f64, Vector3<f64>) {
    let core = half.map(|h| h - rounding);
    let q = p.abs() - core;
    let outside = q.map(|c| c.max(0.0));
    let sign = p.map(|c| if c < 0.0 { -1.0 } else { 1.0 });
    let length = outside.norm();
    if length > 1e-12 {
        return (length - rounding, outside.component_mul(&sign) / length);
    }
    let axis = q.imax();
    let mut normal = Vector3::zeros();
    normal[axis] = sign[axis];
    (q[axis] - rounding, normal)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Distances have the given normal as gradient, of unit length.
    pub(in super::super) fn check_gradient(shape: &Shape, p: &Vector3<f64>, d: f64, tolerance: f64) {
        let (_, normal) = shape.distance(p);
        for k in 0..3 {
            let mut step = Vector3::zeros();
            step[k] = d;
            let slope = (shape.distance(&(p + step)).0 - shape.distance(&(p - step)).0) / (2.0 * d);
            assert!((slope - normal[k]).abs() < tolerance, "{shape:?} at {p:?}: {slope} and {}", normal[k]);
        }
        assert!((normal.norm() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn normals_are_gradients_of_distance() {
        let shapes = [
            Shape::Sphere { radius: 0.4 },
            Shape::Box { half: Vector3::new(0.5, 0.3, 0.7), rounding: 0.1 },
            Shape::Plane,
            Shape::Capsule { half_length: 0.3, radius: 0.2 },
        ];
        let points = [[0.61, 0.42, 0.9], [0.1, 0.05, -0.2], [-0.7, 0.1, 0.2], [0.2, -0.6, 0.3], [0.1, 0.35, 0.3]];
        for shape in &shapes {
            for p in points {
                check_gradient(shape, &Vector3::from(p), 1e-6, 1e-6);
            }
        }
    }

    #[test]
    fn known_distances() {
        let table = Shape::Box { half: Vector3::new(0.5, 0.3, 0.7), rounding: 0.1 };
        assert!((table.distance(&Vector3::new(0.0, 0.5, 0.0)).0 - 0.2).abs() < 1e-12);
        assert!((table.distance(&Vector3::new(0.0, 0.25, 0.0)).0 + 0.05).abs() < 1e-12);
        // On the rounded edge: the corner of the core is at (0.4, 0.2).
        let edge = Vector3::new(0.4 + 0.06, 0.2 + 0.08, 0.0);
        assert!(table.distance(&edge).0.abs() < 1e-12);
        let capsule = Shape::Capsule { half_length: 0.3, radius: 0.2 };
        assert!((capsule.distance(&Vector3::new(0.0, 0.6, 0.0)).0 - 0.1).abs() < 1e-12);
    }
}
