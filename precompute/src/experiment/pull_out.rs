//! A yarn is pulled out of its crossings, with the yarns across held as they lie in the fabric.
//!
//! Once the whole yarn slides, friction at each crossing is used up, and the pull is that without friction plus mu times the sum of all
//! normal forces.

use super::FRICTION;
use super::data::Pull;
use crate::explicit::patch::{Family, Patch, single};
use crate::explicit::{Friction, QuasiStatics};
use crate::newton::Hold;
use crate::spline::SplineCell;
use nalgebra::Vector3;
use serde::Serialize;
use yarnwise_shared::{Error, Result, range};

/// By how much a yarn may be pulled at a time, radii.
pub const INCREMENT: [f64; 2] = [1e-3, 1.0];
/// By how much it may be pulled in all, radii.
pub const LONGEST: f64 = 1e3;
/// How many crossings it may run through.
pub const CROSSINGS: [usize; 2] = [1, 64];

/// How a yarn is pulled out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PullOutOptions {
    /// Which yarn.
    pub family: Family,
    /// How many crossings it runs through.
    pub crossings: usize,
    /// mu.
    pub friction: f64,
    /// How far its end is pulled, m.
    pub distance: f64,
    /// By how much at a time, m.
    pub increment: f64,
}

impl PullOutOptions {
    /// Eight crossings, pulled by 3.5 radii, which is more than the yarn stretches.
    pub fn new(radius: f64, friction: f64) -> Self {
        PullOutOptions {
            family: Family::Weft,
            crossings: 8,
            friction,
            distance: 3.5 * radius,
            increment: 0.25 * radius,
        }
    }

    fn check(&self, radius: f64) -> Result<()> {
        let name = "pull-out";
        range::check(name, "the coefficient of friction", self.friction, FRICTION, "")?;
        range::check(name, "the increment", self.increment / radius, INCREMENT, " radii")?;
        range::check(name, "the distance", self.distance / radius, [self.increment / radius, LONGEST], " radii")?;
        let [least, most] = CROSSINGS;
        if !(least..=most).contains(&self.crossings) {
            return Err(Error::invalid(name, format!("{} crossings, {least} to {most} are possible", self.crossings)));
        }
        Ok(())
    }
}

/// A yarn on its way out, with and without friction.
#[derive(Clone, Debug)]
pub struct PullOut {
    /// What was measured.
    pub pulls: Vec<Pull>,
    /// Factorizations an increment, the mean.
    pub factorizations: f64,
    /// The yarns at the end; the first curve is the one that is pulled.
    pub patch: Patch,
}

impl PullOut {
    /// (F - F0) / (mu sum N) at the end, 1 when the whole yarn slides; none without friction.
    pub fn ratio(&self, friction: f64) -> Option<f64> {
        let last = self.pulls.last()?;
        let without = last.force_without_friction?;
        (friction > 0.0).then(|| (last.force - without) / (friction * last.normal_force_sum))
    }
}

/// Pulls a yarn of the relaxed `cell`; `each` hears of every increment.
pub fn pull_out(cell: &SplineCell, options: &PullOutOptions, each: &mut dyn FnMut(&Pull)) -> Result<PullOut> {
    options.check(cell.yarns.radius)?;
    let patch = single(cell, options.family, options.crossings, 1)?;
    let without = (options.friction > 0.0).then(|| run(&patch, options, 0.0, &mut |_| ()));
    let mut out = run(&patch, options, options.friction, each);
    if let Some(without) = without {
        for (pull, free) in out.pulls.iter_mut().zip(&without.pulls) {
            pull.force_without_friction = Some(free.force);
            pull.converged &= free.converged;
        }
    }
    Ok(out)
}

fn run(patch: &Patch, options: &PullOutOptions, friction: f64, each: &mut dyn FnMut(&Pull)) -> PullOut {
    let mut statics = held(patch, options);
    let yarn = statics.body.yarns.curves[0].count;
    let (start, end) = (0, yarn - 1);
    // At rest without friction first: what the cut ends push away is no pull.
    let before = statics.q.clone();
    statics.balance(&before);
    statics.body.holds.set(start, hold(options.family, false));
    statics.body.friction = Friction::coulomb(friction, patch.body.yarns.radius);
    let along = direction(options.family);
    let increments = (options.distance / options.increment).round().max(1.0) as usize;
    let (mut pulls, mut factorizations) = (Vec::new(), 0);
    for k in 1..=increments {
        let before = statics.q.clone();
        statics.q[end] += along * options.increment;
        let balanced = statics.balance(&before);
        factorizations += balanced.work.factorizations;
        let pull = Pull {
            displacement: k as f64 * options.increment,
            force: balanced.reaction[end].dot(&along),
            force_without_friction: None,
            normal_force_sum: balanced.normal_force_sum,
            touching: touching(&statics),
            converged: balanced.converged,
        };
        each(&pull);
        pulls.push(pull);
    }
    let patch = Patch { body: statics.body, q: statics.q, yarns: patch.yarns.clone() };
    PullOut { pulls, factorizations: factorizations as f64 / increments as f64, patch }
}

/// The patch with all yarns across held, and the pulled one in its plane.
fn held(patch: &Patch, options: &PullOutOptions) -> QuasiStatics {
    let mut body = patch.body.clone();
    let yarn = body.yarns.curves[0].count;
    for i in 0..patch.q.len() {
        body.holds.set(i, if i < yarn { hold(options.family, false) } else { Hold::fixed() });
    }
    body.holds.set(0, hold(options.family, true));
    body.holds.set(yarn - 1, Hold::fixed());
    QuasiStatics::new(body, patch.q.clone())
}

/// Held across the fabric's other direction, and along the yarn too if so wished.
fn hold(family: Family, along: bool) -> Hold {
    Hold::along_axes(match family {
        Family::Weft => [along, true, false],
        Family::Warp => [true, along, false],
    })
}

fn direction(family: Family) -> Vector3<f64> {
    match family {
        Family::Weft => Vector3::x(),
        Family::Warp => Vector3::y(),
    }
}

/// How many yarns touch the pulled one.
fn touching(statics: &QuasiStatics) -> usize {
    let mut curves = statics.touching_curves(0);
    curves.sort_unstable();
    curves.dedup();
    curves.len()
}
