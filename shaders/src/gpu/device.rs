//! What only the shaders need: their uniforms.

use bytemuck::{Pod, Zeroable};

/// Parameters of the mesh stages, a uniform of 16 B.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct SurfaceParams {
    /// Faces of the mesh.
    pub faces: u32,
    /// Material vertices of the mesh.
    pub vertices: u32,
    /// Amount of Phong deformation, 0 to 1.
    pub phong: f32,
    /// 1 where directors follow the gradient of their own face alone, 0 for the averaged gradient.
    pub face_gradient: u32,
}

/// How the displacement table lies in its buffer, a uniform of 32 B.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TablePacking {
    /// What the largest 16 bit number stands for: meters, meters, meters, radians. Unused for floats.
    pub scale: [f32; 4],
    /// 1 for four signed 16 bit numbers an entry, 0 for four floats.
    pub packed: u32,
    /// Unused.
    pub padding: [u32; 3],
}
