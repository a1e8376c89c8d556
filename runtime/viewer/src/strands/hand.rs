//! What a hand does to simulated yarns. What it takes, pins of the scene hold no more.

use super::pick::{Picked, nearest_end};
use crate::live::Touch;
use yarnwise_solvers::yarn::model::{Family, NodeKind};
use yarnwise_solvers::yarn::{YarnPin, YarnSimulation};

/// Fastest that a dragged crossing follows the hand, spacings of yarns a second.
const DRAG_SPEED: f64 = 200.0;

/// Fastest that a yarn is pulled out, spacings a second: 0.05 spacings in a step of a millisecond, which solves well.
const PULL_SPEED: f64 = 50.0;

/// Takes hold of the node that is nearest to a place.
pub(super) fn drag(simulation: &mut YarnSimulation, place: &Picked) -> Touch {
    let (node, _) = place.nearest(simulation.weave());
    hold(simulation, node, DRAG_SPEED)
}

/// Takes hold of a yarn's nearer end. No pin holds the yarn any more, and crossings that pins hold let it pass.
pub(super) fn pull_out(simulation: &mut YarnSimulation, place: &Picked) -> Touch {
    let Some(end) = nearest_end(simulation, place) else {
        let name = name(simulation, place);
        return Touch::Refused(format!("this {name} has no free end: it is sewn at both; cut it first"));
    };
    let weave = simulation.weave();
    let nodes: Vec<usize> = weave.along(place.yarn).map(|(node, _)| node).collect();
    let (crossings, others): (Vec<usize>, Vec<usize>) = nodes.into_iter().partition(|n| weave.kinds[*n].is_crossing());
    let own: Vec<usize> = others.into_iter().filter(|n| weave.kinds[*n] != NodeKind::Seam).collect();
    let rings: Vec<YarnPin> = simulation.pins.iter().filter_map(|pin| ring(pin, &crossings)).collect();
    unpin(simulation, |n| own.contains(&n) || crossings.contains(&n));
    simulation.pins.extend(rings);
    hold(simulation, end, PULL_SPEED)
}

/// Cuts a yarn between two crossings, so that neither of them is left.
pub(super) fn cut(simulation: &mut YarnSimulation, place: &Picked) -> Touch {
    let name = name(simulation, place);
    match simulation.cut_segment(place.node, place.slot) {
        Ok(()) => Touch::Done(format!("cut a {name}")),
        Err(_) => Touch::Refused(format!("this piece of a {name} is too short to cut")),
    }
}

/// Takes hold of a node, which follows at a speed in spacings a second.
fn hold(simulation: &mut YarnSimulation, node: usize, speed: f64) -> Touch {
    unpin(simulation, |n| n == node);
    simulation.drag_speed = speed * simulation.weave().material.spacing;
    Touch::Held(node, simulation.state().positions[node].cast())
}

/// Takes nodes off their pins.
fn unpin(simulation: &mut YarnSimulation, which: impl Fn(usize) -> bool) {
    simulation.pins.iter_mut().for_each(|pin| pin.nodes.retain(|node| !which(*node as usize)));
}

/// The part of a pin that holds some of these crossings, so that yarns run through.
fn ring(pin: &YarnPin, crossings: &[usize]) -> Option<YarnPin> {
    let nodes: Vec<u32> = pin.nodes.iter().copied().filter(|n| crossings.contains(&(*n as usize))).collect();
    (!nodes.is_empty()).then(|| YarnPin { nodes, sliding: true, ..pin.clone() })
}

/// What a yarn is called.
fn name(simulation: &YarnSimulation, place: &Picked) -> &'static str {
    match simulation.weave().yarns[place.yarn].family {
        Family::Warp => "warp",
        Family::Weft => "weft",
        Family::Seam => "seam yarn",
    }
}
