//! The yarn solver's side: nodes in fixed point, vectors of unknowns, parameters, scalars.
//!
//! | what | B a node |
//! |---|---|
//! | [`NodePosition`], [`NodeArcs`], [`NodeLinks`] | 16, 12, 20 |
//! | velocity and momentum, [`NodeVector`] | 20, 20 |
//! | [`NodeAnchors`] | 24 |
//! | front normal, compression | 12, 4 |
//! | rows of the elements, [`NodeRows`] | 128 |
//! | inverse block | 60 |
//! | residual; x, d, w of the solve | 20; 60 |

use bytemuck::{Pod, Zeroable};

/// x of a node in fixed point: differences of neighbors are exact, wherever the cloth is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct NodePosition {
    /// In units of [`YarnSolverParams::unit`].
    pub x: i32,
    /// As x.
    pub y: i32,
    /// As x.
    pub z: i32,
    /// What is left of x, y, z, ten bits each from the lowest, signed, in 1/1024 of a unit.
    pub fraction: i32,
}

/// Arc coordinates of a node in fixed point. They may overflow: only differences count.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct NodeArcs {
    /// In units of [`YarnSolverParams::unit`].
    pub u: i32,
    /// As u.
    pub v: i32,
    /// What is left of u and v, 16 bits each from the lowest, signed, in 1/65,536 of a unit.
    pub fraction: i32,
}

/// The neighbors of a node, and what it is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct NodeLinks {
    /// Behind the ports u−, u+, v−, v+: the neighbor's number times 4, and its port that leads back; or [`super::NONE`].
    pub ports: [u32; 4],
    /// [`node_flags`].
    pub flags: u32,
}

/// Bits of [`NodeLinks::flags`].
pub mod node_flags {
    /// A warp and a weft cross.
    pub const CROSSING: u32 = 1;
    /// At a crossing: the warp is over the weft.
    pub const WARP_OVER: u32 = 2;
    /// Inside a loose stretch of one yarn.
    pub const PLAIN: u32 = 4;
    /// On a seam.
    pub const SEAM: u32 = 8;
    /// The position is prescribed.
    pub const HELD: u32 = 16;
    /// u does not slide.
    pub const STUCK_U: u32 = 32;
    /// v does not slide.
    pub const STUCK_V: u32 = 64;
    /// How many of the segments around have mass of their own, times this; three bits. For yarns that share cloth with triangles.
    pub const HEAVY: u32 = 128;
    /// The mass of the segment ahead in slot u is at its nodes.
    pub const LUMPED_U: u32 = 1024;
    /// The mass of the segment ahead in slot v is at its nodes.
    pub const LUMPED_V: u32 = 2048;
    /// One more than the number of the node among those with weights, times this; 0 where it has all of its elements.
    pub const WEIGHTED: u32 = 4096;
}

/// A vector of unknowns at a node: (x, u, v).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct NodeVector {
    /// Along x.
    pub x: f32,
    /// Along y.
    pub y: f32,
    /// Along z.
    pub z: f32,
    /// Along the arc coordinate u.
    pub u: f32,
    /// Along the arc coordinate v.
    pub v: f32,
}

/// Friction's memory at a node.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct NodeAnchors {
    /// u, v less their anchors, meters.
    pub offsets: [f32; 2],
    /// Anchors of the corners (u−v−, u−v+, u+v−, u+v+), radians.
    pub corners: [f32; 4],
}

/// Rows of the elements that belong to a node. In the buffer each of the eight lies behind the same one of all other nodes.
///
/// 0, 1: direction of the segment ahead in slot u, v, and one over its length; 2, 3: its stiffness along, across, coupled
/// with sliding, and of sliding; 4, 5: the bend's weight in its plane and out of it, θ/ℓ, and the rest length of the
/// segment ahead at the start of the step; 6: weights of the corners; 7: diagonal of u and v, and the impulses of their friction.
pub type NodeRows = [[f32; 4]; ROW_PARTS];

/// Parts of [`NodeRows`].
pub const ROW_PARTS: usize = 8;

/// Words of a node in the buffer of the solve's vectors: x, d, w.
pub const VECTOR_WORDS: usize = 15;

/// Entries of the lower triangle of a node's block.
pub const BLOCK_WORDS: usize = 15;

/// What does not change during a simulation, a uniform. SI units.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct YarnSolverParams {
    /// g, m/s², and nothing.
    pub gravity: [f32; 4],
    /// Nodes.
    pub nodes: u32,
    /// Nodes with prescribed positions.
    pub pins: u32,
    /// Meters of a unit of fixed point, a power of two.
    pub unit: f32,
    /// Whether the inertia of the changing mass is kept, 1 or 0.
    pub inertia: u32,
    /// ρ, kg/m.
    pub density: f32,
    /// k_s, N.
    pub stretch: f32,
    /// The part of k_s that is left in compression.
    pub compression_ratio: f32,
    /// k_b, N m².
    pub bend: f32,
    /// S R², N.
    pub shear: f32,
    /// c_n / F_0, 1/N.
    pub shear_compression: f32,
    /// c_j.
    pub jamming: f32,
    /// φ_j, radians.
    pub jamming_angle: f32,
    /// L, meters.
    pub spacing: f32,
    /// R, meters.
    pub radius: f32,
    /// μ.
    pub friction: f32,
    /// k_c L, N/m.
    pub parallel: f32,
    /// k_f, N/m.
    pub sliding: f32,
    /// d_f, N s/m.
    pub sliding_damping: f32,
    /// k_φ, N m.
    pub turning: f32,
    /// μ_φ, meters.
    pub turning_friction: f32,
    /// α, 1/s.
    pub mass_damping: f32,
    /// β, seconds.
    pub stiffness_damping: f32,
    /// Solves end where the residual has fallen to this part of the first.
    pub tolerance: f32,
    /// Newton's method ends where the residual has fallen to this part of the first.
    pub newton_tolerance: f32,
    /// The most iterations of a solve.
    pub max_iterations: u32,
    /// The most iterations of Newton's method.
    pub newton_iterations: u32,
    /// Largest step, seconds.
    pub step: f32,
    /// Steps are halved no further than this, seconds.
    pub smallest_step: f32,
    /// Forces on a node that are nothing but rounding, N.
    pub noise: f32,
    /// Unused.
    pub padding: u32,
    /// Unused.
    pub padding_2: u32,
    /// Unused.
    pub padding_3: u32,
}

/// The scalars of a step: they never leave the device while it runs. Storage for the stages that change them, a uniform for the others.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct YarnSolverScalars {
    /// Length of this step, seconds.
    pub h: f32,
    /// What is left of the frame, seconds.
    pub left: f32,
    /// Length of steps at present, seconds.
    pub current: f32,
    /// [`phase`].
    pub phase: u32,
    /// Iterations of Newton's method in this step.
    pub newton: u32,
    /// Iterations of this solve.
    pub iterations: u32,
    /// Steps since the length of steps has changed.
    pub steady: u32,
    /// [`fault`] of this step.
    pub fault: u32,
    /// rᵀP⁻¹r.
    pub delta: f32,
    /// What it must fall to.
    pub goal: f32,
    /// α of conjugate gradients.
    pub alpha: f32,
    /// β of conjugate gradients.
    pub beta: f32,
    /// |r|² at the start of the step.
    pub first: f32,
    /// |r|² at the start of this Newton iteration.
    pub residual: f32,
    /// Steps taken since the start.
    pub taken: u32,
    /// Steps taken back since the start.
    pub rejected: u32,
    /// Iterations of all solves since the start.
    pub all_iterations: u32,
    /// Solves that ended at the cap.
    pub capped: u32,
    /// Unused.
    pub padding: u32,
    /// Unused.
    pub padding_2: u32,
}

/// What the device is at, [`YarnSolverScalars::phase`]. Stages of other phases do nothing.
pub mod phase {
    /// The frame is done.
    pub const DONE: u32 = 0;
    /// An attempt at a step: elements, residual, preconditioner.
    pub const STEP: u32 = 1;
    /// Conjugate gradients.
    pub const SOLVE: u32 = 2;
    /// A solve has ended.
    pub const SOLVED: u32 = 3;
    /// The step is good.
    pub const ACCEPTED: u32 = 4;
    /// No step can be taken: the smallest one failed.
    pub const FAILED: u32 = 5;
    /// The solve of the hybrid solver has ended; whether the step can be taken is looked at.
    pub const CHECK: u32 = 6;
}

/// Why a step is taken back, [`YarnSolverScalars::fault`]; the larger one counts.
pub mod fault {
    /// It is not.
    pub const NONE: u32 = 0;
    /// Two nodes of a yarn came too near to each other along it; in the hybrid solver also: a strain changed too much.
    pub const CROWDED: u32 = 1;
    /// Newton's method did not converge.
    pub const NOT_CONVERGED: u32 = 2;
    /// A number is non-finite or out of range.
    pub const NOT_FINITE: u32 = 3;
}

/// A node with a prescribed position, and where it is to be at the end of the frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct PinTarget {
    /// In units of fixed point.
    pub goal: [i32; 3],
    /// Which node.
    pub node: u32,
}
