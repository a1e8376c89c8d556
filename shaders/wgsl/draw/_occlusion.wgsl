// Ambient occlusion from the depths of a finished picture, to be multiplied with its colors.
//
// Pairs of opposite points around a pixel: where both together are nearer to the viewer than the pixel, it lies in a
// groove. Slopes cancel, so no normals are needed; round yarns do not darken themselves.

struct OcclusionView {
    inverse: mat4x4f,
    forward: vec4f,
    amount: vec4f,
    limits: vec4f,
    area: vec4f,
}

@group(0) @binding(0) var<uniform> view: OcclusionView;

@vertex
fn fill(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    // One triangle over the whole picture.
    return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// How far into the picture a pixel lies (m), and clip space's w there.
fn distance_at(pixel: vec2i) -> vec2f {
    let low = vec2i(view.area.xy);
    let at = clamp(pixel, low, low + vec2i(view.area.zw) - 1);
    let ndc = (vec2f(at - low) + 0.5) / view.area.zw * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    let p = view.inverse * vec4f(ndc, depth_at(at), 1.0);
    return vec2f(dot(view.forward.xyz, p.xyz), 1.0) / p.w;
}

const PAIRS = 8u;
// Half turn, unevenly long.
const ARMS = array<vec2f, PAIRS>(
    vec2f(0.25, 0.0), vec2f(0.51, 0.21), vec2f(0.28, 0.28), vec2f(0.36, 0.87),
    vec2f(0.0, 0.4), vec2f(-0.25, 0.61), vec2f(-0.64, 0.64), vec2f(-0.31, 0.13),
);

@fragment
fn darken(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(at.xy);
    if depth_at(pixel) == view.limits.z {
        return vec4f(1.0);
    }
    let here = distance_at(pixel);
    let wanted = view.amount.x * view.amount.z / here.y;
    let reach = min(wanted, view.limits.y);
    let radius = view.amount.x * reach / wanted;
    // Fades out where it is too small to be resolved by pixels.
    let seen = smoothstep(view.limits.x, 3.0 * view.limits.x, reach);
    if seen == 0.0 {
        return vec4f(1.0);
    }
    // Turned from pixel to pixel, so that the few points make no rings.
    let angle = 3.1415927 * fract(52.982918 * fract(dot(floor(at.xy), vec2f(0.06711056, 0.00583715))));
    let turn = vec2f(cos(angle), sin(angle));
    var sum = 0.0;
    for (var k = 0u; k < PAIRS; k++) {
        let straight = ARMS[k] * reach;
        let arm = vec2f(straight.x * turn.x - straight.y * turn.y, straight.x * turn.y + straight.y * turn.x);
        let offset = vec2i(round(arm));
        let a = (here.x - distance_at(pixel + offset).x) / radius;
        let b = (here.x - distance_at(pixel - offset).x) / radius;
        // What is far in front is another object.
        let near_a = clamp(a, -1.0, 1.0) * (1.0 - smoothstep(1.5, 4.0, a));
        let near_b = clamp(b, -1.0, 1.0) * (1.0 - smoothstep(1.5, 4.0, b));
        sum += clamp(near_a + near_b, 0.0, 1.0);
    }
    let open = 1.0 - view.amount.y * seen * clamp(1.4 * sum / f32(PAIRS), 0.0, 0.9);
    return vec4f(vec3f(select(open, pow(open, 1.0 / 2.2), view.amount.w > 0.0)), 1.0);
}
