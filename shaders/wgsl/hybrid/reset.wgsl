// Stage `reset`: the change of velocity that a step starts with, and the velocity. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_partials

@group(0) @binding(2) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(3) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(4) var<storage, read_write> x: array<NodeVector>;
@group(0) @binding(5) var<storage, read_write> d: array<NodeVector>;
@group(0) @binding(6) var<storage, read_write> w: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= all_points() {
        return;
    }
    let v = value_of(velocity[i]);
    let free = kept(diagonal[i], v);
    x[i] = vector_of(value_add(free, v, -1.0));
    d[i] = vector_of(free);
    // Normals are computed in its place: none where warp and weft are parallel.
    set_w(i, Value(vec3f(), vec2f()));
}
