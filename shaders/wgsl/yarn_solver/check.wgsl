// Stage `check`: whether a step leaves nodes where they can be. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_sums
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> vectors: array<f32>;
@group(0) @binding(7) var<storage, read_write> partials: array<vec2f>;

const LARGEST_SPEED: f32 = 1e6;
const FIXED_RANGE: f32 = 2.1e9;
const LARGEST_SHORTENING: f32 = 0.2;
const SHORTEST: f32 = 0.05;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

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

// How many nodes are crowded, and how many are not finite or out of range.
@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase == PHASE_DONE || scalars.phase == PHASE_FAILED {
        return;
    }
    var mine = vec2f();
    if i < params.nodes {
        let v = velocity_at(i);
        if !all_fine(v) || leaves(i, v) {
            mine.y = 1.0;
        } else if is_crowded(i) {
            mine.x = 1.0;
        }
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < params.nodes {
        partials[i / GROUP] = sum;
    }
}
