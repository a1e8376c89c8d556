// One workgroup adds what the workgroups of nodes have left, in an order that depends on their number alone.

const THREADS: u32 = 256u;

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;
@group(0) @binding(2) var<storage, read> partials: array<vec2f>;

var<workgroup> totals: array<vec2f, THREADS>;

fn total(local: u32) -> vec2f {
    let count = (params.nodes + 63u) / 64u;
    var sum = vec2f();
    for (var k = local; k < count; k += THREADS) {
        sum += partials[k];
    }
    totals[local] = sum;
    for (var reach = THREADS / 2u; reach > 0u; reach = reach >> 1u) {
        workgroupBarrier();
        if local < reach {
            totals[local] += totals[local + reach];
        }
    }
    workgroupBarrier();
    return totals[0];
}

// Seen in its bits, because compilers may assume that there is no NaN.
fn is_finite(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7f800000u) != 0x7f800000u;
}
