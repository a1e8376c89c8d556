// Stage `reset`: the change of velocity that a step starts with. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_vectors
//!use yarn_solver/_set_vectors

@group(0) @binding(3) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(4) var<storage, read_write> vectors: array<f32>;

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
    let v = value_of(velocity[i]);
    let free = masked(links[i].flags, v);
    set_vector(i, 0u, value_add(free, v, -1.0));
}
