// Stage `direction`: the next direction of conjugate gradients. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_vectors
//!use yarn_solver/_set_vectors

@group(0) @binding(2) var<storage, read_write> vectors: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE || i >= params.nodes {
        return;
    }
    set_vector(i, 5u, value_add(vector_at(i, 10u), vector_at(i, 5u), scalars.beta));
}
