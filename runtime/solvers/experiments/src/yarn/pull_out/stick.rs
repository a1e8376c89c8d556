//! Below the force at which something slips first a pulled yarn must not creep, and must return.

use super::{Case, Sample, force_at};
use anyhow::Result;
use serde::Serialize;
use yarnwise_solvers::yarn::State;

/// Part of the slipping force with which the yarn is held.
const PART: f64 = 0.5;
/// Speed at which the slipping force is looked for, and at which the yarn is loaded: a thousandth of the sticking range a step.
const SLOW: f64 = 0.01;
/// The most steps in which the slipping force is looked for.
const MOST: usize = 20_000;
/// Seconds that the yarn is held, after it has come to rest, and that it has to return.
const HOLD: f64 = 1.0;
const SETTLE: f64 = 0.3;

/// A yarn that is held below the force at which it slips.
#[derive(Serialize)]
pub(super) struct Stick {
    /// At which something slips first, be it a yarn or a crossing that turns, N.
    slipping_force: f64,
    /// With which it is held, N.
    held_force: f64,
    /// The largest sliding while it is held for a second, in spacings.
    creep: f64,
    /// The largest sliding under the load, in spacings.
    slid: f64,
    /// The largest sliding that is left after the release, as a part of that under the load.
    left: f64,
}

impl Stick {
    pub(super) fn measure(case: &Case<'_>) -> Result<Self> {
        let (distance, slipping_force) = slipping_point(case)?;
        let mut sample = case.sample()?;
        let start = sample.arcs();
        sample.pull_to(PART * distance, SETTLE);
        sample.simulation.advance(2.0 * SETTLE)?;
        let loaded = sample.arcs();
        sample.simulation.advance(HOLD)?;
        let held_force = force_at(&sample.simulation, sample.tip);
        let later = sample.arcs();
        sample.simulation.guide(Vec::new(), 0.0);
        sample.simulation.advance(HOLD)?;
        let l = case.material.spacing;
        let slid = largest_difference(&start, &loaded);
        Ok(Stick {
            slipping_force,
            held_force,
            creep: largest_difference(&loaded, &later) / l,
            slid: slid / l,
            left: largest_difference(&start, &sample.arcs()) / slid,
        })
    }

    pub(super) fn line(&self, draft: &str, wefts: usize) -> String {
        format!(
            "stick, {draft}, {wefts} wefts: slips at {:.5} N; held at {:.5} N for {HOLD} s it slides by {:.4} L and creeps by {:.1e} L; \
             {:.3} % of it is left after the release\n",
            self.slipping_force,
            self.held_force,
            self.slid,
            self.creep,
            100.0 * self.left
        )
    }
}

/// The pulled length (m) and the force (N) up to which no anchor of friction is dragged.
fn slipping_point(case: &Case<'_>) -> Result<(f64, f64)> {
    let mut sample = case.sample()?;
    let start = sample.simulation.state().clone();
    let l = case.material.spacing;
    let (part, h) = (SLOW * case.material.sliding_slip * l, 1e-3 * case.args.step);
    let mut last = (0.0, 0.0);
    for k in 1..=MOST {
        let distance = part * k as f64;
        let arrival = sample.simulation.time() + h;
        sample.pull_to(distance, arrival);
        sample.simulation.advance(h)?;
        if slips(&start, sample.simulation.state(), l) {
            break;
        }
        last = (distance, force_at(&sample.simulation, sample.tip));
    }
    Ok(last)
}

/// Whether an anchor has been dragged by more than rounding; those of corners have 32 bits.
fn slips(start: &State, now: &State, spacing: f64) -> bool {
    let yarns = start.sliding_anchors.as_flattened().iter().zip(now.sliding_anchors.as_flattened());
    let corners = start.corner_anchors.as_flattened().iter().zip(now.corner_anchors.as_flattened());
    let dragged = |difference: f64, rounding: f64| difference.is_nan() || difference.abs() > rounding;
    yarns.into_iter().any(|(a, b)| dragged(a - b, 1e-9 * spacing))
        || corners.into_iter().any(|(a, b)| dragged(f64::from(a - b), 1e-6))
}

impl Sample {
    /// Arc coordinates of the warp at its crossings, m.
    fn arcs(&self) -> Vec<f64> {
        self.crossings().map(|i| self.simulation.state().arcs[i][0]).collect()
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
