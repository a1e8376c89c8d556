// Yarns as round tubes: for each segment in the list a piece of tube, pulled from the yarn vertices.
//!use draw/_view
//!use draw/_curve
//!use draw/_shade

@group(0) @binding(0) var<uniform> view: TubeView;
@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;
@group(1) @binding(0) var<uniform> part: TubePart;
@group(1) @binding(1) var<storage, read> vertices: array<YarnVertex>;
@group(1) @binding(2) var<storage, read> strands: array<TubeStrand>;
@group(1) @binding(3) var<storage, read> values: array<f32>;
@group(1) @binding(4) var<storage, read> arguments: array<u32>;
@group(1) @binding(5) var<storage, read> list: array<u32>;

struct Corner {
    @location(0) place: vec4f,
    @location(1) level: u32,
}

struct Surface {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) tangent: vec3f,
    // Turns around the yarn; turns of the plies at this arc length; radius (m); value of the heat map.
    @location(3) detail: vec4f,
    // Colour number; coverage seed.
    @location(4) @interpolate(flat) numbers: vec2u,
    // Part of a pixel that a thin yarn covers; its radius in pixels.
    @location(5) cover: vec2f,
}

// Where the list of a level begins.
fn start_of(level: u32) -> u32 {
    var start = 0u;
    for (var bin = 0u; bin < level; bin++) {
        start += arguments[bin * ARGUMENTS + 1u];
    }
    return start;
}

@vertex
fn place(corner: Corner, @builtin(instance_index) instance: u32) -> Surface {
    let level = corner.level;
    let entry = list[start_of(level) + instance];
    let i = entry & ~FAR_END;
    var along = corner.place.x;
    var round = 1.0;
    var out_of_end = 0.0;
    var flip = 1.0;
    if level == CAP {
        // Rings of a half ball beyond the end.
        let angle = 1.5707963 * along;
        let far = (entry & FAR_END) != 0u;
        round = cos(angle);
        out_of_end = select(-1.0, 1.0, far) * sin(angle);
        along = select(0.0, 1.0, far);
        // A cap at the beginning looks the other way: mirrored, so that its outside stays outside.
        flip = select(-1.0, 1.0, far);
    }
    let ring = ring_at(i, along);
    var radius = ring.radius * view.heat.w;
    let centre = view.view_proj * vec4f(ring.centre, 1.0);
    let size = pixels(radius, centre.w);
    var cover = 1.0;
    var side = ring.director;
    var front = cross(ring.tangent, ring.director);
    if level == RIBBON || level == THREAD {
        let v = to_eye(ring.centre);
        side = square_to(cross(v, ring.tangent) + 1e-4 * side, ring.tangent);
        front = cross(ring.tangent, side);
        // Yarns thinner than a pixel are drawn a pixel wide and cover a part of it.
        let wide = max(size, view.viewport.w);
        cover = size / wide;
        radius *= wide / max(size, 1e-9);
    }
    let outward = side * corner.place.y + front * (flip * corner.place.z);
    var normal = outward * round + ring.tangent * out_of_end;
    let p = ring.centre + normal * radius;
    if level == THREAD {
        // Flat, but shaded as if it were round.
        normal = front + 0.8 * outward;
    }
    // A segment of plies makes the same turns whatever its stretch: the rest arc length and radius count.
    let yarn = strands[i].yarn;
    var value = 0.0;
    if view.heat.z > 0.0 {
        value = mix(values[i], values[i + 1u], along);
    }
    let turns = view.ply.y * ring.arc;
    // Normals for shading are unit; corners lie a little outside the circle.
    return Surface(
        view.view_proj * vec4f(p, 1.0),
        p,
        normalize(normal),
        ring.tangent,
        vec4f(corner.place.w, turns, radius, value),
        vec2u((yarn & INDEX) % max(view.counts.x, 1u), i + part.offset),
        vec2f(cover, size),
    );
}

struct Detail {
    normal: vec3f,
    // Light that reaches into the grooves.
    open: f32,
    tint: f32,
}

// Plies wound around the yarn, each round, and fibres along the plies; both fade when a pixel cannot show them.
fn plies(s: Surface, n: vec3f, t: vec3f) -> Detail {
    let count = view.ply.x;
    let around = cross(t, n);
    // How far the coordinates move in a pixel.
    let lobe = (s.detail.x + s.detail.y) * count;
    let lobe_step = fwidth(s.detail.x) * count + fwidth(s.detail.y) * count;
    let lobe_fade = view.ply.z * (1.0 - smoothstep(0.15, 0.5, lobe_step));
    let x = 2.0 * (lobe - floor(lobe)) - 1.0;
    // Across the plies: around the yarn, tilted against its axis by the angle of the helix.
    let slope = 6.2831853 * view.ply.y * s.detail.z;
    let groove = normalize(around - t * slope);
    // Fibres: stripes of uneven strength that cross the plies at half their angle.
    let f = s.detail.x * 43.0 - s.detail.y * 17.0;
    let fibre_step = fwidth(s.detail.x) * 43.0 + fwidth(s.detail.y) * 17.0;
    let fibre_fade = view.ply.w * (1.0 - smoothstep(0.2, 0.6, fibre_step));
    let wave = sin(6.2831853 * f + 2.0 * sin(9.0 * s.detail.y + 5.0 * s.detail.x));
    let uneven = 0.6 + 0.4 * sin(31.0 * s.detail.y + 12.566371 * s.detail.x);
    let tilt = 0.85 * x * lobe_fade + 0.25 * wave * uneven * fibre_fade;
    let deep = x * x * x * x;
    // The mean of x^4 stands for what is too small to see.
    let open = 1.0 - 0.55 * mix(0.2 * view.ply.z, deep * view.ply.z, 1.0 - smoothstep(0.15, 0.5, lobe_step));
    return Detail(normalize(n + groove * tilt), open, 1.0 + 0.10 * wave * uneven * fibre_fade);
}

fn color_of(s: Surface) -> vec3f {
    let own = view.colors[s.numbers.x].rgb;
    if view.heat.z <= 0.0 {
        return own;
    }
    // A value that is not a number was uploaded as a huge one.
    let known = s.detail.w < 1e37;
    let hot = select(vec3f(0.18), palette_at((s.detail.w - view.heat.x) * view.heat.y), known);
    return mix(own, hot, view.heat.z);
}

fn shaded(s: Surface) -> vec3f {
    let t = normalize(s.tangent);
    let smooth_normal = normalize(s.normal);
    let detail = plies(s, smooth_normal, t);
    let light_part = lit(s.position, smooth_normal);
    let gloss = smoothstep(0.5, 4.0, s.cover.y);
    return fabric(color_of(s) * detail.tint, s.position, detail.normal, t, light_part * detail.open, detail.open, gloss);
}

@fragment
fn shade(s: Surface) -> @location(0) vec4f {
    return vec4f(output(shaded(s)), 1.0);
}

struct Thin {
    @location(0) color: vec4f,
    @builtin(sample_mask) mask: u32,
}

fn hash(x: u32) -> u32 {
    var h = x * 0x9e3779b9u;
    h = (h ^ (h >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

// The samples of a pixel that a thin yarn covers. They are chosen by the segment, not by the pixel: yarns over each
// other cover different samples, and nothing flickers when the camera moves.
fn covered(cover: f32, seed: u32) -> u32 {
    let samples = view.counts.y;
    let h = hash(seed);
    let chance = f32(h & 0xffffu) / 65536.0;
    let count = min(u32(cover * f32(samples) + chance), samples);
    let run = (1u << count) - 1u;
    let start = (h >> 16u) % samples;
    return ((run << start) | (run >> (samples - start))) & ((1u << samples) - 1u);
}

@fragment
fn shade_thin(s: Surface) -> Thin {
    return Thin(vec4f(output(shaded(s)), 1.0), covered(s.cover.x, s.numbers.y));
}
