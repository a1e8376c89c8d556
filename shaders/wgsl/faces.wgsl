// Stage `faces`: gradient, normal and fundamental forms of each face. Its CPU twin, cpu/faces.rs, has the formulas.
//!use _groups
//!use _angle
//!use _surface
//!use _unit
//!use _positions

const GROUP: u32 = 64u;

@group(0) @binding(0) var<uniform> params: SurfaceParams;
@group(0) @binding(2) var<storage, read> links: array<FaceLinks>;
@group(0) @binding(3) var<storage, read> charts: array<FaceChart>;
@group(0) @binding(4) var<storage, read_write> faces: array<SurfaceForms>;

const MIN_HEIGHT: f32 = 1e-7;
const MAX_GRADIENT: f32 = 1e6;
// The part of the edge from a to b in II, with `opposite` the neighbor's third corner: II11, II12, II22.
fn edge_form(a: vec3f, b: vec3f, opposite: u32, normal: vec3f, double_area: f32, du: vec3f, dv: vec3f) -> vec3f {
    if opposite == NONE {
        return vec3f();
    }
    let edge = b - a;
    let length = sqrt(dot(edge, edge));
    let direction = unit(edge);
    let neighbor = cross(position(opposite) - a, edge);
    let angle = -angle_of(dot(direction, cross(normal, neighbor)), dot(normal, neighbor));
    let across = cross(direction, normal);
    let height = max(double_area, MIN_HEIGHT * length);
    let weight = select(0.0, angle * length / height, height > 0.0);
    let u = dot(du, across);
    let v = dot(dv, across);
    return weight * vec3f(u * u, u * v, v * v);
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
    let inverse = charts[face].inverse;
    let x0 = position(link.corners[0]);
    let x1 = position(link.corners[1]);
    let x2 = position(link.corners[2]);
    let e1 = x1 - x0;
    let e2 = x2 - x0;
    let limit = vec3f(MAX_GRADIENT);
    let du = clamp(e1 * inverse.x + e2 * inverse.z, -limit, limit);
    let dv = clamp(e1 * inverse.y + e2 * inverse.w, -limit, limit);
    let area_normal = cross(e1, e2);
    let normal = unit(area_normal);
    let double_area = dot(area_normal, normal);
    let second = edge_form(x0, x1, link.opposite[0], normal, double_area, du, dv)
        + edge_form(x1, x2, link.opposite[1], normal, double_area, du, dv)
        + edge_form(x2, x0, link.opposite[2], normal, double_area, du, dv);
    faces[face] = SurfaceForms(
        vec4f(du, normal.x),
        vec4f(dv, normal.y),
        vec4f(dot(du, du), dot(du, dv), dot(dv, dv), normal.z),
        vec4f(second, 0.0),
    );
}
