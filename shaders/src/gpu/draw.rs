//! What the drawing shaders read: constants of a yarn vertex, and the uniforms of a view.

use super::constants::{MAX_YARN_COLORS, PALETTE_COLORS};
use bytemuck::{Pod, Zeroable};

/// What drawing knows of a yarn vertex that does not change: 8 B.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TubeStrand {
    /// Rest arc length from the beginning of the yarn, meters.
    pub arc: f32,
    /// Number of the yarn's color in the low bits, and the flags of [`YarnSite`](super::YarnSite) for its ends.
    pub yarn: u32,
}

/// Which vertices of a buffer are drawn, a uniform of 16 B.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct TubePart {
    /// Index in the buffer of the first vertex that this part owns.
    pub first: u32,
    /// How many it owns.
    pub count: u32,
    /// Number among all yarn vertices of the buffer's first one.
    pub offset: u32,
    /// Unused.
    pub padding: u32,
}

/// A corner of the piece of tube that is drawn for each segment.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TubeCorner {
    /// Where along the segment, 0 to 1.
    pub along: f32,
    /// Cosine of the angle around the yarn; of a ribbon: from -1 to 1 across.
    pub x: f32,
    /// Sine of the angle around the yarn; of a ribbon: toward the viewer.
    pub y: f32,
    /// The angle in turns.
    pub turn: f32,
    /// Level of detail.
    pub level: u32,
}

/// Camera, light and style of a view: the uniform of the drawing shaders. Colors are linear.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct TubeView {
    /// World to clip space, column after column.
    pub view_proj: [[f32; 4]; 4],
    /// World to the shadow map, column after column.
    pub shadow_proj: [[f32; 4]; 4],
    /// The eye (1 in the last lane), or the direction to the viewer (0 in the last lane).
    pub eye: [f32; 4],
    /// Unit direction to the light; then how much shadows darken.
    pub light: [f32; 4],
    /// The light's color; then how far it reaches around (wrapped diffuse).
    pub light_color: [f32; 4],
    /// Ambient light from above; then how far shadows are blurred, meters.
    pub sky: [f32; 4],
    /// Ambient light from below; then one over the yarns' radius at rest, 1/m.
    pub ground: [f32; 4],
    /// Unit direction upwards; then how strong highlights are.
    pub up: [f32; 4],
    /// Width and height in pixels; pixels per meter where w is 1; least radius in pixels.
    pub viewport: [f32; 4],
    /// Plies; their turns in a length of one radius; their depth; depth of fibers.
    pub ply: [f32; 4],
    /// Lowest value; one over the range of values; how much of the heat map is seen; factor of all radii.
    pub heat: [f32; 4],
    /// Colors by yarn.
    pub colors: [[f32; 4]; MAX_YARN_COLORS as usize],
    /// Colors by value.
    pub palette: [[f32; 4]; PALETTE_COLORS as usize],
    /// Number of colors; samples of a pixel; 1 if the shader encodes sRGB; 1 if there is a shadow map.
    pub counts: [u32; 4],
}

/// Camera and strength of the pass that darkens corners, a uniform of 128 B.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct OcclusionView {
    /// Clip space to world, column after column.
    pub inverse: [[f32; 4]; 4],
    /// Unit direction into the picture.
    pub forward: [f32; 4],
    /// Radius (m); strength; pixels per meter where w is 1; 1 if the shader encodes sRGB.
    pub amount: [f32; 4],
    /// Least and largest radius in pixels; depth of the background; unused.
    pub limits: [f32; 4],
    /// Left and upper border, width and height of the viewport, pixels.
    pub area: [f32; 4],
}

/// A corner of a bare mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct MeshCorner {
    /// World position, meters.
    pub position: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
}
