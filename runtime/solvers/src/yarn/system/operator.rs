//! The product with the matrix of a step.

use super::CHUNK;
use super::rows::Rows;
use crate::linear::{Operator, Scalar};
use crate::yarn::model::Weave;
use rayon::prelude::*;
use std::sync::Mutex;

/// D (row·x) of the elements with one row or two that belong to a node: bends along ĝ and h, corners.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Products<S> {
    pub(super) bends: [[S; 2]; 2],
    pub(super) corners: [S; 4],
}

/// A of one Newton iteration.
pub struct RowOperator<'a, T> {
    pub(super) weave: &'a Weave,
    pub(super) rows: &'a Rows<T>,
    /// Used again by every product.
    products: Mutex<Vec<Products<T>>>,
}

impl<'a, T: Scalar> RowOperator<'a, T> {
    /// With the rows of the iteration.
    pub fn new(weave: &'a Weave, rows: &'a Rows<T>) -> Self {
        RowOperator { weave, rows, products: Mutex::default() }
    }

    /// y = A x with vectors of another precision than the rows.
    pub fn product<S: Scalar>(&self, x: &[[S; 5]], y: &mut [[S; 5]]) {
        let mut products = Vec::new();
        self.product_with(x, y, &mut products);
    }

    fn product_with<S: Scalar>(&self, x: &[[S; 5]], y: &mut [[S; 5]], products: &mut Vec<Products<S>>) {
        products.resize(x.len(), Products::default());
        products.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, products)| {
            for (k, product) in products.iter_mut().enumerate() {
                *product = self.elements(chunk * CHUNK + k, x);
            }
        });
        let contacts = &self.rows.contacts;
        let pushes = contacts.products(x);
        y.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, y)| {
            for (k, y) in y.iter_mut().enumerate() {
                *y = self.gather(chunk * CHUNK + k, x, products);
                for (row, entry) in contacts.of(chunk * CHUNK + k) {
                    (0..3).for_each(|c| y[c] += S::from_f64(entry[c]) * pushes[row]);
                }
            }
        });
    }

    /// First pass: the products of the elements that belong to node i.
    #[inline]
    fn elements<S: Scalar>(&self, i: usize, x: &[[S; 5]]) -> Products<S> {
        let links = &self.weave.links[i];
        let mut out = Products::default();
        // Differences of positions from this node, by port.
        let mut d = [[S::ZERO; 3]; 4];
        let mut s = [S::ZERO; 4];
        for port in 0..4 {
            if let Some((n, back)) = links[port].get() {
                d[port] = std::array::from_fn(|k| x[n][k] - x[i][k]);
                s[port] = x[n][3 + back.slot().index()];
            }
        }
        for c in 0..2 {
            let b = &self.rows.bends[i][c];
            let (minus, plus) = (2 * c, 2 * c + 1);
            let g = dot(&b.g1, &d[plus]) + dot(&b.g2, &d[minus]) + of::<T, S>(b.rate) * (s[minus] - s[plus]);
            let h = dot(&b.h1, &d[plus]) + dot(&b.h2, &d[minus]);
            out.bends[c] = [of::<T, S>(b.in_plane) * g, of::<T, S>(b.out_of_plane) * h];
        }
        for k in 0..4 {
            let corner = &self.rows.corners[i][k];
            out.corners[k] = of::<T, S>(corner.weight) * (dot(&corner.g1, &d[k / 2]) + dot(&corner.g3, &d[2 + k % 2]));
        }
        out
    }

    /// Second pass: what node i takes part in.
    #[inline]
    fn gather<S: Scalar>(&self, i: usize, x: &[[S; 5]], products: &[Products<S>]) -> [S; 5] {
        let links = &self.weave.links[i];
        let mut y = [S::ZERO; 5];
        let own = &products[i];
        if let Some(drag) = self.rows.drag.get(i) {
            for k in 0..3 {
                y[k] += of::<T, S>(*drag) * x[i][k];
            }
        }
        for c in 0..2 {
            let at = 3 + c;
            y[at] += of::<T, S>(self.rows.sliding[i][c]) * x[i][at];
            let b = &self.rows.bends[i][c];
            let [g, h] = own.bends[c];
            for k in 0..3 {
                y[k] -= (of::<T, S>(b.g1[k]) + of(b.g2[k])) * g + (of::<T, S>(b.h1[k]) + of(b.h2[k])) * h;
            }
            if let Some((n, back)) = links[2 * c + 1].get() {
                let slot = back.slot().index();
                self.segment_end(i, c, false, &x[i], c, &x[n], slot, &mut y);
                // This node is the 2 of its neighbor's bend.
                let b = &self.rows.bends[n][slot];
                let [g, h] = products[n].bends[slot];
                for k in 0..3 {
                    y[k] += of::<T, S>(b.g2[k]) * g + of::<T, S>(b.h2[k]) * h;
                }
                y[at] += of::<T, S>(b.rate) * g;
            }
            if let Some((n, back)) = links[2 * c].get() {
                let slot = back.slot().index();
                self.segment_end(n, slot, true, &x[n], slot, &x[i], c, &mut y);
                // The 1.
                let b = &self.rows.bends[n][slot];
                let [g, h] = products[n].bends[slot];
                for k in 0..3 {
                    y[k] += of::<T, S>(b.g1[k]) * g + of::<T, S>(b.h1[k]) * h;
                }
                y[at] -= of::<T, S>(b.rate) * g;
            }
        }
        for (k, corner) in self.rows.corners[i].iter().enumerate() {
            let p = own.corners[k];
            for c in 0..3 {
                y[c] -= (of::<T, S>(corner.g1[c]) + of(corner.g3[c])) * p;
            }
        }
        for port in 0..4 {
            let Some((n, back)) = links[port].get() else { continue };
            let (pairs, warp) = corners_at(back.index());
            for k in pairs {
                let corner = &self.rows.corners[n][k];
                let g = if warp { &corner.g1 } else { &corner.g3 };
                let p = products[n].corners[k];
                for c in 0..3 {
                    y[c] += of::<T, S>(g[c]) * p;
                }
            }
        }
        y
    }

    /// Adds what a segment (owner, slot) gives to one of its ends.
    #[inline]
    #[allow(clippy::too_many_arguments)] // Two nodes with two slots each; a struct for them would be built in the hottest loop.
    fn segment_end<S: Scalar>(
        &self,
        owner: usize,
        slot: usize,
        far: bool,
        a: &[S; 5],
        slot_a: usize,
        b: &[S; 5],
        slot_b: usize,
        y: &mut [S; 5],
    ) {
        let row = &self.rows.segments[owner][slot];
        let (sa, sb) = (a[3 + slot_a], b[3 + slot_b]);
        let d: [S; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let sigma = sb - sa;
        let t = row.direction.map(of::<T, S>);
        let along = t[0] * d[0] + t[1] * d[1] + t[2] * d[2];
        let axial = of::<T, S>(row.along) * along + of::<T, S>(row.coupling) * sigma;
        let across = of::<T, S>(row.across);
        let sliding = of::<T, S>(row.coupling) * along + of::<T, S>(row.sliding) * sigma;
        // Mass: (2 y_here + y_other) m.
        let m: S = of(row.mass);
        let w = row.slope.map(of::<T, S>);
        let mut mass_sliding = S::ZERO;
        for k in 0..3 {
            let (ya, yb) = (a[k] - sa * w[k], b[k] - sb * w[k]);
            let p = m * (ya + yb + if far { yb } else { ya });
            let f = t[k] * axial + across * d[k];
            y[k] += p + if far { f } else { -f };
            mass_sliding += w[k] * p;
        }
        let at = 3 + if far { slot_b } else { slot_a };
        y[at] += (if far { sliding } else { -sliding }) - mass_sliding;
    }
}

/// The corners of a crossing that its neighbor behind a port is an arm of, and whether on its warp.
#[inline]
pub(super) fn corners_at(port: usize) -> ([usize; 2], bool) {
    if port < 2 { ([2 * port, 2 * port + 1], true) } else { ([port - 2, port], false) }
}

/// A row's entry in the precision of the vectors.
#[inline]
pub(super) fn of<T: Scalar, S: Scalar>(value: T) -> S {
    S::from_f64(value.to_f64())
}

#[inline]
fn dot<T: Scalar, S: Scalar>(row: &[T; 3], x: &[S; 3]) -> S {
    of::<T, S>(row[0]) * x[0] + of::<T, S>(row[1]) * x[1] + of::<T, S>(row[2]) * x[2]
}

impl<T: Scalar> RowOperator<'_, T> {
    fn product_again(&self, x: &[T], y: &mut [T]) {
        let mut products = self.products.lock().unwrap_or_else(|e| e.into_inner());
        self.product_with(x.as_chunks().0, y.as_chunks_mut().0, &mut products);
    }
}

// For each kind of number alone: an implementation for all of them could clash with one for pieces elsewhere.

impl Operator<f32> for RowOperator<'_, f32> {
    fn rows(&self) -> usize {
        self.weave.node_count()
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        self.product_again(x, y);
    }
}

impl Operator<f64> for RowOperator<'_, f64> {
    fn rows(&self) -> usize {
        self.weave.node_count()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.product_again(x, y);
    }
}
