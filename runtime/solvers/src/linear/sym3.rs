//! Symmetric 3×3 blocks.

use nalgebra::Matrix3;

/// A symmetric 3×3 matrix, stored as xx, xy, xz, yy, yz, zz.
///
/// Every Jacobian here is symmetric, so 48 bytes a block are enough where a full block takes 72.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Sym3(pub [f64; 6]);

impl Sym3 {
    /// c I.
    pub fn scaled_identity(c: f64) -> Self {
        Sym3([c, 0.0, 0.0, c, 0.0, c])
    }

    /// The symmetric part of `m`.
    pub fn from_matrix(m: &Matrix3<f64>) -> Self {
        let mean = |i: usize, j: usize| 0.5 * (m[(i, j)] + m[(j, i)]);
        Sym3([m[(0, 0)], mean(0, 1), mean(0, 2), m[(1, 1)], mean(1, 2), m[(2, 2)]])
    }

    /// As a full matrix.
    pub fn to_matrix(self) -> Matrix3<f64> {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// The product with a vector.
    #[inline]
    pub fn mul(&self, v: &[f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]]
    }

    /// The inverse, where the matrix is positive definite.
    pub fn inverse(&self) -> Option<Self> {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        let c = [yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy];
        let det = xx * c[0] + xy * c[1] + xz * c[2];
        (det > 0.0 && det.is_finite()).then(|| {
            let s = 1.0 / det;
            Sym3([
                s * c[0],
                s * c[1],
                s * c[2],
                s * (xx * zz - xz * xz),
                s * (xy * xz - xx * yz),
                s * (xx * yy - xy * xy),
            ])
        })
    }
}

impl std::ops::AddAssign for Sym3 {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn product_and_inverse_agree_with_full_matrices() {
        let block = Sym3([4.0, 0.5, -1.0, 3.0, 0.25, 2.0]);
        let v = [0.3, -2.0, 1.5];
        assert!((Vector3::from(block.mul(&v)) - block.to_matrix() * Vector3::from(v)).norm() < 1e-14);
        let identity = block.inverse().unwrap().to_matrix() * block.to_matrix();
        assert!((identity - Matrix3::identity()).norm() < 1e-14);
        assert_eq!(Sym3([0.0; 6]).inverse(), None);
    }
}
