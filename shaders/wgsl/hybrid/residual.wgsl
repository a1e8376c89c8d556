// Stage `residual`: what elements give to the residual, with the other sign. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_flags
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_pieces
//!use hybrid/_weights
//!use yarn_solver/_elements
//!use yarn_solver/_ends
//!use hybrid/_computed_rows
//!use yarn_solver/_rows
//!use yarn_solver/_product
//!use yarn_solver/_residual

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> corners: array<vec4f>;
@group(0) @binding(6) var<storage, read> weights: array<vec4u>;
@group(0) @binding(7) var<storage, read> d: array<NodeVector>;
@group(0) @binding(8) var<storage, read> w: array<f32>;
@group(0) @binding(9) var<storage, read_write> r: array<NodeVector>;

fn value_at(i: u32) -> Value {
    return value_of(d[i]);
}

// That of friction is in what a node has alone.
fn own_diagonal(i: u32) -> vec2f {
    return vec2f();
}

fn segment_stress(node: u32, slot: u32) -> vec2f {
    let front = link(node, 2u * slot + 1u);
    return row_at(node, slot, front, piece_at(node, 2u * slot + 1u, front, 0.0)).stress;
}

fn corner_stress(node: u32, corner: u32) -> f32 {
    return w[5u * node + corner];
}

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
    let sum = value_add(value_of(r[i]), element_residual(i), -1.0);
    r[i] = vector_of(masked(links[i].flags, sum));
}
