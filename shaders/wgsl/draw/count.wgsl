// Counts the segments that are seen, by level of detail, in each workgroup.
//!use draw/_pick

// For each workgroup, a number for each bin.
@group(0) @binding(4) var<storage, read_write> found: array<u32>;

var<workgroup> counts: array<atomic<u32>, BINS>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let own = group_number(group, groups);
    let number = own * GROUP + local;
    if number < part.count {
        let i = part.first + number;
        let level = level_of(i);
        if level != UNSEEN {
            atomicAdd(&counts[level], 1u);
            atomicAdd(&counts[CAP], countOneBits(caps_of(i, level)));
        }
    }
    workgroupBarrier();
    if local < BINS && own * GROUP < part.count {
        found[own * BINS + local] = atomicLoad(&counts[local]);
    }
}
