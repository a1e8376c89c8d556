// Stage `gather`: sums of chunks at a hybrid vertex. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params

@group(0) @binding(2) var<storage, read> chunk_sums: array<f32>;
@group(0) @binding(3) var<storage, read> gather_list: array<u32>;
@group(0) @binding(4) var<storage, read_write> coarse: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let v = node_number(group, groups, local);
    if !is_stepping() || v >= hybrid.slaves {
        return;
    }
    var sum = vec3f();
    for (var at = gather_list[v]; at < gather_list[v + 1u]; at++) {
        let k = 3u * gather_list[hybrid.slaves + 1u + at];
        sum += vec3f(chunk_sums[k], chunk_sums[k + 1u], chunk_sums[k + 2u]);
    }
    coarse[3u * v] = sum.x;
    coarse[3u * v + 1u] = sum.y;
    coarse[3u * v + 2u] = sum.z;
}
