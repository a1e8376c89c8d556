//! Leaving a saddle for a minimum.

use super::{FIRST_RHO, LARGEST_RHO, Newton, Objective};
use nalgebra::Vector3;
use yarnwise_shared::random::Random;

/// How often a push off a saddle is halved.
const SHORTER: usize = 12;

/// Steps of the search for a motion that lowers the energy. The shift is within a factor of 2 of its stiffness, so that each step makes all
/// other motions smaller beside it.
const INVERSE_ITERATIONS: usize = 30;

impl<O: Objective> Newton<'_, O> {
    /// Leaves a place where forces balance but some motion lowers the energy: along that of them which does so most, to the side and as
    /// far as the energy is lower, at most by the longest step. False, and nothing moves, where there is none.
    pub fn leave_saddle(&mut self) -> bool {
        let Some(motion) = self.unstable_motion() else { return false };
        let longest = motion.iter().map(|m| m.amax()).fold(f64::MIN_POSITIVE, f64::max);
        let mut size = self.objective.units().step / longest;
        // About to buckle, fabric has its minimum near the saddle.
        for _ in 0..SHORTER {
            for sign in [1.0, -1.0] {
                let x: Vec<Vector3<f64>> = self.x.iter().zip(&motion).map(|(x, m)| x + m * (sign * size)).collect();
                if self.objective.value(&x) < self.value {
                    self.rho = self.options.rho;
                    self.accept(x);
                    return true;
                }
            }
            size *= 0.5;
        }
        false
    }

    /// The motion with the most negative stiffness, by inverse iteration; none where the matrix is definite.
    fn unstable_motion(&mut self) -> Option<Vec<Vector3<f64>>> {
        let unit = self.objective.units().stiffness;
        self.work.factorizations += 1;
        if self.matrix.factorize(0.0) {
            return None;
        }
        let mut shift = FIRST_RHO;
        self.work.factorizations += 1;
        while !self.matrix.factorize(shift * unit) {
            self.work.factorizations += 1;
            shift *= 2.0;
            if shift > LARGEST_RHO {
                return None;
            }
        }
        let mut random = Random::new(1);
        let mut motion: Vec<Vector3<f64>> =
            self.x.iter().map(|_| Vector3::from_fn(|_, _| random.between([-1.0, 1.0]))).collect();
        for _ in 0..INVERSE_ITERATIONS {
            motion = self.matrix.solve(&self.holds, &motion);
            let norm = motion.iter().map(|m| m.norm_squared()).sum::<f64>().sqrt();
            motion.iter_mut().for_each(|m| *m /= norm);
        }
        motion.iter().all(|m| m.amax().is_finite()).then_some(motion)
    }
}
