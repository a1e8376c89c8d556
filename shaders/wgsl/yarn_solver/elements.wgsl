// Stage `elements`: rows and stresses of the elements that belong to a node. CPU twin: cpu/yarn_solver/.
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
@group(0) @binding(6) var<storage, read> compression: array<f32>;
@group(0) @binding(7) var<storage, read> anchors: array<NodeAnchors>;
@group(0) @binding(8) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(9) var<storage, read_write> rows: array<vec4f>;

const FOLDED: f32 = 1e-4;
const SMALL_ANGLE: f32 = 1e-3;
const CONTACT_ROUNDING: f32 = 1e-6;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

fn interlaced(a: u32, b: u32) -> bool {
    return (a & b & CROSSING) != 0u && ((a ^ b) & WARP_OVER) != 0u;
}

// What lies across a yarn between two nodes, meters; 0 where nothing does.
fn thickness(a: u32, b: u32) -> f32 {
    let one = ((a | b) & CROSSING) != 0u;
    if interlaced(a, b) {
        return 4.0 * params.radius;
    }
    if (a & b & CROSSING) != 0u {
        return 2.0 * params.radius;
    }
    if one && ((a | b) & SEAM) != 0u {
        return min(2.0 * params.radius, 0.3 * params.spacing);
    }
    if one && ((a | b) & PLAIN) != 0u {
        return min(2.0 * params.radius, 0.2 * params.spacing);
    }
    return 0.0;
}

fn set_segment(i: u32, slot: u32, piece: Piece, thick: f32) {
    let h = scalars.h;
    let strain = (piece.length - piece.rest) / piece.rest;
    let lambda = piece.length / piece.rest;
    let k = select(params.stretch, params.stretch * params.compression_ratio, strain < 0.0);
    var tension = k * strain;
    var sliding = -0.5 * tension * (2.0 + strain);
    var along = k / piece.rest;
    var coupling = -along * lambda;
    var sliding_stiffness = along * lambda * lambda;
    let across = select(0.0, tension / piece.length, strain > 0.0);
    let damping = params.stiffness_damping * params.stretch / h;
    let root = 1.0 / sqrt(piece.rest);
    let by_rest = -(1.0 + 0.5 * strain) * root;
    let root_before = 1.0 / sqrt(piece.rest_before);
    let length_before = piece.length - piece.longer;
    let roots = -piece.slid * root * root_before / (1.0 / root + 1.0 / root_before);
    let change = (piece.longer - piece.slid) * root + (length_before - piece.rest_before) * roots;
    tension += damping * change * root;
    sliding += damping * change * by_rest;
    along += damping * root * root;
    coupling += damping * root * by_rest;
    sliding_stiffness += damping * by_rest * by_rest;
    let overlap = piece.rest - thick * (1.0 - CONTACT_ROUNDING);
    if overlap < 0.0 {
        sliding += params.parallel * overlap;
        sliding_stiffness += params.parallel;
    }
    let c = h * h;
    rows[slot * params.nodes + i] = vec4f(piece.t, 1.0 / max(piece.length, FOLDED * piece.rest));
    rows[(2u + slot) * params.nodes + i] = vec4f(c * (along - across), c * across, c * coupling, c * sliding_stiffness);
    vectors[VECTOR_WORDS * i + 5u + 2u * slot] = h * tension;
    vectors[VECTOR_WORDS * i + 6u + 2u * slot] = h * sliding;
}

fn bend_row(behind: Piece, front: Piece) -> vec3f {
    let angle = angle_between(front.t, behind.t);
    let theta = angle_of(angle.sine, angle.cosine);
    let rest = behind.rest + front.rest;
    let half = 0.5 * theta;
    var cotangent = 1.0;
    if half >= SMALL_ANGLE {
        cotangent = max(half * cos(half) / sin(half), 0.0);
    }
    let weight = (scalars.h * scalars.h + scalars.h * params.stiffness_damping) * (2.0 * params.bend / rest);
    return vec3f(weight, weight * cotangent, theta / rest);
}

// Force and tangent of friction at an offset from its anchor.
fn anchored(stiffness: f32, limit: f32, offset: f32) -> vec2f {
    let trial = -stiffness * offset;
    if abs(trial) <= limit {
        return vec2f(trial, stiffness);
    }
    return vec2f(clamp(trial, -limit, limit), 0.0);
}

// Weight and h times the moment of a corner.
fn corner_row(i: u32, k: u32, u: Piece, v: Piece, one: u32, three: u32) -> vec2f {
    let h = scalars.h;
    let flags = links[i].flags;
    let jams = interlaced(flags, links[one].flags) || interlaced(flags, links[three].flags);
    let t1 = u.t * select(-1.0, 1.0, (k >> 1u) == 1u);
    let t3 = v.t * select(-1.0, 1.0, (k & 1u) == 1u);
    let angle = angle_between(t1, t3);
    let phi = angle_of(angle.sine, angle.cosine);
    let force = compression[i];
    let psi = phi - 0.5 * PI;
    let k0 = params.shear * (1.0 + params.shear_compression * force);
    let y = select(0.0, max(1.0 - phi / params.jamming_angle, 0.0), jams);
    let c = k0 * params.jamming;
    let kx = k0 + c * y * y * y;
    let k1 = -3.0 * c * y * y / params.jamming_angle;
    let k2 = 6.0 * c * y / (params.jamming_angle * params.jamming_angle);
    let moment = params.spacing * (kx * psi + 0.5 * k1 * psi * psi);
    let stiffness = params.spacing * (kx + 2.0 * k1 * psi + 0.5 * k2 * psi * psi);
    let friction = anchored(params.turning, params.turning_friction * force, phi - anchors[i].corners[k]);
    let damping = h * params.stiffness_damping;
    var stress = h * (moment - friction.x);
    if scalars.newton > 0u {
        let here = velocity_at(i).x;
        let inverse_u = 1.0 / max(u.length, FOLDED * u.rest);
        let inverse_v = 1.0 / max(v.length, FOLDED * v.rest);
        let d1 = velocity_at(one).x - here;
        let d3 = velocity_at(three).x - here;
        stress += damping * stiffness * (-inverse_u * dot(angle.e1, d1) - inverse_v * dot(angle.e3, d3));
    }
    return vec2f(h * h * (stiffness + friction.y) + damping * stiffness, stress);
}

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
    let n = params.nodes;
    let ahead = select(0.0, scalars.h, scalars.newton > 0u);
    let flags = links[i].flags;
    var pieces: array<Piece, 4>;
    for (var port = 0u; port < 4u; port++) {
        let l = link(i, port);
        if l != NONE {
            pieces[port] = piece_at(i, port, l, ahead);
        }
    }
    for (var slot = 0u; slot < 2u; slot++) {
        let behind = link(i, 2u * slot);
        let front = link(i, 2u * slot + 1u);
        var bend = vec3f();
        var rest = 0.0;
        if front != NONE {
            rest = pieces[2u * slot + 1u].rest_before;
            set_segment(i, slot, pieces[2u * slot + 1u], thickness(flags, links[node_of(front)].flags));
            if behind != NONE {
                bend = bend_row(pieces[2u * slot], pieces[2u * slot + 1u]);
            }
        } else {
            rows[slot * n + i] = vec4f();
            rows[(2u + slot) * n + i] = vec4f();
            vectors[VECTOR_WORDS * i + 5u + 2u * slot] = 0.0;
            vectors[VECTOR_WORDS * i + 6u + 2u * slot] = 0.0;
        }
        rows[(4u + slot) * n + i] = vec4f(bend, rest);
    }
    var weights = vec4f();
    for (var k = 0u; k < 4u; k++) {
        let one = link(i, k >> 1u);
        let three = link(i, 2u + (k & 1u));
        var corner = vec2f();
        if (flags & CROSSING) != 0u && one != NONE && three != NONE {
            corner = corner_row(i, k, pieces[k >> 1u], pieces[2u + (k & 1u)], node_of(one), node_of(three));
        }
        weights[k] = corner.x;
        vectors[VECTOR_WORDS * i + 9u + k] = corner.y;
    }
    rows[6u * n + i] = weights;
    let u = slide_row(i, 0u);
    let v = slide_row(i, 1u);
    rows[7u * n + i] = vec4f(u.x, v.x, u.y, v.y);
}
