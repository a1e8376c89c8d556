// Diagonal of an arc coordinate, and h times its friction.
fn slide_row(i: u32, slot: u32) -> vec2f {
    if link(i, 2u * slot) == NONE && link(i, 2u * slot + 1u) == NONE {
        return vec2f(1.0, 0.0);
    }
    if (links[i].flags & CROSSING) == 0u {
        return vec2f();
    }
    let h = scalars.h;
    let ended = scalars.newton > 0u;
    let velocity = velocity_at(i).s[slot];
    let offset = anchors[i].offsets[slot] + select(0.0, h * velocity, ended);
    let friction = anchored(params.sliding, params.friction * compression[i], offset);
    let damping = select(0.0, h * params.sliding_damping * velocity, ended);
    return vec2f(h * h * friction.y + h * params.sliding_damping, h * friction.x - damping);
}
