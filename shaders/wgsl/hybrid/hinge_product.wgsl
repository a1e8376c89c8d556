// Stage `hinge_product`: the row of a hinge times d. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params

@group(0) @binding(2) var<storage, read> hinges: array<HingeElement>;
@group(0) @binding(3) var<storage, read> hinge_rows: array<HingeRow>;
@group(0) @binding(4) var<storage, read> d: array<NodeVector>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4f>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let k = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE || k >= hybrid.hinges {
        return;
    }
    let corners = hinges[k].corners;
    let row = hinge_rows[k];
    var turn = 0.0;
    for (var c = 0u; c < 4u; c++) {
        let g = vec3f(row.gradients[3u * c], row.gradients[3u * c + 1u], row.gradients[3u * c + 2u]);
        turn += dot(g, value_of(d[params.nodes + corners[c]]).x);
    }
    for (var c = 0u; c < 4u; c++) {
        let g = vec3f(row.gradients[3u * c], row.gradients[3u * c + 1u], row.gradients[3u * c + 2u]);
        slots[3u * hybrid.triangles + 4u * k + c] = vec4f(g * (row.weight * turn), 0.0);
    }
}
