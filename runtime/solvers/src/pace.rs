//! How long steps are: halved where one is taken back, doubled after a while without trouble.

/// The length of steps of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Seconds.
    pub(crate) step: f64,
    /// Steps without trouble since the length changed.
    pub(crate) calm: usize,
}

impl Pace {
    pub(crate) fn new(step: f64) -> Self {
        Pace { step, calm: 0 }
    }

    /// The length of equal steps that are not longer than the present one and take `left` seconds together.
    pub(crate) fn share(&self, left: f64) -> f64 {
        left / (left / self.step * (1.0 - 1e-9)).ceil().max(1.0)
    }

    /// After a step of `h` seconds that was `rejected` times longer before: short steps are doubled, up to `longest`, when `patience` of
    /// them were taken without trouble.
    pub(crate) fn took(&mut self, h: f64, rejected: usize, longest: f64, patience: usize) {
        if rejected > 0 {
            *self = Pace::new(h);
        } else if self.step < longest {
            self.calm += 1;
            if self.calm >= patience {
                *self = Pace::new((2.0 * self.step).min(longest));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_short_for_a_while_after_trouble() {
        let mut pace = Pace::new(1.0);
        pace.took(1.0, 0, 1.0, 2);
        assert_eq!(pace, Pace::new(1.0));
        pace.took(0.25, 2, 1.0, 2);
        assert_eq!(pace.step, 0.25);
        let lengths: Vec<f64> = (0..5)
            .map(|_| {
                pace.took(pace.step, 0, 1.0, 2);
                pace.step
            })
            .collect();
        assert_eq!(lengths, [0.25, 0.5, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn shares_are_equal_and_no_longer_than_a_step() {
        let pace = Pace::new(0.1);
        assert_eq!(pace.share(0.1), 0.1);
        assert_eq!(pace.share(0.05), 0.05);
        assert!((pace.share(0.25) - 0.25 / 3.0).abs() < 1e-15);
        // Rounding does not make one step more.
        assert!((pace.share(0.3 + 1e-12) - 0.1).abs() < 1e-9);
    }
}
