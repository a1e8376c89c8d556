//! The large-scale deformation of a periodic cell [Sperl21, Eq. 1-2].
//!
//!   x(X) = xbar(X) + u(X),   xbar(X) = phi(X1, X2) + X3 n(X1, X2)
//!
//! In the plane phi = S X12 with S = sqrt(I) and n = e3; bent, phi is a cylinder ([`SingleCurvature`]). The fluctuation u
//! repeats with the period, so the copy of a vertex that lies whole periods away is the vertex moved by a rigid motion:
//! in the plane the translation S (kx px, ky py), on a cylinder one of its own motions, with u(X + d) = R(d) u(X).

use crate::midsurface::{Midsurface, SingleCurvature};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::{FRAC_PI_2, PI};
use yarnwise_shared::table::strain::{Strain, Sym2};

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
    /// The midsurface, where it is not a plane.
    cylinder: Option<SingleCurvature>,
}

impl LargeScale {
    /// In-plane deformation by `strain` of a cell with this `period`.
    pub fn planar(strain: Strain<f64>, period: [f64; 2]) -> Self {
        LargeScale { stretch: strain.first_form().sqrt(), period, cylinder: None }
    }

    /// Deformation by `strain` and bending along the material `direction` v: II = `lambda` v v^T (1/m).
    ///
    /// Without curvature it is the in-plane deformation, to the last bit.
    pub fn bent(strain: Strain<f64>, direction: [f64; 2], lambda: f64, period: [f64; 2]) -> Self {
        let planar = Self::planar(strain, period);
        let cylinder = (lambda != 0.0).then(|| SingleCurvature::new(strain.first_form(), direction, lambda));
        LargeScale { cylinder, ..planar }
    }

    /// S, where the midsurface is a plane.
    pub fn flat_stretch(&self) -> Option<Sym2<f64>> {
        self.cylinder.is_none().then_some(self.stretch)
    }

    /// Curvature of the midsurface, 1/m.
    pub fn curvature(&self) -> f64 {
        self.cylinder.map_or(0.0, |c| c.curvature())
    }

    /// xbar(X).
    pub fn map(&self, material: &Vector3<f64>) -> Vector3<f64> {
        if let Some(cylinder) = &self.cylinder {
            return cylinder.map(material);
        }
        let [x, y] = self.stretch.apply([material.x, material.y]);
        Vector3::new(x, y, material.z)
    }

    /// The X with x = xbar(X), the pullback: in the plane in closed form [Sperl21, Eq. 18], else by Newton's method
    /// [Sperl21, App. B] from `near`.
    pub fn pull_back(&self, x: &Vector3<f64>, near: &Vector3<f64>) -> Vector3<f64> {
        if let Some(cylinder) = &self.cylinder {
            return cylinder.pull_back(x, near).material;
        }
        let [a, b] = self.stretch.inverse().apply([x.x, x.y]);
        Vector3::new(a, b, x.z)
    }

    /// R at a material point: the frame in which fluctuations are periodic; none for the identity.
    pub fn rotation(&self, material: &Vector3<f64>) -> Option<Matrix3<f64>> {
        self.cylinder.map(|c| c.tilt().rotation([material.x, material.y]))
    }

    /// The gradient of the material coordinate X_axis at a material point: in the plane S^-T N.
    pub fn material_normal(&self, axis: usize, material: &Vector3<f64>) -> Vector3<f64> {
        // A cylinder's gradient has an inverse wherever the map has one; else the plane's direction will do.
        if let Some(inverse) = self.cylinder.and_then(|c| c.gradient(material).try_inverse()) {
            return inverse.row(axis).transpose();
        }
        self.flat_normal(axis)
    }

    fn flat_normal(&self, axis: usize) -> Vector3<f64> {
        let inverse = self.stretch.inverse();
        if axis == 0 { Vector3::new(inverse.xx, inverse.xy, 0.0) } else { Vector3::new(inverse.xy, inverse.yy, 0.0) }
    }

    /// The motion that carries the cell `shift` periods on.
    pub fn image(&self, shift: [i32; 2]) -> Image {
        let offset = self.offset(shift);
        let translation = self.map(&offset);
        Image { rotation: self.rotation(&offset), translation }
    }

    fn offset(&self, shift: [i32; 2]) -> Vector3<f64> {
        Vector3::new(f64::from(shift[0]) * self.period[0], f64::from(shift[1]) * self.period[1], 0.0)
    }

    /// How many periods along each axis lie within `extent` (m) of a cell that rises to `height` (m) above its midsurface.
    pub fn periods_within(&self, extent: f64, height: f64) -> [f64; 2] {
        let flat = [0, 1].map(|k| self.flat_normal(k).norm() * extent / self.period[k]);
        // On a cylinder a chord is at least 2/pi of its arc up to half a turn, and arcs are shorter inside.
        let inside = (1.0 - self.curvature().abs() * height).max(0.1);
        if self.cylinder.is_some() { flat.map(|f| f * FRAC_PI_2 / inside) } else { flat }
    }

    /// Whether the copy at `shift` belongs to the fabric around the cell. Past half a turn of the cylinder it does not:
    /// the fabric that a period stands for is bent like the cylinder, but not rolled up.
    pub fn is_around(&self, shift: [i32; 2]) -> bool {
        let offset = self.offset(shift);
        self.cylinder.is_none_or(|c| c.angle([offset.x, offset.y]).abs() < PI)
    }
}
