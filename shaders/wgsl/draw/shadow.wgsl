// Yarns as the lamp sees them, into the shadow map: ribbons through their axes that face the lamp. A yarn's lit half lies in
// front of its own ribbon, so it does not shadow itself.
//!use draw/_view
//!use draw/_curve

@group(0) @binding(0) var<uniform> view: TubeView;
@group(1) @binding(0) var<uniform> part: TubePart;
@group(1) @binding(1) var<storage, read> vertices: array<YarnVertex>;
@group(1) @binding(2) var<storage, read> strands: array<TubeStrand>;

// A corner of the ribbon for each of the indices 0 to 5 of two rings' left and right corners.
@vertex
fn ribbon(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> @builtin(position) vec4f {
    let i = part.first + instance;
    if (strands[i].yarn & LAST) != 0u {
        // Outside of the map.
        return vec4f(2.0, 2.0, 2.0, 1.0);
    }
    let ring = ring_at(i, 0.5 * f32(index / 2u));
    let side = square_to(cross(view.light.xyz, ring.tangent) + 1e-4 * ring.director, ring.tangent);
    let way = select(-1.0, 1.0, (index & 1u) == 1u);
    return view.shadow_proj * vec4f(ring.center + side * (way * ring.radius * view.heat.w), 1.0);
}
