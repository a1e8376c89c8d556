// Stage `triangle_force`: forces and tangent of a triangle. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_bent
//!use yarn_solver/_shear
//!use hybrid/_triangle
//!use hybrid/_membrane
//!use hybrid/_svk
//!use hybrid/_matched

@group(0) @binding(2) var<storage, read> triangles: array<MembraneTriangle>;
@group(0) @binding(3) var<storage, read> crossings: array<WeaveCrossing>;
@group(0) @binding(4) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(5) var<storage, read> d: array<NodeVector>;
@group(0) @binding(6) var<storage, read_write> tangents: array<MembraneTangent>;
@group(0) @binding(7) var<storage, read_write> slots: array<vec4f>;

const LAW_MATCHED: u32 = 1u;

fn store(t: u32, m: Membrane) {
    tangents[t].uu = array<f32, 6>(m.uu[0].x, m.uu[0].y, m.uu[1].y, m.uu[0].z, m.uu[1].z, m.uu[2].z);
    tangents[t].vv = array<f32, 6>(m.vv[0].x, m.vv[0].y, m.vv[1].y, m.vv[0].z, m.vv[1].z, m.vv[2].z);
    tangents[t].uv = array<f32, 9>(
        m.uv[0].x, m.uv[0].y, m.uv[0].z, m.uv[1].x, m.uv[1].y, m.uv[1].z, m.uv[2].x, m.uv[2].y, m.uv[2].z,
    );
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let t = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || t >= hybrid.triangles {
        return;
    }
    let triangle = triangles[t];
    let zero = positions[params.nodes + triangle.corners[0]];
    let one = difference(zero, positions[params.nodes + triangle.corners[1]]);
    let two = difference(zero, positions[params.nodes + triangle.corners[2]]);
    let u = column(one, two, triangle.gradients, 0u);
    let v = column(one, two, triangle.gradients, 1u);
    var m: Membrane;
    if hybrid.law == LAW_MATCHED {
        m = matched(u, v);
    } else {
        m = st_venant_kirchhoff(u, v);
    }
    store(t, m);
    let du = change_of(triangle, 0u);
    let dv = change_of(triangle, 1u);
    let stress_u = m.stress_u * scalars.h + m.uu * du + m.uv * dv;
    let stress_v = m.stress_v * scalars.h + m.vv * dv + transpose(m.uv) * du;
    set_forces(t, triangle, stress_u, stress_v, -1.0);
}
