//! How energy and forces of a periodic cell change with the lattice, all points moving along with space.
//!
//! All energies are sums of terms e(a, b, ...) of differences of positions, which space deforms as vectors, a -> a + D a. So
//! dU = D : V with the virial V = sum (de/da) a^T + (de/db) b^T + ..., symmetric because rotations cost nothing, and the forces
//! change by the second derivatives of e applied to D a, D b, ...

use super::contacts::Contacts;
use super::place::Place;
use super::yarns::Yarns;
use super::{bend, contact, stretch};
use nalgebra::{Matrix2, Matrix3, Vector3};

/// The in-plane part of the virial by kind, J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Virial {
    pub(super) stretch: Matrix2<f64>,
    pub(super) bend: Matrix2<f64>,
    pub(super) contact: Matrix2<f64>,
}

impl Virial {
    pub(super) fn of(yarns: &Yarns, place: &Place, q: &[Vector3<f64>], contacts: &Contacts) -> Self {
        let mut out = Virial::default();
        for p in &yarns.elastic {
            let [slope, curvature] = yarns.slopes(p, place, q);
            let [pull, turn] = yarns.factors(p, &yarns.stiffness);
            out.stretch += outer(&stretch::gradient(pull, yarns.curves[p.curve].rest_speed, &slope), &slope);
            let [by_p, by_s] = bend::gradient(turn, &slope, &curvature);
            out.bend += outer(&by_p, &slope) + outer(&by_s, &curvature);
        }
        let y = yarns.contact_places(place, q);
        for pair in &contacts.pairs {
            let translation = place.translation(contacts.shifts[pair.image as usize]);
            for points in &pair.points {
                let offset = y[points[0] as usize] - y[points[1] as usize] - translation;
                let factor = yarns.pair_factor(*points, &yarns.stiffness);
                out.contact += outer(&contact::gradient(factor, yarns.inverse_diameter2(), &offset), &offset);
            }
        }
        out
    }
}

fn outer(a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix2<f64> {
    a.xy() * b.xy().transpose()
}

/// The change of the forces (N) on the control points, and the second change of the energy (J), when space is deformed at the rate
/// `rate` and all points move along.
pub(super) fn affine_change(
    yarns: &Yarns,
    place: &Place,
    q: &[Vector3<f64>],
    contacts: &Contacts,
    rate: &Matrix2<f64>,
) -> (Vec<Vector3<f64>>, f64) {
    let mut d = Matrix3::zeros();
    d.fixed_view_mut::<2, 2>(0, 0).copy_from(rate);
    let mut out = vec![Vector3::zeros(); q.len()];
    let mut second = 0.0;
    for p in &yarns.elastic {
        let [slope, curvature] = yarns.slopes(p, place, q);
        let [pull, turn] = yarns.factors(p, &yarns.stiffness);
        let [by_pp, by_ps, by_ss] = bend::hessian(turn, &slope, &curvature);
        let by_pp = by_pp + stretch::hessian(pull, yarns.curves[p.curve].rest_speed, &slope);
        let (dp, ds) = (d * slope, d * curvature);
        let (on_p, on_s) = (by_pp * dp + by_ps * ds, by_ps.transpose() * dp + by_ss * ds);
        second += on_p.dot(&dp) + on_s.dot(&ds);
        p.station.add_elastic(&on_p, &on_s, &mut out);
    }
    let y = yarns.contact_places(place, q);
    let mut on = vec![Vector3::zeros(); y.len()];
    for pair in &contacts.pairs {
        let translation = place.translation(contacts.shifts[pair.image as usize]);
        for points in &pair.points {
            let [a, b] = points.map(|i| i as usize);
            let offset = y[a] - y[b] - translation;
            let factor = yarns.pair_factor(*points, &yarns.stiffness);
            let change = contact::hessian(factor, yarns.inverse_diameter2(), &offset) * (d * offset);
            second += change.dot(&(d * offset));
            on[a] += change;
            on[b] -= change;
        }
    }
    for (point, force) in yarns.contact.iter().zip(&on) {
        point.station.add_value(force, &mut out);
    }
    (out, second)
}
