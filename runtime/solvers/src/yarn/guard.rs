//! What a step must not do.

use super::self_contact::SheetContact;
use super::system::{Evaluation, StepData};
use crate::linear::Scalar;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Why an attempt was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// Two nodes of a yarn came too near to each other along it.
    Crowded,
    /// Newton's method did not converge.
    NotConverged,
    /// A number is non-finite.
    NotFinite,
}

/// A rest length may fall to this part of itself in a step.
const LARGEST_SHORTENING: f64 = 0.2;

/// A rest length may not fall below this part of the spacing.
const SHORTEST: f64 = 0.05;

/// Refuses velocities (m/s) that would, over h seconds, make a rest length too short, bring layers of cloth nearer to each other by more
/// than a radius, or leave the range of numbers.
pub(crate) fn check<T: Scalar>(data: &StepData<'_>, at: Evaluation<'_, T>) -> Result<(), Rejection> {
    let StepData { weave, start, h, contacts, .. } = *data;
    let velocity = |i: usize| at.velocity(start, i);
    let least = SHORTEST * weave.material.spacing;
    let nodes = (0..weave.node_count()).into_par_iter().with_min_len(2048);
    let worst = nodes.map(|i| {
        let v = velocity(i);
        if !v.iter().all(|v| v.abs() < 1e6) {
            return 2;
        }
        let crowded = (0..2).any(|c| {
            let Some((n, back)) = weave.links[i][2 * c + 1].get() else { return false };
            let other = back.slot().index();
            let before = start.arcs[n][other] - start.arcs[i][c];
            let after = before + h * (velocity(n)[3 + other] - v[3 + c]);
            // A piece that is short already may stay so, or grow.
            after < LARGEST_SHORTENING * before || (after < least && after < before)
        });
        u8::from(crowded)
    });
    let moved = |i: usize| Vector3::from_column_slice(&velocity(i)[..3]);
    let approach = |c: &SheetContact| -h * c.gap(moved);
    if contacts.par_iter().with_min_len(1024).any(|c| approach(c) > weave.material.radius) {
        return Err(Rejection::Crowded);
    }
    match worst.max() {
        Some(2) => Err(Rejection::NotFinite),
        Some(1) => Err(Rejection::Crowded),
        _ => Ok(()),
    }
}
