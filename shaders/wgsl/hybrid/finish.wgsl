// Stage `finish`: the velocity at the end of the step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params

@group(0) @binding(2) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(3) var<storage, read> x: array<NodeVector>;
@group(0) @binding(4) var<storage, read_write> d: array<NodeVector>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_CHECK || i >= params.nodes + hybrid.free {
        return;
    }
    d[i] = vector_of(value_add(value_of(velocity[i]), value_of(x[i]), 1.0));
}
