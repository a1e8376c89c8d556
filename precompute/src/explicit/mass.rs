//! Mass of B-spline yarns: that of an interval goes to the control points by their basis functions [MartinGarrido18, Section 3].

use crate::newton::{Blocks, PointMatrix};
use crate::spline::Yarns;
use nalgebra::{Matrix3, Vector3};

/// Where the mass of a yarn is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// At the control points: m_a = sum rho L b_a.
    #[default]
    Lumped,
    /// Along the yarn: m_ab = sum rho L b_a b_b.
    Consistent,
}

/// 1/2 |q - target|^2_M / h^2 of one step.
pub(super) struct Inertia {
    pub(super) kind: MassKind,
    /// rho, kg/m.
    pub(super) density: f64,
    /// The length of the step, s.
    pub(super) h: f64,
    /// Where the control points would be without forces, m.
    pub(super) target: Vec<Vector3<f64>>,
}

/// m_a of all control points, kg, for a density in kg/m.
pub(super) fn lumped(yarns: &Yarns, density: f64) -> Vec<f64> {
    let mut mass = vec![0.0; yarns.point_count()];
    for p in &yarns.contact {
        for a in 0..4 {
            mass[p.station.point[a] as usize] += density * p.length * p.station.basis.value[a];
        }
    }
    mass
}

impl Inertia {
    fn offsets(&self, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        q.iter().zip(&self.target).map(|(a, b)| a - b).collect()
    }

    pub(super) fn value(&self, yarns: &Yarns, q: &[Vector3<f64>]) -> f64 {
        let offsets = self.offsets(q);
        let scale = 0.5 / (self.h * self.h);
        match self.kind {
            MassKind::Lumped => {
                let mass = lumped(yarns, self.density);
                mass.iter().zip(&offsets).map(|(m, d)| scale * m * d.norm_squared()).sum()
            }
            MassKind::Consistent => {
                let none = Vector3::zeros();
                let at = |p: &crate::spline::ContactPoint| p.station.value(&none, &offsets).norm_squared() * p.length;
                yarns.contact.iter().map(|p| scale * self.density * at(p)).sum()
            }
        }
    }

    pub(super) fn derivatives(
        &self,
        yarns: &Yarns,
        q: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        matrix: &mut PointMatrix,
    ) {
        let offsets = self.offsets(q);
        let scale = 1.0 / (self.h * self.h);
        match self.kind {
            MassKind::Lumped => {
                for (i, m) in lumped(yarns, self.density).into_iter().enumerate() {
                    gradient[i] += offsets[i] * (m * scale);
                    matrix.add_diagonal(i, &Matrix3::from_diagonal_element(m * scale));
                }
            }
            MassKind::Consistent => {
                let none = Vector3::zeros();
                for p in &yarns.contact {
                    let factor = scale * self.density * p.length;
                    p.station.add_value(&(p.station.value(&none, &offsets) * factor), gradient);
                    p.station.add_stiffness(&Matrix3::from_diagonal_element(factor), matrix);
                }
            }
        }
    }
}
