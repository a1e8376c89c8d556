// A bare mesh: cloth without yarns, or an obstacle. Both sides are seen.
//!use draw/_view
//!use draw/_shade

@group(0) @binding(0) var<uniform> view: TubeView;
@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

struct MeshCorner {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
}

struct Surface {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
}

@vertex
fn place(corner: MeshCorner) -> Surface {
    return Surface(view.view_proj * vec4f(corner.position, 1.0), corner.position, corner.normal);
}

@fragment
fn shade(s: Surface) -> @location(0) vec4f {
    let length_squared = dot(s.normal, s.normal);
    var n = s.normal * select(0.0, inverseSqrt(length_squared), length_squared > 1e-12);
    n = select(n, -n, dot(n, to_eye(s.position)) < 0.0);
    let light_part = lit(s.position, n, 1.5 * view.sky.w);
    let color = fabric(view.colors[0].rgb, s.position, n, vec3f(), light_part, 1.0, 0.5);
    return vec4f(output(color), 1.0);
}

// The edges, in the second color.
@fragment
fn wire() -> @location(0) vec4f {
    return vec4f(output(view.colors[1].rgb), 1.0);
}
