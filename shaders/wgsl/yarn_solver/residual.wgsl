// Stage `residual`: what Newton's method brings to zero, with the other sign. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces
//!use yarn_solver/_rows
//!use yarn_solver/_product

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> momentum: array<NodeVector>;
@group(0) @binding(7) var<storage, read> vectors: array<f32>;
@group(0) @binding(8) var<storage, read> rows: array<vec4f>;
@group(0) @binding(9) var<storage, read_write> residual: array<NodeVector>;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

fn value_at(i: u32) -> Value {
    return velocity_at(i);
}

fn stress(i: u32, k: u32) -> f32 {
    return vectors[VECTOR_WORDS * i + 5u + k];
}

// M v where Newton's method has begun, and the inertia of the changing mass.
fn inertia(i: u32, port: u32, n: u32, e: Ends) -> vec4f {
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

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= params.nodes {
        return;
    }
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
        r.x += row(e.slot_a, e.a).xyz * (sign * stress(e.a, 2u * e.slot_a)) + share.xyz;
        r.s[slot] += sign * stress(e.a, 2u * e.slot_a + 1u) + share.w;
        let bend = bend_at(node_of(n), slot_of(n));
        if bend.there {
            let end = select(1u, 2u, (port & 1u) == 1u);
            let impulse = 2.0 * h * params.bend * bend.rate;
            r.x += bend_share(bend, end, impulse + ratio * bend.products.x, ratio * bend.products.y);
            let slid = (0.5 * impulse + ratio * bend.products.x) * bend.rate;
            r.s[slot] += select(-slid, slid, end == 2u);
        }
        let pair = corners_of(port_of(n));
        for (var k = 0u; k < 2u; k++) {
            let corner = corner_at(node_of(n), pair[k]);
            r.x += select(corner.weft, corner.warp, port_of(n) < 2u) * stress(node_of(n), 4u + pair[k]);
        }
        let piece = piece_at(i, port, n, select(0.0, h, ended));
        rest += piece.rest;
        r.s[slot] += weight * dot(g, piece.t * piece.length);
    }
    for (var slot = 0u; slot < 2u; slot++) {
        let bend = bend_at(i, slot);
        let impulse = 2.0 * h * params.bend * bend.rate;
        r.x += bend_share(bend, 0u, impulse + ratio * bend.products.x, ratio * bend.products.y);
    }
    for (var k = 0u; k < 4u; k++) {
        let corner = corner_at(i, k);
        r.x -= (corner.warp + corner.weft) * stress(i, 4u + k);
    }
    r.x -= g * (weight * rest);
    r.s -= row(7u, i).zw;
    residual[i] = vector_of(masked(links[i].flags, value_add(value_of(momentum[i]), r, -1.0)));
}
