// Stage `patches`: each face's surface as polynomials of its barycentrics. Its CPU twin is cpu/patches.rs.
//!use _groups
//!use _surface
//!use _positions
//!use _patch

const GROUP: u32 = 64u;

@group(0) @binding(0) var<uniform> params: SurfaceParams;
@group(0) @binding(2) var<storage, read> faces: array<SurfaceForms>;
@group(0) @binding(3) var<storage, read> vertices: array<SurfaceForms>;
@group(0) @binding(4) var<storage, read> links: array<FaceLinks>;
@group(0) @binding(5) var<storage, read> charts: array<FaceChart>;
@group(0) @binding(6) var<storage, read_write> patches: array<Patch>;

// alpha F e: how the plane that touches the surface at a corner leaves along e.
fn tangent(corner: SurfaceForms, e: vec2f) -> vec3f {
    return (corner.du.xyz * e.x + corner.dv.xyz * e.y) * params.phong;
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let face = group_number(group, groups) * GROUP + local;
    if face >= params.faces {
        return;
    }
    let link = links[face];
    let edges = charts[face].edges;
    let x0 = position(link.corners[0]);
    let x1 = position(link.corners[1]);
    let x2 = position(link.corners[2]);
    let v0 = vertices[link.material[0]];
    let v1 = vertices[link.material[1]];
    let v2 = vertices[link.material[2]];
    let bb = tangent(v1, edges.xy) - tangent(v0, edges.xy);
    let cc = tangent(v2, edges.zw) - tangent(v0, edges.zw);
    let bc = (tangent(v1, edges.zw) + tangent(v2, edges.xy)) - (tangent(v0, edges.xy) + tangent(v0, edges.zw));
    let n0 = normal_of(v0);
    let n1 = normal_of(v1);
    let n2 = normal_of(v2);
    let s0 = v0.second.xyz * link.scale;
    let s1 = v1.second.xyz * link.scale;
    let s2 = v2.second.xyz * link.scale;
    // Where directors follow their own face alone, its gradient is that of all three corners.
    let own = faces[face];
    let averaged = params.face_gradient == 0u;
    let du0 = select(own.du.xyz, v0.du.xyz, averaged);
    let dv0 = select(own.dv.xyz, v0.dv.xyz, averaged);
    let du1 = select(own.du.xyz, v1.du.xyz, averaged);
    let dv1 = select(own.dv.xyz, v1.dv.xyz, averaged);
    let du2 = select(own.du.xyz, v2.du.xyz, averaged);
    let dv2 = select(own.dv.xyz, v2.dv.xyz, averaged);
    patches[face] = Patch(
        vec4f(x0, 0.0),
        vec4f(n0, link.scale),
        vec4f(x1 - x0 - bb, 0.0),
        vec4f(n1 - n0, 0.0),
        vec4f(x2 - x0 - cc, 0.0),
        vec4f(n2 - n0, 0.0),
        vec4f(v0.first.xyz, 0.0),
        vec4f(s0, 0.0),
        vec4f(v1.first.xyz - v0.first.xyz, 0.0),
        vec4f(s1 - s0, 0.0),
        vec4f(v2.first.xyz - v0.first.xyz, 0.0),
        vec4f(s2 - s0, 0.0),
        vec4f(du0, 0.0),
        vec4f(dv0, 0.0),
        vec4f(du1 - du0, 0.0),
        vec4f(dv1 - dv0, 0.0),
        vec4f(du2 - du0, 0.0),
        vec4f(dv2 - dv0, 0.0),
        vec4f(bb, 0.0),
        vec4f(bc, 0.0),
        vec4f(cc, 0.0),
        charts[face].inverse * link.scale,
    );
}
