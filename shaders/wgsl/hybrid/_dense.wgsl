// A row of a dense matrix times the three coordinates of a vector of vertices. Needs `set_result`.

var<workgroup> parts: array<vec3f, GROUP>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let row = group_number(group, groups);
    let n = hybrid.slaves;
    if !is_stepping() || row >= n {
        return;
    }
    var sum = vec3f();
    for (var k = local; k < n; k += GROUP) {
        sum += vec3f(source[3u * k], source[3u * k + 1u], source[3u * k + 2u]) * matrix[row * n + k];
    }
    parts[local] = sum;
    for (var reach = GROUP / 2u; reach > 0u; reach = reach >> 1u) {
        workgroupBarrier();
        if local < reach {
            parts[local] += parts[local + reach];
        }
    }
    workgroupBarrier();
    if local == 0u {
        set_result(row, parts[0]);
    }
}
