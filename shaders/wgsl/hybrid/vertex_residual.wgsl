// Stage `vertex_residual`: the residual of the triangles at a vertex, with the other sign. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_vertex

@group(0) @binding(2) var<storage, read> slots: array<vec4f>;
@group(0) @binding(3) var<storage, read> vertex_list: array<u32>;
@group(0) @binding(4) var<storage, read> vertex_mass: array<f32>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> d: array<NodeVector>;
@group(0) @binding(7) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(8) var<storage, read_write> r: array<NodeVector>;
@group(0) @binding(9) var<storage, read_write> forces: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let c = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || c >= active_count() {
        return;
    }
    let i = point_of(c);
    let h = scalars.h;
    let rate = value_of(velocity[i]).x - value_of(d[i]).x * (1.0 + h * params.mass_damping) + params.gravity.xyz * h;
    let sum = rate * vertex_mass[c] + gathered(c);
    if c < hybrid.free {
        r[i] = vector_of(kept(diagonal[i], Value(sum, vec2f())));
    } else {
        r[i] = vector_of(Value(vec3f(), vec2f()));
        set_force(c - hybrid.free, sum);
    }
}
