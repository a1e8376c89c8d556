// Whether a node can be where a step leaves it. CPU twin: cpu/yarn_solver/check.rs.

const LARGEST_SPEED: f32 = 1e6;
const FIXED_RANGE: f32 = 2.1e9;
const LARGEST_SHORTENING: f32 = 0.2;
const SHORTEST: f32 = 0.05;

fn is_fine(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7f800000u) != 0x7f800000u && abs(v) < LARGEST_SPEED;
}

fn all_fine(v: Value) -> bool {
    return is_fine(v.x.x) && is_fine(v.x.y) && is_fine(v.x.z) && is_fine(v.s.x) && is_fine(v.s.y);
}

fn leaves(i: u32, v: Value) -> bool {
    let p = positions[i];
    let end = abs(vec3f(f32(p.x), f32(p.y), f32(p.z)) + v.x * (scalars.h / params.unit));
    return max(end.x, max(end.y, end.z)) >= FIXED_RANGE;
}

fn is_crowded(i: u32) -> bool {
    for (var slot = 0u; slot < 2u; slot++) {
        let n = link(i, 2u * slot + 1u);
        if n == NONE {
            continue;
        }
        let piece = piece_at(i, 2u * slot + 1u, n, scalars.h);
        let short = piece.rest < SHORTEST * params.spacing && piece.rest < piece.rest_before;
        if short || piece.rest < LARGEST_SHORTENING * piece.rest_before {
            return true;
        }
    }
    return false;
}
