//! The large-scale deformation of a periodic cell [Sperl21, Eq. 1-2].
//!
//!   x(X) = xbar(X) + u(X),   xbar(X) = (S X12, X3)   with S = sqrt(I)
//!
//! The fluctuation u repeats with the period, so the copy of a vertex that lies whole periods away is the vertex moved
//! by a rigid motion: here the translation S (kx px, ky py).

use nalgebra::{Matrix3, Vector3};
use yarnwise_shared::strain::{Strain, Sym2};

/// The rigid motion x -> R x + t that carries the cell to one of its copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Image {
    /// R; none for the identity.
    pub rotation: Option<Matrix3<f64>>,
    /// t, m.
    pub translation: Vector3<f64>,
}

impl Image {
    /// The cell itself.
    pub const IDENTITY: Image = Image { rotation: None, translation: Vector3::new(0.0, 0.0, 0.0) };

    /// Where the copy of point `x` lies.
    pub fn point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.vector(x) + self.translation
    }

    /// The copy of a direction.
    pub fn vector(&self, v: &Vector3<f64>) -> Vector3<f64> {
        match &self.rotation {
            Some(r) => r * v,
            None => *v,
        }
    }

    /// Takes a direction (or a force) at the copy back to the cell.
    pub fn inverse_vector(&self, v: &Vector3<f64>) -> Vector3<f64> {
        match &self.rotation {
            Some(r) => r.transpose() * v,
            None => *v,
        }
    }
}

/// A large-scale deformation and its lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct LargeScale {
    stretch: Sym2<f64>,
    period: [f64; 2],
}

impl LargeScale {
    /// In-plane deformation by `strain` of a cell with this `period`.
    pub fn planar(strain: Strain<f64>, period: [f64; 2]) -> Self {
        LargeScale { stretch: strain.first_form().sqrt(), period }
    }

    /// xbar(X).
    pub fn map(&self, material: &Vector3<f64>) -> Vector3<f64> {
        let [x, y] = self.stretch.apply([material.x, material.y]);
        Vector3::new(x, y, material.z)
    }

    /// The X with x = xbar(X): the pullback [Sperl21, Eq. 18], in closed form.
    pub fn pull_back(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let [a, b] = self.stretch.inverse().apply([x.x, x.y]);
        Vector3::new(a, b, x.z)
    }

    /// The gradient of the material coordinate X_axis at the point of the midsurface: S^-T N.
    pub fn material_normal(&self, axis: usize) -> Vector3<f64> {
        let inverse = self.stretch.inverse();
        if axis == 0 { Vector3::new(inverse.xx, inverse.xy, 0.0) } else { Vector3::new(inverse.xy, inverse.yy, 0.0) }
    }

    /// The motion that carries the cell `shift` periods on.
    pub fn image(&self, shift: [i32; 2]) -> Image {
        let material = Vector3::new(f64::from(shift[0]) * self.period[0], f64::from(shift[1]) * self.period[1], 0.0);
        Image { rotation: None, translation: self.map(&material) }
    }
}
