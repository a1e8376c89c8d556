// Stage `dense`: K^-1 or G^-1 times a vector of hybrid vertices. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_dense

@group(0) @binding(2) var<storage, read> matrix: array<f32>;
@group(0) @binding(3) var<storage, read> source: array<f32>;
@group(0) @binding(4) var<storage, read_write> result: array<f32>;

fn set_result(v: u32, sum: vec3f) {
    result[3u * v] = sum.x;
    result[3u * v + 1u] = sum.y;
    result[3u * v + 2u] = sum.z;
}
