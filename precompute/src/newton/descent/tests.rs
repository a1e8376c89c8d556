//! Chains of springs.

use super::super::{Blocks, Hold, Units};
use super::*;
use nalgebra::Matrix3;

/// A chain of springs with rest length 1 that gravity pulls down with this force on each point.
struct Chain(usize, f64);

impl Objective for Chain {
    fn points(&self) -> usize {
        self.0
    }

    fn units(&self) -> Units {
        Units { force: 1.0, stiffness: 10.0, step: 0.3 }
    }

    fn refresh(&mut self, _: &[Vector3<f64>]) -> bool {
        false
    }

    fn value(&self, x: &[Vector3<f64>]) -> f64 {
        let springs: f64 = x.windows(2).map(|p| 5.0 * ((p[1] - p[0]).norm() - 1.0).powi(2)).sum();
        springs + x.iter().map(|p| self.1 * p.z).sum::<f64>()
    }

    fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        (1..self.0).for_each(|i| pair(i - 1, i));
    }

    fn derivatives(&self, x: &[Vector3<f64>], gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix) {
        gradient.iter_mut().for_each(|g| g.z += self.1);
        for i in 1..self.0 {
            let e = x[i] - x[i - 1];
            let (l, t) = (e.norm(), e.normalize());
            let force = t * (10.0 * (l - 1.0));
            gradient[i] += force;
            gradient[i - 1] -= force;
            let across = 10.0 * (1.0 - 1.0 / l);
            let h = Matrix3::from_diagonal_element(across) + t * t.transpose() * (10.0 - across);
            matrix.add_diagonal(i, &h);
            matrix.add_diagonal(i - 1, &h);
            matrix.add(i - 1, i, &-h);
        }
    }
}

fn start(n: usize) -> Vec<Vector3<f64>> {
    (0..n).map(|i| Vector3::new(0.9 * i as f64, 0.01 * (i as f64).sin(), 0.0)).collect()
}

#[test]
fn a_hanging_chain_comes_to_rest_and_its_holds_carry_its_weight() {
    let mut chain = Chain(11, 0.1);
    let mut holds = Holds::default();
    holds.set(0, Hold::fixed());
    // The other end slides along a slope.
    let slope = Vector3::new(1.0, 0.0, 1.0);
    holds.set(10, Hold::along(&slope));
    let x = start(11);
    let along = slope.dot(&x[10]);
    let mut newton = Newton::new(&mut chain, x, holds.clone(), &NewtonOptions::default());
    let minimum = newton.run();
    assert!(minimum.converged, "{minimum:?}");
    assert!((slope.dot(&newton.x()[10]) - along).abs() < 1e-12, "the hold holds");
    assert!(newton.x()[0].norm() == 0.0);
    let carried: Vector3<f64> = newton.gradient().iter().sum();
    assert!((carried - Vector3::new(0.0, 0.0, 1.1)).norm() < 1e-8, "springs cancel: {carried}");
    let reaction = newton.gradient()[10];
    assert!(reaction.cross(&slope).norm() < 1e-8, "along the hold only: {reaction}");
    assert!(newton.x()[5].z < -1.0, "it hangs");
    // The response to a force is the change of the minimum.
    assert!(newton.factorize());
    let mut push = vec![Vector3::zeros(); 11];
    push[4] = Vector3::new(0.0, 1e-6, 0.0);
    let moved = newton.solve(&push);
    assert!(moved[4].y > 1e-8 && moved[0].norm() == 0.0);
}

/// A straight chain that is pressed together and that gravity does not pull: balanced, and about to buckle.
#[test]
fn a_saddle_is_left_for_a_minimum() {
    let mut chain = Chain(9, 0.0);
    let mut holds = Holds::default();
    [0, 8].into_iter().for_each(|end| holds.set(end, Hold::fixed()));
    let straight: Vec<Vector3<f64>> = (0..9).map(|i| Vector3::new(0.9 * i as f64, 0.0, 0.0)).collect();
    let mut newton = Newton::new(&mut chain, straight, holds, &NewtonOptions::default());
    let saddle = newton.run();
    assert!(saddle.converged && !newton.factorize());
    assert!(newton.leave_saddle());
    let minimum = newton.run();
    assert!(minimum.converged && minimum.value < saddle.value && newton.x()[4].yz().norm() > 0.1, "{minimum:?}");
    // Springs at rest do not mind where between the ends they turn.
    assert!(minimum.value < 1e-12, "{minimum:?}");
}

#[test]
fn a_minimum_is_not_left() {
    let mut chain = Chain(9, 0.1);
    let mut holds = Holds::default();
    [0, 8].into_iter().for_each(|end| holds.set(end, Hold::fixed()));
    let stretched: Vec<Vector3<f64>> = (0..9).map(|i| Vector3::new(1.1 * i as f64, 0.0, 0.0)).collect();
    let mut newton = Newton::new(&mut chain, stretched, holds, &NewtonOptions::default());
    assert!(newton.run().converged && !newton.leave_saddle());
}

#[test]
fn work_is_bounded() {
    let mut chain = Chain(40, 0.1);
    let mut holds = Holds::default();
    holds.set(0, Hold::fixed());
    let options = NewtonOptions { max_factorizations: 3, ..NewtonOptions::default() };
    let minimum = Newton::new(&mut chain, start(40), holds, &options).run();
    assert!(!minimum.converged && minimum.work.factorizations == 3);
}
