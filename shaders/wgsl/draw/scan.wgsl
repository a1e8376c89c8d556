// From the numbers that each workgroup has found to where its finds go in the list, bin after bin; the numbers of each bin
// go into the arguments of its draw. One workgroup does it all.
//!use draw/_view

const THREADS: u32 = 256u;

@group(0) @binding(0) var<uniform> part: TubePart;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@group(0) @binding(2) var<storage, read_write> arguments: array<u32>;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32) {
    let groups = (part.count + GROUP - 1u) / GROUP;
    let each = (groups + THREADS - 1u) / THREADS;
    let first = min(local * each, groups);
    let last = min(first + each, groups);
    var base = 0u;
    for (var bin = 0u; bin < BINS; bin++) {
        var sum = 0u;
        for (var g = first; g < last; g++) {
            sum += found[g * BINS + bin];
        }
        sums[local] = sum;
        workgroupBarrier();
        var at = base;
        var total = 0u;
        for (var thread = 0u; thread < THREADS; thread++) {
            at += select(0u, sums[thread], thread < local);
            total += sums[thread];
        }
        for (var g = first; g < last; g++) {
            let count = found[g * BINS + bin];
            found[g * BINS + bin] = at;
            at += count;
        }
        if local == 0u {
            arguments[bin * ARGUMENTS + 1u] = total;
        }
        base += total;
        workgroupBarrier();
    }
}
