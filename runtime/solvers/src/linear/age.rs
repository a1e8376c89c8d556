//! How long a preconditioner serves: matrices change little from step to step.

/// Linear solves that use one preconditioner before it is made again.
const KEPT_SOLVES: usize = 10;

/// A preconditioner is made again where a solve takes this many times the iterations of the first with it.
const AGED: usize = 2;

/// The age of a preconditioner; one that was never made is old.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Age {
    /// Length of the step when it was made, seconds.
    step: f64,
    /// Solves since then, and the iterations of the first.
    solves: usize,
    iterations: usize,
}

impl Age {
    /// Whether it is to be made again for a step of `h` seconds.
    pub(crate) fn is_old(&self, h: f64) -> bool {
        self.solves >= KEPT_SOLVES || !(0.7..1.5).contains(&(h / self.step))
    }

    /// It was made for a step of `h` seconds.
    pub(crate) fn renew(&mut self, h: f64) {
        *self = Age { step: h, solves: 0, iterations: 0 };
    }

    /// Notes what a solve took.
    pub(crate) fn used(&mut self, iterations: usize) {
        if self.solves == 0 {
            self.iterations = iterations;
        }
        self.solves += 1;
        if iterations > AGED * (self.iterations + 2) {
            self.solves = KEPT_SOLVES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preconditioners_age_by_solves_by_iterations_and_by_the_length_of_steps() {
        let mut age = Age::default();
        assert!(age.is_old(1e-3));
        age.renew(1e-3);
        assert!(!age.is_old(1e-3) && age.is_old(0.5e-3) && age.is_old(2e-3));
        (0..9).for_each(|_| age.used(20));
        assert!(!age.is_old(1e-3));
        age.used(20);
        assert!(age.is_old(1e-3));
        age.renew(1e-3);
        age.used(20);
        age.used(44);
        assert!(!age.is_old(1e-3));
        age.used(45);
        assert!(age.is_old(1e-3));
    }
}
