// Elements of a node from their segments. CPU twin: cpu/yarn_solver/elements.rs. Needs `_pieces` and `element_weight`: the part of an
// element that yarns have, by node and number: 0, 1 segments ahead, 2, 3 bends, 4 to 7 corners.

const FOLDED: f32 = 1e-4;
const SMALL_ANGLE: f32 = 1e-3;
const CONTACT_ROUNDING: f32 = 1e-6;

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

// Stiffness of a segment with damping and parallel contact, times h^2 and its weight.
struct SegmentRow {
    direction: vec4f,
    stiffness: vec4f,
    // h times tension and the stress of sliding.
    stress: vec2f,
}

fn segment_row(piece: Piece, thick: f32, share: f32) -> SegmentRow {
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
    let c = h * h * share;
    return SegmentRow(
        vec4f(piece.t, 1.0 / max(piece.length, FOLDED * piece.rest)),
        vec4f(c * (along - across), c * across, c * coupling, c * sliding_stiffness),
        vec2f(h * tension, h * sliding) * share,
    );
}

// Weights in the plane and out of it, and theta over the rest length, at an angle between two segments of rest lengths that sum up to `rest`.
fn bend_row(angle: Angle, rest: f32, share: f32) -> vec3f {
    let theta = angle_of(angle.sine, angle.cosine);
    let half = 0.5 * theta;
    var cotangent = 1.0;
    if half >= SMALL_ANGLE {
        cotangent = max(half * cos(half) / sin(half), 0.0);
    }
    let stiffness = 2.0 * params.bend * share / rest;
    let weight = (scalars.h * scalars.h + scalars.h * params.stiffness_damping) * stiffness;
    return vec3f(weight, weight * cotangent, theta / rest);
}

