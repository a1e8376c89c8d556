//! The hybrid solver's side \[Casafranca20\]: yarn nodes and vertices of triangles in one numbering, nodes first, then the vertices of
//! triangles alone, then the hybrid ones, which follow the hybrid nodes.
//!
//! | what | B a yarn node |
//! |---|---|
//! | [`NodePosition`](super::NodePosition), [`NodeArcs`](super::NodeArcs), [`NodeLinks`](super::NodeLinks) | 16, 12, 20 |
//! | velocity and momentum, [`NodeVector`](super::NodeVector) | 20, 20 |
//! | [`NodeAnchors`](super::NodeAnchors), compression | 24, 4 |
//! | weights of corners, [`NodeDiagonal`] | 16, 16 |
//! | x, d, w, r of the solve | 80 |
//! | of hybrid nodes alone: [`HybridRow`], weights of elements | 12, 16 |
//!
//! Nothing else is stored: segments, bends and corners are computed again from exact differences of positions.

use bytemuck::{Pod, Zeroable};

/// What does not change during a simulation beside [`YarnSolverParams`](super::YarnSolverParams), a uniform. SI units.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct HybridParams {
    /// Vertices of triangles alone.
    pub free: u32,
    /// Hybrid vertices.
    pub slaves: u32,
    /// Hybrid nodes.
    pub rows: u32,
    /// Chunks of hybrid nodes, each within one triangle.
    pub chunks: u32,
    /// Triangles with a weight.
    pub triangles: u32,
    /// Hinges with a weight.
    pub hinges: u32,
    /// [`membrane_law`].
    pub law: u32,
    /// Crossings of the draft that differ.
    pub crossings: u32,
    /// C11, C22, C12, C66 of a St. Venant-Kirchhoff membrane, N/m.
    pub membrane: [f32; 4],
    /// The same without negative eigenvalues, for the tangent.
    pub positive: [f32; 4],
    /// Mass of a segment at rest in the diagonal of its node, kg.
    pub heavy_mass: f32,
    /// Mass of sliding of a node at rest, kg.
    pub slide_mass: f32,
    /// The most that the strain of a segment may change in a step.
    pub strain_change: f32,
    /// Crossings that have the compression of others.
    pub donors: u32,
}

/// In-plane energies, [`HybridParams::law`].
pub mod membrane_law {
    /// Quadratic in Green's strain.
    pub const ST_VENANT_KIRCHHOFF: u32 = 0;
    /// That of the weave.
    pub const MATCHED: u32 = 1;
}

/// One over the mass of a node or vertex, and of its sliding with friction.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct NodeDiagonal {
    /// 1/kg; negative where the position is prescribed.
    pub x: f32,
    /// 1/kg; 0 where u does not slide.
    pub u: f32,
    /// 1/kg; 0 where v does not slide.
    pub v: f32,
    /// The row of a hybrid node, or [`super::NONE`].
    pub row: u32,
}

/// A row of B: a hybrid node and where it is in its triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct HybridRow {
    /// The node.
    pub node: u32,
    /// The number of its triangle among the hybrid ones in the lower 16 bits; then the lower 16 of 24 bits of β₁.
    pub low: u32,
    /// The upper 8 bits of β₁, then 24 of β₂; both in 2⁻²² from −1.
    pub high: u32,
}

impl HybridRow {
    /// Of a node in a hybrid triangle at barycentric coordinates (β₁, β₂).
    ///
    /// # Panics
    /// Beyond 65,535 triangles.
    pub fn new(node: u32, triangle: u32, beta: [f64; 2]) -> Self {
        assert!(triangle <= 0xffff, "hybrid triangles are numbered with 16 bits");
        let bits = |b: f64| (((b + 1.0) / f64::from(BETA_UNIT)).round().clamp(0.0, f64::from(0xff_ffff))) as u32;
        let [one, two] = beta.map(bits);
        HybridRow { node, low: triangle | (one & 0xffff) << 16, high: one >> 16 | two << 8 }
    }

    /// The number of its triangle.
    pub fn triangle(&self) -> u32 {
        self.low & 0xffff
    }

    /// (β₀, β₁, β₂).
    pub fn beta(&self) -> [f32; 3] {
        let one = (self.low >> 16 | (self.high & 0xff) << 16) as i32 - BETA_ZERO;
        let two = (self.high >> 8) as i32 - BETA_ZERO;
        let [a, b] = [one, two].map(|q| q as f32 * BETA_UNIT);
        [1.0 - a - b, a, b]
    }
}

/// A unit of barycentric coordinates, 2⁻²².
pub(super) const BETA_UNIT: f32 = 1.0 / 4_194_304.0;
/// What barycentric coordinates of 0 are, in units.
pub(super) const BETA_ZERO: i32 = 4_194_304;

/// Consecutive rows of one triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RowChunk {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// A triangle at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct MembraneTriangle {
    /// Active vertices.
    pub corners: [u32; 3],
    /// Rest area times the triangles' part, m².
    pub weight: f32,
    /// ∇N₁ and ∇N₂, 1/m.
    pub gradients: [f32; 4],
}

/// h² times the tangent of a membrane, with damping: symmetric between the columns of F, so 21 numbers, N s²/m.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct MembraneTangent {
    /// Lower triangle, by rows.
    pub uu: [f32; 6],
    /// Lower triangle, by rows.
    pub vv: [f32; 6],
    /// From column v to column u, by columns.
    pub uv: [f32; 9],
}

/// A hinge at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct HingeElement {
    /// Active vertices: the edge's ends, then the corners opposite to it.
    pub corners: [u32; 4],
    /// V over (θ − θ̄)², N m.
    pub weight: f32,
    /// θ̄, radians.
    pub rest_angle: f32,
    /// Of the edge, meters.
    pub length: f32,
    /// m².
    pub area_1: f32,
    /// m².
    pub area_2: f32,
}

/// ∇θ of a hinge and (h² + hβ) ∂²V/∂θ².
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct HingeRow {
    /// ∂θ/∂x of the corners, 1/m.
    pub gradients: [f32; 12],
    /// N m s².
    pub weight: f32,
}

/// A crossing of the draft: how its yarns run, and its corners.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct WeaveCrossing {
    /// Five bits along the warp, set where it is over; the crossing is the third.
    pub warp: u32,
    /// The same along the weft.
    pub weft: u32,
    /// Mean number a crossing of corners at φ that do not jam and that do, and at π − φ.
    pub corners: [f32; 4],
}
