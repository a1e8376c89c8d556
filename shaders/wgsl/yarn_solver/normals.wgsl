// Stage `normals`: front normals of crossings. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read_write> normals: array<f32>;

const PARALLEL_SPANS: f32 = 1e-3;

fn toward(i: u32, port: u32) -> vec3f {
    let n = link(i, port);
    if n == NONE {
        return vec3f();
    }
    return difference(positions[i], positions[node_of(n)]);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= params.nodes || (links[i].flags & CROSSING) == 0u {
        return;
    }
    let warp = toward(i, 1u) - toward(i, 0u);
    let weft = toward(i, 3u) - toward(i, 2u);
    let product = cross(weft, warp);
    let length = sqrt(dot(product, product));
    if length > PARALLEL_SPANS * sqrt(dot(warp, warp) * dot(weft, weft)) {
        let normal = product * (1.0 / length);
        normals[3u * i] = normal.x;
        normals[3u * i + 1u] = normal.y;
        normals[3u * i + 2u] = normal.z;
    }
}
