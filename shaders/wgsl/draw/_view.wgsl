// Structs of the drawing shaders; see `yarnwise_shaders::gpu` for their meaning.

const MAX_YARN_COLORS: u32 = 16u;
const PALETTE_COLORS: u32 = 16u;

struct TubeView {
    view_proj: mat4x4f,
    shadow_proj: mat4x4f,
    eye: vec4f,
    light: vec4f,
    light_color: vec4f,
    sky: vec4f,
    ground: vec4f,
    up: vec4f,
    viewport: vec4f,
    ply: vec4f,
    heat: vec4f,
    colors: array<vec4f, MAX_YARN_COLORS>,
    palette: array<vec4f, PALETTE_COLORS>,
    counts: vec4u,
}

struct TubePart {
    first: u32,
    count: u32,
    offset: u32,
    padding: u32,
}

struct TubeStrand {
    arc: f32,
    yarn: u32,
}

// Levels of detail; `runtime/src/draw/template.rs` has their shapes.
const BINS: u32 = 7u;
// From this level on, ribbons that face the viewer.
const RIBBON: u32 = 3u;
// Flat ribbons of yarns that are thinner than a pixel.
const THREAD: u32 = 5u;
const CAP: u32 = 6u;

// In an entry of the list of what is seen: the cap at the end of the segment, not that at its beginning.
const FAR_END: u32 = 0x80000000u;

// Words of an indexed indirect draw; the instance count is the second of them.
const ARGUMENTS: u32 = 5u;

// Segments of a workgroup of the stages that find what is seen.
const GROUP: u32 = 64u;
