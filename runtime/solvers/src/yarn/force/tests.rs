//! Gradients and Hessians against central differences; which parts are positive.

use super::*;
use crate::yarn::kinematics::{Angle, Segment};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use std::f64::consts::FRAC_PI_2;

/// Scale of lengths, meters.
const L: f64 = 1e-3;

/// An energy, with what the solver uses of its derivatives.
struct Energy<'a> {
    value: &'a dyn Fn(&DVector<f64>) -> f64,
    gradient: &'a dyn Fn(&DVector<f64>) -> DVector<f64>,
    /// The exact Hessian.
    exact: &'a dyn Fn(&DVector<f64>) -> DMatrix<f64>,
    /// The positive one that the solver uses.
    positive: &'a dyn Fn(&DVector<f64>) -> DMatrix<f64>,
}

fn differences(f: &dyn Fn(&DVector<f64>) -> DVector<f64>, q: &DVector<f64>, e: f64) -> DMatrix<f64> {
    let columns: Vec<_> = (0..q.len())
        .map(|k| {
            let at = |sign: f64| {
                let mut q = q.clone();
                q[k] += sign * e;
                f(&q)
            };
            (at(1.0) - at(-1.0)) / (2.0 * e)
        })
        .collect();
    DMatrix::from_columns(&columns)
}

impl Energy<'_> {
    /// Gradient to 1e-7 and exact Hessian to 1e-5 of the largest entries; positive one not negative beyond rounding.
    fn check(&self, q: &DVector<f64>, what: &str) {
        let e = 1e-6 * L;
        let value = |q: &DVector<f64>| DVector::from_element(1, (self.value)(q));
        let gradient = (self.gradient)(q);
        let numeric = differences(&value, q, e).transpose();
        let error = (&gradient - numeric).amax() / gradient.amax();
        assert!(gradient.amax() > 0.0 && error < 1e-7, "{what}: gradient {error}");
        let exact = (self.exact)(q);
        let error = (&exact - differences(self.gradient, q, e)).amax() / exact.amax();
        assert!(exact.amax() > 0.0 && error < 1e-5, "{what}: Hessian {error}");
        self.check_positive(q, what);
    }

    fn check_positive(&self, q: &DVector<f64>, what: &str) {
        let values = (self.positive)(q).symmetric_eigenvalues();
        assert!(values.max() > 0.0 && values.min() >= -1e-12 * values.max(), "{what}: {values}");
    }
}

fn point(q: &DVector<f64>, at: usize) -> Vector3<f64> {
    q.fixed_rows::<3>(at).into()
}

fn put(out: &mut DMatrix<f64>, row: usize, column: usize, block: &Matrix3<f64>) {
    let mut part = out.fixed_view_mut::<3, 3>(row, column);
    part += block;
}

// Stretch: q = (x_a, s_a, x_b, s_b).

const STIFFNESS: f64 = 2.0;

fn segment(q: &DVector<f64>) -> Segment {
    Segment::new(point(q, 4) - point(q, 0), q[7] - q[3])
}

fn stretch_rows(q: &DVector<f64>) -> (DVector<f64>, DVector<f64>) {
    let t = segment(q).direction;
    let length = DVector::from_vec(vec![-t.x, -t.y, -t.z, 0.0, t.x, t.y, t.z, 0.0]);
    let rest = DVector::from_vec(vec![0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0]);
    (length, rest)
}

fn stretch_hessian(q: &DVector<f64>, s: &Stretch, across: f64) -> DMatrix<f64> {
    let (l, r) = stretch_rows(q);
    let mut h = &l * l.transpose() * s.along
        + (&l * r.transpose() + &r * l.transpose()) * s.coupling
        + &r * r.transpose() * s.sliding_stiffness;
    let t = segment(q).direction;
    let p = (Matrix3::identity() - t * t.transpose()) * across;
    for (i, j, sign) in [(0, 0, 1.0), (4, 4, 1.0), (0, 4, -1.0), (4, 0, -1.0)] {
        put(&mut h, i, j, &(p * sign));
    }
    h
}

fn stretch_state(strain: f64) -> DVector<f64> {
    let d = Vector3::new(0.6, -0.5, 0.4).normalize() * (0.9 * L * (1.0 + strain));
    DVector::from_vec(vec![0.1 * L, 0.2 * L, 0.0, 0.05 * L, 0.1 * L + d.x, 0.2 * L + d.y, d.z, 0.95 * L])
}

#[test]
fn stretch() {
    for ratio in [1.0, 0.3] {
        let at = |q: &DVector<f64>| Stretch::new(STIFFNESS, ratio, &segment(q));
        let energy = Energy {
            value: &|q| at(q).energy,
            gradient: &|q| {
                let (l, r) = stretch_rows(q);
                l * at(q).tension + r * at(q).sliding
            },
            exact: &|q| stretch_hessian(q, &at(q), at(q).tension / segment(q).length),
            positive: &|q| stretch_hessian(q, &at(q), at(q).across),
        };
        for strain in [0.3, 0.01, -0.01, -0.4] {
            energy.check(&stretch_state(strain), &format!("strain {strain}"));
        }
        // Where it is positive, the positive Hessian is the exact one.
        let q = stretch_state(0.3);
        assert!(((energy.exact)(&q) - (energy.positive)(&q)).amax() < 1e-12 * (energy.exact)(&q).amax());
    }
}

#[test]
fn stretch_damping_is_a_potential_that_no_rotation_feels() {
    let (beta, h) = (0.05, 1e-3);
    let before = segment(&stretch_state(0.02));
    let zero = Stretch {
        energy: 0.0,
        tension: 0.0,
        sliding: 0.0,
        along: 0.0,
        coupling: 0.0,
        sliding_stiffness: 0.0,
        across: 0.0,
    };
    let at = |q: &DVector<f64>| {
        let mut s = zero;
        StretchDamping::new(beta, STIFFNESS, h, &before, &segment(q)).add_to(&mut s);
        s
    };
    let measure = |s: &Segment| (s.length - s.rest) / s.rest.sqrt();
    let energy = |q: &DVector<f64>| 0.5 * beta / h * STIFFNESS * (measure(&segment(q)) - measure(&before)).powi(2);
    let gradient = |q: &DVector<f64>| {
        let (l, r) = stretch_rows(q);
        l * at(q).tension + r * at(q).sliding
    };
    let q = stretch_state(0.05);
    let numeric = differences(&|q| DVector::from_element(1, energy(q)), &q, 1e-6 * L).transpose();
    assert!((gradient(&q) - numeric).amax() < 1e-7 * gradient(&q).amax());
    let values = stretch_hessian(&q, &at(&q), 0.0).symmetric_eigenvalues();
    assert!(values.min() > -1e-12 * values.max());
    // The same segment, turned.
    let mut turned = stretch_state(0.02);
    let d = Vector3::new(-0.2, 0.3, 1.0).normalize() * before.length;
    (0..3).for_each(|k| turned[4 + k] = turned[k] + d[k]);
    assert!(gradient(&turned).amax() < 1e-10 * gradient(&q).amax());
}

// Bending: q = (x2, s2, x0, x1, s1).

const BEND: f64 = 2e-9;

fn bend_segments(q: &DVector<f64>) -> [Segment; 2] {
    // Half of the rest length each: only the sum enters.
    let rest = 0.5 * (q[10] - q[3]);
    [Segment::new(point(q, 4) - point(q, 0), rest), Segment::new(point(q, 7) - point(q, 4), rest)]
}

fn bending(q: &DVector<f64>) -> Bending {
    let [behind, ahead] = bend_segments(q);
    Bending::new(BEND, &behind, &ahead)
}

fn bend_row(g1: &Vector3<f64>, g2: &Vector3<f64>, rate: f64) -> DVector<f64> {
    let g0 = -(g1 + g2);
    let parts = [g2.as_slice(), &[rate], g0.as_slice(), g1.as_slice(), &[-rate]].concat();
    DVector::from_vec(parts)
}

fn bend_state(theta: f64) -> DVector<f64> {
    let (axis, t3) = (Vector3::new(0.2, 1.0, -0.4).normalize(), Vector3::new(1.0, 0.1, 0.2));
    let t3 = (t3 - axis * axis.dot(&t3)).normalize();
    let t1 = t3 * theta.cos() + axis.cross(&t3) * theta.sin();
    let (x2, l3, l1) = (Vector3::new(0.1, 0.3, -0.2) * L, 1.1 * L, 0.8 * L);
    let (x0, x1) = (x2 + t3 * l3, x2 + t3 * l3 + t1 * l1);
    DVector::from_vec([x2.as_slice(), &[0.1 * L], x0.as_slice(), x1.as_slice(), &[1.9 * L]].concat())
}

fn bend_exact(q: &DVector<f64>) -> DMatrix<f64> {
    let b = bending(q);
    let row = bend_row(&b.g1, &b.g2, b.rate);
    let [behind, ahead] = bend_segments(q);
    let angle = Angle::between(&ahead.direction, &behind.direction);
    let second = angle.hessian(&ahead, &behind) * b.moment;
    let mut j = DMatrix::zeros(6, 11);
    for k in 0..3 {
        j[(k, 7 + k)] = 1.0;
        j[(k, 4 + k)] = -1.0;
        j[(3 + k, 4 + k)] = 1.0;
        j[(3 + k, k)] = -1.0;
    }
    &row * row.transpose() * b.in_plane + j.transpose() * second * j
}

fn bend_positive(q: &DVector<f64>) -> DMatrix<f64> {
    let b = bending(q);
    let (g, h) = (bend_row(&b.g1, &b.g2, b.rate), bend_row(&b.h1, &b.h2, 0.0));
    &g * g.transpose() * b.in_plane + &h * h.transpose() * b.out_of_plane
}

fn bend_gradient(q: &DVector<f64>) -> DVector<f64> {
    let b = bending(q);
    let mut gradient = bend_row(&b.g1, &b.g2, 0.0) * b.moment;
    gradient[3] = 0.5 * b.moment * b.rate;
    gradient[10] = -gradient[3];
    gradient
}

#[test]
fn bends() {
    let energy = Energy {
        value: &|q| bending(q).energy,
        gradient: &bend_gradient,
        exact: &bend_exact,
        positive: &bend_positive,
    };
    for theta in [0.3, 1.0, 2.0, 3.1] {
        energy.check(&bend_state(theta), &format!("theta {theta}"));
    }
    for theta in [0.0, 1e-9, 1e-8] {
        let q = bend_state(theta);
        energy.check_positive(&q, "straight");
        assert!(bend_gradient(&q).iter().all(|g| g.is_finite()) && bend_gradient(&q).amax() < 1e-7 * BEND / (L * L));
    }
}

#[test]
fn straight_yarn_is_as_stiff_in_every_direction_as_differences_say() {
    let q = bend_state(0.0);
    let positive = bend_positive(&q);
    let numeric = differences(&bend_gradient, &q, 1e-5 * L);
    let error = |h: &DMatrix<f64>| (h - &numeric).amax() / numeric.amax();
    assert!(error(&positive) < 1e-6, "{}", error(&positive));
    // Negative control: without the row out of plane it is not.
    let b = bending(&q);
    let g = bend_row(&b.g1, &b.g2, b.rate);
    assert!(error(&(&g * g.transpose() * b.in_plane)) > 0.1);
}

// Shear: q = (x0, x1, x3).

fn shear_state(phi: f64) -> DVector<f64> {
    let axis = Vector3::new(0.3, -0.2, 1.0).normalize();
    let t1 = axis.cross(&Vector3::x()).normalize();
    let t3 = t1 * phi.cos() + axis.cross(&t1) * phi.sin();
    let x0 = Vector3::new(0.2, -0.1, 0.4) * L;
    let (x1, x3) = (x0 + t1 * (1.2 * L), x0 + t3 * (0.7 * L));
    DVector::from_vec([x0.as_slice(), x1.as_slice(), x3.as_slice()].concat())
}

#[test]
fn corners() {
    let material = crate::yarn::YarnMaterial::default();
    let shear = Shear::new(&material, &material.stiffness());
    let arms = |q: &DVector<f64>| [3, 6].map(|at| Segment::new(point(q, at) - point(q, 0), L));
    let angle = |q: &DVector<f64>| {
        let [u, v] = arms(q);
        Angle::between(&u.direction, &v.direction)
    };
    let row = |q: &DVector<f64>| {
        let [u, v] = arms(q);
        let [g1, g3] = corner_row(&angle(q), &u, &v);
        DVector::from_vec([(-(g1 + g3)).as_slice(), g1.as_slice(), g3.as_slice()].concat())
    };
    for jams in [true, false] {
        let stress = |q: &DVector<f64>| shear.at(angle(q).value, 4e-3, jams);
        let positive = |q: &DVector<f64>| &row(q) * row(q).transpose() * stress(q).stiffness;
        let mut j = DMatrix::zeros(6, 9);
        for k in 0..6 {
            j[(k, 3 + k)] = 1.0;
            j[(k, k % 3)] = -1.0;
        }
        let exact = |q: &DVector<f64>| {
            let [u, v] = arms(q);
            positive(q) + j.transpose() * (angle(q).hessian(&u, &v) * stress(q).moment) * &j
        };
        let energy = Energy {
            value: &|q| stress(q).energy,
            gradient: &|q| row(q) * stress(q).moment,
            exact: &exact,
            positive: &positive,
        };
        let border = shear.jamming_angle;
        for phi in [0.2, border - 1e-3, border + 1e-3, 1.2, 2.5] {
            energy.check(&shear_state(phi), &format!("phi {phi}, jams {jams}"));
        }
        energy.check_positive(&shear_state(FRAC_PI_2), "at rest");
    }
    let moment = |jams| shear.at(0.2, 0.0, jams).moment.abs();
    assert!(moment(true) > 5.0 * moment(false), "{} {}", moment(true), moment(false));
}

#[test]
fn parallel_yarns_push_only_when_they_touch() {
    let radius = 0.25e-3;
    for (rest, interlaced, touches) in [
        (0.9e-3, true, true),
        (0.9e-3, false, false),
        (0.45e-3, false, true),
        (1e-3, true, false),
        (1.2e-3, true, false),
    ] {
        let thickness = if interlaced { 4.0 } else { 2.0 } * radius;
        let at = |rest: f64| ParallelContact::new(1000.0, thickness, rest);
        let e = 1e-9;
        let numeric = (at(rest + e).energy - at(rest - e).energy) / (2.0 * e);
        assert_eq!(at(rest).stiffness > 0.0, touches, "{rest} {interlaced}");
        assert!((at(rest).sliding - numeric).abs() <= 1e-7 * at(rest).sliding.abs() + 1000.0 * e, "{rest}: {numeric}");
    }
}
