// How fabric looks in light: all colors linear.

// Color of a heat map's palette at 0 to 1.
fn palette_at(value: f32) -> vec3f {
    let x = clamp(value, 0.0, 1.0) * f32(PALETTE_COLORS - 1u);
    let i = min(u32(x), PALETTE_COLORS - 2u);
    return mix(view.palette[i].rgb, view.palette[i + 1u].rgb, x - f32(i));
}

// Toward the viewer.
fn to_eye(p: vec3f) -> vec3f {
    return normalize(view.eye.xyz - p * view.eye.w);
}

// Part of the light that reaches a point, by the shadow map: 3 x 3 comparisons, each of them bilinear. `out` (m) is how far
// from the surface to look, so that it does not shadow itself.
fn lit(p: vec3f, n: vec3f, out: f32) -> f32 {
    if view.counts.w == 0u {
        return 1.0;
    }
    let q = view.shadow_proj * vec4f(p + n * out, 1.0);
    let uv = q.xy * vec2f(0.5, -0.5) + 0.5;
    let inside = all(abs(q.xy) < vec2f(0.99)) && q.z > 0.0 && q.z < 1.0;
    if !inside {
        return 1.0;
    }
    // Meters to texture coordinates, by the length of the map's first row.
    let row = vec3f(view.shadow_proj[0].x, view.shadow_proj[1].x, view.shadow_proj[2].x);
    let spread = view.sky.w * 0.5 * length(row);
    var sum = 0.0;
    for (var j = -1; j <= 1; j++) {
        for (var i = -1; i <= 1; i++) {
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + vec2f(f32(i), f32(j)) * spread, q.z);
        }
    }
    return mix(1.0, sum / 9.0, view.light.w);
}

// Fabric: wrapped diffuse light, ambient light from above and below, sheen at grazing angles, and the highlight of
// fibers that run along `tangent` (none where it is zero).
fn fabric(albedo: vec3f, p: vec3f, n: vec3f, tangent: vec3f, light_part: f32, occlusion: f32, gloss: f32) -> vec3f {
    let v = to_eye(p);
    let l = view.light.xyz;
    let wrap = view.light_color.w;
    let diffuse = max((dot(n, l) + wrap) / ((1.0 + wrap) * (1.0 + wrap)), 0.0);
    let ambient = mix(view.ground.rgb, view.sky.rgb, 0.5 + 0.5 * dot(n, view.up.xyz));
    let facing = clamp(dot(n, v), 0.0, 1.0);
    let h = normalize(l + v);
    let along = dot(tangent, h);
    let fiber = pow(max(1.0 - along * along, 0.0), 16.0) * clamp(dot(n, h), 0.0, 1.0) * max(dot(n, l), 0.0);
    let sheen = pow(1.0 - facing, 4.0);
    let highlight = view.up.w * gloss;
    let direct = view.light_color.rgb * light_part;
    // What is hidden from the lamp is hidden from a part of the sky, too.
    let around = ambient * (occlusion * (0.65 + 0.35 * light_part));
    var color = albedo * (direct * diffuse + around);
    color += direct * (0.16 * highlight * fiber * mix(vec3f(1.0), albedo, 0.5));
    color += mix(albedo, vec3f(1.0), 0.2) * (around + direct * 0.5 * diffuse) * (0.35 * highlight * sheen);
    return color;
}

// What the target expects: linear where it encodes by itself.
fn output(color: vec3f) -> vec3f {
    if view.counts.z == 0u {
        return color;
    }
    let c = clamp(color, vec3f(), vec3f(1.0));
    return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}
