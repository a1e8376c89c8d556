// Stage `residual`: what Newton's method brings to zero, with the other sign. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces
//!use yarn_solver/_ends
//!use yarn_solver/_stored_rows
//!use yarn_solver/_rows
//!use yarn_solver/_product
//!use yarn_solver/_whole
//!use yarn_solver/_residual

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> momentum: array<NodeVector>;
@group(0) @binding(7) var<storage, read> vectors: array<f32>;
@group(0) @binding(8) var<storage, read> rows: array<vec4f>;
@group(0) @binding(9) var<storage, read_write> residual: array<NodeVector>;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

fn value_at(i: u32) -> Value {
    return velocity_at(i);
}

fn segment_stress(i: u32, slot: u32) -> vec2f {
    let k = VECTOR_WORDS * i + 5u + 2u * slot;
    return vec2f(vectors[k], vectors[k + 1u]);
}

fn corner_stress(i: u32, corner: u32) -> f32 {
    return vectors[VECTOR_WORDS * i + 9u + corner];
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
    var r = element_residual(i);
    r.s -= row(7u, i).zw;
    residual[i] = vector_of(masked(links[i].flags, value_add(value_of(momentum[i]), r, -1.0)));
}
