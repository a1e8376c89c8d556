// Stage `commit`: nodes move to the end of the step. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_fixed
//!use yarn_solver/_moved
//!use yarn_solver/_vectors

@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read_write> velocity: array<NodeVector>;
@group(0) @binding(4) var<storage, read_write> positions: array<NodePosition>;
@group(0) @binding(5) var<storage, read_write> arcs: array<NodeArcs>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_ACCEPTED || i >= params.nodes {
        return;
    }
    let v = value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
    velocity[i] = vector_of(v);
    let units = scalars.h / params.unit;
    positions[i] = moved_position(positions[i], v.x * units);
    arcs[i] = moved_arcs(arcs[i], v.s * units);
}
