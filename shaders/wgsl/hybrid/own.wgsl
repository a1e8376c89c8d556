// Stage `own`: what a node has alone: its mass, friction of sliding, weight. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_flags
//!use hybrid/_mass
//!use yarn_solver/_links
//!use yarn_solver/_friction
//!use yarn_solver/_slide

@group(0) @binding(3) var<storage, read> compression: array<f32>;
@group(0) @binding(4) var<storage, read> anchors: array<NodeAnchors>;
@group(0) @binding(5) var<storage, read> momentum: array<NodeVector>;
@group(0) @binding(6) var<storage, read> d: array<NodeVector>;
@group(0) @binding(7) var<storage, read_write> diagonal: array<NodeDiagonal>;
@group(0) @binding(8) var<storage, read_write> r: array<NodeVector>;

fn velocity_at(i: u32) -> Value {
    return value_of(d[i]);
}

// One over the mass of sliding and its friction; 0 where yarn is stuck.
fn slide_inverse(stuck: bool, slide: f32) -> f32 {
    let damped = 1.0 + scalars.h * params.mass_damping;
    return select(1.0 / (hybrid.slide_mass + slide / damped), 0.0, stuck);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= params.nodes {
        return;
    }
    let flags = links[i].flags;
    let u = slide_row(i, 0u);
    let v = slide_row(i, 1u);
    diagonal[i].u = slide_inverse((flags & STUCK_U) != 0u, u.x);
    diagonal[i].v = slide_inverse((flags & STUCK_V) != 0u, v.x);
    let mass = lumped_mass(flags, diagonal[i]);
    let here = value_of(d[i]);
    var sum = value_of(momentum[i]);
    let damped = mass * (1.0 + scalars.h * params.mass_damping);
    sum.x += params.gravity.xyz * (scalars.h * mass) - here.x * damped;
    sum.s += vec2f(u.y, v.y) - vec2f(u.x, v.x) * here.s;
    r[i] = vector_of(sum);
}
