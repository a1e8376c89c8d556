// Stage `corners`: weights and stresses of the corners of a crossing. CPU twin: cpu/hybrid/.
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
//!use yarn_solver/_friction
//!use yarn_solver/_shear
//!use yarn_solver/_corners

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> compression: array<f32>;
@group(0) @binding(6) var<storage, read> anchors: array<NodeAnchors>;
@group(0) @binding(7) var<storage, read> weights: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> corners: array<vec4f>;
@group(0) @binding(9) var<storage, read_write> w: array<f32>;

fn velocity_at(i: u32) -> Value {
    return Value(vec3f(), vec2f());
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
    var factors = vec4f();
    var stress = vec4f();
    if (links[i].flags & CROSSING) != 0u {
        for (var k = 0u; k < 4u; k++) {
            let one = link(i, k >> 1u);
            let three = link(i, 2u + (k & 1u));
            if one == NONE || three == NONE {
                continue;
            }
            let u = piece_at(i, k >> 1u, one, 0.0);
            let v = piece_at(i, 2u + (k & 1u), three, 0.0);
            let corner = corner_row(i, k, u, v, node_of(one), node_of(three));
            factors[k] = corner.x;
            stress[k] = corner.y;
        }
    }
    corners[i] = factors;
    for (var k = 0u; k < 4u; k++) {
        w[5u * i + k] = stress[k];
    }
}
