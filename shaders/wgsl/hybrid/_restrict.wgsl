// B^T of a vector, for the nodes of one chunk: sums at the three corners of its triangle. Needs `restricted`.

var<workgroup> first: array<vec3f, GROUP>;
var<workgroup> second: array<vec3f, GROUP>;
var<workgroup> third: array<vec3f, GROUP>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let at = group_number(group, groups);
    if !is_stepping() || at >= hybrid.chunks {
        return;
    }
    let chunk = chunks[at];
    var a = vec3f();
    var b = vec3f();
    var c = vec3f();
    for (var k = local; k < chunk.count; k += GROUP) {
        let row = rows[chunk.first + k];
        let beta = beta_of(row);
        let value = restricted(row.node);
        a += value * beta.x;
        b += value * beta.y;
        c += value * beta.z;
    }
    first[local] = a;
    second[local] = b;
    third[local] = c;
    for (var reach = GROUP / 2u; reach > 0u; reach = reach >> 1u) {
        workgroupBarrier();
        if local < reach {
            first[local] += first[local + reach];
            second[local] += second[local + reach];
            third[local] += third[local + reach];
        }
    }
    workgroupBarrier();
    if local == 0u {
        set_sum(9u * at, first[0]);
        set_sum(9u * at + 3u, second[0]);
        set_sum(9u * at + 6u, third[0]);
    }
}

fn set_sum(k: u32, sum: vec3f) {
    chunk_sums[k] = sum.x;
    chunk_sums[k + 1u] = sum.y;
    chunk_sums[k + 2u] = sum.z;
}
