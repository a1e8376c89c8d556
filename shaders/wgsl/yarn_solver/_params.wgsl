// The yarn solver's structs and flags; see `yarnwise_shaders::gpu` for their meaning.

const NONE: u32 = 0xffffffffu;
const CROSSING: u32 = 1u;
const WARP_OVER: u32 = 2u;
const PLAIN: u32 = 4u;
const SEAM: u32 = 8u;
const HELD: u32 = 16u;
const STUCK_U: u32 = 32u;
const STUCK_V: u32 = 64u;
const LUMPED_U: u32 = 1024u;
const LUMPED_V: u32 = 2048u;
const PHASE_DONE: u32 = 0u;
const PHASE_STEP: u32 = 1u;
const PHASE_SOLVE: u32 = 2u;
const PHASE_SOLVED: u32 = 3u;
const PHASE_ACCEPTED: u32 = 4u;
const PHASE_FAILED: u32 = 5u;

struct NodePosition {
    x: i32,
    y: i32,
    z: i32,
    fraction: i32,
}

struct NodeArcs {
    u: i32,
    v: i32,
    fraction: i32,
}

struct NodeLinks {
    ports: array<u32, 4>,
    flags: u32,
}

struct NodeVector {
    x: f32,
    y: f32,
    z: f32,
    u: f32,
    v: f32,
}

struct NodeAnchors {
    offsets: array<f32, 2>,
    corners: array<f32, 4>,
}

struct PinTarget {
    goal: array<i32, 3>,
    node: u32,
}

struct YarnSolverParams {
    gravity: vec4f,
    nodes: u32,
    pins: u32,
    unit: f32,
    inertia: u32,
    density: f32,
    stretch: f32,
    compression_ratio: f32,
    bend: f32,
    shear: f32,
    shear_compression: f32,
    jamming: f32,
    jamming_angle: f32,
    spacing: f32,
    radius: f32,
    friction: f32,
    parallel: f32,
    sliding: f32,
    sliding_damping: f32,
    turning: f32,
    turning_friction: f32,
    mass_damping: f32,
    stiffness_damping: f32,
    tolerance: f32,
    newton_tolerance: f32,
    max_iterations: u32,
    newton_iterations: u32,
    step: f32,
    smallest_step: f32,
    noise: f32,
    padding: u32,
    padding_2: u32,
    padding_3: u32,
}

struct YarnSolverScalars {
    h: f32,
    left: f32,
    current: f32,
    phase: u32,
    newton: u32,
    iterations: u32,
    steady: u32,
    fault: u32,
    delta: f32,
    goal: f32,
    alpha: f32,
    beta: f32,
    first: f32,
    residual: f32,
    taken: u32,
    rejected: u32,
    all_iterations: u32,
    capped: u32,
    padding: u32,
    padding_2: u32,
}

// (x, u, v) at a node.
struct Value {
    x: vec3f,
    s: vec2f,
}

fn value_of(v: NodeVector) -> Value {
    return Value(vec3f(v.x, v.y, v.z), vec2f(v.u, v.v));
}

fn vector_of(v: Value) -> NodeVector {
    return NodeVector(v.x.x, v.x.y, v.x.z, v.s.x, v.s.y);
}

fn value_dot(a: Value, b: Value) -> f32 {
    return a.x.x * b.x.x + a.x.y * b.x.y + a.x.z * b.x.z + a.s.x * b.s.x + a.s.y * b.s.y;
}

// a + b t.
fn value_add(a: Value, b: Value, t: f32) -> Value {
    return Value(a.x + b.x * t, a.s + b.s * t);
}

// A vector without what is prescribed.
fn masked(flags: u32, v: Value) -> Value {
    let x = select(v.x, vec3f(), (flags & HELD) != 0u);
    let stuck = vec2<bool>((flags & STUCK_U) != 0u, (flags & STUCK_V) != 0u);
    return Value(x, select(v.s, vec2f(), stuck));
}

// The neighbor behind a link, its port that leads back, its slot of the shared yarn.
fn node_of(link: u32) -> u32 {
    return link >> 2u;
}

fn port_of(link: u32) -> u32 {
    return link & 3u;
}

fn slot_of(link: u32) -> u32 {
    return (link & 3u) >> 1u;
}
