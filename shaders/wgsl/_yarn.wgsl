// The yarns' side of the structs that host and shaders share; see `yarnwise_shaders::gpu` for their meaning.

struct YarnSite {
    b: f32,
    c: f32,
    face: u32,
    pattern: u32,
}

const FIRST: u32 = 0x80000000u;
const LAST: u32 = 0x40000000u;
const INDEX: u32 = 0x3fffffffu;

struct PatternVertex {
    height: f32,
    twist: f32,
    rest_length: f32,
    table_vertex: u32,
    director: array<f32, 3>,
    padding: f32,
}

struct AxisCell {
    low: f32,
    inverse: f32,
}

struct YarnParams {
    cells: vec3u,
    table_vertices: u32,
    count: u32,
    flags: u32,
    displacement: f32,
    min_eigenvalue: f32,
    radius: f32,
    bending_amount: f32,
}

const LINEARIZED: u32 = 1u;
const QUADRATIC: u32 = 2u;
const FOLLOW: u32 = 4u;
const COMPAT_CLAMP: u32 = 8u;
const VOLUME: u32 = 16u;

struct TablePacking {
    scale: vec4f,
    packed: u32,
}

struct YarnVertex {
    position: array<f32, 3>,
    twist: f32,
    director: u32,
    radius: f32,
}
