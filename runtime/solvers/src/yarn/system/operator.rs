//! The product with the matrix of a step.
//!
//! A x is taken band by band in two passes: the elements of every node give D (row·x) row to the node and its neighbors, then every node
//! gathers. Elements are computed for a pack of nodes at a time (`lanes`).

use super::bands::{Band, Bands, LANES, PackLinks};
use super::lanes::{Number, Pack, PackScalar, PackWork};
use super::rows::{
    Coefficients, Rows, across_each_other, add, coefficient, dot, opposite, parallel, plane_of, scaled, sub,
};
use super::shares::{Planes, Pool, SHARES, Scratch, gather, port_share};
use crate::linear::{Operator, Scalar};
use crate::yarn::model::{Slot, Weave};
use nalgebra::Vector3;

/// Values of a node, or of a neighbor, that elements are computed from: vector, then directions of the segments ahead.
const INPUTS: usize = 5 + 8;

/// A of one Newton iteration.
pub struct RowOperator<'a, T> {
    pub(super) weave: &'a Weave,
    pub(super) rows: &'a Rows<T>,
    bands: &'a Bands,
    pool: Pool<T>,
}

impl<'a, T: PackScalar> RowOperator<'a, T> {
    /// With the rows of the iteration.
    pub fn new(weave: &'a Weave, bands: &'a Bands, rows: &'a Rows<T>) -> Self {
        RowOperator { weave, rows, bands, pool: Pool::default() }
    }

    /// The yarns.
    pub(crate) fn weave(&self) -> &'a Weave {
        self.weave
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.weave.node_count()
    }

    /// The direction of a yarn at a node: the mean of its segments there.
    pub(crate) fn tangent(&self, node: usize, slot: Slot) -> Option<Vector3<f64>> {
        let ahead = self.weave.links[node][slot.plus()].get().map(|_| self.rows.segment(node, slot.index()).direction);
        let behind = self.weave.links[node][slot.minus()]
            .get()
            .map(|(n, back)| self.rows.segment(n, back.slot().index()).direction);
        (ahead.unwrap_or_default() + behind.unwrap_or_default()).try_normalize(1e-9)
    }

    pub(super) fn product(&self, x: &[[T; 5]], y: &mut [[T; 5]]) {
        let contacts = &self.rows.contacts;
        let pushes = contacts.products(x);
        let crimps = self.rows.crimp_stresses(self.weave, &|i: usize| x[i]);
        self.bands.for_each(y, |band, y| {
            self.pool.with(|scratch| T::dispatch(BandProduct { rows: self.rows, band, x, y: &mut *y, scratch }));
            if let Some(drag) = self.rows.drag.get(band.first..band.first + band.count) {
                for ((y, x), drag) in y.iter_mut().zip(&x[band.first..]).zip(drag) {
                    (0..3).for_each(|k| y[k] += *drag * x[k]);
                }
            }
            if !crimps.is_empty() {
                for (k, y) in y.iter_mut().enumerate() {
                    let share = self.rows.crimp_share(self.weave, &crimps, band.first + k);
                    (0..5).for_each(|c| y[c] += share[c]);
                }
            }
            if !pushes.is_empty() {
                for (k, y) in y.iter_mut().enumerate() {
                    for (row, entry) in contacts.of(band.first + k) {
                        (0..3).for_each(|c| y[c] += T::from_f64(entry[c]) * pushes[row]);
                    }
                }
            }
        });
    }
}

/// The corners of a crossing that its neighbor behind a port is an arm of, and whether on its warp.
#[inline]
pub(super) fn corners_at(port: usize) -> ([usize; 2], bool) {
    if port < 2 { ([2 * port, 2 * port + 1], true) } else { ([port - 2, port], false) }
}

/// y = A x in one band.
struct BandProduct<'a, T> {
    rows: &'a Rows<T>,
    band: &'a Band,
    x: &'a [[T; 5]],
    y: &'a mut [[T; 5]],
    scratch: &'a mut Scratch<T>,
}

impl<T: PackScalar> PackWork<T> for BandProduct<'_, T> {
    #[inline(always)]
    fn run<P: Pack<T>>(self, token: P::Token) {
        let BandProduct { rows, band, x, y, scratch } = self;
        scratch.inputs.resize(INPUTS, band.len());
        scratch.shares.resize(SHARES, band.len());
        load(rows, band, x, scratch);
        for pack in 0..band.pack_count() {
            let shares =
                PackInput::<P>::new(rows, band, scratch, pack, token).elements(rows.mass_factor, parallel::<T>());
            for (k, share) in shares.into_iter().enumerate() {
                scratch.shares.plane_mut(k)[LANES * pack..LANES * (pack + 1)].copy_from_slice(&share.store());
            }
        }
        let nothing = band.len() - 1;
        (0..SHARES).for_each(|k| scratch.shares.plane_mut(k)[nothing] = T::ZERO);
        gather(band, &scratch.shares, |k, sum| y[k] = sum);
    }
}

/// Puts what a band needs of the vector and of the directions into planes.
#[inline(always)]
fn load<T: Scalar>(rows: &Rows<T>, band: &Band, x: &[[T; 5]], scratch: &mut Scratch<T>) {
    let [a, b, c, d, e] = scratch.inputs.first_planes();
    band.each_node(|local, node| {
        let x = node.map_or([T::ZERO; 5], |i| x[i]);
        (a[local], b[local], c[local], d[local], e[local]) = (x[0], x[1], x[2], x[3], x[4]);
    });
    for (k, plane) in rows.directions.iter().enumerate() {
        // What is not there points along x and has length 1: finite, and without weight.
        let nothing = if k % 4 == 0 || k % 4 == 3 { T::from_f64(1.0) } else { T::ZERO };
        band.fill(scratch.inputs.plane_mut(5 + k), nothing, plane);
    }
}

/// Where the values of a pack and of its neighbors are.
struct PackView<'a, T> {
    inputs: &'a Planes<T>,
    links: PackLinks<'a>,
    first: usize,
}

impl<T: Scalar> PackView<'_, T> {
    #[inline(always)]
    fn own(&self, plane: usize) -> [T; LANES] {
        self.inputs.pack(plane, self.first)
    }

    /// Values of the neighbors behind a port: `by_slot` planes further for the second slot of the port that leads back.
    #[inline(always)]
    fn behind(&self, port: usize, plane: usize, by_slot: usize) -> [T; LANES] {
        match self.links {
            PackLinks::Runs(runs) => self.inputs.pack(plane + by_slot * (runs[port].back() / 2), runs[port].node()),
            PackLinks::Each(each) => {
                let mut values = [T::ZERO; LANES];
                for (value, link) in values.iter_mut().zip(&each[port]) {
                    *value = self.inputs.plane(plane + by_slot * (link.back() / 2))[link.node()];
                }
                values
            }
        }
    }

    /// Position and arc coordinate of the neighbors behind a port.
    #[inline(always)]
    fn neighbor<P: Pack<T>>(&self, port: usize, token: P::Token) -> ([P; 3], P) {
        let x = [
            P::load(token, self.behind(port, 0, 0)),
            P::load(token, self.behind(port, 1, 0)),
            P::load(token, self.behind(port, 2, 0)),
        ];
        (x, P::load(token, self.behind(port, 3, 1)))
    }
}

/// What the elements of a pack are computed from.
struct PackInput<P> {
    x: [P; 3],
    s: [P; 2],
    /// Positions of the neighbors behind the ports, and their arc coordinates of the shared yarns.
    neighbors: [([P; 3], P); 4],
    /// t ahead, by slot.
    ahead: [[P; 3]; 2],
    /// t of the segments that reach the nodes, by slot.
    behind: [[P; 3]; 2],
    /// 1/l by port.
    inverse: [P; 4],
    coefficients: [P; coefficient::COUNT],
}

impl<P> PackInput<P> {
    #[inline(always)]
    fn new<T: PackScalar>(rows: &Rows<T>, band: &Band, scratch: &Scratch<T>, pack: usize, token: P::Token) -> Self
    where
        P: Pack<T>,
    {
        let view = PackView { inputs: &scratch.inputs, links: band.links(pack), first: LANES * pack };
        let stored = coefficients(rows, band, pack);
        let mut loaded = [P::load(token, stored[0]); coefficient::COUNT];
        for (loaded, stored) in loaded.iter_mut().zip(stored) {
            *loaded = P::load(token, stored);
        }
        PackInput {
            x: [P::load(token, view.own(0)), P::load(token, view.own(1)), P::load(token, view.own(2))],
            s: [P::load(token, view.own(3)), P::load(token, view.own(4))],
            neighbors: [
                view.neighbor::<P>(0, token),
                view.neighbor::<P>(1, token),
                view.neighbor::<P>(2, token),
                view.neighbor::<P>(3, token),
            ],
            ahead: [
                [P::load(token, view.own(5)), P::load(token, view.own(6)), P::load(token, view.own(7))],
                [P::load(token, view.own(9)), P::load(token, view.own(10)), P::load(token, view.own(11))],
            ],
            behind: [
                [
                    P::load(token, view.behind(0, 5, 4)),
                    P::load(token, view.behind(0, 6, 4)),
                    P::load(token, view.behind(0, 7, 4)),
                ],
                [
                    P::load(token, view.behind(2, 5, 4)),
                    P::load(token, view.behind(2, 6, 4)),
                    P::load(token, view.behind(2, 7, 4)),
                ],
            ],
            inverse: [
                P::load(token, view.behind(0, 8, 4)),
                P::load(token, view.own(8)),
                P::load(token, view.behind(2, 8, 4)),
                P::load(token, view.own(12)),
            ],
            coefficients: loaded,
        }
    }
}

impl<N: Number> PackInput<N> {
    /// D (row·x) row of the elements that belong to the nodes.
    #[inline(always)]
    fn elements(&self, mass_factor: f64, parallel: f64) -> [N; SHARES] {
        let PackInput { x, s, neighbors, ahead, behind, inverse, coefficients: c } = self;
        let (zero, one, mass_factor) = (x[0].constant(0.0), x[0].constant(1.0), x[0].constant(mass_factor));
        let d = [sub(neighbors[0].0, *x), sub(neighbors[1].0, *x), sub(neighbors[2].0, *x), sub(neighbors[3].0, *x)];
        let mut own = [zero; 3];
        let mut own_s = [c[coefficient::DIAGONAL] * s[0], c[coefficient::DIAGONAL + 1] * s[1]];
        let mut ports = [([zero; 3], zero); 4];
        for slot in 0..2 {
            let (minus, plus) = (2 * slot, 2 * slot + 1);
            let at = coefficient::SEGMENT * slot;
            let (along, across, coupling, sliding, rest) = (c[at], c[at + 1], c[at + 2], c[at + 3], c[at + 4]);
            let (t, s_plus, s_minus) = (ahead[slot], neighbors[plus].1, neighbors[minus].1);
            let sigma = s_plus - s[slot];
            let stretched = dot(t, d[plus]);
            let axial = along * stretched + coupling * sigma;
            let slid = coupling * stretched + sliding * sigma;
            let f = add(scaled(t, axial), scaled(d[plus], across));
            let stretch = rest.where_above(zero, one / (inverse[plus] * rest.where_above(zero, rest, one)), zero);
            let mass = mass_factor * rest;
            let w = scaled(t, stretch);
            let ya = sub(*x, scaled(w, s[slot]));
            let yb = sub(neighbors[plus].0, scaled(w, s_plus));
            let both = add(ya, yb);
            let (pa, pb) = (scaled(add(both, ya), mass), scaled(add(both, yb), mass));
            let at = coefficient::BENDS + coefficient::BEND * slot;
            let (in_plane, out_of_plane, rate) = (c[at], c[at + 1], c[at + 2]);
            let plane = plane_of(t, behind[slot], parallel);
            let g1 = scaled(plane.e1, -inverse[plus]);
            let g2 = scaled(plane.e3, inverse[minus]);
            let g = in_plane * (dot(g1, d[plus]) + dot(g2, d[minus]) + rate * (s_minus - s_plus));
            let n1 = dot(plane.normal, d[plus]) * inverse[plus];
            let n2 = dot(plane.normal, d[minus]) * inverse[minus];
            let h = out_of_plane * (n1 + n2);
            let f1 = add(scaled(g1, g), scaled(plane.normal, h * inverse[plus]));
            let f2 = add(scaled(g2, g), scaled(plane.normal, h * inverse[minus]));
            own = sub(add(own, sub(pa, f)), add(f1, f2));
            ports[plus].0 = add(ports[plus].0, add(add(pb, f), f1));
            ports[minus].0 = add(ports[minus].0, f2);
            own_s[slot] = own_s[slot] - slid - dot(w, pa);
            ports[plus].1 = ports[plus].1 + slid - dot(w, pb) - rate * g;
            ports[minus].1 = ports[minus].1 + rate * g;
        }
        for corner in 0..4 {
            let (warp, weft) = (corner / 2, 2 + corner % 2);
            let t1 = if corner / 2 == 1 { ahead[0] } else { opposite(behind[0]) };
            let t3 = if corner % 2 == 1 { ahead[1] } else { opposite(behind[1]) };
            let [e1, e3] = across_each_other(t1, t3);
            let along = inverse[warp] * dot(e1, d[warp]) + inverse[weft] * dot(e3, d[weft]);
            let p = c[coefficient::CORNERS + corner] * along;
            let (f1, f3) = (scaled(e1, p * inverse[warp]), scaled(e3, p * inverse[weft]));
            ports[warp].0 = add(ports[warp].0, f1);
            ports[weft].0 = add(ports[weft].0, f3);
            own = sub(own, add(f1, f3));
        }
        let mut shares = [zero; SHARES];
        shares[..3].copy_from_slice(&own);
        shares[3..5].copy_from_slice(&own_s);
        for (port, (x, s)) in ports.iter().enumerate() {
            shares[port_share(port)..port_share(port) + 3].copy_from_slice(x);
            shares[port_share(port) + 3] = *s;
        }
        shares
    }
}

/// The coefficients of a pack of the band or of the ring around it.
#[inline(always)]
fn coefficients<T: Scalar>(rows: &Rows<T>, band: &Band, pack: usize) -> Coefficients<T> {
    if pack < band.own_packs() {
        return rows.coefficients[band.first / LANES + pack];
    }
    let mut out = [[T::ZERO; LANES]; coefficient::COUNT];
    for l in 0..LANES {
        if let Some(node) = band.global(LANES * pack + l) {
            let from = &rows.coefficients[node / LANES];
            for (out, from) in out.iter_mut().zip(from) {
                out[l] = from[node % LANES];
            }
        }
    }
    out
}

// For each kind of number alone: an implementation for all of them could clash with one for pieces elsewhere.

impl Operator<f32> for RowOperator<'_, f32> {
    fn rows(&self) -> usize {
        self.weave.node_count()
    }

    fn apply(&self, x: &[f32], y: &mut [f32]) {
        self.product(x.as_chunks().0, y.as_chunks_mut().0);
    }
}

impl Operator<f64> for RowOperator<'_, f64> {
    fn rows(&self) -> usize {
        self.weave.node_count()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.product(x.as_chunks().0, y.as_chunks_mut().0);
    }
}
