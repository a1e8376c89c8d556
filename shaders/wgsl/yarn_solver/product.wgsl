// Stage `product`: A d, and what it gives to the curvature. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_sums
//!use yarn_solver/_links
//!use yarn_solver/_angle
//!use yarn_solver/_ends
//!use yarn_solver/_stored_rows
//!use yarn_solver/_rows
//!use yarn_solver/_product
//!use yarn_solver/_vectors
//!use yarn_solver/_set_vectors

@group(0) @binding(3) var<storage, read> rows: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec2f>;

fn value_at(i: u32) -> Value {
    return vector_at(i, 5u);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE {
        return;
    }
    var mine = vec2f();
    if i < params.nodes {
        let w = masked(links[i].flags, node_product(i));
        set_vector(i, 10u, w);
        mine.x = value_dot(value_at(i), w);
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < params.nodes {
        partials[i / GROUP] = sum;
    }
}
