// Stage `restrict_residual`: B^T M^-1 r, chunk by chunk. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_rows
//!use hybrid/_restrict

@group(0) @binding(2) var<storage, read> rows: array<HybridRow>;
@group(0) @binding(3) var<storage, read> chunks: array<RowChunk>;
@group(0) @binding(4) var<storage, read> r: array<NodeVector>;
@group(0) @binding(5) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(6) var<storage, read_write> chunk_sums: array<f32>;

fn restricted(i: u32) -> vec3f {
    return scaled_by(diagonal[i], value_of(r[i])).x;
}
