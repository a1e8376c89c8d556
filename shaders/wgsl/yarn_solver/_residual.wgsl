// What elements take from a node, -h F and M v, without what is its own. CPU twin: cpu/yarn_solver/residual.rs.
// Needs `segment_stress` and `corner_stress`, h times stresses, beside what `_product` needs.

// M v where Newton's method has begun, and the inertia of the changing mass.
fn inertia(i: u32, port: u32, n: u32, e: Ends) -> vec4f {
    if segment_at(e.a, e.slot_a).rest == 0.0 {
        return vec4f();
    }
    let before = piece_at(i, port, n, 0.0);
    let w = before.t * (before.length / before.rest);
    let va = velocity_at(e.a);
    let vb = velocity_at(e.b);
    let sa = va.s[e.slot_a];
    let sb = vb.s[e.slot_b];
    var share = vec4f();
    if scalars.newton > 0u {
        share = end_momentum(mass_factor() * before.rest, w, va.x, sa, vb.x, sb, e.far);
    }
    if params.inertia == 0u {
        return share;
    }
    let m = params.density * before.rest / 6.0;
    let ya = va.x - w * sa;
    let yb = vb.x - w * sb;
    let energy = m * (dot(ya, ya) + dot(ya, yb) + dot(yb, yb));
    let g = (ya * 2.0 + yb) * (-m * sa) + (ya + yb * 2.0) * (-m * sb);
    let factor = scalars.h / before.rest * select(1.0, -1.0, e.far);
    return share + vec4f(g, energy - dot(w, g)) * factor;
}

fn element_residual(i: u32) -> Value {
    let h = scalars.h;
    let ended = scalars.newton > 0u;
    let g = params.gravity.xyz;
    let weight = 0.5 * h * params.density;
    var r = Value(vec3f(), vec2f());
    if !ended {
        r = node_product(i);
    }
    let ratio = select(0.0, params.stiffness_damping / (h + params.stiffness_damping), ended);
    var rest = 0.0;
    for (var port = 0u; port < 4u; port++) {
        let n = link(i, port);
        if n == NONE {
            continue;
        }
        let slot = port >> 1u;
        let e = ends_of(i, port, n);
        let sign = select(-1.0, 1.0, e.far);
        let share = inertia(i, port, n, e);
        let pull = segment_stress(e.a, e.slot_a);
        r.x += direction_at(e.a, e.slot_a).xyz * (sign * pull.x) + share.xyz;
        r.s[slot] += sign * pull.y + share.w;
        let bend = bend_at(node_of(n), slot_of(n));
        if bend.there {
            let end = select(1u, 2u, (port & 1u) == 1u);
            let impulse = 2.0 * h * params.bend * bend.rate * element_weight(node_of(n), 2u + slot_of(n));
            r.x += bend_share(bend, end, impulse + ratio * bend.products.x, ratio * bend.products.y);
            let slid = (0.5 * impulse + ratio * bend.products.x) * bend.rate;
            r.s[slot] += select(-slid, slid, end == 2u);
        }
        let pair = corners_of(port_of(n));
        for (var k = 0u; k < 2u; k++) {
            let corner = corner_at(node_of(n), pair[k]);
            r.x += select(corner.weft, corner.warp, port_of(n) < 2u) * corner_stress(node_of(n), pair[k]);
        }
        if segment_at(e.a, e.slot_a).rest == 0.0 {
            continue;
        }
        let piece = piece_at(i, port, n, select(0.0, h, ended));
        rest += piece.rest;
        r.s[slot] += weight * dot(g, piece.t * piece.length);
    }
    for (var slot = 0u; slot < 2u; slot++) {
        let bend = bend_at(i, slot);
        let impulse = 2.0 * h * params.bend * bend.rate * element_weight(i, 2u + slot);
        r.x += bend_share(bend, 0u, impulse + ratio * bend.products.x, ratio * bend.products.y);
    }
    for (var k = 0u; k < 4u; k++) {
        let corner = corner_at(i, k);
        r.x -= (corner.warp + corner.weft) * corner_stress(i, k);
    }
    r.x -= g * (weight * rest);
    return r;
}
