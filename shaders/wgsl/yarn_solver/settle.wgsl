// Stage `settle`: momenta and anchors at the end of a step. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces
//!use yarn_solver/_ends
//!use yarn_solver/_settle

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> vectors: array<f32>;
@group(0) @binding(7) var<storage, read> compression: array<f32>;
@group(0) @binding(8) var<storage, read_write> momentum: array<NodeVector>;
@group(0) @binding(9) var<storage, read_write> anchors: array<NodeAnchors>;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

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
    momentum[i] = vector_of(momentum_of(i));
    if (links[i].flags & CROSSING) != 0u {
        drag_anchors(i);
    }
}
