//! Nodes as the device has them, and back.

use crate::yarn::material::Stiffness;
use crate::yarn::model::{NodeKind, Slot, Weave};
use crate::yarn::options::{Inertia, YarnOptions};
use crate::yarn::state::State;
use nalgebra::Vector3;
use yarnwise_shaders::gpu::{
    NONE, NodeAnchors, NodeArcs, NodeLinks, NodePosition, NodeVector, YarnSolverParams, node_flags,
};

/// Coordinates in units stay below this, so that cloth can move about.
const LARGEST: f64 = 2e9;

/// Meters around the cloth that it can move about in, beside its own size on each side.
const ROOM: f64 = 0.5;

/// Fixed point: where it is zero, and how long a unit is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPoint {
    /// Meters.
    pub origin: Vector3<f64>,
    /// Meters, a power of two.
    pub unit: f64,
}

impl FixedPoint {
    /// The finest units with which cloth at `positions` can move by its own size and half a meter.
    pub fn around(positions: &[Vector3<f64>]) -> Self {
        let mut bounds = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
        for p in positions {
            bounds = [bounds[0].inf(p), bounds[1].sup(p)];
        }
        let (origin, size) = if positions.is_empty() {
            (Vector3::zeros(), 0.0)
        } else {
            ((bounds[0] + bounds[1]) * 0.5, (bounds[1] - bounds[0]).amax())
        };
        let reach = 1.5 * size + ROOM;
        FixedPoint { origin, unit: (reach / LARGEST).log2().ceil().exp2() }
    }

    /// A position in units.
    pub fn position(&self, x: &Vector3<f64>) -> NodePosition {
        let scaled = (x - self.origin) / self.unit;
        let whole = scaled.map(f64::round);
        let fraction = |k: usize| (((scaled[k] - whole[k]) * 1024.0).round() as i32).clamp(-512, 511) & 0x3ff;
        NodePosition {
            x: whole.x as i32,
            y: whole.y as i32,
            z: whole.z as i32,
            fraction: fraction(0) | fraction(1) << 10 | fraction(2) << 20,
        }
    }

    /// A position in meters.
    pub fn meters(&self, p: &NodePosition) -> Vector3<f64> {
        let fraction = [p.fraction << 22, p.fraction << 12, p.fraction << 2].map(|f| f64::from(f >> 22) / 1024.0);
        let whole = Vector3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z));
        self.origin + (whole + Vector3::from(fraction)) * self.unit
    }

    fn arcs(&self, arcs: &[f64; 2]) -> NodeArcs {
        let scaled = arcs.map(|s| s / self.unit);
        let whole = scaled.map(f64::round);
        let fraction = |k: usize| (((scaled[k] - whole[k]) * 65536.0).round() as i32).clamp(-32_768, 32_767);
        // Long yarns overflow, which differences do not notice.
        let wrapped = whole.map(|w| w as i64 as i32);
        NodeArcs { u: wrapped[0], v: wrapped[1], fraction: (fraction(0) & 0xffff) | fraction(1) << 16 }
    }

    /// Arc coordinates in meters; whole turns of fixed point are those of `near`.
    fn arc_meters(&self, arcs: &NodeArcs, near: &[f64; 2]) -> [f64; 2] {
        let fraction = [(arcs.fraction << 16) >> 16, arcs.fraction >> 16].map(|f| f64::from(f) / 65536.0);
        let whole = [arcs.u, arcs.v];
        let turn = 2f64.powi(32) * self.unit;
        std::array::from_fn(|k| {
            let value = (f64::from(whole[k]) + fraction[k]) * self.unit;
            value + ((near[k] - value) / turn).round() * turn
        })
    }
}

/// Nodes of a weave in a state, ready for a device.
#[derive(Clone, Debug)]
pub struct PackedNodes {
    /// Fixed point of positions and arc coordinates.
    pub fixed: FixedPoint,
    /// By node.
    pub positions: Vec<NodePosition>,
    /// By node.
    pub arcs: Vec<NodeArcs>,
    /// By node.
    pub links: Vec<NodeLinks>,
    /// m/s.
    pub velocity: Vec<NodeVector>,
    /// kg m/s.
    pub momentum: Vec<NodeVector>,
    /// By node.
    pub anchors: Vec<NodeAnchors>,
    /// Front normals.
    pub normals: Vec<[f32; 3]>,
    /// F_n, N.
    pub compression: Vec<f32>,
}

impl PackedNodes {
    /// Packs a state. `held` are the nodes with prescribed positions, and whether yarns may slide there.
    pub fn new(weave: &Weave, state: &State, held: &[(u32, bool)]) -> Self {
        PackedNodes::with_fixed_point(weave, state, held, FixedPoint::around(&state.positions))
    }

    /// The same in a fixed point that other things share.
    pub fn with_fixed_point(weave: &Weave, state: &State, held: &[(u32, bool)], fixed: FixedPoint) -> Self {
        let mut links: Vec<_> = (0..weave.node_count()).map(|i| links_of(weave, i)).collect();
        for (node, sliding) in held {
            let stuck = if *sliding { 0 } else { node_flags::STUCK_U | node_flags::STUCK_V };
            links[*node as usize].flags |= node_flags::HELD | stuck;
        }
        PackedNodes {
            positions: state.positions.iter().map(|p| fixed.position(p)).collect(),
            arcs: state.arcs.iter().map(|a| fixed.arcs(a)).collect(),
            links,
            velocity: state.velocities.iter().map(vector).collect(),
            momentum: state.momenta.iter().map(vector).collect(),
            anchors: (0..weave.node_count()).map(|i| anchors_of(state, i)).collect(),
            normals: state.normals.iter().map(|n| [n.x as f32, n.y as f32, n.z as f32]).collect(),
            compression: state.compression.iter().map(|f| *f as f32).collect(),
            fixed,
        }
    }

    /// Brings a state to where the nodes are; `state` is the one that was packed, or a later one.
    pub fn unpack(&self, state: &mut State) {
        for (i, p) in self.positions.iter().enumerate() {
            state.positions[i] = self.fixed.meters(p);
            state.arcs[i] = self.fixed.arc_meters(&self.arcs[i], &state.arcs[i]);
            state.velocities[i] = numbers(&self.velocity[i]);
            state.momenta[i] = numbers(&self.momentum[i]);
            for k in 0..2 {
                state.sliding_anchors[i][k] = state.arcs[i][k] - f64::from(self.anchors[i].offsets[k]);
            }
            state.corner_anchors[i] = self.anchors[i].corners;
            state.normals[i] = Vector3::from(self.normals[i]).cast();
            state.compression[i] = f64::from(self.compression[i]);
        }
    }
}

fn vector(v: &[f64; 5]) -> NodeVector {
    let [x, y, z, u, v] = v.map(|c| c as f32);
    NodeVector { x, y, z, u, v }
}

fn numbers(v: &NodeVector) -> [f64; 5] {
    [v.x, v.y, v.z, v.u, v.v].map(f64::from)
}

fn anchors_of(state: &State, i: usize) -> NodeAnchors {
    NodeAnchors {
        offsets: std::array::from_fn(|k| (state.arcs[i][k] - state.sliding_anchors[i][k]) as f32),
        corners: state.corner_anchors[i],
    }
}

/// Links and kind of a node; only crossings with yarn on both sides slide.
fn links_of(weave: &Weave, i: usize) -> NodeLinks {
    let ports = weave.links[i].map(|l| l.get().map_or(NONE, |(n, back)| (n as u32) << 2 | back.index() as u32));
    let mut flags = match weave.kinds[i] {
        NodeKind::Crossing { warp_over: true } => node_flags::CROSSING | node_flags::WARP_OVER,
        NodeKind::Crossing { warp_over: false } => node_flags::CROSSING,
        NodeKind::Plain => node_flags::PLAIN,
        NodeKind::Seam => node_flags::SEAM,
        NodeKind::End | NodeKind::Gone => 0,
    };
    for (slot, stuck) in Slot::BOTH.into_iter().zip([node_flags::STUCK_U, node_flags::STUCK_V]) {
        let open = [slot.minus(), slot.plus()].iter().any(|p| ports[*p] == NONE);
        if open || flags & node_flags::CROSSING == 0 {
            flags |= stuck;
        }
    }
    if ports == [NONE; 4] {
        flags |= node_flags::HELD;
    }
    NodeLinks { ports, flags }
}

/// Parameters of the stages.
pub fn params(
    weave: &Weave,
    k: &Stiffness,
    options: &YarnOptions,
    gravity: &Vector3<f64>,
    fixed: &FixedPoint,
    pins: usize,
) -> YarnSolverParams {
    let m = &weave.material;
    let f = |v: f64| v as f32;
    let compression = if k.rest_compression > 0.0 { m.shear_compression / k.rest_compression } else { 0.0 };
    YarnSolverParams {
        gravity: [f(gravity.x), f(gravity.y), f(gravity.z), 0.0],
        nodes: weave.node_count() as u32,
        pins: pins as u32,
        unit: f(fixed.unit),
        inertia: u32::from(options.inertia == Inertia::Momentum),
        density: f(k.density),
        stretch: f(k.stretch),
        compression_ratio: f(m.compression_ratio),
        bend: f(k.bend),
        shear: f(k.shear),
        shear_compression: f(compression),
        jamming: f(m.jamming),
        jamming_angle: f(k.jamming_angle),
        spacing: f(m.spacing),
        radius: f(m.radius),
        friction: f(m.friction),
        parallel: f(m.parallel_contact * m.spacing),
        sliding: f(k.sliding),
        sliding_damping: f(k.sliding_damping),
        turning: f(k.turning),
        turning_friction: f(k.turning_friction),
        mass_damping: f(m.mass_damping),
        stiffness_damping: f(m.stiffness_damping),
        tolerance: f(options.tolerance),
        newton_tolerance: f(options.newton_tolerance),
        max_iterations: options.max_iterations.min(u32::MAX as usize) as u32,
        newton_iterations: options.newton_iterations.min(u32::MAX as usize) as u32,
        step: f(options.step),
        smallest_step: f(options.smallest_step),
        noise: f(2.0 * k.stretch) * f32::EPSILON,
        padding: 0,
        padding_2: 0,
        padding_3: 0,
    }
}
