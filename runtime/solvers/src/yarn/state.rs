//! Where the yarns are and how they move.

use super::kinematics::Segment;
use super::model::{Link, Weave};
use nalgebra::Vector3;

/// What a step changes.
#[derive(Clone, Debug)]
pub struct State {
    /// x of the nodes, meters.
    pub positions: Vec<Vector3<f64>>,
    /// (u, v) of the nodes: the arc coordinates of the yarns that are at x now, meters.
    pub arcs: Vec<[f64; 2]>,
    /// (ẋ, u̇, v̇), m/s.
    pub velocities: Vec<[f64; 5]>,
    /// M q̇ of the last step, kg m/s: what the next step starts with.
    pub momenta: Vec<[f64; 5]>,
    /// Anchors of sliding friction, meters.
    pub sliding_anchors: Vec<[f64; 2]>,
    /// Anchors of shear friction of the four corners of a crossing, radians: (u−v−, u−v+, u+v−, u+v+).
    pub corner_anchors: Vec<[f32; 4]>,
    /// The last front normal of each crossing.
    pub normals: Vec<Vector3<f64>>,
    /// F_n of each crossing at the start of the last step, N.
    pub compression: Vec<f64>,
    /// Heights of warp and weft of each crossing at the start of the last step, meters; empty where yarns lie flat.
    pub heights: Vec<[f64; 2]>,
    /// Seconds.
    pub time: f64,
}

impl State {
    /// At rest in the start position, at time zero; every anchor where its crossing is.
    pub fn at_rest(weave: &Weave) -> Self {
        let n = weave.node_count();
        State {
            positions: weave.positions.clone(),
            arcs: weave.arcs.clone(),
            velocities: vec![[0.0; 5]; n],
            momenta: vec![[0.0; 5]; n],
            sliding_anchors: weave.arcs.clone(),
            corner_anchors: vec![[std::f32::consts::FRAC_PI_2; 4]; n],
            normals: vec![Vector3::z(); n],
            compression: vec![0.0; n],
            heights: Vec::new(),
            time: 0.0,
        }
    }

    /// The segment from a node along a link out of a plus port.
    #[inline]
    pub fn segment_ahead(&self, node: usize, slot: usize, link: Link) -> Option<Segment> {
        let (next, port) = link.get()?;
        let rest = self.arcs[next][port.slot().index()] - self.arcs[node][slot];
        Some(Segment::new(self.positions[next] - self.positions[node], rest))
    }

    /// The segment that reaches a node along a link out of a minus port; it points to the node.
    #[inline]
    pub fn segment_behind(&self, node: usize, slot: usize, link: Link) -> Option<Segment> {
        let (last, port) = link.get()?;
        let rest = self.arcs[node][slot] - self.arcs[last][port.slot().index()];
        Some(Segment::new(self.positions[node] - self.positions[last], rest))
    }

    /// Whether every number is finite and within 1e6.
    pub fn is_sound(&self) -> bool {
        let fine = |v: f64| v.abs() < 1e6;
        self.positions.iter().all(|p| p.iter().all(|c| fine(*c)))
            && self.arcs.iter().flatten().all(|a| fine(*a))
            && self.velocities.iter().flatten().all(|v| fine(*v))
    }
}
