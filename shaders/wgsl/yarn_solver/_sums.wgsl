// Sums of a workgroup of 64, in an order that depends on nothing.

var<workgroup> sums: array<vec2f, 64>;

fn group_sum(local: u32, mine: vec2f) -> vec2f {
    sums[local] = mine;
    for (var reach = 32u; reach > 0u; reach = reach >> 1u) {
        workgroupBarrier();
        if local < reach {
            sums[local] += sums[local + reach];
        }
    }
    workgroupBarrier();
    return sums[0];
}
