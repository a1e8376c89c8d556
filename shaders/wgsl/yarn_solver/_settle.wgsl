// Momentum of segments, and anchors at the end of a step. CPU twin: cpu/yarn_solver/settle.rs.

fn momentum_of(i: u32) -> Value {
    var sum = Value(vec3f(), vec2f());
    let here = velocity_at(i);
    for (var port = 0u; port < 4u; port++) {
        let n = link(i, port);
        if n == NONE {
            continue;
        }
        let e = ends_of(i, port, n);
        if (links[e.a].flags & (LUMPED_U << e.slot_a)) != 0u {
            continue;
        }
        let slot = port >> 1u;
        let before = piece_at(i, port, n, 0.0);
        let w = before.t * (before.length / before.rest);
        let there = velocity_at(node_of(n));
        let y = here.x - w * here.s[slot];
        let other = there.x - w * there.s[slot_of(n)];
        let p = (y * 2.0 + other) * (params.density * before.rest / 6.0);
        sum.x += p;
        sum.s[slot] -= dot(w, p);
    }
    return sum;
}

fn reach_of(limit: f32, stiffness: f32) -> f32 {
    return select(0.0, limit / stiffness, stiffness > 0.0);
}

fn away_at(i: u32, port: u32) -> vec3f {
    let piece = piece_at(i, port, link(i, port), scalars.h);
    return piece.t * select(-1.0, 1.0, (port & 1u) == 1u);
}

fn drag_anchors(i: u32) {
    let force = compression[i];
    let slid = velocity_at(i).s;
    let slide = reach_of(params.friction * force, params.sliding);
    for (var slot = 0u; slot < 2u; slot++) {
        anchors[i].offsets[slot] = clamp(anchors[i].offsets[slot] + scalars.h * slid[slot], -slide, slide);
    }
    let turn = reach_of(params.turning_friction * force, params.turning);
    for (var k = 0u; k < 4u; k++) {
        let warp = k >> 1u;
        let weft = 2u + (k & 1u);
        if link(i, warp) == NONE || link(i, weft) == NONE {
            continue;
        }
        let angle = angle_between(away_at(i, warp), away_at(i, weft));
        let phi = angle_of(angle.sine, angle.cosine);
        anchors[i].corners[k] = phi - clamp(phi - anchors[i].corners[k], -turn, turn);
    }
}
