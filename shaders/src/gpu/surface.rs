//! The mesh's side: faces, averaging weights, fundamental forms, patches.

use bytemuck::{Pod, Zeroable};

/// How a face is connected to its mesh in the world.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct FaceLinks {
    /// World vertices of the corners.
    pub corners: [u32; 3],
    /// How much larger than baked the pattern lies on this face's island.
    pub scale: f32,
    /// Material vertices of the corners: where averaged quantities live.
    pub material: [u32; 3],
    /// The island of the UV plane.
    pub island: u32,
    /// The world vertex opposite to edge i (from corner i to i + 1) in the neighboring face, or [`NONE`](super::NONE).
    pub opposite: [u32; 3],
    /// Unused.
    pub padding: u32,
}

/// A face in its island's material plane, meters.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct FaceChart {
    /// Material edge vectors from corner 0: e1 = (0, 1), e2 = (2, 3); the columns of Dm.
    pub edges: [f32; 4],
    /// Dm^-1 by rows, 1/m: (b, c) = Dm^-1 (p - origin). All zero where the face has no area in the material plane.
    pub inverse: [f32; 4],
    /// Material position of corner 0.
    pub origin: [f32; 2],
    /// Unused.
    pub padding: [f32; 2],
    /// The face of the same island across edge i (from corner i to i + 1), or [`NONE`](super::NONE).
    pub neighbors: [u32; 3],
    /// Unused.
    pub padding_2: u32,
}

/// The part of one face in the average at a material vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct FaceWeight {
    /// The face.
    pub face: u32,
    /// Its weight; the weights at a vertex sum to one (or are all zero where no face has an area).
    pub weight: f32,
    /// Cosine and sine of the angle by which the vertex' material plane must turn to fit the face's. (1, 0) within an
    /// island; anything across a seam.
    pub turn: [f32; 2],
}

/// Gradient, normal and fundamental forms of the surface at a face or vertex. Rows of four for the GPU.
///
/// The gradient F = (dx/du, dx/dv) is 3x2, without unit; I = F^T F; II in 1/m.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SurfaceForms {
    /// dx/du; then the normal's x.
    pub du: [f32; 4],
    /// dx/dv; then the normal's y.
    pub dv: [f32; 4],
    /// I11, I12, I22; then the normal's z.
    pub first: [f32; 4],
    /// II11, II12, II22; then nothing.
    pub second: [f32; 4],
}

impl SurfaceForms {
    /// The unit normal (zero where there is none).
    pub fn normal(&self) -> [f32; 3] {
        [self.du[3], self.dv[3], self.first[3]]
    }
}

/// A face's surface as polynomials of the barycentrics (b, c): all that a yarn vertex needs of the mesh.
///
/// With Phong deformation the surface is quadratic in (b, c); normal, fundamental forms and gradient are linear. Rows come in
/// pairs so that eight lanes evaluate two polynomials at a time.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Patch {
    /// Constant part of the position, meters.
    pub position: [f32; 4],
    /// Constant part of the normal; lane 3: how much larger than baked the pattern lies here.
    pub normal: [f32; 4],
    /// Position's factor of b.
    pub position_b: [f32; 4],
    /// Normal's factor of b.
    pub normal_b: [f32; 4],
    /// Position's factor of c.
    pub position_c: [f32; 4],
    /// Normal's factor of c.
    pub normal_c: [f32; 4],
    /// Constant part of I.
    pub first: [f32; 4],
    /// Constant part of II times the pattern's scale.
    pub second: [f32; 4],
    /// I's factor of b.
    pub first_b: [f32; 4],
    /// II's factor of b.
    pub second_b: [f32; 4],
    /// I's factor of c.
    pub first_c: [f32; 4],
    /// II's factor of c.
    pub second_c: [f32; 4],
    /// dx/du, from which directors are turned into the world.
    pub du: [f32; 4],
    /// dx/dv.
    pub dv: [f32; 4],
    /// Factors of b in dx/du and in dx/dv, then those of c. Zero where directors follow the face's own gradient.
    pub du_b: [f32; 4],
    /// See `du_b`.
    pub dv_b: [f32; 4],
    /// See `du_b`.
    pub du_c: [f32; 4],
    /// See `du_b`.
    pub dv_c: [f32; 4],
    /// Position's factor of b^2.
    pub position_bb: [f32; 4],
    /// Position's factor of b c.
    pub position_bc: [f32; 4],
    /// Position's factor of c^2.
    pub position_cc: [f32; 4],
    /// Dm^-1 for displacements in the pattern's units, by rows: (db, dc) = inverse (dX1, dX2).
    pub inverse: [f32; 4],
}

impl Patch {
    /// How much larger than baked the pattern lies here.
    #[inline(always)]
    pub fn scale(&self) -> f32 {
        self.normal[3]
    }
}
