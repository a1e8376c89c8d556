//! Numbers in fixed point.

use super::super::vector::Vec3;
use crate::gpu::constants::{ARC_FRACTION, POSITION_FRACTION};
use crate::gpu::{NodeArcs, NodePosition};

/// b − a, meters.
pub(in crate::cpu) fn difference(a: &NodePosition, b: &NodePosition, unit: f32) -> Vec3 {
    let (fa, fb) = (fractions(a.fraction), fractions(b.fraction));
    let whole = [b.x.wrapping_sub(a.x), b.y.wrapping_sub(a.y), b.z.wrapping_sub(a.z)];
    std::array::from_fn(|k| (whole[k] as f32 + (fb[k] - fa[k]) as f32 * POSITION_FRACTION) * unit)
}

/// b − a along the arc coordinates of slots, meters.
pub(super) fn arc_difference(a: &NodeArcs, slot_a: usize, b: &NodeArcs, slot_b: usize, unit: f32) -> f32 {
    let (whole_a, fraction_a) = arc(a, slot_a);
    let (whole_b, fraction_b) = arc(b, slot_b);
    (whole_b.wrapping_sub(whole_a) as f32 + (fraction_b - fraction_a) as f32 * ARC_FRACTION) * unit
}

/// Three signed numbers of ten bits.
pub(super) fn fractions(packed: i32) -> [i32; 3] {
    [(packed << 22) >> 22, (packed << 12) >> 22, (packed << 2) >> 22]
}

/// Whole units and the fraction of an arc coordinate.
pub(super) fn arc(arcs: &NodeArcs, slot: usize) -> (i32, i32) {
    if slot == 0 { (arcs.u, (arcs.fraction << 16) >> 16) } else { (arcs.v, arcs.fraction >> 16) }
}

/// Whole units and what is left, after `units` are added to a coordinate with a fraction in `unit`s of itself; the fraction has at least −`half` and
/// less than `half` of them.
pub(super) fn moved(whole: i32, fraction: i32, units: f32, unit: f32, half: i32) -> (i32, i32) {
    let sum = fraction as f32 * unit + units;
    let steps = sum.round_ties_even();
    let rest = ((sum - steps) / unit).round_ties_even() as i32;
    (whole.wrapping_add(steps as i32), rest.clamp(-half, half - 1))
}
