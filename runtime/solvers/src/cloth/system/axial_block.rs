//! The block of an axial spring.

use crate::linear::Sym3;
use nalgebra::Vector3;

/// The block (a − b) d dᵀ + b I with a unit vector d, of something that acts along the line between two particles.
///
/// In single precision, 20 bytes where a symmetric block of doubles takes 48: the product of a large matrix with a vector
/// waits for memory. Rounding d, a and b leaves the block positive semi-definite, which rounding its six entries would
/// not, and the matrix is a linearization that is right to far fewer digits. Products are taken in double precision.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct AxialBlock {
    direction: [f32; 3],
    /// a − b.
    axial: f32,
    /// b.
    transverse: f32,
}

impl AxialBlock {
    /// a d dᵀ + b (I − d dᵀ) for a unit vector d and a ≥ b ≥ 0.
    #[inline]
    pub(crate) fn new(d: &Vector3<f64>, a: f64, b: f64) -> Self {
        let direction = [d.x as f32, d.y as f32, d.z as f32];
        AxialBlock { direction, axial: (a - b) as f32, transverse: b as f32 }
    }

    /// The product with a vector.
    #[inline]
    pub(crate) fn mul(&self, v: &[f64; 3]) -> [f64; 3] {
        let [x, y, z] = self.direction.map(f64::from);
        let (axial, transverse) = (f64::from(self.axial), f64::from(self.transverse));
        let along = axial * (x * v[0] + y * v[1] + z * v[2]);
        [along * x + transverse * v[0], along * y + transverse * v[1], along * z + transverse * v[2]]
    }

    /// As a symmetric block.
    #[inline]
    pub(crate) fn to_sym3(self) -> Sym3 {
        let [x, y, z] = self.direction.map(f64::from);
        let (a, b) = (f64::from(self.axial), f64::from(self.transverse));
        Sym3([a * x * x + b, a * x * y, a * x * z, a * y * y + b, a * y * z, a * z * z + b])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_given_eigenvalues_and_is_never_indefinite() {
        let d = Vector3::new(1.0, 2.0, -2.0) / 3.0;
        let normal = Vector3::new(2.0, -1.0, 0.0);
        let block = AxialBlock::new(&d, 5.0, 2.0);
        assert!((Vector3::from(block.mul(&d.into())) - 5.0 * d).norm() < 1e-6);
        assert!((Vector3::from(block.mul(&normal.into())) - 2.0 * normal).norm() < 1e-6);
        let v = [0.3, -2.0, 1.5];
        let full = block.to_sym3().mul(&v);
        assert!((Vector3::from(block.mul(&v)) - Vector3::from(full)).norm() < 1e-14);
        // A stiff block without transverse part: entries rounded one by one would have a negative eigenvalue here.
        let stiff = AxialBlock::new(&Vector3::new(0.48, 0.6, 0.64), 1e9, 0.0);
        for i in 0..1000 {
            let v = [f64::from(i).sin(), f64::from(i).cos(), (0.3 * f64::from(i)).sin()];
            let y = stiff.mul(&v);
            assert!(y[0] * v[0] + y[1] * v[1] + y[2] * v[2] >= 0.0);
        }
    }
}
