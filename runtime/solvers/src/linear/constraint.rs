//! Prescribed motion of a point in space.

use super::Sym3;
use nalgebra::{Matrix3, Vector3};

/// In how many directions the motion of a point is prescribed [Boxerman03, Eq. 5.1].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Constraint {
    /// No direction: ndof = 3.
    #[default]
    Free,
    /// The unit direction ξ: ndof = 2.
    Plane(Vector3<f64>),
    /// All directions but the unit direction t: ndof = 1. (The thesis names the two directions that are taken away.)
    Line(Vector3<f64>),
    /// All directions: ndof = 0.
    Fixed,
}

impl Constraint {
    /// Number of directions in which the point is free, `ndof` of the thesis.
    pub fn degrees_of_freedom(&self) -> usize {
        match self {
            Constraint::Free => 3,
            Constraint::Plane(_) => 2,
            Constraint::Line(_) => 1,
            Constraint::Fixed => 0,
        }
    }

    /// The constraint with unit direction `xi` prescribed as well.
    pub fn and(&self, xi: &Vector3<f64>) -> Self {
        match self {
            Constraint::Free => Constraint::Plane(*xi),
            Constraint::Plane(first) => match first.cross(xi).try_normalize(1e-3) {
                Some(t) => Constraint::Line(t),
                None => *self,
            },
            Constraint::Line(t) if t.dot(xi).abs() < 1e-3 => *self,
            Constraint::Line(_) | Constraint::Fixed => Constraint::Fixed,
        }
    }

    /// S_i v.
    #[inline]
    pub fn apply(&self, v: &[f64; 3]) -> [f64; 3] {
        let along = |d: &Vector3<f64>| d.x * v[0] + d.y * v[1] + d.z * v[2];
        match self {
            Constraint::Free => *v,
            Constraint::Plane(xi) => {
                let c = along(xi);
                [v[0] - c * xi.x, v[1] - c * xi.y, v[2] - c * xi.z]
            }
            Constraint::Line(t) => {
                let c = along(t);
                [c * t.x, c * t.y, c * t.z]
            }
            Constraint::Fixed => [0.0; 3],
        }
    }

    /// S_i C S_i + (I − S_i) for a symmetric block C.
    ///
    /// On the range of S this has the inverse of S C + (I − S) [Boxerman03, Eq. 5.4], and it is symmetric.
    pub fn constrain(&self, c: &Sym3) -> Sym3 {
        match self {
            Constraint::Free => *c,
            Constraint::Fixed => Sym3::scaled_identity(1.0),
            Constraint::Plane(_) | Constraint::Line(_) => {
                let column = |e: Vector3<f64>| Vector3::from(self.apply(&e.into()));
                let s = Matrix3::from_columns(&[column(Vector3::x()), column(Vector3::y()), column(Vector3::z())]);
                Sym3::from_matrix(&(s * c.to_matrix() * s + Matrix3::identity() - s))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilted() -> Vector3<f64> {
        Vector3::new(1.0, -2.0, 2.0) / 3.0
    }

    #[test]
    fn each_kind_is_an_orthogonal_projection_of_its_rank() {
        let constraints =
            [Constraint::Free, Constraint::Plane(tilted()), Constraint::Line(tilted()), Constraint::Fixed];
        for c in constraints {
            let column = |e: Vector3<f64>| Vector3::from(c.apply(&e.into()));
            let s = Matrix3::from_columns(&[column(Vector3::x()), column(Vector3::y()), column(Vector3::z())]);
            assert!((s * s - s).norm() < 1e-14, "{c:?} is not a projection");
            assert!((s - s.transpose()).norm() < 1e-14, "{c:?} is not orthogonal");
            assert!((s.trace() - c.degrees_of_freedom() as f64).abs() < 1e-14);
        }
    }

    #[test]
    fn normals_add_up() {
        let x = Constraint::Free.and(&Vector3::x());
        assert_eq!(x.degrees_of_freedom(), 2);
        assert_eq!(x.and(&Vector3::x()).degrees_of_freedom(), 2);
        let line = x.and(&Vector3::y());
        assert_eq!(line.apply(&[1.0, 2.0, 3.0]), [0.0, 0.0, 3.0]);
        assert_eq!(line.and(&Vector3::x()).degrees_of_freedom(), 1);
        assert_eq!(line.and(&tilted()), Constraint::Fixed);
    }

    #[test]
    fn the_symmetric_block_inverts_like_the_constrained_preconditioner() {
        let c = Sym3([4.0, 0.5, -1.0, 3.0, 0.25, 2.0]);
        let constraint = Constraint::Plane(tilted());
        let column = |e: Vector3<f64>| Vector3::from(constraint.apply(&e.into()));
        let s = Matrix3::from_columns(&[column(Vector3::x()), column(Vector3::y()), column(Vector3::z())]);
        let p = s * c.to_matrix() + Matrix3::identity() - s;
        let r = s * Vector3::new(0.3, 1.0, -0.7);
        let expected = p.try_inverse().unwrap() * r;
        let ours = constraint.constrain(&c).inverse().unwrap().mul(&r.into());
        assert!((Vector3::from(ours) - expected).norm() < 1e-13);
    }
}
