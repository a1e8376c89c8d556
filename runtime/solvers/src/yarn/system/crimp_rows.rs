//! Crossings with crimp in the system: stresses and stiffnesses by the (l, ℓ) of the segments around each of them.
//!
//! What a crossing has of a single segment goes to the segment's row, with which preconditioners are made; what couples its segments,
//! because they share the heights, is a product of its own (`crimp_products`).

use crate::linear::Scalar;
use crate::yarn::crimp::{Crossing, Curvature, Side};
use nalgebra::{SMatrix, SVector};
use rayon::prelude::*;

/// Stresses and stiffnesses of a crossing by (l, ℓ) of its ports.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrimpRow {
    /// Derivatives of the energy.
    pub(super) gradient: SVector<f64, 8>,
    /// A positive part of the second derivatives.
    pub(super) hessian: SMatrix<f64, 8, 8>,
}

impl CrimpRow {
    /// Of a crossing, where a yarn rises. Heights that were not found make it non-finite, so that the step is rejected.
    pub(super) fn new(law: &crate::yarn::crimp::CrimpLaw, yarns: [[Option<Side>; 2]; 2]) -> Option<Self> {
        let found = Crossing { law, yarns }.solve()?;
        if !found.converged {
            return Some(CrimpRow { gradient: SVector::repeat(f64::NAN), hessian: SMatrix::zeros() });
        }
        Some(CrimpRow { gradient: found.gradient(), hessian: found.hessian(Curvature::Positive) })
    }

    /// Second derivatives by l and ℓ of one port: by l twice, by both, by ℓ twice.
    pub(super) fn own(&self, port: usize) -> [f64; 3] {
        let at = 2 * port;
        [self.hessian[(at, at)], self.hessian[(at, at + 1)], self.hessian[(at + 1, at + 1)]]
    }
}

/// Second derivatives between different segments of a crossing.
type Coupling<T> = [[T; 8]; 8];

/// What couples the segments of each crossing, by node; empty where yarns lie flat.
#[derive(Clone, Debug, Default)]
pub(super) struct CrimpCouplings<T> {
    couplings: Vec<Coupling<T>>,
}

impl<T: Scalar> CrimpCouplings<T> {
    /// Times a weight, from the rows of all nodes.
    pub(super) fn update(&mut self, rows: &[Option<CrimpRow>], weight: f64) {
        self.couplings.resize(rows.len(), [[T::ZERO; 8]; 8]);
        self.couplings.par_iter_mut().zip(rows).with_min_len(512).for_each(|(out, row)| {
            *out = [[T::ZERO; 8]; 8];
            let Some(row) = row else { return };
            for (a, line) in out.iter_mut().enumerate() {
                for (b, entry) in line.iter_mut().enumerate().filter(|(b, _)| b / 2 != a / 2) {
                    *entry = T::from_f64(weight * row.hessian[(a, b)]);
                }
            }
        });
    }

    pub(super) fn clear(&mut self) {
        self.couplings.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.couplings.is_empty()
    }

    /// The coupling of a crossing.
    pub(super) fn of(&self, node: usize) -> Option<&Coupling<T>> {
        self.couplings.get(node)
    }
}
