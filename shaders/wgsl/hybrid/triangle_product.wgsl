// Stage `triangle_product`: the tangent of a triangle times d. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_triangle

@group(0) @binding(2) var<storage, read> triangles: array<MembraneTriangle>;
@group(0) @binding(3) var<storage, read> tangents: array<MembraneTangent>;
@group(0) @binding(4) var<storage, read> d: array<NodeVector>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4f>;

fn symmetric(m: array<f32, 6>, v: vec3f) -> vec3f {
    return vec3f(
        m[0] * v.x + m[1] * v.y + m[3] * v.z,
        m[1] * v.x + m[2] * v.y + m[4] * v.z,
        m[3] * v.x + m[4] * v.y + m[5] * v.z,
    );
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let t = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE || t >= hybrid.triangles {
        return;
    }
    let triangle = triangles[t];
    let tangent = tangents[t];
    let du = change_of(triangle, 0u);
    let dv = change_of(triangle, 1u);
    let m = tangent.uv;
    let mixed = mat3x3f(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
    let stress_u = symmetric(tangent.uu, du) + mixed * dv;
    let stress_v = symmetric(tangent.vv, dv) + transpose(mixed) * du;
    set_forces(t, triangle, stress_u, stress_v, 1.0);
}
