//! Numbers along the yarns that can be shown as colors or written beside center lines.

use super::force::Stretch;
use super::kinematics::Segment;
use super::model::{Slot, interlaced};
use super::polyline::{CenterLines, CenterPoint};
use super::simulation::YarnSimulation;

/// Numbers of a point of a center line.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct YarnValues {
    /// Tension of the yarn, N; negative where it is compressed. At a node the mean of the two segments.
    pub tension: f32,
    /// F_n, N: how hard warp and weft press on each other; between crossings interpolated, 0 elsewhere.
    pub compression: f32,
    /// How far the yarn has slid through the crossing since the start, meters, either way; interpolated.
    pub sliding: f32,
}

impl YarnValues {
    /// The values at every point of the center lines of a simulation's present state.
    pub fn of(simulation: &YarnSimulation, lines: &CenterLines) -> Vec<YarnValues> {
        lines.points.iter().map(|p| at(simulation, p)).collect()
    }
}

fn at(simulation: &YarnSimulation, point: &CenterPoint) -> YarnValues {
    let (node, slot) = (point.node as usize, point.slot);
    let mix = |a: f64, b: f64| (a + f64::from(point.share) * (b - a)) as f32;
    let next = simulation.weave().links[node][slot.plus()].get();
    let (far, far_slot) = next.map_or((node, slot), |(n, port)| (n, port.slot()));
    let compression = |n: usize| simulation.state().compression[n];
    YarnValues {
        tension: tension(simulation, point) as f32,
        compression: mix(compression(node), compression(far)),
        sliding: mix(slid(simulation, node, slot), slid(simulation, far, far_slot)),
    }
}

fn slid(simulation: &YarnSimulation, node: usize, slot: Slot) -> f64 {
    let c = slot.index();
    let start = simulation.weave().arcs[node][c];
    if simulation.weave().kinds[node].is_crossing() { (simulation.state().arcs[node][c] - start).abs() } else { 0.0 }
}

fn tension(simulation: &YarnSimulation, point: &CenterPoint) -> f64 {
    let (node, slot) = (point.node as usize, point.slot);
    let (weave, state) = (simulation.weave(), simulation.state());
    let links = &weave.links[node];
    let ratio = weave.material.compression_ratio;
    let stiffness = simulation.stiffness().stretch;
    // With crimp the yarn is longer than the segment, by the heights at both ends.
    let of = |port: usize, segment: Segment| {
        let other = links[port].get().filter(|(n, _)| interlaced(weave.kinds[node], weave.kinds[*n]));
        let height = |n: usize, slot: Slot| state.heights.get(n).map(|h| h[slot.index()]);
        let heights = other.and_then(|(n, back)| Some([height(node, slot)?, height(n, back.slot())?]));
        let tension = |length: f64| Stretch::new(stiffness, ratio, &Segment { length, ..segment }).tension;
        heights.map_or_else(
            || tension(segment.length),
            |heights| 0.5 * heights.map(|h| tension(segment.length.hypot(2.0 * h))).iter().sum::<f64>(),
        )
    };
    let ahead = state.segment_ahead(node, slot.index(), links[slot.plus()]).map(|s| of(slot.plus(), s));
    let behind = state.segment_behind(node, slot.index(), links[slot.minus()]).map(|s| of(slot.minus(), s));
    match (ahead, behind) {
        (Some(a), Some(b)) if point.share == 0.0 => 0.5 * (a + b),
        (one, other) => one.or(other).unwrap_or(0.0),
    }
}
