//! Yarns with their integration points: energy, forces and stiffness.

use super::contacts::{Contacts, SpanPair};
use super::curve::{Curve, Station};
use super::place::Place;
use super::settings::SplineSettings;
use super::{bend, contact, stretch};
use crate::cell::Stiffness;
use crate::newton::Blocks;
use nalgebra::{Matrix3, Vector3};

/// An integration point of stretch and bending.
#[derive(Clone, Copy, Debug)]
pub struct ElasticPoint {
    /// Where it is.
    pub station: Station,
    /// The yarn that it lies on.
    pub curve: usize,
    /// Its weight in t: those of a span sum to 1.
    pub weight: f64,
}

/// A point at which yarns touch others.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Where it is.
    pub station: Station,
    /// The yarn that it lies on.
    pub curve: usize,
    /// Rest length that it stands for, m.
    pub length: f64,
    /// Its place along the yarn at rest, m.
    pub arc: f64,
    /// The number of its span among those of all yarns.
    pub(crate) span_of_all: usize,
}

/// Energy by kind, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SplineEnergy {
    /// Of stretch.
    pub stretch: f64,
    /// Of bending.
    pub bend: f64,
    /// Of contact.
    pub contact: f64,
}

impl SplineEnergy {
    /// All of it, J.
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.contact
    }
}

/// The two Gauss points of a span, in t: each weighs a half.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// Points of one yarn nearer along it than this do not touch, in radii; the bake's rule.
const NEIGHBOR_RADII: f64 = 3.0;

/// The same, on top, in spans.
const NEIGHBOR_SPANS: f64 = 1.1;

/// Yarns of one kind.
#[derive(Clone, Debug)]
pub struct Yarns {
    /// The curves; their control points follow each other.
    pub curves: Vec<Curve>,
    /// Yarn radius r, m.
    pub radius: f64,
    /// Stiffnesses; that of twist is not used.
    pub stiffness: Stiffness,
    /// Integration points of stretch and bending.
    pub elastic: Vec<ElasticPoint>,
    /// Integration points of contact.
    pub contact: Vec<ContactPoint>,
}

impl Yarns {
    /// Yarns along `curves`.
    pub fn new(curves: Vec<Curve>, radius: f64, stiffness: Stiffness, settings: &SplineSettings) -> Self {
        let (mut elastic, mut contact) = (Vec::new(), Vec::new());
        let mut spans = 0;
        for (c, curve) in curves.iter().enumerate() {
            let per_span = (curve.rest_speed / (settings.contact_spacing * radius)).ceil().max(1.0) as usize;
            for span in 0..curve.spans() {
                let at = |t: f64| span as f64 + t;
                elastic.extend(GAUSS.map(|t| ElasticPoint { station: curve.station(at(t)), curve: c, weight: 0.5 }));
                for k in 0..per_span {
                    let t = at((k as f64 + 0.5) / per_span as f64);
                    contact.push(ContactPoint {
                        station: curve.station(t),
                        curve: c,
                        length: curve.rest_speed / per_span as f64,
                        arc: t * curve.rest_speed,
                        span_of_all: spans + span,
                    });
                }
            }
            spans += curve.spans();
        }
        Yarns { curves, radius, stiffness, elastic, contact }
    }

    /// Number of control points.
    pub fn point_count(&self) -> usize {
        self.curves.iter().map(|c| c.count).sum()
    }

    /// Where the contact points are, m.
    pub fn contact_places(&self, place: &Place, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.contact.iter().map(|p| p.station.value(&place.turn(&self.curves[p.curve]), q)).collect()
    }

    /// Whether two contact points, the second one in the copy at `shift`, are so near along one yarn that they do not touch.
    pub(crate) fn are_neighbors(&self, a: usize, b: usize, shift: [i32; 2]) -> bool {
        let (a, b) = (&self.contact[a], &self.contact[b]);
        if a.curve != b.curve {
            return false;
        }
        let curve = &self.curves[a.curve];
        let near = NEIGHBOR_RADII * self.radius + NEIGHBOR_SPANS * curve.rest_speed;
        let apart = b.arc - a.arc;
        let length = curve.rest_length();
        if !curve.closed {
            return shift == [0, 0] && apart.abs() < near;
        }
        if curve.shift == [0, 0] {
            let around = apart - length * (apart / length).round();
            return shift == [0, 0] && around.abs() < near;
        }
        // The copy at `shift` continues this yarn if that is a whole number of its turns.
        let [x, y] = curve.shift;
        let turns = if x != 0 { shift[0] / x } else { shift[1] / y };
        [turns * x, turns * y] == shift && (apart + f64::from(turns) * length).abs() < near
    }

    pub(super) fn slopes(&self, p: &ElasticPoint, place: &Place, q: &[Vector3<f64>]) -> [Vector3<f64>; 2] {
        let turn = place.turn(&self.curves[p.curve]);
        [p.station.slope(&turn, q), p.station.curvature(&turn, q)]
    }

    /// ks w and B w / 2 g0 of an integration point.
    pub(super) fn factors(&self, p: &ElasticPoint, k: &Stiffness) -> [f64; 2] {
        [k.stretch * p.weight, 0.5 * k.bend * p.weight / self.curves[p.curve].rest_speed]
    }

    /// kc La Lb of a pair of contact points.
    pub(super) fn pair_factor(&self, [a, b]: [u32; 2], k: &Stiffness) -> f64 {
        k.contact * self.contact[a as usize].length * self.contact[b as usize].length
    }

    pub(super) fn inverse_diameter2(&self) -> f64 {
        0.25 / (self.radius * self.radius)
    }

    /// Energy at control points `q` (m); `contacts` must hold every pair that touches.
    pub fn energy(&self, place: &Place, q: &[Vector3<f64>], contacts: &Contacts) -> SplineEnergy {
        let mut out = self.elastic_energy(place, q);
        let y = self.contact_places(place, q);
        let inverse = self.inverse_diameter2();
        for pair in &contacts.pairs {
            let translation = place.translation(contacts.shifts[pair.image as usize]);
            for points in &pair.points {
                let offset = y[points[0] as usize] - y[points[1] as usize] - translation;
                out.contact += contact::value(self.pair_factor(*points, &self.stiffness), inverse, &offset);
            }
        }
        out
    }

    /// Energy of stretch and bending alone.
    pub fn elastic_energy(&self, place: &Place, q: &[Vector3<f64>]) -> SplineEnergy {
        let mut out = SplineEnergy::default();
        for p in &self.elastic {
            let [slope, curvature] = self.slopes(p, place, q);
            let [pull, turn] = self.factors(p, &self.stiffness);
            out.stretch += stretch::value(pull, self.curves[p.curve].rest_speed, &slope);
            out.bend += bend::value(turn, &slope, &curvature);
        }
        out
    }

    /// Adds the gradient with stiffnesses `k`, N.
    pub fn add_gradient(
        &self,
        place: &Place,
        q: &[Vector3<f64>],
        contacts: &Contacts,
        k: &Stiffness,
        out: &mut [Vector3<f64>],
    ) {
        for p in &self.elastic {
            let [slope, curvature] = self.slopes(p, place, q);
            let [pull, turn] = self.factors(p, k);
            let [by_p, by_s] = bend::gradient(turn, &slope, &curvature);
            let by_p = by_p + stretch::gradient(pull, self.curves[p.curve].rest_speed, &slope);
            p.station.add_elastic(&by_p, &by_s, out);
        }
        let y = self.contact_places(place, q);
        let inverse = self.inverse_diameter2();
        let mut forces = vec![Vector3::zeros(); y.len()];
        for pair in &contacts.pairs {
            let translation = place.translation(contacts.shifts[pair.image as usize]);
            for points in &pair.points {
                let [a, b] = points.map(|i| i as usize);
                let force = contact::gradient(self.pair_factor(*points, k), inverse, &(y[a] - y[b] - translation));
                forces[a] += force;
                forces[b] -= force;
            }
        }
        for (point, force) in self.contact.iter().zip(&forces) {
            point.station.add_value(force, out);
        }
    }

    /// Calls `pair` for all control points that share an entry of the stiffness matrix.
    pub fn couplings(&self, contacts: &Contacts, pair: &mut dyn FnMut(usize, usize)) {
        let mut last = usize::MAX;
        for point in &self.contact {
            if point.span_of_all != last {
                last = point.span_of_all;
                let p = point.station.point;
                (0..4).for_each(|a| (a + 1..4).for_each(|b| pair(p[a] as usize, p[b] as usize)));
            }
        }
        for span in contacts.coupled() {
            let [a, b] = span.points[0].map(|i| self.contact[i as usize].station.point);
            a.iter().for_each(|i| b.iter().for_each(|j| pair(*i as usize, *j as usize)));
        }
    }

    /// Adds the gradient (N) and the second derivatives (N/m).
    pub fn add_derivatives(
        &self,
        place: &Place,
        q: &[Vector3<f64>],
        contacts: &Contacts,
        gradient: &mut [Vector3<f64>],
        matrix: &mut impl Blocks,
    ) {
        for span in self.elastic.chunk_by(|a, b| (a.curve, a.station.span) == (b.curve, b.station.span)) {
            let mut blocks = [[Matrix3::zeros(); 4]; 4];
            for p in span {
                self.add_elastic(p, place, q, gradient, &mut blocks);
            }
            span[0].station.add_square(matrix, |a, b| blocks[a][b]);
        }
        let y = self.contact_places(place, q);
        let mut on_points = (vec![Vector3::zeros(); y.len()], vec![Matrix3::zeros(); y.len()]);
        for pair in &contacts.pairs {
            self.add_contact(
                pair,
                &place.translation(contacts.shifts[pair.image as usize]),
                &y,
                &mut on_points,
                matrix,
            );
        }
        let (forces, own) = on_points;
        for (point, force) in self.contact.iter().zip(&forces) {
            point.station.add_value(force, gradient);
        }
        self.add_own_contact_stiffness(&own, matrix);
    }

    /// Adds the gradient of an elastic point, and its second derivatives by the four control points, (a, b) with a <= b.
    fn add_elastic(
        &self,
        p: &ElasticPoint,
        place: &Place,
        q: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        blocks: &mut [[Matrix3<f64>; 4]; 4],
    ) {
        let speed = self.curves[p.curve].rest_speed;
        let [slope, curvature] = self.slopes(p, place, q);
        let [pull, turn] = self.factors(p, &self.stiffness);
        let [by_p, by_s] = bend::gradient(turn, &slope, &curvature);
        p.station.add_elastic(&(by_p + stretch::gradient(pull, speed, &slope)), &by_s, gradient);
        let [by_pp, by_ps, by_ss] = bend::hessian(turn, &slope, &curvature);
        let by_pp = by_pp + stretch::hessian(pull, speed, &slope);
        let by_sp = by_ps.transpose();
        let (b1, b2) = (&p.station.basis.slope, &p.station.basis.curvature);
        for a in 0..4 {
            for b in a..4 {
                blocks[a][b] += by_pp * (b1[a] * b1[b])
                    + by_ps * (b1[a] * b2[b])
                    + by_sp * (b2[a] * b1[b])
                    + by_ss * (b2[a] * b2[b]);
            }
        }
    }

    /// Adds force and stiffness of the contact of two spans: those on single points to `on_points`, what joins both to `matrix`.
    fn add_contact(
        &self,
        pair: &SpanPair,
        translation: &Vector3<f64>,
        y: &[Vector3<f64>],
        (forces, own): &mut (Vec<Vector3<f64>>, Vec<Matrix3<f64>>),
        matrix: &mut impl Blocks,
    ) {
        let inverse = self.inverse_diameter2();
        let mut blocks = [[Matrix3::zeros(); 4]; 4];
        let mut touched = false;
        for points in &pair.points {
            let [a, b] = points.map(|i| i as usize);
            let offset = y[a] - y[b] - translation;
            if offset.norm_squared() * inverse >= 1.0 {
                continue;
            }
            touched = true;
            let factor = self.pair_factor(*points, &self.stiffness);
            let force = contact::gradient(factor, inverse, &offset);
            forces[a] += force;
            forces[b] -= force;
            let h = contact::hessian(factor, inverse, &offset);
            own[a] += h;
            own[b] += h;
            let [wa, wb] = [a, b].map(|i| &self.contact[i].station.basis.value);
            for i in 0..4 {
                for j in 0..4 {
                    blocks[i][j] -= h * (wa[i] * wb[j]);
                }
            }
        }
        if touched {
            let [a, b] = pair.points[0].map(|i| self.contact[i as usize].station.point);
            for i in 0..4 {
                for j in 0..4 {
                    matrix.add(a[i] as usize, b[j] as usize, &blocks[i][j]);
                }
            }
        }
    }

    /// Adds a stiffness of each contact point's place, span by span.
    fn add_own_contact_stiffness(&self, own: &[Matrix3<f64>], matrix: &mut impl Blocks) {
        let mut first = 0;
        for span in self.contact.chunk_by(|a, b| a.span_of_all == b.span_of_all) {
            let own = &own[first..first + span.len()];
            first += span.len();
            let touching = || span.iter().zip(own).filter(|(_, h)| **h != Matrix3::zeros());
            if touching().next().is_some() {
                let sum = |a: usize, b: usize| {
                    touching().map(|(p, h)| h * (p.station.basis.value[a] * p.station.basis.value[b])).sum()
                };
                span[0].station.add_square(matrix, sum);
            }
        }
    }
}
