//! Where the copies of a cell are.

use super::curve::Curve;
use nalgebra::{Matrix2, Vector3};
use yarnwise_shared::table::strain::{Strain, Sym2};

/// The lattice of a periodic cell, or none for yarns that stand alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The vectors from the cell to its next copies, m; none for finite fabric.
    pub lattice: Option<[Vector3<f64>; 2]>,
}

impl Place {
    /// No copies.
    pub const ALONE: Place = Place { lattice: None };

    /// A cell of this `period` (m) under `strain`.
    pub fn strained(strain: Strain<f64>, period: [f64; 2]) -> Self {
        let s = strain.first_form().sqrt();
        let column = |x: f64, y: f64| {
            let [a, b] = s.apply([x, y]);
            Vector3::new(a, b, 0.0)
        };
        Place { lattice: Some([column(period[0], 0.0), column(0.0, period[1])]) }
    }

    /// Where the copy `shift` periods away is, m.
    pub fn translation(&self, shift: [i32; 2]) -> Vector3<f64> {
        match self.lattice {
            Some([a, b]) => a * f64::from(shift[0]) + b * f64::from(shift[1]),
            None => Vector3::zeros(),
        }
    }

    /// By how much a yarn advances once around, m.
    pub fn turn(&self, curve: &Curve) -> Vector3<f64> {
        self.translation(curve.shift)
    }
}

/// sqrt(I) of a strain, as a matrix.
pub(crate) fn stretch_of(strain: Strain<f64>) -> Matrix2<f64> {
    matrix(&strain.first_form().sqrt())
}

fn matrix(m: &Sym2<f64>) -> Matrix2<f64> {
    Matrix2::new(m.xx, m.xy, m.xy, m.yy)
}

/// D_k = 1/2 F^-T (dI/ds_k) F^-1 with F = sqrt(I): the rate at which space is deformed by the strain component s_k = sx, sa, sy, up
/// to a rotation.
pub(crate) fn rates(strain: Strain<f64>) -> [Matrix2<f64>; 3] {
    let (a, b, c) = (1.0 + strain.sx, strain.sa, 1.0 + strain.sy);
    let by_sx = Matrix2::new(2.0 * a, b * c, b * c, 0.0);
    let by_sa = Matrix2::new(0.0, a * c, a * c, 0.0);
    let by_sy = Matrix2::new(0.0, a * b, a * b, 2.0 * c);
    let inverse = stretch_of(strain).try_inverse().unwrap_or_else(Matrix2::identity);
    [by_sx, by_sa, by_sy].map(|rate| inverse * rate * inverse * 0.5)
}
