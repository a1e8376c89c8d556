//! Numbers that shaders and host both use. The build asserts that each is the same in `wgsl/` as here.

/// World coordinates beyond this are cut, meters.
pub use yarnwise_shared::mesh::MAX_COORDINATE;
pub use yarnwise_shared::table::strain::{MIN_AREA, MIN_DETERMINANT, MIN_SPREAD};

/// An index that refers to nothing: no neighbor, no triangle.
pub const NONE: u32 = u32::MAX;
/// The smallest height of a triangle above one of its edges, meters: far below any real mesh, bounds II.
pub(crate) const MIN_HEIGHT: f32 = 1e-7;
/// The largest entry of F: a stretch of a million. Only overflow exceeds it.
pub(crate) const MAX_GRADIENT: f32 = 1e6;
/// Vectors whose squared length is not above this have no direction.
pub(crate) const MIN_SQUARE: f32 = f32::MIN_POSITIVE;
/// Half a turn, radians.
pub(crate) const PI: f32 = std::f32::consts::PI;
/// atan(t)/t as a polynomial of t^2 on [0, 1], lowest power first, fitted at Chebyshev nodes; largest error of the angle
/// 1.2e-7 radians.
pub(crate) const ARC_TANGENT: [f32; 9] = [
    1.0,
    -0.333_330_67,
    0.199_924_84,
    -0.142_025_7,
    0.106_367_54,
    -0.074_954_45,
    0.042_587_61,
    -0.016_005_03,
    0.002_834_064,
];

/// The most triangles a walk passes. Displacements are a few radii; a vertex that would go farther keeps the last triangle.
pub(crate) const WALK_STEPS: u32 = 32;
/// How far outside its triangle, in barycentrics, a point still counts as inside: a rounding error, not a distance.
pub const WALK_TOLERANCE: f32 = 1e-6;

/// The reference program takes eigenvalues of I whose squared difference is below this for equal.
pub const EQUAL_EIGENVALUES: f32 = 1e-4;
/// Below this |det [F | n]| a director keeps its direction alone.
pub(crate) const MIN_FRAME: f32 = 1e-12;
/// The smallest length of an edge that the radius divides by, meters.
pub(crate) const MIN_LENGTH: f32 = 1e-20;
/// The least factor of the radius where a yarn stretches.
pub const MIN_THINNING: f32 = 0.25;
/// The largest factor of the radius where a yarn is compressed.
pub const MAX_THICKENING: f32 = 2.0;

/// Colors of yarns in a [`TubeView`](super::TubeView).
pub const MAX_YARN_COLORS: u32 = 16;
/// Colors of a heat map's palette in a [`TubeView`](super::TubeView), from the lowest to the highest value.
pub const PALETTE_COLORS: u32 = 16;
/// Levels of detail, and after them the caps.
pub const BINS: u32 = 7;
/// From this level of detail on, pieces are ribbons that face the viewer.
pub const RIBBON: u32 = 3;
/// The level of detail of yarns thinner than a pixel: flat.
pub const THREAD: u32 = 5;
/// The level of the caps at a yarn's ends.
pub const CAP: u32 = 6;
/// Words of an indexed indirect draw.
pub const ARGUMENTS: u32 = 5;

#[cfg(feature = "yarn-level")]
pub(crate) use yarn_solver::*;
#[cfg(all(feature = "gpu", feature = "yarn-level"))]
pub(crate) use yarn_solver_names::*;

#[cfg(feature = "gpu")]
pub(crate) use shader_names::*;

/// What has another name in Rust, under the name that the shaders have: for the build's assertions.
#[cfg(feature = "gpu")]
mod shader_names {
    use crate::gpu::{YarnSite, flags};

    /// [`YarnSite::FIRST`].
    pub(crate) const FIRST: u32 = YarnSite::FIRST;
    /// [`YarnSite::LAST`].
    pub(crate) const LAST: u32 = YarnSite::LAST;
    /// [`YarnSite::INDEX`].
    pub(crate) const INDEX: u32 = YarnSite::INDEX;
    /// [`flags::LINEARIZED`].
    pub(crate) const LINEARIZED: u32 = flags::LINEARIZED;
    /// [`flags::QUADRATIC`].
    pub(crate) const QUADRATIC: u32 = flags::QUADRATIC;
    /// [`flags::FOLLOW`].
    pub(crate) const FOLLOW: u32 = flags::FOLLOW;
    /// [`flags::COMPAT_CLAMP`].
    pub(crate) const COMPAT_CLAMP: u32 = flags::COMPAT_CLAMP;
    /// [`flags::VOLUME`].
    pub(crate) const VOLUME: u32 = flags::VOLUME;
}

/// Of the yarn solver.
#[cfg(feature = "yarn-level")]
mod yarn_solver {
    /// Sines below this are rounding: the vectors are parallel.
    pub(crate) const PARALLEL_SINE: f32 = 1e-6;
    /// Where warp and weft span less than this part of the product of their lengths, they are parallel.
    pub(crate) const PARALLEL_SPANS: f32 = 1e-3;
    /// Segments shorter than this part of their rest length have no direction.
    pub(crate) const COLLAPSED: f32 = 1e-12;
    /// Rows of bends and corners are held where a segment is shorter than this part of its rest length.
    pub(crate) const FOLDED: f32 = 1e-4;
    /// Below this half angle, radians, its cotangent times itself is 1.
    pub(crate) const SMALL_ANGLE: f32 = 1e-3;
    /// Rounding of rest lengths must not switch on contact of parallel yarns that just touch.
    pub(crate) const CONTACT_ROUNDING: f32 = 1e-6;
    /// A rest length may fall to this part of itself in a step.
    pub(crate) const LARGEST_SHORTENING: f32 = 0.2;
    /// A rest length may not fall below this part of the spacing.
    pub(crate) const SHORTEST: f32 = 0.05;
    /// Velocities that can only be an error, m/s.
    pub(crate) const LARGEST_SPEED: f32 = 1e6;
    /// The largest coordinate in units of fixed point that a step may reach.
    pub(crate) const FIXED_RANGE: f32 = 2.1e9;
    /// Whole steps of a frame, but for rounding.
    pub(crate) const WHOLE_STEPS: f32 = 0.999999;
    /// A step is taken where the residual has fallen to this part of the first, even if the tolerance was not met.
    pub(crate) const ACCEPTABLE: f32 = 0.02;
    /// Good steps after which a shortened step is doubled.
    pub(crate) const STEADY_STEPS: u32 = 8;
    /// A unit of the fractions of positions.
    pub(crate) const POSITION_FRACTION: f32 = 1.0 / 1024.0;
    /// Good steps after which the hybrid solver doubles a shortened step.
    pub(crate) const GOOD_STEPS: u32 = 20;
    /// Part of the rest area below which the heights of a triangle at a hinge are those of a larger one.
    pub(crate) const FLAT: f32 = 1e-4;
    /// A unit of the fractions of arc coordinates.
    pub(crate) const ARC_FRACTION: f32 = 1.0 / 65536.0;
}

/// Flags and phases of the yarn solver, under the names that the shaders have.
#[cfg(all(feature = "gpu", feature = "yarn-level"))]
mod yarn_solver_names {
    use crate::gpu::{VECTOR_WORDS as WORDS, fault, membrane_law, node_flags, phase};

    /// A unit of barycentric coordinates.
    pub(crate) const BETA_UNIT: f32 = crate::gpu::hybrid::BETA_UNIT;
    /// What barycentric coordinates of 0 are.
    pub(crate) const BETA_ZERO: i32 = crate::gpu::hybrid::BETA_ZERO;
    /// [`node_flags::CROSSING`].
    pub(crate) const CROSSING: u32 = node_flags::CROSSING;
    /// [`node_flags::WARP_OVER`].
    pub(crate) const WARP_OVER: u32 = node_flags::WARP_OVER;
    /// [`node_flags::PLAIN`].
    pub(crate) const PLAIN: u32 = node_flags::PLAIN;
    /// [`node_flags::SEAM`].
    pub(crate) const SEAM: u32 = node_flags::SEAM;
    /// [`node_flags::HELD`].
    pub(crate) const HELD: u32 = node_flags::HELD;
    /// [`node_flags::STUCK_U`].
    pub(crate) const STUCK_U: u32 = node_flags::STUCK_U;
    /// [`node_flags::STUCK_V`].
    pub(crate) const STUCK_V: u32 = node_flags::STUCK_V;
    /// [`node_flags::HEAVY`].
    pub(crate) const HEAVY: u32 = node_flags::HEAVY;
    /// [`node_flags::LUMPED_U`].
    pub(crate) const LUMPED_U: u32 = node_flags::LUMPED_U;
    /// [`node_flags::LUMPED_V`].
    pub(crate) const LUMPED_V: u32 = node_flags::LUMPED_V;
    /// [`node_flags::WEIGHTED`].
    pub(crate) const WEIGHTED: u32 = node_flags::WEIGHTED;
    /// [`phase::DONE`].
    pub(crate) const PHASE_DONE: u32 = phase::DONE;
    /// [`phase::STEP`].
    pub(crate) const PHASE_STEP: u32 = phase::STEP;
    /// [`phase::SOLVE`].
    pub(crate) const PHASE_SOLVE: u32 = phase::SOLVE;
    /// [`phase::SOLVED`].
    pub(crate) const PHASE_SOLVED: u32 = phase::SOLVED;
    /// [`phase::ACCEPTED`].
    pub(crate) const PHASE_ACCEPTED: u32 = phase::ACCEPTED;
    /// [`phase::FAILED`].
    pub(crate) const PHASE_FAILED: u32 = phase::FAILED;
    /// [`phase::CHECK`].
    pub(crate) const PHASE_CHECK: u32 = phase::CHECK;
    /// [`membrane_law::MATCHED`].
    pub(crate) const LAW_MATCHED: u32 = membrane_law::MATCHED;
    /// [`fault::CROWDED`].
    pub(crate) const FAULT_CROWDED: u32 = fault::CROWDED;
    /// [`fault::NOT_CONVERGED`].
    pub(crate) const FAULT_NOT_CONVERGED: u32 = fault::NOT_CONVERGED;
    /// [`fault::NOT_FINITE`].
    pub(crate) const FAULT_NOT_FINITE: u32 = fault::NOT_FINITE;
    /// [`WORDS`].
    pub(crate) const VECTOR_WORDS: u32 = WORDS as u32;
}
