// Stage `yarns`: from a yarn vertex's site on the mesh to its position in the world, with its radius.
// Its CPU twins, cpu/yarns.rs and cpu/radius.rs, have the formulas.
//
// A workgroup of GROUP invocations finishes GROUP - 2 vertices: the first and the last only place the neighbors whose
// positions the radius needs. So a vertex costs its site (16 B) in and the finished vertex (24 B) out, once.
//!use _groups
//!use _surface
//!use _unit
//!use _patch
//!use _yarn
//!use _strain
//!use _table
//!use _walk
//!use _radius

const GROUP: u32 = 128u;
const MIN_FRAME: f32 = 1e-12;

@group(0) @binding(0) var<uniform> params: YarnParams;
@group(0) @binding(1) var<storage, read> axes: array<AxisCell>;
@group(0) @binding(2) var<storage, read> pattern: array<PatternVertex>;
@group(0) @binding(3) var<storage, read> table: array<vec2u>;
@group(0) @binding(4) var<storage, read> patches: array<Patch>;
@group(0) @binding(5) var<storage, read> charts: array<FaceChart>;
@group(0) @binding(6) var<storage, read> sites: array<YarnSite>;
@group(0) @binding(7) var<storage, read_write> vertices: array<YarnVertex>;
@group(0) @binding(8) var<uniform> packing: TablePacking;

// World position and rest length of the outgoing edge of the workgroup's vertices.
var<workgroup> placed: array<vec4f, GROUP>;

struct Deformed {
    position: vec3f,
    twist: f32,
    director: vec3f,
}

// dQ in the pattern's units.
fn displacement(site: YarnSite, vertex: PatternVertex) -> vec4f {
    if params.displacement == 0.0 {
        return vec4f();
    }
    let form = form_at_height(patches[site.face], site, vertex.height * params.bending_amount);
    return look_up(vertex.table_vertex, strains_of(clamp_eigenvalues(form))) * params.displacement;
}

// Displaces by `delta` and maps to the world.
fn mapped(site: YarnSite, vertex: PatternVertex, delta: vec4f) -> Deformed {
    let inverse = patches[site.face].inverse;
    var at = SurfacePoint(site.face, site.b + dot(inverse.xy, delta.xy), site.c + dot(inverse.zw, delta.xy));
    if (params.flags & FOLLOW) != 0u {
        at = walk(at);
    }
    let surface = patches[at.face];
    let normal = unit(surface.normal.xyz + surface.normal_b.xyz * at.b + surface.normal_c.xyz * at.c);
    let linear = surface.position.xyz + surface.position_b.xyz * at.b + surface.position_c.xyz * at.c;
    let quadratic = surface.position_bb.xyz * (at.b * at.b)
        + surface.position_bc.xyz * (at.b * at.c)
        + surface.position_cc.xyz * (at.c * at.c);
    let height = (vertex.height + delta.z) * scale_of(surface);
    return Deformed(
        linear + quadratic + normal * height,
        vertex.twist + delta.w,
        world_director(surface, at, normal, vec3f(vertex.director[0], vertex.director[1], vertex.director[2])),
    );
}

// [du dv n]^-T d = ((d1 dv - d2 du) x n + d3 du x dv) / det; the direction alone where the matrix is singular.
fn world_director(surface: Patch, at: SurfacePoint, n: vec3f, d: vec3f) -> vec3f {
    let du = surface.du.xyz + surface.du_b.xyz * at.b + surface.du_c.xyz * at.c;
    let dv = surface.dv.xyz + surface.dv_b.xyz * at.b + surface.dv_c.xyz * at.c;
    let area = cross(du, dv);
    let det = dot(n, area);
    let v = cross(dv * d.x - du * d.y, n) + area * d.z;
    return v * select(1.0, 1.0 / det, abs(det) > MIN_FRAME);
}

// A direction of any length, octahedral, two signed 16 bit numbers.
fn pack_director(d: vec3f) -> u32 {
    let sum = abs(d.x) + abs(d.y) + abs(d.z);
    let p = d.xy * select(0.0, 1.0 / sum, sum > 0.0);
    let away = select(vec2f(-1.0), vec2f(1.0), p >= vec2f());
    let folded = (vec2f(1.0) - abs(p.yx)) * away;
    return pack2x16snorm(select(p, folded, d.z < 0.0));
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    // One more than the yarn vertex, so that the vertex before the first is 0.
    let number = group_number(group, groups) * (GROUP - 2u) + local;
    let present = number >= 1u && number <= params.count;
    var site: YarnSite;
    var here: Deformed;
    var scale = 1.0;
    if present {
        site = sites[number - 1u];
        let vertex = pattern[site.pattern & INDEX];
        here = mapped(site, vertex, displacement(site, vertex));
        scale = scale_of(patches[site.face]);
        placed[local] = vec4f(here.position, vertex.rest_length);
    }
    workgroupBarrier();
    if !present || local == 0u || local == GROUP - 1u {
        return;
    }
    // Where the run of vertices ends, its yarn counts as ended.
    let ends = select(0u, FIRST, number == 1u) | select(0u, LAST, number == params.count);
    vertices[number - 1u] = YarnVertex(
        array<f32, 3>(here.position.x, here.position.y, here.position.z),
        here.twist,
        pack_director(here.director),
        radius_at(local, site.pattern | ends, scale),
    );
}
