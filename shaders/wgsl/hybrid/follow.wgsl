// Stage `follow`: hybrid vertices follow hybrid nodes, R = K^-1 B^T [Casafranca20, Eq. 3]. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_dense

@group(0) @binding(2) var<storage, read> matrix: array<f32>;
@group(0) @binding(3) var<storage, read> source: array<f32>;
@group(0) @binding(4) var<storage, read_write> d: array<NodeVector>;

fn set_result(v: u32, sum: vec3f) {
    d[params.nodes + hybrid.free + v] = vector_of(Value(sum, vec2f()));
}
