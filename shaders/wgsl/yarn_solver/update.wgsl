// Stage `update`: the solution, the residual and the preconditioned residual. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_sums
//!use yarn_solver/_precondition
//!use yarn_solver/_vectors
//!use yarn_solver/_set_vectors

@group(0) @binding(2) var<storage, read> blocks: array<f32>;
@group(0) @binding(3) var<storage, read_write> residual: array<NodeVector>;
@group(0) @binding(4) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec2f>;

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
        set_vector(i, 0u, value_add(vector_at(i, 0u), vector_at(i, 5u), scalars.alpha));
        let r = value_add(value_of(residual[i]), vector_at(i, 10u), -scalars.alpha);
        residual[i] = vector_of(r);
        let z = precondition(i, r);
        set_vector(i, 10u, z);
        mine = vec2f(value_dot(r, z), value_dot(r, r));
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < params.nodes {
        partials[i / GROUP] = sum;
    }
}
