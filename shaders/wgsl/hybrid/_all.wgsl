// One workgroup adds what workgroups have left behind the vector w, in an order that depends on their number alone.

const THREADS: u32 = 256u;

@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<storage, read_write> scalars: YarnSolverScalars;
@group(0) @binding(2) var<storage, read> w: array<f32>;

var<workgroup> totals: array<vec2f, THREADS>;

fn tree(local: u32, mine: vec2f) -> vec2f {
    workgroupBarrier();
    totals[local] = mine;
    for (var reach = THREADS / 2u; reach > 0u; reach = reach >> 1u) {
        workgroupBarrier();
        if local < reach {
            totals[local] += totals[local + reach];
        }
    }
    workgroupBarrier();
    return totals[0];
}

fn total(local: u32, count: u32) -> vec2f {
    let first = 5u * all_points();
    var sum = vec2f();
    for (var k = local; k < count; k += THREADS) {
        sum += vec2f(w[first + 2u * k], w[first + 2u * k + 1u]);
    }
    return tree(local, sum);
}

// Seen in its bits, because compilers may assume that there is no NaN.
fn is_finite(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7f800000u) != 0x7f800000u;
}
