// Stage `settle`: momenta and anchors at the end of a step. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_flags
//!use hybrid/_mass
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_pieces
//!use yarn_solver/_ends
//!use yarn_solver/_settle

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> compression: array<f32>;
@group(0) @binding(6) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(7) var<storage, read> d: array<NodeVector>;
@group(0) @binding(8) var<storage, read_write> momentum: array<NodeVector>;
@group(0) @binding(9) var<storage, read_write> anchors: array<NodeAnchors>;

fn velocity_at(i: u32) -> Value {
    return value_of(d[i]);
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
    var sum = momentum_of(i);
    sum.x += velocity_at(i).x * lumped_mass(links[i].flags, diagonal[i]);
    momentum[i] = vector_of(sum);
    if (links[i].flags & CROSSING) != 0u {
        drag_anchors(i);
    }
}
