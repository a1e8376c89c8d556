//! Products of what couples the segments of a crossing with crimp.

use super::rows::Rows;
use crate::linear::Scalar;
use crate::yarn::model::{Slot, Weave};
use nalgebra::SMatrix;
use rayon::prelude::*;

impl<T: Scalar> Rows<T> {
    /// What each crossing's coupling gives to its segments, (l, ℓ) by port, from changes x of the nodes.
    pub(super) fn crimp_stresses(&self, weave: &Weave, x: &(impl Fn(usize) -> [T; 5] + Sync)) -> Vec<[T; 8]> {
        let mut out = vec![[T::ZERO; 8]; if self.crimps.is_empty() { 0 } else { weave.node_count() }];
        out.par_iter_mut().enumerate().with_min_len(512).for_each(|(i, out)| {
            let Some(coupling) = self.crimps.of(i).filter(|_| weave.kinds[i].is_crossing()) else { return };
            let here = x(i);
            let mut change = [T::ZERO; 8];
            for port in 0..4 {
                let Some((n, back)) = weave.links[i][port].get() else { continue };
                let there = x(n);
                let direction = self.along(weave, i, port);
                let sign: T = sign_of(port);
                for k in 0..3 {
                    change[2 * port] += sign * direction[k] * (there[k] - here[k]);
                }
                change[2 * port + 1] = sign * (there[3 + back.slot().index()] - here[3 + port / 2]);
            }
            for (out, line) in out.iter_mut().zip(coupling) {
                for (c, change) in line.iter().zip(&change) {
                    *out += *c * *change;
                }
            }
        });
        out
    }

    /// What a node gets of the stresses of the segments around it.
    pub(super) fn crimp_share(&self, weave: &Weave, stresses: &[[T; 8]], i: usize) -> [T; 5] {
        let mut y = [T::ZERO; 5];
        if stresses.is_empty() {
            return y;
        }
        for port in 0..4 {
            let Some((n, back)) = weave.links[i][port].get() else { continue };
            let q = back.index();
            let [along, rest] = [0, 1].map(|k| stresses[i][2 * port + k] + stresses[n][2 * q + k]);
            let direction = self.along(weave, i, port);
            let sign: T = sign_of(port);
            (0..3).for_each(|k| y[k] -= sign * direction[k] * along);
            y[3 + port / 2] -= sign * rest;
        }
        y
    }

    /// t of the segment behind a port, toward larger arc coordinates.
    fn along(&self, weave: &Weave, i: usize, port: usize) -> [T; 3] {
        let owner = if port % 2 == 1 {
            Some((i, port / 2))
        } else {
            weave.links[i][port].get().map(|(n, b)| (n, b.slot().index()))
        };
        owner.map_or([T::ZERO; 3], |(node, slot)| std::array::from_fn(|k| self.directions[4 * slot + k][node]))
    }

    /// What couplings of a crossing with crimp add to its block with itself.
    pub(super) fn crimp_block(&self, weave: &Weave, i: usize) -> SMatrix<f64, 5, 5> {
        let Some(coupling) = self.crimps.of(i).filter(|_| weave.kinds[i].is_crossing()) else {
            return SMatrix::zeros();
        };
        let mut rows = SMatrix::<f64, 8, 5>::zeros();
        for port in 0..4 {
            let sign = if port % 2 == 1 { -1.0 } else { 1.0 };
            let direction = self.along(weave, i, port);
            (0..3).for_each(|k| rows[(2 * port, k)] = sign * direction[k].to_f64());
            rows[(2 * port + 1, 3 + Slot::BOTH[port / 2].index())] = sign;
        }
        let coupling = SMatrix::<f64, 8, 8>::from_fn(|a, b| coupling[a][b].to_f64());
        rows.transpose() * coupling * rows
    }
}

/// Whether a change of the node behind a port lengthens the segment, or shortens it.
fn sign_of<T: Scalar>(port: usize) -> T {
    T::from_f64(if port % 2 == 1 { 1.0 } else { -1.0 })
}
