// Stage `start`: the first direction of conjugate gradients. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_sums
//!use yarn_solver/_precondition
//!use yarn_solver/_vectors
//!use yarn_solver/_set_vectors

@group(0) @binding(2) var<storage, read> blocks: array<f32>;
@group(0) @binding(3) var<storage, read> residual: array<NodeVector>;
@group(0) @binding(4) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec2f>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP {
        return;
    }
    var mine = vec2f();
    if i < params.nodes {
        let r = value_of(residual[i]);
        let d = precondition(i, r);
        set_vector(i, 5u, d);
        mine = vec2f(value_dot(r, d), value_dot(r, r));
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < params.nodes {
        partials[i / GROUP] = sum;
    }
}
