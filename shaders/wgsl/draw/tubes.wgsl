// Yarns as round tubes: for each segment in the list a piece of tube, pulled from the yarn vertices.
//!use draw/_view
//!use draw/_size
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
    // Turns around the yarn; rest arc length in radii; radius (m); value of the heat map.
    @location(3) detail: vec4f,
    @location(4) @interpolate(flat) color: u32,
    // Opacity of a thin yarn in its middle; its radius in pixels; -1 to 1 across it.
    @location(5) cover: vec3f,
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
    let center = view.view_proj * vec4f(ring.center, 1.0);
    let size = pixels(radius, center.w);
    var cover = 1.0;
    var side = ring.director;
    var front = cross(ring.tangent, ring.director);
    if level >= RIBBON && level <= THREAD {
        let v = to_eye(ring.center);
        side = square_to(cross(v, ring.tangent) + 1e-4 * side, ring.tangent);
        front = cross(ring.tangent, side);
    }
    if level == THREAD {
        // Wider than they are, and more transparent in turn, fading to both borders: a filter of two least radii.
        let wide = 2.0 * view.viewport.w;
        cover = 2.0 * size / wide;
        radius *= wide / max(size, 1e-9);
    }
    let outward = side * corner.place.y + front * (flip * corner.place.z);
    var normal = outward * round + ring.tangent * out_of_end;
    let p = ring.center + normal * radius;
    if level == THREAD {
        // Flat, but shaded as if it were round.
        normal = front + 0.8 * outward;
    }
    let yarn = strands[i].yarn;
    var value = 0.0;
    if view.heat.z > 0.0 {
        value = mix(values[i], values[i + 1u], along);
    }
    // Normals for shading are unit; corners lie a little outside the circle.
    return Surface(
        view.view_proj * vec4f(p, 1.0),
        p,
        normalize(normal),
        ring.tangent,
        vec4f(corner.place.w, ring.arc * view.ground.w, radius, value),
        (yarn & INDEX) % max(view.counts.x, 1u),
        vec3f(cover, size, corner.place.y),
    );
}

struct Detail {
    normal: vec3f,
    // Light that reaches into the grooves.
    open: f32,
    tint: f32,
}

fn hash(x: u32) -> u32 {
    var h = x * 0x9e3779b9u;
    h = (h ^ (h >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

// A number from 0 to 1.
fn chance(x: u32) -> f32 {
    return f32(hash(x) >> 8u) / 16777216.0;
}

// Smooth noise from -1 to 1 on a lattice of numbers.
fn noise(p: vec2f) -> f32 {
    let cell = floor(p);
    let f = p - cell;
    let w = f * f * (3.0 - 2.0 * f);
    let i = vec2u(vec2i(cell));
    let seed = i.x + 0x8da6b343u * i.y;
    let low = mix(chance(seed), chance(seed + 1u), w.x);
    let high = mix(chance(seed + 0x8da6b343u), chance(seed + 0x8da6b344u), w.x);
    return 2.0 * mix(low, high, w.y) - 1.0;
}

// Plies wound around the yarn, each round, and fibers along the plies; both fade when a pixel cannot show them. The
// plies make the same turns whatever the stretch: rest arc length and radius at rest count.
fn plies(s: Surface, n: vec3f, t: vec3f) -> Detail {
    let count = max(view.ply.x, 1.0);
    let around = cross(t, n);
    let lobe = (s.detail.x + s.detail.y * view.ply.y) * count;
    // How far the coordinates move in a pixel.
    let turn_step = fwidth(s.detail.x);
    let arc_step = fwidth(s.detail.y);
    let lobe_step = (turn_step + arc_step * abs(view.ply.y)) * count;
    let seen = 1.0 - smoothstep(0.15, 0.5, lobe_step);
    let x = 2.0 * fract(lobe) - 1.0;
    // The same number on both sides of the seam, where the angle jumps by a turn.
    let ply = floor(lobe) - count * floor(floor(lobe) / count);
    // Across the plies: around the yarn, tilted against its axis by the angle of the helix.
    let groove = normalize(around - t * (6.2831853 * view.ply.y));
    var tilt = 0.9 * x * view.ply.z * seen;
    var tint = 1.0;
    // Fibers: noise that is long along the fibers, which lie askew in their ply.
    let fine = view.ply.w * (1.0 - smoothstep(0.25, 0.9, max(turn_step * 14.0 * count, arc_step * 4.0)));
    if fine > 0.0 {
        let q = vec2f(7.0 * x + 2.6 * s.detail.y + 37.0 * ply, 0.5 * s.detail.y + 11.0 * ply);
        let strand = noise(q) + 0.8 * noise(q * vec2f(2.3, 1.7) + vec2f(19.0, 7.0));
        tilt += 0.42 * strand * fine;
        tint += 0.15 * strand * fine;
    }
    // Light that does not reach the grooves; the mean of x^4 stands for what is too small to see.
    let open = 1.0 - 0.6 * view.ply.z * mix(0.2, x * x * x * x, seen);
    return Detail(normalize(n + groove * tilt), open, tint);
}

fn color_of(s: Surface) -> vec3f {
    let own = view.colors[s.color].rgb;
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
    let light_part = lit(s.position, smooth_normal, 0.35 * s.detail.z);
    let gloss = smoothstep(0.5, 4.0, s.cover.y);
    return fabric(color_of(s) * detail.tint, s.position, detail.normal, t, light_part * detail.open, detail.open, gloss);
}

@fragment
fn shade(s: Surface) -> @location(0) vec4f {
    return vec4f(output(shaded(s)), 1.0);
}

// A yarn that covers a part of its pixel only.
@fragment
fn shade_thin(s: Surface) -> @location(0) vec4f {
    return vec4f(output(shaded(s)), clamp(s.cover.x * (1.0 - abs(s.cover.z)), 0.0, 1.0));
}
