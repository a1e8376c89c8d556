// Numbers in fixed point. Integers wrap, so differences are exact.

const POSITION_FRACTION: f32 = 0.0009765625;
const ARC_FRACTION: f32 = 0.0000152587890625;

fn fractions(packed: i32) -> vec3i {
    return vec3i((packed << 22u) >> 22u, (packed << 12u) >> 22u, (packed << 2u) >> 22u);
}

// b - a, meters.
fn difference(a: NodePosition, b: NodePosition) -> vec3f {
    let whole = vec3i(b.x - a.x, b.y - a.y, b.z - a.z);
    let fraction = fractions(b.fraction) - fractions(a.fraction);
    return (vec3f(whole) + vec3f(fraction) * POSITION_FRACTION) * params.unit;
}

// Whole units and the fraction of an arc coordinate.
fn arc(a: NodeArcs, slot: u32) -> vec2i {
    if slot == 0u {
        return vec2i(a.u, (a.fraction << 16u) >> 16u);
    }
    return vec2i(a.v, a.fraction >> 16u);
}

// b - a along the arc coordinates of slots, meters.
fn arc_difference(a: NodeArcs, slot_a: u32, b: NodeArcs, slot_b: u32) -> f32 {
    let d = arc(b, slot_b) - arc(a, slot_a);
    return (f32(d.x) + f32(d.y) * ARC_FRACTION) * params.unit;
}
