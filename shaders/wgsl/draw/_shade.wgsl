// How fabric looks in light: all colours linear.

// Colour of a heat map's palette at 0 to 1.
fn palette_at(value: f32) -> vec3f {
    let x = clamp(value, 0.0, 1.0) * 15.0;
    let i = min(u32(x), 14u);
    return mix(view.palette[i].rgb, view.palette[i + 1u].rgb, x - f32(i));
}

// Towards the viewer.
fn to_eye(p: vec3f) -> vec3f {
    return normalize(view.eye.xyz - p * view.eye.w);
}

// Part of the light that reaches a point, by the shadow map: 3 x 3 comparisons, each of them bilinear.
fn lit(p: vec3f, n: vec3f) -> f32 {
    if view.counts.w == 0u {
        return 1.0;
    }
    // Out of the surface by about a texel, so that it does not shadow itself.
    let texel = view.sky.w;
    let q = view.shadow_proj * vec4f(p + n * (1.5 * texel), 1.0);
    let uv = q.xy * vec2f(0.5, -0.5) + 0.5;
    let step = 1.3 / f32(textureDimensions(shadow_map).x);
    var sum = 0.0;
    for (var j = -1; j <= 1; j++) {
        for (var i = -1; i <= 1; i++) {
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + vec2f(f32(i), f32(j)) * step, q.z);
        }
    }
    let inside = all(abs(q.xy) < vec2f(0.99)) && q.z < 1.0;
    return select(1.0, mix(1.0, sum / 9.0, view.light.w), inside);
}

// Fabric: wrapped diffuse light, ambient light from above and below, sheen at grazing angles, and the highlight of
// fibres that run along `tangent` (none where it is zero).
fn fabric(albedo: vec3f, p: vec3f, n: vec3f, tangent: vec3f, light_part: f32, occlusion: f32, gloss: f32) -> vec3f {
    let v = to_eye(p);
    let l = view.light.xyz;
    let wrap = view.light_color.w;
    let diffuse = max((dot(n, l) + wrap) / ((1.0 + wrap) * (1.0 + wrap)), 0.0);
    let ambient = mix(view.ground.rgb, view.sky.rgb, 0.5 + 0.5 * dot(n, view.up.xyz));
    let facing = clamp(dot(n, v), 0.0, 1.0);
    let h = normalize(l + v);
    let along = dot(tangent, h);
    let fibre = pow(max(1.0 - along * along, 0.0), 16.0) * clamp(dot(n, h), 0.0, 1.0) * max(dot(n, l), 0.0);
    let sheen = pow(1.0 - facing, 4.0);
    let highlight = view.up.w * gloss;
    let direct = view.light_color.rgb * light_part;
    var color = albedo * (direct * diffuse + ambient * occlusion);
    color += direct * (0.10 * highlight * fibre * mix(vec3f(1.0), albedo, 0.5));
    color += mix(albedo, vec3f(1.0), 0.2) * (ambient * occlusion + direct * 0.5 * diffuse) * (0.35 * highlight * sheen);
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
