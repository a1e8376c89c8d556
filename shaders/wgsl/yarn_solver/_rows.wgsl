// Rows of elements, computed again from the directions of segments, times the vector of `value_at`, which the stage has.
// What rows are made of is in `_stored_rows` or computed from positions; both have the functions `direction_at`, `segment_at`,
// `bend_weights`, `corner_weight` and `own_diagonal`.
// CPU twins: cpu/yarn_solver/{bend,corner,segment,view}.rs.

// Direction away from a node through a port, and one over the segment's length.
fn away(node: u32, port: u32) -> vec4f {
    if (port & 1u) == 1u {
        return direction_at(node, port >> 1u);
    }
    let n = link(node, port);
    let r = direction_at(node_of(n), slot_of(n));
    return vec4f(-r.xyz, r.w);
}

struct Bend {
    there: bool,
    g1: vec3f,
    g2: vec3f,
    normal: vec3f,
    inverse1: f32,
    inverse2: f32,
    rate: f32,
    weights: vec2f,
    products: vec2f,
}

fn no_bend() -> Bend {
    return Bend(false, vec3f(), vec3f(), vec3f(), 0.0, 0.0, 0.0, vec2f(), vec2f());
}

fn bend_at(node: u32, slot: u32) -> Bend {
    if link(node, 2u * slot) == NONE || link(node, 2u * slot + 1u) == NONE {
        return no_bend();
    }
    return bend_of(node, slot, away(node, 2u * slot + 1u), away(node, 2u * slot));
}

// The same from its two arms.
fn bend_of(node: u32, slot: u32, ahead: vec4f, back: vec4f) -> Bend {
    let two = link(node, 2u * slot);
    let one = link(node, 2u * slot + 1u);
    let angle = angle_between(ahead.xyz, -back.xyz);
    let g1 = angle.e1 * -ahead.w;
    let g2 = angle.e3 * back.w;
    let weights = bend_weights(node, slot, angle);
    let v0 = value_at(node);
    let v1 = value_at(node_of(one));
    let v2 = value_at(node_of(two));
    let d1 = v1.x - v0.x;
    let d2 = v2.x - v0.x;
    let along_g = dot(g1, d1) + dot(g2, d2) + weights.z * (v2.s[slot_of(two)] - v1.s[slot_of(one)]);
    let along_h = dot(angle.normal, d1 * ahead.w + d2 * back.w);
    let products = vec2f(weights.x * along_g, weights.y * along_h);
    return Bend(true, g1, g2, angle.normal, ahead.w, back.w, weights.z, weights.xy, products);
}

// The rows at node 2, 1 or 0 of a bend, times `g` and `h`.
fn bend_share(b: Bend, end: u32, g: f32, h: f32) -> vec3f {
    if end == 2u {
        return b.g2 * g + b.normal * b.inverse2 * h;
    }
    if end == 1u {
        return b.g1 * g + b.normal * b.inverse1 * h;
    }
    return (-b.g1 - b.g2) * g + b.normal * -(b.inverse1 + b.inverse2) * h;
}

struct Corner {
    there: bool,
    warp: vec3f,
    weft: vec3f,
    weight: f32,
    product: f32,
}

fn corner_at(node: u32, corner: u32) -> Corner {
    let warp_port = corner >> 1u;
    let weft_port = 2u + (corner & 1u);
    if link(node, warp_port) == NONE || link(node, weft_port) == NONE {
        return Corner(false, vec3f(), vec3f(), 0.0, 0.0);
    }
    return corner_of(node, corner, away(node, warp_port), away(node, weft_port));
}

// The same from its two arms.
fn corner_of(node: u32, corner: u32, t1: vec4f, t3: vec4f) -> Corner {
    let one = link(node, corner >> 1u);
    let three = link(node, 2u + (corner & 1u));
    let angle = angle_between(t1.xyz, t3.xyz);
    let warp = angle.e1 * -t1.w;
    let weft = angle.e3 * -t3.w;
    let weight = corner_weight(node, corner);
    let here = value_at(node).x;
    let along = dot(warp, value_at(node_of(one)).x - here) + dot(weft, value_at(node_of(three)).x - here);
    return Corner(true, warp, weft, weight, weight * along);
}

// The two corners of a crossing that its neighbor behind a port is an arm of.
fn corners_of(port: u32) -> vec2u {
    return select(vec2u(port - 2u, port), vec2u(2u * port, 2u * port + 1u), port < 2u);
}

// P of one end at x, and -w.P.
fn end_momentum(m: f32, w: vec3f, xa: vec3f, sa: f32, xb: vec3f, sb: f32, far: bool) -> vec4f {
    let ya = xa - w * sa;
    let yb = xb - w * sb;
    let p = select(ya * 2.0 + yb, ya + yb * 2.0, far) * m;
    return vec4f(p, -dot(w, p));
}

// What a segment's stiffness and mass give to one of its ends: at x, and in its slot.
fn segment_share(e: Ends, mass: f32) -> vec4f {
    let segment = segment_at(e.a, e.slot_a);
    let stiffness = segment.stiffness;
    let t = segment.direction.xyz;
    let va = value_at(e.a);
    let vb = value_at(e.b);
    let sa = va.s[e.slot_a];
    let sb = vb.s[e.slot_b];
    let d = vb.x - va.x;
    let sigma = sb - sa;
    let stretched = dot(t, d);
    let force = t * (stiffness.x * stretched + stiffness.z * sigma) + d * stiffness.y;
    let slid = stiffness.z * stretched + stiffness.w * sigma;
    let sign = select(-1.0, 1.0, e.far);
    let share = vec4f(force * sign, sign * slid);
    // Where there is no rest length, the mass is at the nodes.
    if segment.rest == 0.0 {
        return share;
    }
    let w = t * (1.0 / (segment.direction.w * segment.rest));
    return share + end_momentum(mass * segment.rest, w, va.x, sa, vb.x, sb, e.far);
}

// (1 + h alpha) rho / 6, kg/m.
fn mass_factor() -> f32 {
    return (1.0 + scalars.h * params.mass_damping) * params.density / 6.0;
}
