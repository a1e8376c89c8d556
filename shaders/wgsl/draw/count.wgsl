// Counts the segments that are seen, by level of detail, into the arguments of indirect draws.
//!use draw/_pick

@group(0) @binding(4) var<storage, read_write> arguments: array<atomic<u32>>;

var<workgroup> counts: array<atomic<u32>, BINS>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let number = group_number(group, groups) * GROUP + local;
    if number < part.count {
        let i = part.first + number;
        let level = level_of(i);
        if level != UNSEEN {
            atomicAdd(&counts[level], 1u);
            atomicAdd(&counts[CAP], countOneBits(caps_of(i, level)));
        }
    }
    workgroupBarrier();
    if local < BINS {
        atomicAdd(&arguments[local * ARGUMENTS + 1u], atomicLoad(&counts[local]));
    }
}
