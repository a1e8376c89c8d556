// Stage `check`: whether a step leaves nodes where they can be. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_sums
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces
//!use yarn_solver/_check

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> vectors: array<f32>;
@group(0) @binding(7) var<storage, read_write> partials: array<vec2f>;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

// How many nodes are crowded, and how many are not finite or out of range.
@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase == PHASE_DONE || scalars.phase == PHASE_FAILED {
        return;
    }
    var mine = vec2f();
    if i < params.nodes {
        let v = velocity_at(i);
        if !all_fine(v) || leaves(i, v) {
            mine.y = 1.0;
        } else if is_crowded(i) {
            mine.x = 1.0;
        }
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < params.nodes {
        partials[i / GROUP] = sum;
    }
}
