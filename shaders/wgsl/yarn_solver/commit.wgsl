// Stage `commit`: nodes move to the end of the step. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_fixed
//!use yarn_solver/_vectors

@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read_write> velocity: array<NodeVector>;
@group(0) @binding(4) var<storage, read_write> positions: array<NodePosition>;
@group(0) @binding(5) var<storage, read_write> arcs: array<NodeArcs>;

// Whole units and what is left, after 'units' are added.
fn moved(whole: i32, fraction: i32, units: f32, unit: f32, half: i32) -> vec2i {
    let sum = f32(fraction) * unit + units;
    let steps = round(sum);
    let rest = i32(round((sum - steps) / unit));
    return vec2i(whole + i32(steps), clamp(rest, -half, half - 1));
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_ACCEPTED || i >= params.nodes {
        return;
    }
    let v = value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
    velocity[i] = vector_of(v);
    let units = scalars.h / params.unit;
    let p = positions[i];
    let rest = fractions(p.fraction);
    let x = moved(p.x, rest.x, v.x.x * units, POSITION_FRACTION, 512);
    let y = moved(p.y, rest.y, v.x.y * units, POSITION_FRACTION, 512);
    let z = moved(p.z, rest.z, v.x.z * units, POSITION_FRACTION, 512);
    let fraction = (x.y & 0x3ff) | ((y.y & 0x3ff) << 10u) | ((z.y & 0x3ff) << 20u);
    positions[i] = NodePosition(x.x, y.x, z.x, fraction);
    let a = arc(arcs[i], 0u);
    let b = arc(arcs[i], 1u);
    let s = moved(a.x, a.y, v.s.x * units, ARC_FRACTION, 32768);
    let t = moved(b.x, b.y, v.s.y * units, ARC_FRACTION, 32768);
    arcs[i] = NodeArcs(s.x, t.x, (s.y & 0xffff) | (t.y << 16u));
}
