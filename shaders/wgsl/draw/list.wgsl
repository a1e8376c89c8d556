// Lists the segments that are seen, level after level, in the order of the yarns: the same picture each time.
//!use draw/_pick

// For each workgroup, where its finds go, by bin.
@group(0) @binding(4) var<storage, read> found: array<u32>;
@group(0) @binding(5) var<storage, read_write> list: array<u32>;

// Which invocations have found something for a bin, a bit each; two words a bin. Caps at far ends have a bin of their own.
var<workgroup> finders: array<atomic<u32>, 16>;
const FAR_CAP: u32 = BINS;

fn note(bin: u32, local: u32) {
    atomicOr(&finders[2u * bin + local / 32u], 1u << (local % 32u));
}

// How many invocations before this one have found something for a bin.
fn rank(bin: u32, local: u32) -> u32 {
    let low = atomicLoad(&finders[2u * bin]);
    let high = atomicLoad(&finders[2u * bin + 1u]);
    let below = (1u << (local % 32u)) - 1u;
    return select(countOneBits(low) + countOneBits(high & below), countOneBits(low & below), local < 32u);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let own = group_number(group, groups);
    let number = own * GROUP + local;
    let i = part.first + number;
    var level = UNSEEN;
    var caps = 0u;
    if number < part.count {
        level = level_of(i);
    }
    if level != UNSEEN {
        caps = caps_of(i, level);
        note(level, local);
        if (caps & 1u) != 0u {
            note(CAP, local);
        }
        if (caps & 2u) != 0u {
            note(FAR_CAP, local);
        }
    }
    workgroupBarrier();
    if level == UNSEEN {
        return;
    }
    list[found[own * BINS + level] + rank(level, local)] = i;
    let first_cap = found[own * BINS + CAP];
    if (caps & 1u) != 0u {
        list[first_cap + rank(CAP, local)] = i;
    }
    if (caps & 2u) != 0u {
        let near = countOneBits(atomicLoad(&finders[2u * CAP])) + countOneBits(atomicLoad(&finders[2u * CAP + 1u]));
        list[first_cap + near + rank(FAR_CAP, local)] = i | FAR_END;
    }
}
