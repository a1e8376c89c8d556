// Stage `commit`: nodes and vertices move to the end of the step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_fixed
//!use yarn_solver/_moved

@group(0) @binding(2) var<storage, read> d: array<NodeVector>;
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
    if scalars.phase != PHASE_ACCEPTED || i >= all_points() {
        return;
    }
    let v = value_of(d[i]);
    velocity[i] = d[i];
    let units = scalars.h / params.unit;
    positions[i] = moved_position(positions[i], v.x * units);
    if i < params.nodes {
        arcs[i] = moved_arcs(arcs[i], v.s * units);
    }
}
