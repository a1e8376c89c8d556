//! Which yarn is under the pointer, and which of its ends is near.

use crate::live::Ray;
use nalgebra::Vector3;
use yarnwise_solvers::yarn::YarnSimulation;
use yarnwise_solvers::yarn::model::{NodeKind, Slot, Weave};
use yarnwise_solvers::yarn::polyline::CenterLines;

/// Points on each segment of a center line that is looked for.
const POINTS_PER_SEGMENT: usize = 4;

/// A place on a yarn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Picked {
    /// Which yarn.
    pub(super) yarn: usize,
    /// The node at the place or before it.
    pub(super) node: usize,
    /// The yarn's slot there.
    pub(super) slot: Slot,
    /// How far it is to the next node, 0 to 1.
    pub(super) share: f64,
}

impl Picked {
    /// The node and slot that are nearer, of the two beside the place.
    pub(super) fn nearest(&self, weave: &Weave) -> (usize, Slot) {
        let next = weave.links[self.node][self.slot.plus()].get().filter(|_| self.share > 0.5);
        next.map_or((self.node, self.slot), |(node, port)| (node, port.slot()))
    }
}

/// The yarn that is seen along a ray: of those that the ray meets the one in front, or else the one that it passes nearest.
pub(super) fn pick(simulation: &YarnSimulation, ray: &Ray) -> Option<Picked> {
    let direction = ray.direction.cast::<f64>().try_normalize(1e-12)?;
    let (origin, reach) = (ray.origin.cast::<f64>(), f64::from(ray.radius));
    let lines = CenterLines::of(simulation.weave(), simulation.state(), POINTS_PER_SEGMENT);
    let radius = simulation.weave().material.radius;
    // A yarn that is met comes before one that is passed; those are ordered by depth, these by distance.
    let mut best: Option<((bool, f64), Picked)> = None;
    for yarn in 0..lines.yarn_count() {
        for pair in lines.yarn(yarn).windows(2) {
            let (beside, depth, part) = passage(&origin, &direction, &pair[0].position, &pair[1].position);
            let met = beside < radius;
            let order = (!met, if met { depth } else { beside });
            if depth <= 0.0 || !(met || beside < reach) || best.is_some_and(|(least, _)| least <= order) {
                continue;
            }
            let share = f64::from(pair[0].share) + part / POINTS_PER_SEGMENT as f64;
            best = Some((order, Picked { yarn, node: pair[0].node as usize, slot: pair[0].slot, share }));
        }
    }
    best.map(|(_, picked)| picked)
}

/// Where a ray passes the line from a to b: its distance there, how far along the ray that is, and how far from a to b.
fn passage(origin: &Vector3<f64>, direction: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>) -> (f64, f64, f64) {
    let across = |v: Vector3<f64>| v - direction * direction.dot(&v);
    let (edge, to) = (across(b - a), across(origin - a));
    let length = edge.norm_squared();
    let part = if length > 1e-24 { (to.dot(&edge) / length).clamp(0.0, 1.0) } else { 0.0 };
    let at = a + (b - a) * part;
    (across(at - origin).norm(), direction.dot(&(at - origin)), part)
}

/// The free end of a yarn that is nearer to a place along the yarn; none where both are sewn.
pub(super) fn nearest_end(simulation: &YarnSimulation, place: &Picked) -> Option<usize> {
    let (weave, arcs) = (simulation.weave(), &simulation.state().arcs);
    let first = weave.along(place.yarn).next()?;
    let last = weave.along(place.yarn).last()?;
    let here = arcs[place.node][place.slot.index()];
    let free = [first, last].into_iter().filter(|(node, _)| weave.kinds[*node] == NodeKind::End);
    let away = |(node, slot): &(usize, Slot)| (arcs[*node][slot.index()] - here).abs();
    free.min_by(|a, b| away(a).total_cmp(&away(b))).map(|(node, _)| node)
}
