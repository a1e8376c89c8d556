// The hybrid solver's structs; see `yarnwise_shaders::gpu` for their meaning.

const PHASE_CHECK: u32 = 6u;

struct HybridParams {
    free: u32,
    slaves: u32,
    rows: u32,
    chunks: u32,
    triangles: u32,
    hinges: u32,
    law: u32,
    crossings: u32,
    membrane: vec4f,
    positive: vec4f,
    heavy_mass: f32,
    slide_mass: f32,
    strain_change: f32,
    padding: u32,
}

struct NodeDiagonal {
    x: f32,
    u: f32,
    v: f32,
    row: u32,
}

struct HybridRow {
    node: u32,
    low: u32,
    high: u32,
}

struct RowChunk {
    first: u32,
    count: u32,
}

struct MembraneTriangle {
    corners: array<u32, 3>,
    weight: f32,
    gradients: array<f32, 4>,
}

struct MembraneTangent {
    uu: array<f32, 6>,
    vv: array<f32, 6>,
    uv: array<f32, 9>,
}

struct HingeElement {
    corners: array<u32, 4>,
    weight: f32,
    rest_angle: f32,
    length: f32,
    area_1: f32,
    area_2: f32,
}

struct HingeRow {
    gradients: array<f32, 12>,
    weight: f32,
}

struct WeaveCrossing {
    warp: u32,
    weft: u32,
    corners: array<f32, 4>,
}

@group(0) @binding(15) var<uniform> hybrid: HybridParams;

// Vertices that take part.
fn active_count() -> u32 {
    return hybrid.free + hybrid.slaves;
}

// Nodes and vertices.
fn all_points() -> u32 {
    return params.nodes + hybrid.free + hybrid.slaves;
}

// A vector without what is prescribed.
fn kept(diagonal: NodeDiagonal, v: Value) -> Value {
    let x = select(vec3f(), v.x, diagonal.x > 0.0);
    return Value(x, select(vec2f(), v.s, vec2f(diagonal.u, diagonal.v) > vec2f()));
}

// M^-1 r, where a node's own mass is all of M.
fn scaled_by(diagonal: NodeDiagonal, r: Value) -> Value {
    return Value(r.x * max(diagonal.x, 0.0), r.s * vec2f(diagonal.u, diagonal.v));
}

// Whether an attempt at a step is under way and its solve has not just ended.
fn is_stepping() -> bool {
    return scalars.phase == PHASE_STEP || scalars.phase == PHASE_SOLVE || scalars.phase == PHASE_CHECK;
}
