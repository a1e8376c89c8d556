// Lists the segments that are seen, level after level; `count` has said how many there are of each.
//!use draw/_pick

// Arguments of the draws, one bin after another.
@group(0) @binding(4) var<storage, read> arguments: array<u32>;
// How much of each bin is filled.
@group(0) @binding(5) var<storage, read_write> filled: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> list: array<u32>;

var<workgroup> counts: array<atomic<u32>, BINS>;
var<workgroup> starts: array<u32, BINS>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let number = group_number(group, groups) * GROUP + local;
    let i = part.first + number;
    var level = UNSEEN;
    var caps = 0u;
    var slot = 0u;
    var cap_slot = 0u;
    if number < part.count {
        level = level_of(i);
    }
    if level != UNSEEN {
        slot = atomicAdd(&counts[level], 1u);
        caps = caps_of(i, level);
        cap_slot = atomicAdd(&counts[CAP], countOneBits(caps));
    }
    workgroupBarrier();
    if local < BINS {
        var start = atomicAdd(&filled[local], atomicLoad(&counts[local]));
        for (var bin = 0u; bin < local; bin++) {
            start += arguments[bin * ARGUMENTS + 1u];
        }
        starts[local] = start;
    }
    workgroupBarrier();
    if level == UNSEEN {
        return;
    }
    list[starts[level] + slot] = i;
    if (caps & 1u) != 0u {
        list[starts[CAP] + cap_slot] = i;
    }
    if (caps & 2u) != 0u {
        list[starts[CAP] + cap_slot + (caps & 1u)] = i | FAR_END;
    }
}
