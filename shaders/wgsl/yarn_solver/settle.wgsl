// Stage `settle`: momenta and anchors at the end of a step. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> vectors: array<f32>;
@group(0) @binding(7) var<storage, read> compression: array<f32>;
@group(0) @binding(8) var<storage, read_write> momentum: array<NodeVector>;
@group(0) @binding(9) var<storage, read_write> anchors: array<NodeAnchors>;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

fn momentum_of(i: u32) -> Value {
    var sum = Value(vec3f(), vec2f());
    let here = velocity_at(i);
    for (var port = 0u; port < 4u; port++) {
        let n = link(i, port);
        if n == NONE {
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

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_ACCEPTED || i >= params.nodes {
        return;
    }
    momentum[i] = vector_of(momentum_of(i));
    if (links[i].flags & CROSSING) != 0u {
        drag_anchors(i);
    }
}
