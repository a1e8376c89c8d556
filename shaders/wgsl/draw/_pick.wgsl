// Which segments are seen, and at which level of detail. Shared by the stages that count and that list them.
//!use _groups
//!use _yarn
//!use draw/_view
//!use draw/_size

@group(0) @binding(0) var<uniform> view: TubeView;
@group(0) @binding(1) var<uniform> part: TubePart;
@group(0) @binding(2) var<storage, read> vertices: array<YarnVertex>;
@group(0) @binding(3) var<storage, read> strands: array<TubeStrand>;

const UNSEEN: u32 = 0xffffffffu;

// Radii in pixels from which the levels 0, 1, ... are used; the last level but one is used down to the view's least
// radius.
const LEVELS = array<f32, 4>(36.0, 11.0, 3.5, 1.3);

fn place(i: u32) -> vec4f {
    let v = vertices[i];
    return vec4f(v.position[0], v.position[1], v.position[2], v.radius);
}

// The level of the segment from vertex i on, or UNSEEN.
fn level_of(i: u32) -> u32 {
    if (strands[i].yarn & LAST) != 0u {
        return UNSEEN;
    }
    let a = place(i);
    let b = place(i + 1u);
    let middle = view.view_proj * vec4f(0.5 * (a.xyz + b.xyz), 1.0);
    // A curve through both ends stays within this distance of the middle; so do caps.
    let radius = max(a.w, b.w) * view.heat.w;
    let reach = length(b.xyz - a.xyz) + 2.0 * radius;
    let row_x = vec3f(view.view_proj[0].x, view.view_proj[1].x, view.view_proj[2].x);
    let row_y = vec3f(view.view_proj[0].y, view.view_proj[1].y, view.view_proj[2].y);
    let row_z = vec3f(view.view_proj[0].z, view.view_proj[1].z, view.view_proj[2].z);
    let row_w = vec3f(view.view_proj[0].w, view.view_proj[1].w, view.view_proj[2].w);
    let w = middle.w + reach * length(row_w);
    let outside = abs(middle.x) > w + reach * length(row_x)
        || abs(middle.y) > w + reach * length(row_y)
        || middle.z > w + reach * length(row_z)
        || middle.z < -reach * length(row_z);
    if outside || w <= 0.0 {
        return UNSEEN;
    }
    let size = pixels(radius, middle.w);
    var level = 0u;
    while level < 4u && size < LEVELS[level] {
        level++;
    }
    return select(level, THREAD, size < view.viewport.w);
}

// The ends of a yarn at the segment from vertex i on that a cap closes: bit 0 at i, bit 1 at i + 1. Threads have none.
fn caps_of(i: u32, level: u32) -> u32 {
    if level >= THREAD {
        return 0u;
    }
    return select(0u, 1u, (strands[i].yarn & FIRST) != 0u) | select(0u, 2u, (strands[i + 1u].yarn & LAST) != 0u);
}
