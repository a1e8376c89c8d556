// The yarn's radius from the stretch of its edges; twin: cpu/radius.rs.
//
// There is no stage of this name on the GPU: `yarns` does it while the positions of neighbors are in the workgroup's
// memory, which saves reading every vertex again.

const MIN_LENGTH: f32 = 1e-20;
const MIN_THINNING: f32 = 0.25;
const MAX_THICKENING: f32 = 2.0;

// sqrt(rest / length) between 1/4 and 2, from the edge.
fn radius_factor(rest: f32, edge: vec3f) -> f32 {
    return clamp(sqrt(rest / max(sqrt(dot(edge, edge)), MIN_LENGTH)), MIN_THINNING, MAX_THICKENING);
}

// The radius of the vertex at `here` of the workgroup's memory (world position, rest length of the outgoing edge).
fn radius_at(here: u32, pattern_bits: u32, scale: f32) -> f32 {
    let full = params.radius * scale;
    if (params.flags & VOLUME) == 0u {
        return full;
    }
    var sum = 0.0;
    var weights = 0.0;
    if (pattern_bits & FIRST) == 0u {
        let rest = placed[here - 1u].w * scale;
        sum += rest * radius_factor(rest, placed[here].xyz - placed[here - 1u].xyz);
        weights += rest;
    }
    if (pattern_bits & LAST) == 0u {
        let rest = placed[here].w * scale;
        sum += rest * radius_factor(rest, placed[here + 1u].xyz - placed[here].xyz);
        weights += rest;
    }
    return select(full, full * sum / weights, weights > 0.0);
}
