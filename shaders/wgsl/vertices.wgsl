// Stage `vertices`: the faces' forms averaged to the material vertices. Its CPU twin is cpu/vertices.rs.
//!use _groups
//!use _surface
//!use _unit

struct FaceWeight {
    face: u32,
    weight: f32,
    turn: vec2f,
}

const GROUP: u32 = 64u;

@group(0) @binding(0) var<uniform> params: SurfaceParams;
@group(0) @binding(1) var<storage, read> faces: array<SurfaceForms>;
// The weights of vertex i are those from starts[i] to starts[i + 1].
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> weights: array<FaceWeight>;
@group(0) @binding(4) var<storage, read_write> vertices: array<SurfaceForms>;

// R^T M R with R = [c -s; s c] for the symmetric M = (xx, xy, yy); the last lane stays.
fn turned_form(m: vec4f, c: f32, s: f32) -> vec4f {
    return vec4f(
        c * c * m.x + 2.0 * c * s * m.y + s * s * m.z,
        c * s * (m.z - m.x) + (c * c - s * s) * m.y,
        s * s * m.x - 2.0 * c * s * m.y + c * c * m.z,
        m.w,
    );
}

// The forms as they are seen from a material plane turned by (cos, sin) against the face's. Exact for no turn.
fn turned(forms: SurfaceForms, turn: vec2f) -> SurfaceForms {
    let c = turn.x;
    let s = turn.y;
    return SurfaceForms(
        vec4f(c * forms.du.xyz + s * forms.dv.xyz, forms.du.w),
        vec4f(c * forms.dv.xyz - s * forms.du.xyz, forms.dv.w),
        turned_form(forms.first, c, s),
        turned_form(forms.second, c, s),
    );
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let vertex = group_number(group, groups) * GROUP + local;
    if vertex >= params.vertices {
        return;
    }
    var sum = SurfaceForms(vec4f(), vec4f(), vec4f(), vec4f());
    for (var i = starts[vertex]; i < starts[vertex + 1u]; i++) {
        let part = weights[i];
        let forms = turned(faces[part.face], part.turn);
        sum.du += part.weight * forms.du;
        sum.dv += part.weight * forms.dv;
        sum.first += part.weight * forms.first;
        sum.second += part.weight * forms.second;
    }
    let normal = unit(normal_of(sum));
    vertices[vertex] = SurfaceForms(
        vec4f(sum.du.xyz, normal.x),
        vec4f(sum.dv.xyz, normal.y),
        vec4f(sum.first.xyz, normal.z),
        sum.second,
    );
}
