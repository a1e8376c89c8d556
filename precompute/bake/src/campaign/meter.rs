//! How far a campaign is, in units of solves times vertices, which is about how long they take.

use std::time::{Duration, Instant};
use yarnwise_precompute::bake::{Progress, SOLVES_A_SAMPLE};

/// One bake.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    vertices: f64,
    /// Solves that are done, of earlier runs included, and those that are expected in all.
    pub(super) solves: f64,
    pub(super) expected: f64,
    /// Samples that did not converge.
    pub(super) failed: usize,
    /// Solves that are known to be needed so far.
    known: f64,
}

impl Share {
    /// Of a bake that solves this many samples of a pattern with this many vertices.
    pub(super) fn new(samples: u64, vertices: usize) -> Self {
        let expected = SOLVES_A_SAMPLE * samples as f64;
        Share { vertices: vertices as f64, expected, ..Share::default() }
    }

    /// Between 0 and 1.
    pub(super) fn fraction(&self) -> f64 {
        if self.expected > 0.0 { (self.solves / self.expected).min(1.0) } else { 1.0 }
    }
}

/// All bakes of a campaign.
pub(super) struct Meter {
    pub(super) bakes: Vec<Share>,
    started: Instant,
    /// Work that this run did itself.
    fresh: f64,
}

impl Meter {
    pub(super) fn new(bakes: Vec<Share>) -> Self {
        Meter { bakes, started: Instant::now(), fresh: 0.0 }
    }

    pub(super) fn report(&mut self, bake: usize, progress: Progress) {
        let share = &mut self.bakes[bake];
        match progress {
            Progress::Begun { .. } | Progress::Gathered(_) | Progress::Levels(_) | Progress::Share { .. } => {}
            Progress::Wave { solves, .. } => {
                share.known += solves as f64;
                share.expected = share.expected.max(share.known);
            }
            Progress::Solved { sound, recalled } => {
                share.solves += 1.0;
                share.failed += usize::from(!sound);
                if !recalled {
                    self.fresh += share.vertices;
                }
            }
            // It needed fewer solves than was expected.
            Progress::Writing => share.expected = share.solves,
        }
    }

    /// A bake needs no more work, for whatever reason.
    pub(super) fn end(&mut self, bake: usize) {
        let share = &mut self.bakes[bake];
        share.expected = share.solves;
    }

    /// Between 0 and 1.
    pub(super) fn fraction(&self) -> f64 {
        let sum = |of: fn(&Share) -> f64| self.bakes.iter().map(|share| share.vertices * of(share)).sum::<f64>();
        let (done, all) = (sum(|s| s.solves), sum(|s| s.expected));
        if all > 0.0 { (done / all).min(1.0) } else { 0.0 }
    }

    /// How long the rest will take at the speed of this run; none before its first solve.
    pub(super) fn left(&self) -> Option<Duration> {
        let left: f64 = self.bakes.iter().map(|share| share.vertices * (share.expected - share.solves).max(0.0)).sum();
        let seconds = self.started.elapsed().as_secs_f64() * left / self.fresh;
        (self.fresh > 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_precompute::bake::Stage;

    #[test]
    fn solves_count_by_vertices_and_bakes_end_at_what_they_took() {
        let mut meter = Meter::new(vec![Share::new(10, 1), Share::new(10, 3)]);
        assert_eq!((meter.fraction(), meter.left()), (0.0, None));
        let solved = Progress::Solved { sound: true, recalled: true };
        for _ in 0..12 {
            meter.report(1, solved);
        }
        // 12 of the solves of the larger one, which weighs three quarters.
        let expected = 0.75 * 12.0 / (10.0 * SOLVES_A_SAMPLE);
        assert!((meter.fraction() - expected).abs() < 1e-12, "{}", meter.fraction());
        assert_eq!(meter.left(), None, "what was recalled says nothing about the speed");
        meter.report(1, Progress::Wave { solves: 50, stage: Stage::Retries });
        assert_eq!(meter.bakes[1].expected, 50.0);
        meter.report(1, Progress::Solved { sound: false, recalled: false });
        assert!(meter.left().is_some() && meter.bakes[1].failed == 1);
        meter.report(1, Progress::Writing);
        meter.end(0);
        assert_eq!((meter.fraction(), meter.left()), (1.0, Some(Duration::ZERO)));
    }
}
